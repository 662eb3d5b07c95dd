import { describeError } from '@/api/describe';
import { ApiError } from '@/api/errors';
import { t } from '@/i18n';
import type { SendFailure } from '../outbox/failure';

/** Why a message is not sent, and what to do or what happens by itself. */
export function describeFailure(failure: SendFailure, triedAgain: boolean): string {
  const { code } = failure;
  if (code === 'file_missing') return t('outbox.fileMissing');
  if (code === 'too_old') return t('outbox.tooOld');
  if (code === 'unexpected') return t('error.unexpected');
  if (!triedAgain) return describeError(new ApiError({ ...failure, code }));
  if (code === 'unreachable') return t('outbox.offline');
  return `${describeError(new ApiError({ ...failure, code }))} ${t('outbox.again')}`;
}
