import { dropTargetForElements } from '@atlaskit/pragmatic-drag-and-drop/element/adapter';
import { autoScrollForElements } from '@atlaskit/pragmatic-drag-and-drop-auto-scroll/element';
import { useInfiniteQuery } from '@tanstack/react-query';
import { useVirtualizer } from '@tanstack/react-virtual';
import { useEffect, useMemo, useRef, useState } from 'react';
import type { StageTotal } from '@/api/app';
import type { Deal, Stage } from '@/api/schema';
import { useContactNames } from '@/contacts/queries';
import { t } from '@/i18n';
import { money } from '@/i18n/time';
import { useCan } from '@/session/session';
import { ErrorNotice } from '@/ui/ErrorNotice';
import { Loading } from '@/ui/Spinner';
import { type BoardFilter, type Order, orderDeals } from './board';
import { CARD_PX, DealCard } from './DealCard';
import { columnQuery } from './queries';

const GAP_PX = 8;
const AHEAD_ROWS = 20;

interface ColumnProps {
  stage: Stage;
  stages: Stage[];
  filter: BoardFilter;
  order: Order;
  total: StageTotal | undefined;
  onMove: (deal: Deal, stage: Stage) => void;
}

export function Column({ stage, stages, filter, order, total, onMove }: ColumnProps) {
  const query = useInfiniteQuery(columnQuery(stage.id, filter));
  const writable = useCan()('deals:write');
  const deals = useMemo(
    () => orderDeals(query.data?.pages.flatMap((page) => page.data) ?? [], order),
    [query.data, order],
  );
  const names = useContactNames(deals.map((deal) => deal.contact_id));
  const scroller = useRef<HTMLDivElement>(null);
  const [over, setOver] = useState(false);
  const latest = useRef(onMove);
  latest.current = onMove;

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
        latest.current(source.data.deal as Deal, stage);
      },
    });
    return () => {
      stopScroll();
      stopTarget();
    };
  }, [stage]);

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

  return (
    <section
      aria-label={stage.name}
      className={`flex w-72 shrink-0 snap-start flex-col lg:w-auto lg:max-w-104 lg:min-w-64 lg:flex-1 rounded-xl border ${over ? 'border-accent bg-accent-soft' : 'border-line bg-sunken'}`}
    >
      <header className="p-3">
        <div className="flex items-baseline gap-2">
          <h2 className="min-w-0 flex-1 truncate font-semibold">{stage.name}</h2>
          <span className="text-sm text-ink-soft">{total?.count ?? ''}</span>
        </div>
        <p className="min-h-5 text-sm text-ink-soft">
          {total?.sums.map((sum) => money(sum.value, sum.currency)).join(' + ')}
        </p>
      </header>
      <div ref={scroller} className="min-h-32 flex-1 overflow-y-auto px-2 pb-2">
        {query.isPending && <Loading />}
        {query.isError && <ErrorNotice error={query.error} onRetry={() => void query.refetch()} />}
        {query.isSuccess && deals.length === 0 && (
          <p className="p-3 text-center text-sm text-ink-soft">{t('deals.emptyStage')}</p>
        )}
        <ul className="relative" style={{ height: virtual.getTotalSize() }}>
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
                  stages={stages}
                  onMove={writable ? (target) => onMove(deal, target) : undefined}
                />
              </li>
            );
          })}
        </ul>
      </div>
    </section>
  );
}
