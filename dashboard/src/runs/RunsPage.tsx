import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router';
import { Route } from 'lucide-react';
import { useMemo } from 'react';
import type { RunStatus } from '@/api/schema';
import { assistantsQuery } from '@/assistants/queries';
import { locale, t, tDynamic } from '@/i18n';
import { useCan } from '@/session/session';
import { EmptyState } from '@/ui/EmptyState';
import { ErrorNotice } from '@/ui/ErrorNotice';
import { SelectField } from '@/ui/Field';
import { Page } from '@/ui/Page';
import { LoadingRows } from '@/ui/Spinner';
import { filterOf, RUN_STATUSES, type RunSearch, runsOf } from './list';
import { runCountsQuery, runsQuery } from './queries';
import { RunList } from './RunList';

const route = getRouteApi('/shell/runs');
const ROW_PX = 44;

/** Every run of the account's assistants, by state. */
export function RunsPage() {
  const search = route.useSearch();
  const filter = useMemo(() => filterOf(search), [search]);
  const query = useInfiniteQuery(runsQuery(filter));
  const runs = useMemo(() => runsOf(query.data), [query.data]);
  const filtered = Object.keys(filter).length > 0;
  return (
    <Page title={t('nav.runs')}>
      <div className="flex h-full flex-col">
        <Filters search={search} />
        {query.isPending && <LoadingRows rowPx={ROW_PX} count={12} />}
        {query.isError && <ErrorNotice error={query.error} onRetry={() => void query.refetch()} />}
        {query.isSuccess && runs.length === 0 && <Nothing filtered={filtered} />}
        {runs.length > 0 && (
          <RunList
            runs={runs}
            filter={filter}
            hasMore={query.hasNextPage}
            loadingMore={query.isFetchingNextPage}
            onMore={() => void query.fetchNextPage()}
          />
        )}
      </div>
    </Page>
  );
}

function Nothing({ filtered }: { filtered: boolean }) {
  return (
    <EmptyState
      icon={<Route size={40} />}
      title={filtered ? t('runs.noMatch') : t('runs.empty')}
      action={
        filtered && (
          <Link to="/runs" className="font-medium text-accent underline">
            {t('runs.clear')}
          </Link>
        )
      }
    >
      {!filtered && t('runs.emptyHelp')}
    </EmptyState>
  );
}

function Filters({ search }: { search: RunSearch }) {
  const navigate = useNavigate();
  const can = useCan();
  const assistants = useQuery({ ...assistantsQuery, enabled: can('assistants:read') }).data ?? [];
  const counts: Partial<Record<RunStatus, number>> = useQuery(runCountsQuery(search.assistant)).data ?? {};
  const count = (status: RunStatus | undefined) => (status && counts[status]) || 0;
  const change = (next: RunSearch) =>
    void navigate({ to: '/runs', search: { ...search, ...next }, replace: true });
  const only = search.trigger ? t('runs.ofTrigger') : search.contact ? t('runs.ofContact') : null;
  return (
    <div className="flex flex-wrap items-center gap-2 border-b border-line bg-surface p-3">
      <fieldset className="flex min-w-0 flex-1 flex-wrap gap-0.5">
        <legend className="sr-only">{t('runs.status')}</legend>
        {[undefined, ...RUN_STATUSES].map((status) => (
          <button
            key={status ?? 'any'}
            type="button"
            aria-pressed={search.status === status}
            onClick={() => change({ status })}
            className="rounded-lg px-2.5 py-1.5 text-sm font-medium text-ink-soft hover:bg-sunken aria-pressed:bg-active aria-pressed:text-ink"
          >
            {status ? tDynamic('runStatus', status) : t('runs.any')}
            {count(status) > 0 && (
              <span className="tabular-nums"> {count(status).toLocaleString(locale())}</span>
            )}
          </button>
        ))}
        {only && (
          <button
            type="button"
            aria-pressed
            onClick={() => change({ trigger: undefined, contact: undefined })}
            className="rounded-lg bg-active px-2.5 py-1.5 text-sm font-medium"
          >
            {only} ×
          </button>
        )}
      </fieldset>
      <div className="w-48 max-sm:w-full">
        <SelectField
          label={t('runs.assistant')}
          hideLabel
          value={search.assistant ?? ''}
          onChange={(event) => change({ assistant: event.target.value || undefined })}
        >
          <option value="">{t('runs.anyAssistant')}</option>
          {assistants.map((assistant) => (
            <option key={assistant.id} value={assistant.id}>
              {assistant.name}
            </option>
          ))}
        </SelectField>
      </div>
    </div>
  );
}
