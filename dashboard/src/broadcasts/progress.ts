/** How far a broadcast has come. Pure. */
import type { Broadcast, BroadcastCounts } from '@/api/schema';

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

export type Action = 'stop' | 'unschedule' | 'schedule' | 'retry';

/** What the API allows in each state. */
export function actionsOf({ status, counts }: Broadcast): Action[] {
  if (status === 'sending') return ['stop'];
  if (status === 'scheduled') return ['schedule', 'unschedule'];
  if (status === 'draft') return ['schedule'];
  return counts.failed > 0 ? ['retry'] : [];
}
