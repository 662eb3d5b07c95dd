import { QueryClient } from '@tanstack/react-query';
import { describe, expect, it } from 'vitest';
import type { InboxRow } from '@/api/app';
import type { Message } from '@/api/schema';
import { knownRow, patchConversation, rowAfter, setRow } from './cache';
import { inboxQuery } from './queries';
import { flatten, type InboxPages } from './rows';

const row: InboxRow = {
  conversation: {
    id: 'c1',
    contact_id: 'k',
    channel: 'whatsapp',
    connection_id: 'x',
    status: 'closed',
    handler: 'human',
    assistant_id: null,
    assigned_user_id: 'me',
    unread_count: 0,
    last_message_at: '2026-01-31T09:00:00.000Z',
    last_message_text: 'a',
    window_expires_at: '2026-02-01T09:00:00.000Z',
    snoozed_until: null,
    created_at: '2026-01-31T08:00:00.000Z',
    updated_at: '2026-01-31T09:00:00.000Z',
  },
  contact: { id: 'k', name: 'Ann', phone: null, avatar_url: null },
  last_message: {
    id: 'm1',
    direction: 'inbound',
    sender_type: 'customer',
    type: 'text',
    text: 'a',
    status: 'delivered',
  },
  last_activity_at: '2026-01-31T09:00:00.000Z',
  needs_person_since: null,
};
const inbound = {
  id: 'm2',
  conversation_id: 'c1',
  direction: 'inbound',
  sender_type: 'customer',
  type: 'text',
  text: 'b',
  status: 'delivered',
  created_at: '2026-01-31T10:00:00.000Z',
} as Message;

describe('rowAfter', () => {
  it('counts an inbound message once, reopens the conversation and moves its window', () => {
    const after = rowAfter(row, inbound);
    expect(after.conversation).toMatchObject({
      unread_count: 1,
      status: 'open',
      window_expires_at: '2026-02-01T10:00:00.000Z',
      snoozed_until: null,
    });
    expect(rowAfter(after, inbound).conversation.unread_count).toBe(1);
  });
  it('ignores an event that is older than the row', () => {
    expect(rowAfter(row, { ...inbound, created_at: '2026-01-31T08:30:00.000Z' })).toBe(row);
  });
});

describe('lists on screen', () => {
  const empty = (): InboxPages => ({
    pages: [{ data: [], meta: { next_cursor: null, has_more: false, limit: 100 } }],
    pageParams: [undefined],
  });
  const ids = (client: QueryClient, filter: Parameters<typeof inboxQuery>[0]) =>
    flatten(client.getQueryData(inboxQuery(filter).queryKey)).map((each) => each.conversation.id);

  it('puts a row into the lists it belongs to, and takes it out again', () => {
    const client = new QueryClient();
    client.setQueryData(inboxQuery({ status: 'open' }).queryKey, empty());
    client.setQueryData(inboxQuery({ assigned: 'me' }).queryKey, empty());
    setRow(client, row, 'me');
    expect(ids(client, { status: 'open' })).toEqual([]);
    expect(ids(client, { assigned: 'me' })).toEqual(['c1']);
    const undo = patchConversation(client, 'c1', { status: 'open', assigned_user_id: null }, 'me');
    expect(ids(client, { status: 'open' })).toEqual(['c1']);
    expect(ids(client, { assigned: 'me' })).toEqual([]);
    undo();
    expect(ids(client, { status: 'open' })).toEqual([]);
    expect(ids(client, { assigned: 'me' })).toEqual(['c1']);
  });

  it('keeps a message that came in between when a change is undone', () => {
    const client = new QueryClient();
    client.setQueryData(inboxQuery({}).queryKey, empty());
    setRow(client, row, 'me');
    const undo = patchConversation(client, 'c1', { assigned_user_id: null }, 'me');
    const changed = knownRow(client, 'c1');
    if (changed) setRow(client, rowAfter(changed, inbound), 'me');
    undo();
    expect(knownRow(client, 'c1')).toMatchObject({
      last_message: { id: 'm2' },
      conversation: { assigned_user_id: 'me', unread_count: 1 },
    });
  });
});
