import { refreshSoon } from '@/live/burst';
import type { LiveHandler } from '@/live/handler';

export const spendLive: LiveHandler = {
  apply({ events }, { client }) {
    if (events.some(({ event_type: type }) => type === 'run.finished' || type === 'ai.budget_warning'))
      refreshSoon(client, ['ai-usage']);
  },
};
