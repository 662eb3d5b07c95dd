/** How far a broadcast has come, and why some of it failed. Pure. */
import type { Broadcast, BroadcastCounts, BroadcastRecipient } from '@/api/schema';

export interface Progress {
  /** Recipients whose message was accepted or refused. */
  done: number;
  total: number;
  /** Shares of the bar, of 100. */
  sentPercent: number;
  failedPercent: number;
}

const percent = (part: number, whole: number) => (whole > 0 ? (part / whole) * 100 : 0);

/** A message may fail after it was accepted, and then counts as both: the bar is never longer than its frame. */
export function progressOf({ total, sent, failed }: BroadcastCounts): Progress {
  const refused = Math.min(failed, Math.max(0, total - sent));
  return {
    done: Math.min(total, sent + refused),
    total,
    sentPercent: Math.min(100, percent(sent, total)),
    failedPercent: percent(refused, total),
  };
}

export const FUNNEL_STEPS = ['sent', 'delivered', 'read', 'replied'] as const;
export type FunnelStep = (typeof FUNNEL_STEPS)[number];

/** Each step with its share of all recipients, of 100. */
export function funnelOf(
  counts: BroadcastCounts,
): Array<{ step: FunnelStep; count: number; percent: number }> {
  return FUNNEL_STEPS.map((step) => ({
    step,
    count: counts[step],
    percent: Math.min(100, percent(counts[step], counts.total)),
  }));
}

export interface FailureGroup {
  reason: string;
  code: string;
  message: string;
  count: number;
  canRetry: boolean;
}

/** Reasons that `POST /broadcasts/{id}/retry` takes: nobody has received the message, and the reason may pass. */
const TEMPORARY_REASONS = new Set(['temporary', 'rate_limited', 'unreachable', 'channel_not_connected']);
export const UNKNOWN_OUTCOME = 'unknown_outcome';

/** Failures by reason, the most frequent first. */
export function groupFailures(failed: readonly BroadcastRecipient[]): FailureGroup[] {
  const groups = new Map<string, FailureGroup>();
  for (const { error } of failed) {
    const { reason, code, message } = error ?? { reason: 'unknown', code: '', message: '' };
    const group = groups.get(reason) ?? {
      reason,
      code,
      message,
      count: 0,
      canRetry: TEMPORARY_REASONS.has(reason),
    };
    group.count += 1;
    groups.set(reason, group);
  }
  return [...groups.values()].sort((a, b) => b.count - a.count || a.reason.localeCompare(b.reason));
}

export type Action = 'stop' | 'unschedule' | 'schedule' | 'retry';

/** What the API allows in each state. */
export function actionsOf({ status, counts }: Broadcast): Action[] {
  if (status === 'sending') return ['stop'];
  if (status === 'scheduled') return ['schedule', 'unschedule'];
  if (status === 'draft') return ['schedule'];
  return counts.failed > 0 ? ['retry'] : [];
}
