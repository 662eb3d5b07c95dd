import { dropTargetForElements } from '@atlaskit/pragmatic-drag-and-drop/element/adapter';
import { autoScrollForElements } from '@atlaskit/pragmatic-drag-and-drop-auto-scroll/element';
import { useInfiniteQuery } from '@tanstack/react-query';
import { useVirtualizer } from '@tanstack/react-virtual';
import { useCallback, useEffect, useMemo, useRef, useState } from 'react';
import type { StageTotal } from '@/api/app';
import type { Deal } from '@/api/schema';
import { useContactNames } from '@/contacts/queries';
import { t } from '@/i18n';
import { money } from '@/i18n/time';
import { useCan } from '@/session/session';
import { ErrorNotice } from '@/ui/ErrorNotice';
import { Loading } from '@/ui/Spinner';
import { type BoardColumn, type BoardFilter, type Order, orderDeals, shownSums } from './board';
import { CARD_PX, DealCard } from './DealCard';
import { columnQuery } from './queries';

const GAP_PX = 8;
const AHEAD_ROWS = 20;

/** A card that had the focus when it left a column. Its new column gives it back. */
export interface LeftCard {
  dealId: string;
  columnId: string;
}

interface ColumnProps {
  column: BoardColumn;
  columns: BoardColumn[];
  filter: BoardFilter;
  order: Order;
  today: string;
  /** The pipeline's. */
  currency: string | undefined;
  total: Omit<StageTotal, 'stage_id'> | undefined;
  onMove: (deal: Deal, column: BoardColumn) => void;
  left: LeftCard | null;
  onLeft: (card: LeftCard) => void;
  onArrived: () => void;
}

export function Column(props: ColumnProps) {
  const { column, columns, filter, order, today, currency, total, onMove, left, onLeft, onArrived } = props;
  const columnId = column.id;
  const query = useInfiniteQuery(columnQuery(columnId, filter));
  const writable = useCan()('deals:write');
  const deals = useMemo(
    () => orderDeals(query.data?.pages.flatMap((page) => page.data) ?? [], order),
    [query.data, order],
  );
  const names = useContactNames(deals.map((deal) => deal.contact_id));
  const scroller = useRef<HTMLDivElement>(null);
  const [over, setOver] = useState(false);
  const latest = useRef<(deal: Deal) => void>(undefined);
  latest.current = (deal) => onMove(deal, column);

  useEffect(() => {
    const element = scroller.current;
    if (!element) return;
    const stopScroll = autoScrollForElements({ element });
    const stopTarget = dropTargetForElements({
      element,
      canDrop: ({ source }) => source.data.kind === 'deal',
      onDragEnter: () => setOver(true),
      onDragLeave: () => setOver(false),
      onDrop: ({ source }) => {
        setOver(false);
        latest.current?.(source.data.deal as Deal);
      },
    });
    return () => {
      stopScroll();
      stopTarget();
    };
  }, []);

  const virtual = useVirtualizer({
    count: deals.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => CARD_PX,
    gap: GAP_PX,
    getItemKey: (index) => deals[index]?.id ?? index,
    overscan: 6,
  });
  const items = virtual.getVirtualItems();
  const last = items.at(-1)?.index ?? 0;
  const { hasNextPage, isFetchingNextPage, fetchNextPage } = query;
  useEffect(() => {
    if (hasNextPage && !isFetchingNextPage && last >= deals.length - AHEAD_ROWS) void fetchNextPage();
  }, [hasNextPage, isFetchingNextPage, fetchNextPage, last, deals.length]);

  const arrived =
    left && left.columnId !== columnId ? deals.findIndex((deal) => deal.id === left.dealId) : -1;
  useEffect(() => {
    if (arrived >= 0) virtual.scrollToIndex(arrived, { align: 'auto' });
  }, [arrived, virtual]);
  const leave = useCallback((dealId: string) => onLeft({ dealId, columnId }), [onLeft, columnId]);

  return (
    <section
      aria-label={column.name}
      className={`flex w-72 shrink-0 snap-start flex-col lg:w-auto lg:max-w-104 lg:min-w-64 lg:flex-1 rounded-xl border ${over ? 'border-accent bg-accent-soft' : 'border-line bg-sunken'}`}
    >
      <header className="p-3">
        <div className="flex items-baseline gap-2">
          <h2 className="min-w-0 flex-1 truncate font-semibold">{column.name}</h2>
          <span className="text-sm text-ink-soft">{total?.count ?? ''}</span>
        </div>
        <p className="min-h-5 text-sm text-ink-soft">
          {total &&
            shownSums(total.sums, currency)
              .map((sum) => money(sum.value, sum.currency))
              .join(' + ')}
        </p>
      </header>
      <div ref={scroller} className="min-h-32 flex-1 overflow-y-auto px-2 pb-2">
        {query.isPending && <Loading />}
        {query.isError && <ErrorNotice error={query.error} onRetry={() => void query.refetch()} />}
        {query.isSuccess && deals.length === 0 && (
          <p className="p-3 text-center text-sm text-ink-soft">
            {column.outcome ? t('deals.emptyClosed') : t('deals.emptyStage')}
          </p>
        )}
        <ul data-rows className="relative" style={{ height: virtual.getTotalSize() }}>
          {items.map((item) => {
            const deal = deals[item.index];
            if (!deal) return null;
            return (
              <li
                key={item.key}
                className="absolute inset-x-0 top-0"
                style={{ height: CARD_PX, transform: `translateY(${item.start}px)` }}
              >
                <DealCard
                  deal={deal}
                  contact={deal.contact_id ? names.get(deal.contact_id) : undefined}
                  columns={columns}
                  today={today}
                  currency={currency}
                  onMove={writable ? onMove : undefined}
                  isArriving={item.index === arrived}
                  onArrived={onArrived}
                  onLeave={leave}
                />
              </li>
            );
          })}
        </ul>
      </div>
    </section>
  );
}
