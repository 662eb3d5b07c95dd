import type { BroadcastReport, StatusError } from '@/api/schema';
import { t, tDynamic } from '@/i18n';
import { Section } from '@/ui/Page';
import { Badge } from '@/ui/Tag';

/** A reason in the member's language where we know it, else in the channel's words. */
export function describeReason({ reason, message }: Pick<StatusError, 'reason' | 'message'>): string {
  const known = tDynamic('broadcastFailure', reason);
  return known === reason.replaceAll('_', ' ') && message ? message : known;
}

/** Why messages failed, the most frequent reason first. */
export function Failures({ report: { failures } }: { report: BroadcastReport }) {
  if (failures.length === 0) return null;
  return (
    <Section title={t('broadcast.failures')}>
      <ul className="flex flex-col divide-y divide-line">
        {failures.map((failure) => (
          <li key={failure.reason} className="flex items-baseline gap-3 py-2 first:pt-0 last:pb-0">
            <span className="min-w-6 font-semibold tabular-nums">{failure.count}</span>
            <span className="flex min-w-0 flex-1 flex-wrap items-baseline justify-between gap-x-3 gap-y-1">
              <span className="min-w-40 flex-1 wrap-break-word">
                {describeReason(failure)}
                {failure.code && failure.code !== failure.reason && (
                  <span className="block text-xs text-ink-soft">
                    {t('failure.code', { code: failure.code })}
                  </span>
                )}
              </span>
              {failure.is_temporary && <Badge tone="warning">{t('broadcast.canRetry')}</Badge>}
            </span>
          </li>
        ))}
      </ul>
    </Section>
  );
}
