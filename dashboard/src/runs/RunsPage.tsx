import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { Route } from 'lucide-react';
import { useMemo } from 'react';
import type { RunStatus } from '@/api/schema';
import { t, tDynamic } from '@/i18n';
import { assistantsQuery } from '@/session/assistants';
import { useCan } from '@/session/session';
import { ButtonLink } from '@/ui/ButtonLink';
import { EmptyState } from '@/ui/EmptyState';
import { ErrorNotice } from '@/ui/ErrorNotice';
import { FilterChips } from '@/ui/FilterChips';
import { Page } from '@/ui/Page';
import { SelectField } from '@/ui/SelectField';
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
        filtered ? (
          <ButtonLink to="/runs">{t('runs.clear')}</ButtonLink>
        ) : (
          <ButtonLink to="/assistants">{t('nav.assistants')}</ButtonLink>
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
  const change = (next: RunSearch) =>
    void navigate({ to: '/runs', search: { ...search, ...next }, replace: true });
  const only = search.trigger ? t('runs.ofTrigger') : search.contact ? t('runs.ofContact') : null;
  return (
    <div className="filter-bar">
      <div className="flex min-w-0 flex-1 flex-wrap gap-1.5">
        <FilterChips
          label={t('runs.status')}
          all={t('runs.any')}
          chips={RUN_STATUSES.map((value) => ({
            value,
            label: tDynamic('runStatus', value),
            count: counts[value] || undefined,
          }))}
          value={search.status}
          onChange={(status) => change({ status })}
        />
        {only && (
          <FilterChips
            label={only}
            chips={[{ value: 'only', label: `${only} ×` }]}
            value="only"
            onChange={() => change({ trigger: undefined, contact: undefined })}
          />
        )}
      </div>
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
