/** Forms and calendars of the small account, and channels that it may have. */
import type { ConnectionDetail } from '@/api/app';
import type { BookingSourceDetail, BrandDetail, FormDetail, WidgetDetail } from '@/api/schema';
import { page } from './page';
import type { FakeServer } from './server';

const AT = '2026-01-31T09:30:00.000Z';

export const form: FormDetail = {
  id: 'f1',
  name: 'Contact us',
  url: 'https://desk.example/forms/tok1',
  redirect_url: null,
  origins: ['https://shop.example'],
  fields: null,
  button_text: null,
  thanks_text: null,
  created_at: AT,
};

export const bookingSource: BookingSourceDetail = {
  id: 'b1',
  name: 'Cal.com',
  url: 'https://desk.example/bookings/tok2',
  created_at: AT,
};

export const brand: BrandDetail = {
  name: null,
  account_name: 'Acme',
  color: null,
  text_color: null,
  logo_path: null,
};

/** A web chat's widget as it is before anything is changed. */
export const widget: WidgetDetail = {
  color: null,
  theme: 'auto',
  position: 'right',
  language: 'auto',
  ask_name: 'never',
  ask_email: 'never',
  shows_hours: true,
  accepts_files: true,
  plays_sound: true,
  shows_page: true,
  texts: {
    en: { title: null, greeting: null, away: null },
    de: { title: null, greeting: null, away: null },
  },
  has_identity_secret: false,
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
    .on('POST /app/api/admin/forms/{id}/preview', { data: { form_html: '', thanks_html: '' } })
    .on('GET /app/api/admin/connections/{id}/widget', { data: widget })
    .on('GET /app/api/admin/brand', { data: brand })
    .on('GET /app/api/admin/booking-sources', page([bookingSource]));
}
