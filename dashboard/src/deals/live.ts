import { refreshSoon } from '@/live/burst';
import type { LiveHandler } from '@/live/handler';
import { applyDeal } from './cache';

export const dealsLive: LiveHandler = {
  watches: { pipelines: () => [['pipelines'], ['column'], ['deal-totals']] },
  apply({ events }, { client }) {
    for (const { event_type: type, data } of events) {
      if (!('deal' in data)) continue;
      applyDeal(client, data.deal, type === 'deal.deleted');
      refreshSoon(client, ['deal-changes', data.deal.id]);
      // Also that of the contact that the deal belonged to before, which the event does not name.
      refreshSoon(client, ['contact-deal-changes']);
    }
  },
};
