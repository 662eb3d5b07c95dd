import { autoScrollForElements } from '@atlaskit/pragmatic-drag-and-drop-auto-scroll/element';
import { useQuery } from '@tanstack/react-query';
import { useCallback, useEffect, useRef, useState } from 'react';
import type { Deal, Pipeline } from '@/api/schema';
import { t } from '@/i18n';
import { addTotals, type BoardColumn, type BoardFilter, columnOf, type Order, OUTCOMES } from './board';
import { useToday } from './CloseDate';
import { Column, type LeftCard } from './Column';
import { LostDialog } from './LostDialog';
import { totalsQuery } from './queries';
import { useMoveDeal } from './useMoveDeal';
import { usePipelineCurrency } from './usePipelineCurrency';

interface BoardProps {
  pipeline: Pipeline;
  filter: BoardFilter;
  order: Order;
}

export function Board({ pipeline, filter, order }: BoardProps) {
  const open = useQuery(totalsQuery(filter)).data;
  const won = useQuery(totalsQuery(filter, 'won')).data;
  const lost = useQuery(totalsQuery(filter, 'lost')).data;
  const move = useMoveDeal(filter);
  const today = useToday();
  const scroller = useRef<HTMLDivElement>(null);
  const [announcement, setAnnouncement] = useState('');
  const [losing, setLosing] = useState<Deal | null>(null);
  const [left, setLeft] = useState<LeftCard | null>(null);
  const stages = pipeline.stages.toSorted((a, b) => a.position - b.position);
  const columns: BoardColumn[] = [
    ...stages.map(({ id, name }) => ({ id, name })),
    ...OUTCOMES.map((outcome) => ({ id: outcome, name: t(`deals.${outcome}`), outcome })),
  ];
  const currency = usePipelineCurrency(pipeline.id);
  const closed = { won: won && addTotals(won), lost: lost && addTotals(lost) };
  useEffect(() => {
    const element = scroller.current;
    return element ? autoScrollForElements({ element }) : undefined;
  }, []);
  const carry = (deal: Deal, column: BoardColumn, reason?: string | null) => {
    setAnnouncement(t('deals.movedTo', { title: deal.title, stage: column.name }));
    setLeft({ dealId: deal.id, columnId: columnOf(deal) });
    void move(deal, column, reason);
  };
  const onMove = (deal: Deal, column: BoardColumn) => {
    if (columnOf(deal) === column.id) return;
    if (column.outcome === 'lost') setLosing(deal);
    else carry(deal, column);
  };
  const onArrived = useCallback(() => setLeft(null), []);
  return (
    <>
      <div
        ref={scroller}
        className="flex min-h-0 flex-1 snap-x scroll-p-3 gap-3 overflow-x-auto p-3 sm:snap-none"
      >
        {columns.map((column) => (
          <Column
            key={column.id}
            column={column}
            columns={columns}
            filter={filter}
            order={order}
            today={today}
            currency={currency}
            total={
              column.outcome ? closed[column.outcome] : open?.find((total) => total.stage_id === column.id)
            }
            onMove={onMove}
            left={left}
            onLeft={setLeft}
            onArrived={onArrived}
          />
        ))}
      </div>
      <LostDialog
        open={losing !== null}
        onClose={() => setLosing(null)}
        onLost={(reason) =>
          losing && carry(losing, { id: 'lost', name: t('deals.lost'), outcome: 'lost' }, reason)
        }
      />
      <p aria-live="assertive" className="sr-only">
        {announcement}
      </p>
    </>
  );
}
