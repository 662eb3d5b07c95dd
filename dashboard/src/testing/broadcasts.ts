/** A broadcast of the small account. */
import type { Broadcast, BroadcastRecipient } from '@/api/schema';

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
