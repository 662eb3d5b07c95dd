/** Webhooks and events of the small account. */
import type { Delivery, DeliveryAttempt, Event, WebhookEndpoint } from '@/api/schema';
import { page } from './page';
import type { FakeServer } from './server';

const AT = '2026-01-31T09:30:00.000Z';

export const endpoint: WebhookEndpoint = {
  id: 'h1',
  url: 'https://shop.example/hook',
  description: 'Shop',
  event_types: ['contact.*'],
  enabled: true,
  disabled_reason: null,
  created_at: AT,
  updated_at: AT,
};

export const delivery: Delivery = {
  id: 'x1',
  event_id: 'evt_019c12f1a6c07abcdef0123456789abc',
  event_type: 'contact.created',
  status: 'exhausted',
  attempts: 8,
  next_attempt_at: null,
  last_status_code: 500,
  last_error: 'the endpoint answered 500',
  response_snippet: 'Out of order',
  duration_ms: 12,
  delivered_at: null,
  created_at: AT,
  payload: { contact: { id: 'ann' } },
};

export const attempt = (number: number, more: Partial<DeliveryAttempt> = {}): DeliveryAttempt => ({
  number,
  started_at: AT,
  status_code: 500,
  error: 'the endpoint answered 500',
  duration_ms: 12,
  response_snippet: 'Out of order',
  ...more,
});

export const contactEvent = (number: number, name = 'Ann Lee'): Event =>
  ({
    event_id: `evt_019c12f1a6c07abc${String(number).padStart(16, '0')}`,
    event_type: 'contact.created',
    created_at: new Date(Date.parse(AT) + number).toISOString(),
    account_id: 'acme',
    api_version: 'v1',
    data: {
      contact: {
        id: `contact-${number}`,
        name,
        phone: null,
        email: null,
        company: null,
        avatar_url: null,
        tags: [],
        custom_fields: [],
        created_at: AT,
        updated_at: AT,
      },
    },
  }) as Event;

export function developerAnswers(server: FakeServer): FakeServer {
  return server
    .on('GET /webhooks', page([endpoint]))
    .on('GET /webhooks/{id}', { data: endpoint })
    .on('GET /webhooks/{id}/deliveries', page([delivery]))
    .on('GET /webhooks/{id}/deliveries/{delivery_id}', { data: delivery })
    .on(
      'GET /webhooks/{id}/deliveries/{delivery_id}/attempts',
      page([8, 7, 6, 5, 4, 3, 2, 1].map((number) => attempt(number))),
    )
    .on('GET /events', page([contactEvent(1)]))
    .on(
      'GET /event-types',
      page([
        { event_type: 'contact.created', description: 'A contact was created.', example: {} },
        { event_type: 'contact.deleted', description: 'A contact was deleted.', example: {} },
        { event_type: 'deal.closed', description: 'A deal was won or lost.', example: {} },
        { event_type: 'webhook.test', description: 'Sent as a test.', example: {} },
      ]),
    );
}
