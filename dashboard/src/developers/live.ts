import { refreshChanged } from '@/live/burst';
import { rowKey } from '@/live/changes';
import type { LiveHandler } from '@/live/handler';
import { eventLog } from './eventLog';

export const developersLive: LiveHandler = {
  watches: {
    keys: () => [['keys']],
    webhooks: (id) => [['webhooks'], rowKey('webhook', id), rowKey('deliveries', id)],
  },
  apply({ events }, { client }) {
    eventLog.push(events);
    // Any event may be a new delivery, which is announced only once it was attempted.
    if (events.length > 0) refreshChanged(client, ['deliveries']);
  },
};
