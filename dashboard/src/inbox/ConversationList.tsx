import { useInfiniteQuery } from '@tanstack/react-query';
import { getRouteApi, useNavigate, useRouter } from '@tanstack/react-router';
import type { Virtualizer } from '@tanstack/react-virtual';
import { MessagesSquare } from 'lucide-react';
import { useCallback, useEffect, useMemo, useState } from 'react';
import type { InboxRow } from '@/api/app';
import { useCommands } from '@/commands/commands';
import { KEYS } from '@/commands/shortcuts';
import { t } from '@/i18n';
import { useIsAdmin } from '@/session/session';
import { ButtonLink } from '@/ui/ButtonLink';
import { EmptyState } from '@/ui/EmptyState';
import { ErrorNotice } from '@/ui/ErrorNotice';
import { LoadingRows, Spinner } from '@/ui/Spinner';
import { toggled } from '@/ui/toggled';
import { useEndlessList } from '@/ui/useEndlessList';
import { ConversationBulkBar } from './ConversationBulkBar';
import { ConversationRow, ROW_HEIGHT } from './ConversationRow';
import { ListFilters } from './ListFilters';
import { usePrefetchNeighbours } from './prefetch';
import { inboxQuery } from './queries';
import { flatten } from './rows';
import { SandboxLink, useSandboxUrl } from './SandboxLink';
import { isFiltered, toFilter } from './search';

const route = getRouteApi('/shell/inbox');

export function ConversationList({ openId }: { openId: string | undefined }) {
  const search = route.useSearch();
  const navigate = useNavigate();
  const filter = useMemo(() => toFilter(search), [search]);
  const query = useInfiniteQuery(inboxQuery(filter));
  const rows = useMemo(() => flatten(query.data), [query.data]);
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set());
  const toggle = useCallback((id: string) => setSelected((before) => toggled(before, id)), []);

  const router = useRouter();
  const openBy = (rowsAhead: number) => {
    // Not from the conversation on screen: a key that is pressed again before the page has changed leads one row further.
    const fromId = /\/inbox\/([^/]+)/.exec(router.latestLocation.pathname)?.[1];
    const at = rows.findIndex((row) => row.conversation.id === fromId);
    const row = rows[Math.max(0, at + rowsAhead)];
    if (!row) return;
    void navigate({ to: '/inbox/$conversationId', params: { conversationId: row.conversation.id }, search });
  };
  usePrefetchNeighbours(openId, rows);
  useCommands([
    {
      id: 'inbox.next',
      group: t('nav.inbox'),
      label: t('inbox.next'),
      shortcut: KEYS.next,
      run: () => openBy(1),
    },
    {
      id: 'inbox.previous',
      group: t('nav.inbox'),
      label: t('inbox.previous'),
      shortcut: KEYS.previous,
      run: () => openBy(-1),
    },
    ...(openId
      ? [
          {
            id: 'inbox.select',
            group: t('nav.inbox'),
            label: t('inbox.select'),
            shortcut: KEYS.select,
            run: () => toggle(openId),
          },
        ]
      : []),
  ]);

  return (
    <section aria-label={t('inbox.list')} className="flex min-h-0 flex-1 flex-col">
      <ListFilters />
      {selected.size > 0 && (
        <ConversationBulkBar
          selected={selected}
          filter={filter}
          allLoaded={rows.every((row) => selected.has(row.conversation.id))}
          onSelectAll={() => setSelected(new Set(rows.map((row) => row.conversation.id)))}
          onDone={() => setSelected(new Set())}
        />
      )}
      {query.isPending && <LoadingRows rowPx={ROW_HEIGHT} />}
      {query.isError && <ErrorNotice error={query.error} onRetry={() => void query.refetch()} />}
      {query.isSuccess && rows.length === 0 && <EmptyList filtered={isFiltered(search)} />}
      {rows.length > 0 && (
        <Rows
          rows={rows}
          openId={openId}
          selected={selected}
          onToggle={toggle}
          hasMore={query.hasNextPage}
          loadingMore={query.isFetchingNextPage}
          onMore={() => void query.fetchNextPage()}
        />
      )}
    </section>
  );
}

/** Told from what the virtualizer knows: `scrollToIndex` makes the browser lay the page out at once. */
function isInView(virtual: Virtualizer<HTMLDivElement, Element>, index: number): boolean {
  const { scrollOffset, scrollRect } = virtual;
  if (scrollOffset === null || scrollRect === null) return false;
  const top = index * ROW_HEIGHT;
  return top >= scrollOffset && top + ROW_HEIGHT <= scrollOffset + scrollRect.height;
}

interface RowsProps {
  rows: InboxRow[];
  openId: string | undefined;
  selected: ReadonlySet<string>;
  onToggle: (id: string) => void;
  hasMore: boolean;
  loadingMore: boolean;
  onMore: () => void;
}

function Rows({ rows, openId, selected, onToggle, hasMore, loadingMore, onMore }: RowsProps) {
  const { scroller, virtual, items } = useEndlessList({
    count: rows.length,
    rowPx: ROW_HEIGHT,
    overscan: 8,
    keyOf: (index) => rows[index]?.conversation.id ?? index,
    hasMore,
    loadingMore,
    onMore,
  });

  const at = rows.findIndex((row) => row.conversation.id === openId);
  // Only when another conversation is opened: a row that moves up must not drag the list along.
  // biome-ignore lint/correctness/useExhaustiveDependencies: see above
  useEffect(() => {
    if (at >= 0 && !isInView(virtual, at)) virtual.scrollToIndex(at, { align: 'auto' });
  }, [openId]);

  return (
    <div ref={scroller} className="min-h-0 flex-1 overflow-y-auto">
      <ul data-rows className="relative" style={{ height: virtual.getTotalSize() }}>
        {items.map((item) => {
          const row = rows[item.index];
          if (!row) return null;
          const id = row.conversation.id;
          return (
            <li
              key={item.key}
              className="absolute inset-x-0 top-0"
              style={{ height: ROW_HEIGHT, transform: `translateY(${item.start}px)` }}
              aria-setsize={hasMore ? -1 : rows.length}
              aria-posinset={item.index + 1}
            >
              <ConversationRow
                row={row}
                open={id === openId}
                selected={selected.has(id)}
                selecting={selected.size > 0}
                onToggle={onToggle}
              />
            </li>
          );
        })}
      </ul>
      {loadingMore && (
        <div className="flex justify-center p-2">
          <Spinner />
        </div>
      )}
    </div>
  );
}

function EmptyList({ filtered }: { filtered: boolean }) {
  if (filtered) {
    return (
      <EmptyState
        icon={<MessagesSquare size={36} />}
        title={t('inbox.noMatch')}
        action={<ButtonLink to="/inbox">{t('inbox.clearFilters')}</ButtonLink>}
      >
        {t('inbox.noMatchHelp')}
      </EmptyState>
    );
  }
  return <EmptyInbox />;
}

function EmptyInbox() {
  const admin = useIsAdmin();
  const sandboxUrl = useSandboxUrl();
  return (
    <EmptyState
      icon={<MessagesSquare size={36} />}
      title={t('inbox.empty')}
      action={
        <>
          {sandboxUrl && <SandboxLink url={sandboxUrl} />}
          {admin && <ButtonLink to="/settings/channels">{t('inbox.connectChannel')}</ButtonLink>}
        </>
      }
    >
      {sandboxUrl ? t('inbox.sandboxHelp') : t('inbox.emptyHelp')}
    </EmptyState>
  );
}
