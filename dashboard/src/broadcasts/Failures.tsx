import { useQuery } from '@tanstack/react-query';
import type { Broadcast, StatusError } from '@/api/schema';
import { t, tDynamic } from '@/i18n';
import { ErrorNotice } from '@/ui/ErrorNotice';
import { Section } from '@/ui/Page';
import { Badge } from '@/ui/Tag';
import { groupFailures } from './progress';
import { FAILURES_COUNTED_MAX, failuresQuery } from './queries';

/** A reason in the member's language where we know it, else in the channel's words. */
export function describeReason({ reason, message }: Pick<StatusError, 'reason' | 'message'>): string {
  const known = tDynamic('broadcastFailure', reason);
  return known === reason.replaceAll('_', ' ') && message ? message : known;
}

/** Why messages failed, the most frequent reason first. */
export function Failures({ broadcast }: { broadcast: Broadcast }) {
  const { failed } = broadcast.counts;
  const query = useQuery(failuresQuery(broadcast.id, failed));
  if (failed === 0) return null;
  return (
    <Section title={t('broadcast.failures')}>
      {query.isError && <ErrorNotice error={query.error} onRetry={() => void query.refetch()} />}
      <ul className="flex flex-col divide-y divide-line">
        {groupFailures(query.data ?? []).map((group) => (
          <li key={group.reason} className="flex items-baseline gap-3 py-2 first:pt-0 last:pb-0">
            <span className="min-w-6 font-semibold tabular-nums">{group.count}</span>
            <span className="flex min-w-0 flex-1 flex-wrap items-baseline justify-between gap-x-3 gap-y-1">
              <span className="min-w-40 flex-1 wrap-break-word">
                {describeReason(group)}
                {group.code && group.code !== group.reason && (
                  <span className="block text-xs text-ink-soft">
                    {t('failure.code', { code: group.code })}
                  </span>
                )}
              </span>
              {group.canRetry && <Badge tone="warning">{t('broadcast.canRetry')}</Badge>}
            </span>
          </li>
        ))}
      </ul>
      {failed > FAILURES_COUNTED_MAX && (
        <p className="mt-2 text-sm text-ink-soft">
          {t('broadcast.failuresNewest', { count: FAILURES_COUNTED_MAX })}
        </p>
      )}
    </Section>
  );
}
