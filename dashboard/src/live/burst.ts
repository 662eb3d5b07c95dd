/** Reads from the server at most once in a while, whatever number of events asks for it. */
import type { QueryClient, QueryKey } from '@tanstack/react-query';

/** Does a task at once, and the latest of those asked for within the time at its end. */
export function oncePerBurst(quietMs: number): (key: string, task: () => void) => void {
  const running = new Map<string, { next: (() => void) | undefined }>();
  const ask = (key: string, task: () => void) => {
    const before = running.get(key);
    if (before) {
      before.next = task;
      return;
    }
    const burst: { next: (() => void) | undefined } = { next: undefined };
    running.set(key, burst);
    task();
    setTimeout(() => {
      running.delete(key);
      if (burst.next) ask(key, burst.next);
    }, quietMs);
  };
  return ask;
}

/** How often a list that only the server can bring up to date is read again while events come. */
export const LIST_GAP_MS = 1_000;

const changed = new WeakMap<QueryClient, ReturnType<typeof oncePerBurst>>();
const lists = new WeakMap<QueryClient, ReturnType<typeof oncePerBurst>>();

/**
 * Marks queries as out of date. Those on screen are read again, once for a burst of events. A read that is under way
 * ends: it may be older than the event.
 */
export function refreshSoon(client: QueryClient, queryKey: readonly unknown[]): void {
  const ask = lists.get(client) ?? oncePerBurst(LIST_GAP_MS);
  lists.set(client, ask);
  ask(JSON.stringify(queryKey), () => {
    void client.cancelQueries({ queryKey }).then(() => client.invalidateQueries({ queryKey }));
  });
}

/**
 * Reads queries again that a notice is about, if they are on screen: once for a burst. Whoever waits for a read that is
 * under way gets the new one.
 */
export function refreshChanged(client: QueryClient, queryKey: QueryKey): void {
  const ask = changed.get(client) ?? oncePerBurst(LIST_GAP_MS);
  changed.set(client, ask);
  ask(JSON.stringify(queryKey), () => {
    const firstReads = client
      .getQueryCache()
      .findAll({ queryKey, fetchStatus: 'fetching', predicate: ({ state }) => state.data === undefined });
    const read = client.invalidateQueries({ queryKey });
    // The first read of a query is not begun anew, and may be older than the change.
    if (firstReads.length > 0) void read.then(() => client.invalidateQueries({ queryKey }));
  });
}

/** For queries that an event was written into: a read that is under way would overwrite it. */
export function refreshIfReading(client: QueryClient, queryKey: readonly unknown[]): void {
  if (client.isFetching({ queryKey }) > 0) refreshSoon(client, queryKey);
}
