/** Forms and calendars of the small account, and channels that it may have. */
import type { ConnectionDetail } from '@/api/app';
import type { BookingSourceDetail, FormDetail } from '@/api/schema';
import { page } from './page';
import type { FakeServer } from './server';

const AT = '2026-01-31T09:30:00.000Z';

export const form: FormDetail = {
  id: 'f1',
  name: 'Contact us',
  url: 'https://desk.example/forms/tok1',
  redirect_url: null,
  origins: ['https://shop.example'],
  created_at: AT,
};

export const bookingSource: BookingSourceDetail = {
  id: 'b1',
  name: 'Cal.com',
  url: 'https://desk.example/bookings/tok2',
  created_at: AT,
};

export const connection = (more: Partial<ConnectionDetail>): ConnectionDetail => ({
  id: 'w2',
  channel: 'whatsapp',
  name: 'Shop number',
  address: '+14155550101',
  status: 'connected',
  disconnected_reason: null,
  created_at: AT,
  webhook_url: 'https://desk.example/channels/whatsapp/w2',
  snippet: null,
  webhook_verified_at: null,
  sandbox: false,
  ...more,
});

export function setupAnswers(server: FakeServer): FakeServer {
  return server
    .on('GET /app/api/admin/forms', page([form]))
    .on('GET /app/api/admin/booking-sources', page([bookingSource]));
}
