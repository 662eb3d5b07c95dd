import { useSyncExternalStore } from 'react';

/** One timer per interval, however many components show a time. */
const clocks = new Map<number, { now: number; listeners: Set<() => void>; timer: number }>();

function clock(interval: number) {
  let found = clocks.get(interval);
  if (!found) {
    found = { now: Date.now(), listeners: new Set(), timer: 0 };
    clocks.set(interval, found);
  }
  return found;
}

export function useNow(intervalMs: number): number {
  return useSyncExternalStore(
    (listener) => {
      const shared = clock(intervalMs);
      shared.listeners.add(listener);
      if (shared.listeners.size === 1) {
        shared.timer = window.setInterval(() => {
          shared.now = Date.now();
          for (const each of shared.listeners) each();
        }, intervalMs);
      }
      return () => {
        shared.listeners.delete(listener);
        if (shared.listeners.size === 0) window.clearInterval(shared.timer);
      };
    },
    () => clock(intervalMs).now,
  );
}
