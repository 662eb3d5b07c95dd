import { refreshSoon } from '@/live/burst';
import { rowKey } from '@/live/changes';
import type { LiveHandler } from '@/live/handler';
import { callsQuery, resultsQuery, triggerQuery, triggersQuery } from './queries';

/** Runs that a trigger has started are its results. */
export const triggersLive: LiveHandler = {
  watches: { triggers: (id) => [['triggers'], rowKey('trigger', id)] },
  apply({ events }, { client }) {
    const fired = new Set<string>();
    for (const { data } of events) if ('run' in data && data.run.trigger_id) fired.add(data.run.trigger_id);
    for (const id of fired) {
      refreshSoon(client, resultsQuery(id).queryKey);
      refreshSoon(client, callsQuery(id).queryKey);
      refreshSoon(client, triggerQuery(id).queryKey);
    }
    if (fired.size > 0) refreshSoon(client, triggersQuery.queryKey);
  },
};
