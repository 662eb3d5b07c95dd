import {
  InfiniteQueryObserver,
  notifyManager,
  QueryClient,
  type QueryKey,
  QueryObserver,
} from '@tanstack/react-query';
import { afterEach, describe, expect, it, vi } from 'vitest';
import type { InboxRow, ThreadMessage } from '@/api/app';
import type { Booking, Conversation, Event, Inquiry, Run } from '@/api/schema';
import type { ContactSummary } from '@/api/shapes';
import { contactConversationsQuery, contactQuery, contactsQuery } from '@/contacts/queries';
import { inboxQuery, threadQuery } from '@/inbox/queries';
import { flatten, type InboxPages } from '@/inbox/rows';
import type { ThreadPages } from '@/inbox/thread/entries';
import { type LiveContext, readBatch } from '@/live/handler';
import type { StreamEvent } from '@/live/sse';
import { contact, conversation, message, page, row } from '@/testing/data';
import { HANDLERS } from './handlers';

afterEach(() => vi.unstubAllGlobals());

let events = 0;
const notice = (type: string, data: unknown): StreamEvent => ({
  id: undefined,
  type,
  data: JSON.stringify(data),
});
function event<T extends Event['event_type']>(
  type: T,
  data: Extract<Event, { event_type: T }>['data'],
): StreamEvent {
  events += 1;
  const id = `evt_${events}`;
  return { ...notice(type, { event_id: id, event_type: type, data }), id };
}
const tell = (client: QueryClient, ...told: StreamEvent[]) => {
  const context: LiveContext = {
    client,
    me: 'bo',
    path: () => '',
    open: () => undefined,
    leads: () => false,
  };
  notifyManager.batch(() => {
    for (const handler of HANDLERS) handler.apply?.(readBatch(told), context);
  });
};

/** Each request gets what is stored when it is made, once its answer is called for. */
function answerByHand(stored: () => unknown): Array<() => void> {
  const answers: Array<() => void> = [];
  vi.stubGlobal('fetch', (_: string, init: RequestInit) => {
    const seen = stored();
    return new Promise<Response>((done, failed) => {
      init.signal?.addEventListener('abort', () => failed(new DOMException('aborted', 'AbortError')));
      answers.push(() => done(Response.json(seen)));
    });
  });
  return answers;
}

it('keeps what an event brings while an older reading of the thread is under way', async () => {
  const sent = message('m1', { direction: 'outbound', sender_type: 'agent', status: 'sent' });
  const delivered: ThreadMessage = { ...sent, status: 'delivered' };
  let stored = sent;
  const answers = answerByHand(() => page([stored]));
  const client = new QueryClient();
  const query = threadQuery(sent.conversation_id);
  client.setQueryData(query.queryKey, { pages: [page([sent])], pageParams: [undefined] });
  const observer = new InfiniteQueryObserver(client, query);
  const stop = observer.subscribe(() => undefined);
  void observer.refetch();
  await vi.waitFor(() => expect(answers).not.toEqual([]));

  stored = delivered;
  tell(client, event('message.status_changed', { message: delivered, previous: { status: 'sent' } }));
  const shown = () => client.getQueryData<ThreadPages>(query.queryKey)?.pages[0]?.data[0]?.status;
  expect(shown()).toBe('delivered');
  await vi.waitFor(() => expect(answers.length).toBeGreaterThan(1));
  for (const answer of answers) answer();
  await vi.waitFor(() => expect(client.isFetching({ queryKey: query.queryKey })).toBe(0));
  expect(shown()).toBe('delivered');
  stop();
});

it('reads a contact again whose read was under way when it changed', async () => {
  let stored = contact;
  const answers = answerByHand(() => ({ data: stored }));
  const client = new QueryClient();
  const query = contactQuery(contact.id);
  client.setQueryData(query.queryKey, contact);
  const stop = new QueryObserver(client, query).subscribe(() => undefined);
  await vi.waitFor(() => expect(answers).toHaveLength(1));

  stored = { ...contact, name: 'Renamed' };
  tell(client, event('contact.updated', { contact: stored }));
  await vi.waitFor(() => expect(answers).toHaveLength(2));
  for (const answer of answers) answer();
  await vi.waitFor(() => expect(client.isFetching()).toBe(0));
  expect(client.getQueryData(query.queryKey)?.name).toBe('Renamed');
  stop();
});

