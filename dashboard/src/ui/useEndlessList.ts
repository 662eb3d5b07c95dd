import { useVirtualizer } from '@tanstack/react-virtual';
import { useEffect, useRef } from 'react';

/** How many rows before the end the next page is asked for. */
const AHEAD_ROWS = 20;

interface EndlessList {
  count: number;
  /** The height of a row, and the space between two. */
  rowPx: number;
  gapPx?: number;
  /** Rows outside the view that are in the page. */
  overscan: number;
  keyOf: (index: number) => string | number;
  hasMore: boolean;
  loadingMore: boolean;
  onMore: () => void;
}

/** A list of any length: only the rows in view are in the page, and more are read before its end is reached. */
export function useEndlessList(list: EndlessList) {
  const { count, rowPx, gapPx = 0, overscan, keyOf, hasMore, loadingMore, onMore } = list;
  const scroller = useRef<HTMLDivElement>(null);
  const virtual = useVirtualizer({
    count,
    getScrollElement: () => scroller.current,
    estimateSize: () => rowPx,
    gap: gapPx,
    getItemKey: keyOf,
    overscan,
  });
  const items = virtual.getVirtualItems();
  const last = items.at(-1)?.index ?? 0;
  useEffect(() => {
    if (hasMore && !loadingMore && last >= count - AHEAD_ROWS) onMore();
  }, [hasMore, loadingMore, last, count, onMore]);
  return { scroller, virtual, items };
}
