import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { t } from '@/i18n';
import { useAssistantName } from '@/session/assistants';
import { ErrorNotice } from '@/ui/ErrorNotice';
import { Section } from '@/ui/Page';
import { LoadingRows } from '@/ui/Spinner';
import { Time } from '@/ui/Time';
import { cost } from './cost';
import { dearestRunsQuery } from './queries';
import type { Month } from './spend';

/** The runs of a month that cost the most, with the way to each. */
export function DearestRuns({ month }: { month: Month | undefined }) {
  const query = useQuery(dearestRunsQuery(month));
  const assistantName = useAssistantName();
  return (
    <Section title={t('spend.dearest')}>
      {query.isPending && <LoadingRows rowPx={44} count={3} />}
      {query.isError && <ErrorNotice error={query.error} onRetry={() => void query.refetch()} />}
      {query.data?.length === 0 && <p className="text-ink-soft">{t('spend.noRuns')}</p>}
      <ol aria-label={t('spend.dearest')} className="flex flex-col divide-y divide-line empty:hidden">
        {query.data?.map((run) => (
          <li key={run.id} className="flex items-baseline gap-3 py-1.5 first:pt-0 last:pb-0">
            <span className="min-w-0 flex-1">
              <Link
                to="/runs/$runId"
                params={{ runId: run.id }}
                className="block truncate font-medium hover:underline"
              >
                {run.goal}
              </Link>
              <span className="block truncate text-sm text-ink-soft">
                {assistantName(run.assistant_id)} · <Time at={run.created_at} style="medium" />
              </span>
            </span>
            <span className="tabular-nums">{cost(run.cost_usd)}</span>
          </li>
        ))}
      </ol>
    </Section>
  );
}
