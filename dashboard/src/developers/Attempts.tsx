import { keepPreviousData, useQuery } from '@tanstack/react-query';
import type { Delivery, DeliveryAttempt } from '@/api/schema';
import { locale, t } from '@/i18n';
import { exactTime } from '@/i18n/time';
import { CodeBlock } from '@/ui/CodeBlock';
import { Disclosure } from '@/ui/Disclosure';
import { ErrorNotice } from '@/ui/ErrorNotice';
import { Loading } from '@/ui/Spinner';
import { Badge } from '@/ui/Tag';
import { isAccepted } from './delivery';
import { attemptsQuery } from './queries';

/** Every attempt of a delivery with its response, the newest first and open. */
export function Attempts({ endpointId, delivery }: { endpointId: string; delivery: Delivery }) {
  const query = useQuery({
    ...attemptsQuery(endpointId, delivery),
    placeholderData: keepPreviousData,
  });
  return (
    <section>
      <h3 className="mb-1 font-semibold">{t('deliveries.attemptsLabel')}</h3>
      {query.isPending && <Loading />}
      {query.isError && <ErrorNotice error={query.error} onRetry={() => void query.refetch()} />}
      {query.data?.length === 0 && <p className="text-ink-soft">{t('deliveries.noAttempts')}</p>}
      <ol reversed className="divide-y divide-line empty:hidden">
        {query.data?.map((attempt, index) => (
          <li key={attempt.number}>
            <Attempt attempt={attempt} isNewest={index === 0} />
          </li>
        ))}
      </ol>
    </section>
  );
}

function Attempt({ attempt, isNewest }: { attempt: DeliveryAttempt; isNewest: boolean }) {
  const { number, started_at: startedAt, status_code: code, duration_ms: ms } = attempt;
  return (
    <Disclosure
      open={isNewest}
      summary={
        <>
          <span className="font-medium">{t('deliveries.attempt', { number })}</span>
          <Badge tone={isAccepted(attempt) ? 'success' : 'danger'}>
            {code === null ? t('deliveries.noResponseShort') : `HTTP ${code}`}
          </Badge>
          <span className="text-sm text-ink-soft tabular-nums">
            {[
              startedAt && exactTime(startedAt),
              ms !== null && t('deliveries.duration', { ms: ms.toLocaleString(locale()) }),
            ]
              .filter(Boolean)
              .join(' · ')}
          </span>
        </>
      }
    >
      <div className="pb-3">
        {code === null ? (
          <p className="break-words text-ink-soft">{attempt.error ?? t('deliveries.noResponse')}</p>
        ) : (
          <CodeBlock
            label={t('deliveries.responseOf', { number })}
            code={attempt.response_snippet ?? `(${t('deliveries.noBody')})`}
          />
        )}
      </div>
    </Disclosure>
  );
}
