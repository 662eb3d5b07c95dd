import { type MessageKey, t } from '@/i18n';
import { ApiError } from './errors';

/** Refusals that the dashboard explains in its own words, and in the member's language. */
const BY_REASON: Record<string, MessageKey> = {
  outside_window: 'error.outsideWindow',
  newer_reply: 'error.newerReply',
  stage_not_in_pipeline: 'error.stageNotInPipeline',
  template_not_found: 'error.templateGone',
  template_not_approved: 'error.templateNotApproved',
  template_params_mismatch: 'error.templateParams',
  same_contact: 'error.sameContact',
  assistant_disabled: 'error.assistantDisabled',
  scope: 'error.forbidden',
};
const BY_CODE: Partial<Record<ApiError['code'], MessageKey>> = {
  unreachable: 'error.unreachable',
  forbidden: 'error.forbidden',
  account_suspended: 'error.suspended',
  not_found: 'error.notFound',
  channel_not_connected: 'error.channelNotConnected',
  internal: 'error.internal',
  unauthorized: 'error.signedOut',
};

const SECONDS_TOLD_MAX = 90;

function describeWait(seconds: number): string {
  return seconds <= SECONDS_TOLD_MAX
    ? t('error.rateLimited', { count: seconds })
    : t('error.rateLimitedMinutes', { count: Math.ceil(seconds / 60) });
}

/** One sentence for a person: what happened and what to do. */
export function describeError(error: unknown): string {
  if (!(error instanceof ApiError)) return t('error.unexpected');
  if (error.code === 'rate_limited') return describeWait(error.retryAfterSeconds ?? 60);
  const key = (error.reason && BY_REASON[error.reason]) || BY_CODE[error.code];
  if (key) return t(key as 'error.unexpected');
  // The server's message is written for a person and names the field.
  const details = error.details.map((detail) => detail.message).filter(Boolean);
  return details.length > 0 ? details.join(' ') : error.message;
}
