import { refreshSoon } from '@/live/burst';
import type { LiveHandler } from '@/live/handler';
import { eventLog } from './eventLog';
import { deliveriesKey } from './queries';

export const developersLive: LiveHandler = {
  apply({ events }, { client }) {
    eventLog.push(events);
    for (const { event_type: type, data } of events)
      if (type === 'webhook.test') refreshSoon(client, deliveriesKey(data.webhook.id));
  },
};
