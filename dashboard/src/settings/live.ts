import { refreshSoon } from '@/live/burst';
import type { LiveHandler } from '@/live/handler';
import { connectionsQuery } from './queries';

export const settingsLive: LiveHandler = {
  apply({ events }, { client }) {
    if (events.some(({ data }) => 'channel' in data)) refreshSoon(client, connectionsQuery.queryKey);
    if (events.some(({ event_type: type }) => type === 'message.received'))
      refreshSoon(client, ['first-conversation']);
  },
};
