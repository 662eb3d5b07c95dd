import { refreshSoon } from '@/live/burst';
import type { LiveHandler } from '@/live/handler';
import { connectionsQuery } from './queries';

/** Administration has an entry in the audit log. */
const AUDIT_LOG = ['audit-log'];

export const settingsLive: LiveHandler = {
  watches: {
    // The timezone and the budget are part of other pages.
    account: () => [
      ['account'],
      ['session'],
      ['ai-usage'],
      ['triggers'],
      ['trigger'],
      ['trigger-preview'],
      AUDIT_LOG,
    ],
    members: (id, _client, me) => [
      ['members'],
      ['team'],
      ...(!id || id === me ? [['session']] : []),
      AUDIT_LOG,
    ],
    connections: () => [['connections'], AUDIT_LOG],
    keys: () => [AUDIT_LOG],
    forms: () => [['forms'], AUDIT_LOG],
    brand: () => [['brand'], ['form-preview'], AUDIT_LOG],
    'booking-sources': () => [['booking-sources'], AUDIT_LOG],
  },
  apply({ events }, { client }) {
    if (events.some(({ data }) => 'channel' in data)) refreshSoon(client, connectionsQuery.queryKey);
    if (events.some(({ event_type: type }) => type === 'message.received'))
      refreshSoon(client, ['first-conversation']);
  },
};
