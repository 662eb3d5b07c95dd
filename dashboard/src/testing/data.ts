/** A small account for tests, and the answers of a server that has it. */
import type { InboxRow, Session, ThreadMessage } from '@/api/app';
import type { Contact, Conversation, Deal, Pipeline } from '@/api/schema';
import { ask, assistant, assistantAnswers, assistantTools, run, runSteps } from './assistants';
import { broadcast, broadcastAnswers, recipient } from './broadcasts';
import { developerAnswers } from './developers';
import { page } from './page';
import { FakeServer } from './server';
import { setupAnswers } from './setup';
import { spendAnswers } from './spend';
import { triggerAnswers } from './triggers';

export { ask, assistant, assistantTools, broadcast, page, recipient, run };

const AT = '2026-01-31T09:30:00.000Z';

export const session: Session = {
  user: { id: 'bo', name: 'Bo Agent', email: 'bo@example.com', second_factor: false, has_password: true },
  account: { id: 'acme', name: 'Acme', timezone: 'Europe/Berlin', country: 'DE' },
  role: 'owner',
  scopes: [
    'contacts:read',
    'contacts:write',
    'conversations:read',
    'conversations:write',
    'messages:read',
    'messages:send',
    'templates:read',
    'deals:read',
    'deals:write',
    'inquiries:read',
    'inquiries:write',
    'assistants:read',
    'runs:read',
    'asks:read',
    'asks:answer',
    'broadcasts:read',
    'broadcasts:send',
    'webhooks:manage',
    'assistants:write',
    'runs:start',
    'ai:usage',
  ],
  accounts: [
    { id: 'acme', name: 'Acme', role: 'owner' },
    { id: 'other', name: 'Other Ltd', role: 'agent' },
  ],
};

export const contact: Contact = {
  id: 'ann',
  name: 'Ann Lee',
  phone: '+14155550123',
  email: 'ann@example.com',
  company: 'Acme',
  avatar_url: null,
  tags: [{ id: 'vip', name: 'vip', color: '#2563eb' }],
  custom_fields: [{ field_id: 'plan', name: 'Plan', value: 'gold' }],
  created_at: AT,
  updated_at: AT,
};

export const conversation: Conversation = {
  id: 'c1',
  contact_id: 'ann',
  channel: 'whatsapp',
  connection_id: 'w1',
  status: 'open',
  handler: 'human',
  assistant_id: null,
  assigned_user_id: null,
  unread_count: 2,
  last_message_at: AT,
  last_message_text: 'Is it still available?',
  window_expires_at: new Date(Date.now() + 5 * 60 * 60_000).toISOString(),
  snoozed_until: null,
  created_at: AT,
  updated_at: AT,
};

export const message = (id: string, more: Partial<ThreadMessage> = {}): ThreadMessage => ({
  id,
  conversation_id: 'c1',
  direction: 'inbound',
  sender_type: 'customer',
  type: 'text',
  text: 'Is it still available?',
  media_url: null,
  template_name: null,
  status: 'delivered',
  channel_message_id: null,
  reply_to_message_id: null,
  created_at: AT,
  author_user_id: null,
  assistant_id: null,
  run_id: null,
  error: null,
  media: null,
  reactions: [],
  ...more,
});

export const row: InboxRow = {
  conversation,
  contact: { id: 'ann', name: 'Ann Lee', phone: '+14155550123', avatar_url: null },
  last_message: message('m1'),
  last_activity_at: AT,
  needs_person_since: null,
};

export const pipeline: Pipeline = {
  id: 'p1',
  name: 'Sales',
  created_at: AT,
  updated_at: AT,
  stages: [
    { id: 's1', name: 'Lead', position: 0, probability: 20 },
    { id: 's2', name: 'Offer', position: 1, probability: 60 },
  ],
};

export const deal: Deal = {
  id: 'd1',
  title: 'Forty chairs',
  value: 1999,
  currency: 'EUR',
  pipeline_id: 'p1',
  stage_id: 's1',
  contact_id: 'ann',
  owner_user_id: 'bo',
  status: 'open',
  lost_reason: null,
  expected_close_date: '2026-02-28',
  closed_at: null,
  created_at: AT,
  updated_at: AT,
};

