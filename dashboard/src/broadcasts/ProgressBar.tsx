import type { BroadcastCounts } from '@/api/schema';
import { t } from '@/i18n';
import { progressOf } from './progress';

/** What was accepted, and what was refused, of all recipients. */
export function ProgressBar({ counts, label }: { counts: BroadcastCounts; label: string }) {
  const { done, total, sentPercent, failedPercent } = progressOf(counts);
  return (
    <div
      role="progressbar"
      aria-label={label}
      aria-valuemin={0}
      aria-valuemax={total}
      aria-valuenow={done}
      aria-valuetext={t('broadcast.doneOf', { done, total })}
      className="flex h-2 overflow-hidden rounded-full bg-active"
    >
      <span className="bg-accent transition-[width] duration-500" style={{ width: `${sentPercent}%` }} />
      <span className="bg-danger transition-[width] duration-500" style={{ width: `${failedPercent}%` }} />
    </div>
  );
}
