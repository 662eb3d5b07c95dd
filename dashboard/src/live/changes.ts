/** Reads again what a notice of the stream is about: each feature declares which queries show a resource. */
import type { QueryClient } from '@tanstack/react-query';
import { refreshChanged } from './burst';
import type { ChangeNotice, LiveHandler, Resource } from './handler';

type Watcher = Pick<LiveHandler, 'watches'>;

export function applyChanges(
  handlers: readonly Watcher[],
  changes: readonly ChangeNotice[],
  client: QueryClient,
  me: string,
): void {
  const keys = new Map<string, readonly unknown[]>();
  for (const { resource, id } of changes)
    for (const { watches } of handlers)
      for (const each of Object.keys(watches ?? {}) as Resource[])
        if (resource === undefined || resource === each)
          for (const key of watches?.[each]?.(id, client, me) ?? []) keys.set(JSON.stringify(key), key);
  for (const key of keys.values()) refreshChanged(client, key);
}

/** Anything may have changed while the stream was away: notices are not repeated. */
export function applyAnyChange(handlers: readonly Watcher[], client: QueryClient, me: string): void {
  applyChanges(handlers, [{}], client, me);
}

/** The key of one row's query, or of every row's. */
export const rowKey = (name: string, id: string | undefined): readonly string[] => (id ? [name, id] : [name]);
