import { useInfiniteQuery, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useEffect, useMemo, useRef, useState } from 'react';
import type { Broadcast, RecipientCounts, RecipientStatus } from '@/api/schema';
import { contactName } from '@/contacts/names';
import { t, tDynamic } from '@/i18n';
import { Avatar } from '@/ui/Avatar';
import { ErrorNotice } from '@/ui/ErrorNotice';
import { FilterChips } from '@/ui/FilterChips';
import { Section } from '@/ui/Page';
import { onRowKeyDown } from '@/ui/rows';
import { LoadingRows } from '@/ui/Spinner';
import { Time } from '@/ui/Time';
import { useEndlessList } from '@/ui/useEndlessList';
import { describeReason } from './Failures';
import { type RecipientPages, type RecipientRow, readRecipients, recipientsQuery } from './queries';
import { flatten, pageOfRow, replacePage } from './recipientPages';
import { RecipientBadge } from './StatusBadge';

const ROW_PX = 52;
const STATUSES: readonly RecipientStatus[] = [
  'pending',
  'sent',
  'delivered',
  'read',
  'replied',
  'failed',
  'cancelled',
];

interface RecipientsProps {
  broadcast: Broadcast;
  /** How many are in each state. */
  counts: RecipientCounts | undefined;
}

/** Recipients by state. Of a hundred thousand, those in view are in the page, and only their rows are kept current. */
export function Recipients({ broadcast, counts }: RecipientsProps) {
  const [status, setStatus] = useState<RecipientStatus>();
  return (
    <Section title={t('broadcast.recipientsTitle')}>
      <div className="mb-3">
        <FilterChips
          label={t('broadcast.recipientsBy')}
          all={t('broadcast.everybody')}
          total={counts && broadcast.counts.total}
          chips={STATUSES.map((value) => ({
            value,
            label: tDynamic('recipientStatus', value),
            count: counts?.[value],
          }))}
          value={status}
          onChange={setStatus}
        />
      </div>
      <RecipientList key={status ?? 'all'} broadcast={broadcast} status={status} />
    </Section>
  );
}

interface ListProps {
  broadcast: Broadcast;
  status: RecipientStatus | undefined;
}

function RecipientList({ broadcast, status }: ListProps) {
  const client = useQueryClient();
  const options = recipientsQuery(client, broadcast.id, status);
  const query = useInfiniteQuery(options);
  const rows = useMemo(() => flatten(query.data), [query.data]);
  const { scroller, virtual, items } = useEndlessList({
    count: rows.length,
    rowPx: ROW_PX,
    overscan: 8,
    keyOf: (index) => rows[index]?.id ?? index,
    hasMore: query.hasNextPage,
    loadingMore: query.isFetchingNextPage,
    onMore: () => void query.fetchNextPage(),
  });
  useKeepCurrent(broadcast, status, items[0]?.index ?? 0);
  if (query.isPending) return <LoadingRows rowPx={ROW_PX} count={4} />;
  if (query.isError) return <ErrorNotice error={query.error} onRetry={() => void query.refetch()} />;
  if (rows.length === 0) return <p className="py-4 text-ink-soft">{t('broadcast.nobody')}</p>;
  return (
    <div
      ref={scroller}
      tabIndex={0}
      className="-mx-4 -mb-4 max-h-[min(60dvh,34rem)] overflow-auto rounded-b-xl"
    >
      <ul
        aria-label={t('broadcast.recipientsTitle')}
        data-rows
        className="relative"
        style={{ height: virtual.getTotalSize() }}
      >
        {items.map((item) => {
          const row = rows[item.index];
          return (
            row && (
              <li
                key={item.key}
                data-row
                onKeyDown={onRowKeyDown}
                aria-posinset={item.index + 1}
                aria-setsize={query.hasNextPage ? -1 : rows.length}
                style={{ height: ROW_PX, transform: `translateY(${item.start}px)` }}
                className="absolute inset-x-0 top-0 flex items-center gap-3 border-t border-line px-4 hover:bg-sunken"
              >
                <Row row={row} />
              </li>
            )
          );
        })}
      </ul>
    </div>
  );
}

function Row({ row }: { row: RecipientRow }) {
  const name = row.contact ? contactName(row.contact) : (row.phone ?? t('broadcast.erased'));
  return (
    <>
      <span className="flex min-w-0 flex-1 items-center gap-2.5">
        <Avatar name={name} src={row.contact?.avatar_url ?? null} size={30} />
        <span className="min-w-0">
          {row.contact_id ? (
            <Link
              to="/contacts/$contactId"
              params={{ contactId: row.contact_id }}
              className="block truncate font-medium hover:underline"
            >
              {name}
            </Link>
          ) : (
            <span className="block truncate text-ink-soft">{name}</span>
          )}
          <span className="block truncate text-xs text-ink-soft">
            {row.error ? describeReason(row.error) : <bdi dir="ltr">{row.phone}</bdi>}
          </span>
        </span>
      </span>
      <span>
        <RecipientBadge status={row.status} />
      </span>
      <span className="w-20 text-end text-sm text-ink-soft max-sm:hidden">
        <Time at={row.updated_at} />
      </span>
    </>
  );
}

/** Reads the page in view again whenever the broadcast's counts have changed, one read at a time. */
function useKeepCurrent(broadcast: Broadcast, status: RecipientStatus | undefined, firstRow: number): void {
  const client = useQueryClient();
  const view = useRef({ firstRow, isReading: false, isOutdated: false });
  view.current.firstRow = firstRow;
  const state = JSON.stringify([broadcast.status, broadcast.counts]);
  const known = useRef(state);
  useEffect(() => {
    if (known.current === state) return;
    known.current = state;
    const { queryKey } = recipientsQuery(client, broadcast.id, status);
    const read = async () => {
      const now = view.current;
      if (now.isReading) {
        now.isOutdated = true;
        return;
      }
      Object.assign(now, { isReading: true, isOutdated: false });
      const data = client.getQueryData<RecipientPages>(queryKey);
      const index = pageOfRow(data, now.firstRow);
      try {
        const fresh = await readRecipients(client, broadcast.id, status, data?.pageParams[index]);
        client.setQueryData<RecipientPages>(
          queryKey,
          (before) => before && replacePage(before, index, fresh),
        );
      } catch {
        // The next change of the counts reads it again.
      } finally {
        now.isReading = false;
      }
      if (now.isOutdated) await read();
    };
    void read();
  }, [client, broadcast.id, status, state]);
}
