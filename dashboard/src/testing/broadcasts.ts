/** A broadcast of the small account. */
import type {
  Broadcast,
  BroadcastCopy,
  BroadcastPreview,
  BroadcastRecipient,
  BroadcastReport,
} from '@/api/schema';
import type { FakeServer } from './server';

const AT = '2026-01-31T09:30:00.000Z';

export const broadcast: Broadcast = {
  id: 'b1',
  name: 'Spring sale',
  kind: 'template',
  channel: 'whatsapp',
  template: { name: 'order_update', language: 'en_US' },
  status: 'sent',
  scheduled_at: AT,
  counts: { total: 4, sent: 3, delivered: 2, read: 1, replied: 1, failed: 1 },
  created_at: AT,
  updated_at: AT,
};

export const recipient: BroadcastRecipient = {
  id: 'x1',
  contact_id: 'ann',
  phone: '+14155550123',
  message_id: 'm1',
  status: 'failed',
  error: { code: '130429', reason: 'rate_limited', message: 'Rate limit hit.' },
  created_at: AT,
  updated_at: AT,
};

export const broadcastPreview: BroadcastPreview = {
  recipients: { count: 1, is_more: false },
  sample: [{ id: 'ann', name: 'Ann Lee', phone: '+14155550123', avatar_url: null }],
  left_out: { opted_out: 0, without_phone: 0, excluded_by_tag: 0, listed_twice: 0 },
  new_contacts: 0,
  messages_per_second: 80,
  connection: { id: 'w1', name: 'Main number', address: '+14155550100' },
  broadcasts_left: null,
};

export const broadcastReport: BroadcastReport = {
  statuses: { pending: 0, sent: 1, delivered: 1, read: 0, replied: 1, failed: 1, cancelled: 0 },
  failures: [
    {
      reason: 'rate_limited',
      code: '130429',
      message: 'Rate limit hit.',
      count: 1,
      is_temporary: true,
    },
  ],
  retryable: 1,
  retryable_unknown: 2,
  messages_per_second: 80,
  created_by: 'Bo Agent',
};

export const broadcastCopy: BroadcastCopy = {
  name: 'Spring sale',
  template: { name: 'order_update', language: 'en_US' },
  variables: { 1: { type: 'field', value: 'name', fallback: 'friend' } },
  header_media_url: null,
  audience: {
    type: 'tags',
    tag_ids: ['vip'],
    exclude_tag_ids: [],
    segment_id: null,
    contact_ids: [],
  },
};

export function broadcastAnswers(server: FakeServer): FakeServer {
  return server
    .on('POST /app/api/broadcasts/preview', { data: broadcastPreview })
    .on('GET /app/api/broadcasts/{id}/report', { data: broadcastReport })
    .on('GET /app/api/broadcasts/{id}/copy', { data: broadcastCopy });
}