export function accountServer(): FakeServer {
  const server = assistantAnswers(broadcastAnswers(setupAnswers(new FakeServer())));
  return spendAnswers(triggerAnswers(developerAnswers(server)))
    .on('GET /app/api/session', { data: session })
    .on('GET /app/api/sign-in', { data: { password_mails: false, provider: null, provider_only: false } })
    .on('GET /app/api/mail', {
      data: {
        is_set_up: true,
        offered: ['budget_warning', 'mention'],
        kinds: ['budget_warning', 'mention'],
        language: null,
      },
    })
    .on('GET /app/api/push', { data: { public_key: 'BA', devices: [], devices_max: 10 } })
    .on('GET /app/api/conversations/{id}/changes', page([]))
    .on('GET /app/api/conversations/{id}/pages', page([]))
    .on('GET /app/api/inbox/counts', {
      data: { mine: 0, unassigned: 1, all: 1, unread: 1, needs_person: 0, with_assistant: 0 },
    })
    .on('GET /app/api/sandbox', { data: { url: null } })
    .on('GET /app/api/inbox', page([row]))
    .on('GET /app/api/inbox/{conversation_id}', ({ path }) => ({
      data: { ...row, conversation: { ...conversation, id: path.split('/').at(-1) ?? '' } },
    }))
    .on('GET /app/api/conversations/{id}/messages', page([message('m1')]))
    .on(
      'GET /conversations/{id}/notes',
      page([
        {
          id: 'n1',
          conversation_id: 'c1',
          body: 'Prefers mornings.',
          author_user_id: 'bo',
          created_at: AT,
          updated_at: AT,
        },
      ]),
    )
    .on('POST /conversations/{id}/read', { data: { ...conversation, unread_count: 0 } })
    .on('POST /app/api/presence', { data: { ok: true } })
    .on(
      'GET /members',
      page([{ id: 'bo', name: 'Bo Agent', email: 'bo@example.com', role: 'owner', status: 'active' }]),
    )
    .on('GET /contacts', page([contact]))
    .on('GET /contacts/{id}', { data: contact })
    .on('GET /contacts/{id}/opt-out', {
      data: { contact_id: 'ann', opted_out: false, opted_out_at: null, source: null },
    })
    .on('GET /contacts/{id}/notes', page([]))
    .on('GET /conversations', page([conversation]))
    .on('GET /deals', ({ query }) =>
      page(
        query.get('stage_id') === 's2' || ['won', 'lost'].includes(query.get('status') ?? '') ? [] : [deal],
      ),
    )
    .on('GET /deals/{id}', { data: deal })
    .on('GET /app/api/deals/{id}/changes', page([]))
    .on('GET /app/api/contacts/{id}/deal-changes', page([]))
    .on('GET /app/api/deals/totals', ({ query }) => ({
      data:
        query.get('status') !== 'open'
          ? []
          : [
              { stage_id: 's1', count: 1, sums: [{ currency: 'EUR', value: 1999, count: 1 }] },
              { stage_id: 's2', count: 0, sums: [] },
            ],
    }))
    .on('GET /app/api/contacts/{id}/inquiries', page([]))
    .on('GET /app/api/contacts/names', page([row.contact]))
    .on('GET /app/api/contacts/count', { data: { count: 1, is_more: false } })
    .on('POST /app/api/segments/preview', {
      data: { total: { count: 1, is_more: false }, sample: [row.contact] },
    })
    .on(
      'GET /bookings',
      page([
        {
          id: 'b1',
          uid: 'u',
          contact_id: 'ann',
          title: 'Consultation',
          start_at: '2099-02-02T09:30:00.000Z',
          end_at: '2099-02-02T10:00:00.000Z',
          status: 'scheduled',
          created_at: AT,
          updated_at: AT,
        },
      ]),
    )
    .on(
      'GET /inquiries',
      page([
        {
          id: 'i1',
          form: 'Contact us',
          name: 'Cy',
          email: 'cy@example.com',
          phone: null,
          message: 'Do you ship to Norway?',
          fields: { size: 'L' },
          source_url: null,
          contact_id: null,
          status: 'new',
          created_at: AT,
          updated_at: AT,
        },
      ]),
    )
    .on('GET /inquiries/{id}', {
      data: {
        id: 'i1',
        form: 'Contact us',
        name: 'Cy',
        email: 'cy@example.com',
        phone: null,
        message: 'Do you ship to Norway?',
        fields: { size: 'L' },
        source_url: null,
        contact_id: null,
        status: 'new',
        created_at: AT,
        updated_at: AT,
      },
    })
    .on('GET /inquiries/{id}/notes', page([]))
    .on('GET /broadcasts', page([broadcast]))
    .on('GET /broadcasts/{id}', { data: broadcast })
    .on('GET /broadcasts/{id}/recipients', page([recipient]))
    .on('GET /tags', page([{ id: 'vip', name: 'vip', color: '#2563eb', created_at: AT, updated_at: AT }]))
    .on(
      'GET /custom-fields',
      page([
        { id: 'plan', name: 'Plan', type: 'text' as const, options: [], created_at: AT, updated_at: AT },
      ]),
    )
    .on('GET /segments', page([]))
    .on('GET /pipelines', page([pipeline]))
    .on(
      'GET /canned-replies',
      page([
        {
          id: 'r1',
          shortcut: 'hello',
          body: 'Hello {{contact.first_name}}!',
          media: [],
          created_at: AT,
          updated_at: AT,
        },
      ]),
    )
    .on(
      'GET /templates',
      page([
        {
          id: 't1',
          name: 'order_update',
          language: 'en_US',
          category: 'UTILITY',
          status: 'APPROVED' as const,
          placeholders: ['1'],
          components: [{ type: 'BODY', text: 'Hello {{1}}' }],
          created_at: AT,
          updated_at: AT,
        },
      ]),
    )
    .on('GET /asks', page([]))
    .on('GET /conversations/{id}', { data: conversation })
    .on('GET /runs', page([run]))
    .on('GET /runs/{id}', { data: run })
    .on('GET /runs/{id}/events', page(runSteps))
    .on('GET /assistants', page([assistant]))
    .on('GET /assistants/{id}', { data: assistant })
    .on('GET /assistants/{id}/tools', page(assistantTools))
    .on('GET /assistants/{id}/instructions', page([]))
    .on(
      'GET /instructions',
      page([{ id: 'i1', title: 'Refunds', body: 'Within 30 days.', created_at: AT, updated_at: AT }]),
    )
    .on(
      'GET /memories',
      page([
        {
          id: 'y1',
          assistant_id: 'a1',
          contact_id: 'ann',
          content: 'Likes oak.',
          source: 'member' as const,
          created_at: AT,
        },
      ]),
    )
    .on(
      'GET /app/api/sessions',
      page([
        {
          id: 'x1',
          current: true,
          user_agent: 'Firefox',
          address: '203.0.113.7',
          created_at: AT,
          last_used_at: AT,
        },
      ]),
    )
    .on('GET /app/api/admin/account', {
      data: {
        id: 'acme',
        name: 'Acme',
        timezone: 'Europe/Berlin',
        country: 'DE',
        ai_budget_usd: null,
        ai_budget_max_usd: null,
        model: null,
        models: null,
        sending_hours: null,
        business_hours: null,
        rate_limit: 60,
        contact_limit: null,
        broadcast_limit: null,
        created_at: AT,
        updated_at: AT,
      },
    })
    .on(
      'GET /app/api/admin/members',
      page([
        {
          id: 'bo',
          name: 'Bo Agent',
          email: 'bo@example.com',
          role: 'owner' as const,
          status: 'active' as const,
          second_factor: false,
          last_seen_at: AT,
        },
      ]),
    )
    .on(
      'GET /app/api/admin/keys',
      page([
        {
          id: 'k1',
          name: 'Shop',
          hint: 'wxyz',
          scopes: ['contacts:read'],
          member_id: 'bo',
          ip_allowlist: [],
          rate_limit_per_minute: null,
          expires_at: null,
          last_used_at: null,
          revoked_at: null,
          revoked_by: null,
          revoked_reason: null,
          unattended: false,
          created_at: AT,
        },
      ]),
    )
    .on(
      'GET /app/api/admin/connections',
      page([
        {
          id: 'w1',
          channel: 'whatsapp' as const,
          name: 'Main number',
          address: '+14155550100',
          status: 'connected' as const,
          disconnected_reason: null,
          created_at: AT,
          webhook_url: 'https://desk.example/channels/whatsapp/w1',
          snippet: null,
          webhook_verified_at: null,
          sandbox: true,
        },
      ]),
    )
    .on(
      'GET /app/api/admin/audit-log',
      page([
        { id: 'l1', at: AT, user_id: 'bo', action: 'key.created', subject: 'Shop', address: '203.0.113.7' },
      ]),
    );
}
