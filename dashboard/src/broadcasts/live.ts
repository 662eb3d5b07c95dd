import type { QueryClient } from '@tanstack/react-query';
import { LIST_GAP_MS, oncePerBurst } from '@/live/burst';
import { rowKey } from '@/live/changes';
import type { LiveHandler } from '@/live/handler';
import { broadcastQuery } from './queries';

const clients = new WeakMap<QueryClient, ReturnType<typeof oncePerBurst>>();

/** Reads what is on screen again, once for a burst. A read under way is left to end: messages may come without pause. */
function refresh(client: QueryClient, queryKey: readonly unknown[]): void {
  const ask = clients.get(client) ?? oncePerBurst(LIST_GAP_MS);
  clients.set(client, ask);
  ask(JSON.stringify(queryKey), () => {
    void client.invalidateQueries({ queryKey }, { cancelRefetch: false });
  });
}

/** Changes of a broadcast have events or notices. Its progress has none: the messages it consists of have. */
export const broadcastsLive: LiveHandler = {
  watches: {
    broadcasts: (id) => [['broadcasts'], rowKey('broadcast', id), rowKey('broadcast-report', id)],
    templates: () => [['templates']],
  },
  apply({ events }, { client }) {
    for (const { event_type: type, data } of events) {
      if ('broadcast' in data) {
        const { broadcast } = data;
        client.setQueryData(broadcastQuery(broadcast.id).queryKey, (known) => known && broadcast);
        refresh(client, ['broadcast']);
        refresh(client, ['broadcasts']);
      } else if (type === 'message.status_changed' || type === 'message.received') {
        refresh(client, ['broadcast']);
      }
    }
  },
};