it('reads a thread again after a notice, or every thread when the notice names none', async () => {
  const read: string[] = [];
  vi.stubGlobal('fetch', (url: string) => {
    read.push(/conversations\/(\w+)\//.exec(url)?.[1] ?? url);
    return Promise.resolve(Response.json(page([])));
  });
  const client = new QueryClient();
  const stops = ['c7', 'c8'].map((id) => {
    const query = threadQuery(id);
    client.setQueryData(query.queryKey, { pages: [page([])], pageParams: [undefined] });
    return new InfiniteQueryObserver(client, { ...query, staleTime: Infinity }).subscribe(() => undefined);
  });
  tell(client, notice('thread', { conversation_id: 'c7' }));
  await vi.waitFor(() => expect(read).toEqual(['c7']));
  // The second notice about a thread within a burst waits for its end.
  tell(client, notice('thread', {}));
  await vi.waitFor(() => expect(read.toSorted()).toEqual(['c7', 'c7', 'c8']));
  for (const stop of stops) stop();
});

it('writes and draws a list once for a batch of a thousand events, and reads nothing', () => {
  const asked: string[] = [];
  vi.stubGlobal('fetch', (url: string) => {
    asked.push(url);
    return new Promise(() => undefined);
  });
  const client = new QueryClient();
  const query = inboxQuery({ status: 'open' });
  client.setQueryData(query.queryKey, { pages: [page([row])], pageParams: [undefined] });
  let drawn = 0;
  const observer = new InfiniteQueryObserver(client, { ...query, staleTime: Infinity });
  const stop = observer.subscribe(() => {
    drawn += 1;
  });
  const rows = Array.from({ length: 300 }, (_, index): InboxRow => {
    const at = new Date(Date.UTC(2026, 5, 1) + index * 1_000).toISOString();
    const id = `new${index}`;
    return { ...row, conversation: { ...conversation, id, updated_at: at }, last_activity_at: at };
  });
  const told = rows.flatMap((each) => [
    event('contact.created', { contact: { ...contact, id: `k${each.conversation.id}` } }),
    event('conversation.created', { conversation: each.conversation }),
    notice('inbox_row', each),
    event('message.received', {
      message: message(`m${each.conversation.id}`, { conversation_id: each.conversation.id }),
    }),
  ]);
  const before = client.getQueryCache().getAll().length;
  notifyManager.setScheduler((flush) => flush());
  tell(client, ...told);
  notifyManager.setScheduler((flush) => void setTimeout(flush));
  expect(flatten(client.getQueryData(query.queryKey)).map((each) => each.conversation.id)).toEqual([
    ...rows.map((each) => each.conversation.id).reverse(),
    row.conversation.id,
  ]);
  expect(drawn).toBe(1);
  expect(asked).toEqual([]);
  // What nobody looks at is not kept.
  expect(client.getQueryCache().getAll().length).toBe(before);
  stop();
});

it('keeps a row that came while an older reading of its list was under way', async () => {
  const answers: Array<() => void> = [];
  vi.stubGlobal(
    'fetch',
    () => new Promise<Response>((done) => answers.push(() => done(Response.json(page([row]))))),
  );
  const client = new QueryClient();
  const query = inboxQuery({});
  const observer = new InfiniteQueryObserver(client, query);
  const stop = observer.subscribe(() => undefined);
  await vi.waitFor(() => expect(answers.length).toBe(1));
  const newer: InboxRow = {
    ...row,
    conversation: { ...conversation, id: 'newer' },
    last_activity_at: '2030-01-01T00:00:00.000Z',
  };
  tell(client, notice('inbox_row', newer));
  answers[0]?.();
  const ids = () => flatten(client.getQueryData(query.queryKey)).map((each) => each.conversation.id);
  await vi.waitFor(() => expect(ids()).toEqual(['newer', row.conversation.id]));
  stop();
});

it('reads a list from its top again when new rows have made it too long', async () => {
  const asked: string[] = [];
  vi.stubGlobal('fetch', (url: string) => {
    asked.push(url);
    return new Promise(() => undefined);
  });
  const client = new QueryClient();
  const query = inboxQuery({});
  client.setQueryData(query.queryKey, { pages: [page([row]), page([])], pageParams: [undefined, 'next'] });
  const observer = new InfiniteQueryObserver(client, { ...query, staleTime: Infinity });
  const stop = observer.subscribe(() => undefined);
  const rows = Array.from({ length: 600 }, (_, index) => {
    const at = new Date(Date.UTC(2026, 5, 1) + index * 1_000).toISOString();
    return { ...row, conversation: { ...conversation, id: `new${index}` }, last_activity_at: at };
  });
  tell(client, ...rows.map((each) => notice('inbox_row', each)));
  const data = client.getQueryData<InboxPages>(query.queryKey);
  expect(data?.pages.map((each) => each.data.length)).toEqual([100]);
  expect(data?.pages[0]?.data[0]?.conversation.id).toBe('new599');
  await vi.waitFor(() => expect(asked.length).toBe(1));
  stop();
});

it('reads the contacts once at the beginning of a burst of new ones', async () => {
  const asked: string[] = [];
  vi.stubGlobal('fetch', (url: string) => {
    asked.push(url);
    return Promise.resolve(Response.json(page([])));
  });
  const client = new QueryClient();
  const query = contactsQuery({});
  client.setQueryData(query.queryKey, { pages: [page([contact])], pageParams: [undefined] });
  const observer = new InfiniteQueryObserver(client, { ...query, staleTime: Infinity });
  const stop = observer.subscribe(() => undefined);
  tell(client, event('contact.updated', { contact: { ...contact, name: 'Ann Other' } }));
  expect(asked).toEqual([]);
  expect(client.getQueryData(query.queryKey)?.pages[0]?.data[0]?.name).toBe('Ann Other');
  for (let batch = 0; batch < 20; batch += 1) {
    const created = Array.from({ length: 50 }, (_, index) =>
      event('contact.created', { contact: { ...contact, id: `k${batch}-${index}` } }),
    );
    tell(client, ...created);
    await new Promise((done) => setTimeout(done, 5));
  }
  expect(asked.length).toBe(1);
  stop();
});

describe('an open page of a contact', () => {
  /** Queries of the page that are on screen. Returns those that were read again, and how to leave the page. */
  const look = (...keys: QueryKey[]) => {
    const client = new QueryClient();
    const read: unknown[] = [];
    const stops = keys.map((queryKey) => {
      client.setQueryData(queryKey, []);
      const queryFn = () => {
        read.push(queryKey[0]);
        return [];
      };
      return new QueryObserver(client, { queryKey, queryFn, staleTime: Infinity }).subscribe(() => undefined);
    });
    return { client, read, leave: () => stops.map((stop) => stop()) };
  };

  it('reads inquiries, bookings and the opt-out again when they change', async () => {
    const { client, read, leave } = look(
      ['contact-inquiries', contact.id],
      ['contact-bookings', contact.id],
      ['opt-out', contact.id],
      ['opt-out', 'other'],
    );
    tell(client, event('inquiry.created', { inquiry: { id: 'i1', contact_id: contact.id } as Inquiry }));
    await vi.waitFor(() => expect(read).toEqual(['contact-inquiries']));
    tell(client, event('booking.created', { booking: { id: 'b1', contact_id: contact.id } as Booking }));
    await vi.waitFor(() => expect(read).toEqual(['contact-inquiries', 'contact-bookings']));
    tell(client, event('contact.opted_out', { contact }));
    await vi.waitFor(() => expect(read).toEqual(['contact-inquiries', 'contact-bookings', 'opt-out']));
    leave();
  });

  it('reads its runs again when one of them changes, and not for others', async () => {
    const { client, read, leave } = look(['contact-runs', contact.id]);
    client.setQueryData(['contact-runs', contact.id], [{ id: 'r1' }]);
    const started = { id: 'r2', contact_id: 'other', parent_run_id: null } as Run;
    tell(client, event('run.started', { run: started }));
    tell(client, event('run.started', { run: { ...started, contact_id: contact.id } }));
    await vi.waitFor(() => expect(read).toEqual(['contact-runs']));
    const watched = (id: string) =>
      HANDLERS.flatMap(({ watches }) => watches?.runs?.(id, client, 'bo') ?? []).map(([key]) => key);
    client.setQueryData(['contact-runs', contact.id], [{ id: 'r1' }]);
    expect(watched('r1')).toContain('contact-runs');
    expect(watched('r3')).not.toContain('contact-runs');
    leave();
  });

  it('reads all that it has again once it has taken over another contact', async () => {
    const parts = ['notes', 'conversations', 'deals', 'deal-changes', 'inquiries', 'bookings', 'runs'];
    const keys = [...parts.map((part) => `contact-${part}`), 'opt-out'];
    const { client, read, leave } = look(...keys.map((key) => [key, contact.id]));
    tell(client, event('contact.merged', { contact, previous: { contact_id: 'other' } }));
    await vi.waitFor(() => expect(read.toSorted()).toEqual(keys.toSorted()));
    leave();
  });

  it('gets a new conversation and the last message of a known one without a request', () => {
    const asked: string[] = [];
    vi.stubGlobal('fetch', (url: string) => asked.push(url));
    const client = new QueryClient();
    const { queryKey } = contactConversationsQuery(conversation.contact_id);
    const known = { ...conversation, id: 'known' };
    client.setQueryData(queryKey, [known]);
    const later = (of: Conversation): InboxRow => ({
      ...row,
      conversation: { ...of, last_message_text: `last of ${of.id}` },
    });
    const elsewhere = { ...conversation, id: 'elsewhere', contact_id: 'other' };
    const fresh = { ...conversation, id: 'fresh' };
    tell(client, ...[known, fresh, elsewhere].map((each) => notice('inbox_row', later(each))));
    const texts = client.getQueryData(queryKey)?.map((each) => each.last_message_text);
    expect(texts).toEqual(['last of fresh', 'last of known']);
    expect(asked).toEqual([]);
  });
});

it('renames a contact wherever only its name is known, and forgets one that is gone', () => {
  const client = new QueryClient();
  const ann: ContactSummary = { id: contact.id, name: contact.name, phone: contact.phone, avatar_url: null };
  const other = { ...ann, id: 'other', name: 'Other' };
  const key = ['contact-names', [contact.id, 'other']];
  client.setQueryData(key, [ann, other]);
  tell(client, event('contact.updated', { contact: { ...contact, company: 'Elsewhere' } }));
  const before = client.getQueryData<ContactSummary[]>(key);
  expect(before).toEqual([ann, other]);
  tell(client, event('contact.updated', { contact: { ...contact, name: 'Ann Weber' } }));
  expect(client.getQueryData(key)).toEqual([{ ...ann, name: 'Ann Weber' }, other]);
  tell(client, event('contact.deleted', { contact }));
  expect(client.getQueryData(key)).toEqual([other]);
});
