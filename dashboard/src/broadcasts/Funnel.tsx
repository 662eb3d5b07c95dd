import type { BroadcastCounts } from '@/api/schema';
import { locale, t, tDynamic } from '@/i18n';
import { funnelOf } from './progress';

/** From accepted to answered, each as a share of all recipients. */
export function Funnel({ counts }: { counts: BroadcastCounts }) {
  return (
    <dl className="grid grid-cols-2 gap-px overflow-hidden rounded-lg border border-line bg-line sm:grid-cols-4">
      {funnelOf(counts).map(({ step, count, percent }) => (
        <div key={step} className="flex flex-col bg-surface p-3">
          <dt className="text-sm text-ink-soft">{tDynamic('funnel', step)}</dt>
          <dd className="flex items-baseline gap-2">
            <span className="text-figure font-semibold tabular-nums">{count.toLocaleString(locale())}</span>
            <span className="text-sm text-ink-soft tabular-nums">
              {t('funnel.percent', { percent: Math.round(percent) })}
            </span>
          </dd>
          <dd aria-hidden className="mt-2 h-1.5 overflow-hidden rounded-full bg-active">
            <span
              className="block h-full bg-accent transition-[width] duration-500"
              style={{ width: `${percent}%` }}
            />
          </dd>
        </div>
      ))}
    </dl>
  );
}
