import { useVirtualizer } from '@tanstack/react-virtual';
import { type KeyboardEvent, useId, useLayoutEffect, useRef } from 'react';
import type { Event } from '@/api/schema';
import { t } from '@/i18n';
import { preciseTime } from '@/i18n/time';

const ROW_PX = 36;
const OVERSCAN_ROWS = 6;
const PAGE_KEY_ROWS = 10;

interface EventListProps {
  /** The newest first. */
  events: readonly Event[];
  chosen: string | undefined;
  onChoose: (event: Event) => void;
}

/** The row that a key leads to from another, or undefined for other keys. */
function rowAfter(key: string, at: number, last: number): number | undefined {
  const moves: Record<string, number> = {
    ArrowDown: at + 1,
    ArrowUp: at - 1,
    PageDown: at + PAGE_KEY_ROWS,
    PageUp: at - PAGE_KEY_ROWS,
    Home: 0,
    End: last,
  };
  const to = moves[key];
  return to === undefined ? undefined : Math.min(Math.max(to, 0), last);
}

/**
 * Only the rows in view are in the page, so a thousand events a second cost as much as one. While the member reads
 * further down, events that come above do not move what is read.
 */
export function EventList({ events, chosen, onChoose }: EventListProps) {
  const id = useId();
  const scroller = useRef<HTMLDivElement>(null);
  const virtual = useVirtualizer({
    count: events.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => ROW_PX,
    getItemKey: (index) => events[index]?.event_id ?? index,
    overscan: OVERSCAN_ROWS,
  });
  const first = useRef(events[0]?.event_id);
  useLayoutEffect(() => {
    const element = scroller.current;
    const before = first.current;
    first.current = events[0]?.event_id;
    if (!element || element.scrollTop === 0 || before === first.current) return;
    const moved = events.findIndex((event) => event.event_id === before);
    if (moved > 0) element.scrollTop += moved * ROW_PX;
  }, [events]);
  const onKeyDown = (event: KeyboardEvent) => {
    const at = events.findIndex((each) => each.event_id === chosen);
    const to = rowAfter(event.key, at, events.length - 1);
    const next = to === undefined ? undefined : events[to];
    if (!next || to === undefined) return;
    event.preventDefault();
    onChoose(next);
    virtual.scrollToIndex(to);
  };
  const items = virtual.getVirtualItems();
  const active = items.some(({ index }) => events[index]?.event_id === chosen) ? chosen : undefined;
  return (
    <div
      ref={scroller}
      role="listbox"
      aria-label={t('developers.events')}
      tabIndex={0}
      aria-activedescendant={active && `${id}${active}`}
      onKeyDown={onKeyDown}
      className="min-h-0 flex-1 overflow-y-auto border-line [overflow-anchor:none] focus-visible:-outline-offset-2 md:border-e"
    >
      <div role="presentation" style={{ height: virtual.getTotalSize() }} className="relative">
        {items.map(({ index, start }) => {
          const event = events[index];
          return (
            event && (
              // biome-ignore lint/a11y/useKeyWithClickEvents lint/a11y/useFocusableInteractive: the list has the focus and the keys
              <div
                key={event.event_id}
                id={`${id}${event.event_id}`}
                role="option"
                aria-selected={event.event_id === chosen}
                aria-setsize={events.length}
                aria-posinset={index + 1}
                onClick={() => onChoose(event)}
                style={{ height: ROW_PX, transform: `translateY(${start}px)` }}
                className="absolute inset-x-0 top-0 flex cursor-pointer items-center gap-3 border-b border-line px-4 hover:bg-sunken aria-selected:bg-selected"
              >
                <span className="w-24 shrink-0 text-sm text-ink-soft tabular-nums">
                  {preciseTime(event.created_at)}
                </span>
                <span className="min-w-0 truncate font-mono text-sm lg:shrink-0">{event.event_type}</span>
                <span className="min-w-0 flex-1 truncate text-end font-mono text-xs text-ink-soft max-lg:hidden">
                  {event.event_id}
                </span>
              </div>
            )
          );
        })}
      </div>
    </div>
  );
}
