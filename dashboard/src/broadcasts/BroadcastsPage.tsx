import { useInfiniteQuery } from '@tanstack/react-query';
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router';
import { Megaphone, Plus } from 'lucide-react';
import { useEffect, useRef, useState } from 'react';
import type { Broadcast } from '@/api/schema';
import { useCommands } from '@/commands/commands';
import { KEYS } from '@/commands/shortcuts';
import { t, tDynamic } from '@/i18n';
import { useCan } from '@/session/session';
import { ButtonLink } from '@/ui/ButtonLink';
import { EmptyState } from '@/ui/EmptyState';
import { ErrorNotice } from '@/ui/ErrorNotice';
import { FilterChips } from '@/ui/FilterChips';
import { LoadMore } from '@/ui/LoadMore';
import { Page } from '@/ui/Page';
import { SearchField } from '@/ui/SearchField';
import { LoadingRows } from '@/ui/Spinner';
import { Time } from '@/ui/Time';
import { useDebounced } from '@/ui/useDebounced';
import { ProgressBar } from './ProgressBar';
import { broadcastsQuery } from './queries';
import { StatusBadge } from './StatusBadge';
import { BROADCAST_STATUSES } from './search';
import { BroadcastTabs } from './Tabs';

const route = getRouteApi('/shell/broadcasts');
const ROW_PX = 72;

export function BroadcastsPage() {
  const search = route.useSearch();
  const navigate = useNavigate();
  const maySend = useCan()('broadcasts:send');
  const query = useInfiniteQuery(broadcastsQuery(search));
  const broadcasts = query.data?.pages.flatMap((page) => page.data) ?? [];
  const isFiltered = search.status !== undefined || search.q !== undefined;
  useCommands(
    maySend
      ? [
          {
            id: 'broadcasts.new',
            group: t('nav.broadcasts'),
            label: t('broadcast.new'),
            shortcut: KEYS.create,
            run: () => void navigate({ to: '/broadcasts/new' }),
          },
        ]
      : [],
  );
  return (
    <Page title={t('nav.broadcasts')} actions={maySend && <NewLink />}>
      <BroadcastTabs />
      <Filters />
      {query.isPending && <LoadingRows rowPx={ROW_PX} />}
      {query.isError && <ErrorNotice error={query.error} onRetry={() => void query.refetch()} />}
      {query.isSuccess && broadcasts.length === 0 && (
        <EmptyState
          icon={<Megaphone size={40} />}
          title={isFiltered ? t('broadcasts.noMatch') : t('broadcasts.empty')}
          action={
            isFiltered ? (
              <ButtonLink to="/broadcasts">{t('inbox.clearFilters')}</ButtonLink>
            ) : (
              maySend && <NewLink />
            )
          }
        >
          {isFiltered ? t('broadcasts.noMatchHelp') : t('broadcasts.emptyHelp')}
        </EmptyState>
      )}
      <ul aria-label={t('nav.broadcasts')} className="page-column flex flex-col empty:hidden">
        {broadcasts.map((broadcast) => (
          <Row key={broadcast.id} broadcast={broadcast} />
        ))}
      </ul>
      <LoadMore query={query} />
    </Page>
  );
}

function NewLink() {
  return (
    <ButtonLink to="/broadcasts/new" kind="primary" icon={<Plus size={16} aria-hidden />}>
      {t('broadcast.new')}
    </ButtonLink>
  );
}

function Filters() {
  const search = route.useSearch();
  const navigate = useNavigate();
  const [text, setText] = useState(search.q ?? '');
  const settled = useDebounced(text);
  const input = useRef<HTMLInputElement>(null);
  const change = (next: Partial<typeof search>) =>
    void navigate({ to: '/broadcasts', search: { ...search, ...next }, replace: true });
  // biome-ignore lint/correctness/useExhaustiveDependencies: only what is typed changes the address
  useEffect(() => {
    if (settled !== (search.q ?? '')) change({ q: settled || undefined });
  }, [settled]);
  useCommands([
    {
      id: 'broadcasts.search',
      group: t('nav.broadcasts'),
      label: t('broadcasts.search'),
      shortcut: KEYS.search,
      run: () => input.current?.focus(),
    },
  ]);
  return (
    <div className="filter-bar">
      <div className="min-w-40 flex-1">
        <SearchField ref={input} label={t('broadcasts.search')} value={text} onChange={setText} />
      </div>
      <FilterChips
        label={t('broadcasts.status')}
        all={t('ui.anyStatus')}
        chips={BROADCAST_STATUSES.map((value) => ({ value, label: tDynamic('broadcastStatus', value) }))}
        value={search.status}
        onChange={(status) => change({ status })}
      />
    </div>
  );
}

function Row({ broadcast }: { broadcast: Broadcast }) {
  const { counts, status } = broadcast;
  return (
    <li className="lazy-render relative flex flex-col gap-1.5 border border-t-0 border-line bg-surface px-4 py-3 first:rounded-t-xl first:border-t last:rounded-b-xl hover:bg-sunken">
      <div className="flex items-center gap-2">
        <Link
          to="/broadcasts/$broadcastId"
          params={{ broadcastId: broadcast.id }}
          className="min-w-0 flex-1 truncate font-medium after:absolute after:inset-0"
        >
          {broadcast.name}
        </Link>
        <StatusBadge status={status} />
        <span className="text-sm text-ink-soft">
          <Time at={broadcast.scheduled_at ?? broadcast.created_at} />
        </span>
      </div>
      <div className="flex flex-wrap items-center gap-x-4 gap-y-1 text-sm text-ink-soft">
        <span className="truncate">{broadcast.template?.name ?? t('broadcast.freeText')}</span>
        <span>{t('broadcast.recipients', { count: counts.total })}</span>
        {counts.delivered > 0 && <span>{t('broadcast.deliveredCount', { count: counts.delivered })}</span>}
        {counts.replied > 0 && <span>{t('broadcast.repliedCount', { count: counts.replied })}</span>}
        {counts.failed > 0 && (
          <span className="text-danger">{t('broadcast.failedCount', { count: counts.failed })}</span>
        )}
      </div>
      {status !== 'draft' && status !== 'scheduled' && (
        <ProgressBar counts={counts} label={t('broadcast.progressOf', { name: broadcast.name })} />
      )}
    </li>
  );
}
