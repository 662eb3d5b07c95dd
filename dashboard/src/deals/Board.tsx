import { autoScrollForElements } from '@atlaskit/pragmatic-drag-and-drop-auto-scroll/element';
import { useQuery } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import type { Deal, Pipeline, Stage } from '@/api/schema';
import { t } from '@/i18n';
import type { BoardFilter, Order } from './board';
import { Column } from './Column';
import { totalsQuery } from './queries';
import { useMoveDeal } from './useMoveDeal';

interface BoardProps {
  pipeline: Pipeline;
  filter: BoardFilter;
  order: Order;
}

export function Board({ pipeline, filter, order }: BoardProps) {
  const totals = useQuery(totalsQuery(filter)).data;
  const move = useMoveDeal(filter);
  const scroller = useRef<HTMLDivElement>(null);
  const [announcement, setAnnouncement] = useState('');
  const stages = pipeline.stages.toSorted((a, b) => a.position - b.position);
  useEffect(() => {
    const element = scroller.current;
    return element ? autoScrollForElements({ element }) : undefined;
  }, []);
  const onMove = (deal: Deal, stage: Stage) => {
    setAnnouncement(t('deals.movedTo', { title: deal.title, stage: stage.name }));
    void move(deal, stage);
  };
  return (
    <>
      <div
        ref={scroller}
        className="flex min-h-0 flex-1 snap-x scroll-p-3 gap-3 overflow-x-auto p-3 sm:snap-none"
      >
        {stages.map((stage) => (
          <Column
            key={stage.id}
            stage={stage}
            stages={stages}
            filter={filter}
            order={order}
            total={totals?.find((total) => total.stage_id === stage.id)}
            onMove={onMove}
          />
        ))}
      </div>
      <p aria-live="assertive" className="sr-only">
        {announcement}
      </p>
    </>
  );
}
