import { refreshSoon } from '@/live/burst';
import type { LiveHandler } from '@/live/handler';
import { anyContactQuery, anyRunQuery } from './queries';

/** Steps that somebody else has done. Channels and members are brought up to date by the settings. */
export const firstStepsLive: LiveHandler = {
  apply({ events }, { client }) {
    if (events.some(({ data }) => 'run' in data)) refreshSoon(client, anyRunQuery.queryKey);
    if (events.some(({ data }) => 'contact' in data)) refreshSoon(client, anyContactQuery.queryKey);
  },
};
