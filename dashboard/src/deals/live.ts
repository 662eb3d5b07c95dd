import type { LiveHandler } from '@/live/handler';
import { applyDeal } from './cache';

export const dealsLive: LiveHandler = {
  watches: { pipelines: () => [['pipelines'], ['column'], ['deal-totals']] },
  apply({ events }, { client }) {
    for (const { event_type: type, data } of events)
      if ('deal' in data) applyDeal(client, data.deal, type === 'deal.deleted');
  },
};
