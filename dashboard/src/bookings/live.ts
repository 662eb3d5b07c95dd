import { refreshSoon } from '@/live/burst';
import type { LiveHandler } from '@/live/handler';

export const bookingsLive: LiveHandler = {
  apply({ events }, { client }) {
    if (!events.some(({ data }) => 'booking' in data)) return;
    refreshSoon(client, ['bookings']);
    refreshSoon(client, ['contact-bookings']);
  },
};
