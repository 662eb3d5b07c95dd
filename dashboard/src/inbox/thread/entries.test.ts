import { describe, expect, it } from 'vitest';
import type { ThreadMessage } from '@/api/app';
import type { ConversationNote } from '@/api/shapes';
import type { Outgoing } from '../outbox/outgoing';
import { newestId, repliesAfter, type ThreadPages, threadEntries, upsertMessage } from './entries';

const message = (id: string, at: string, more: Partial<ThreadMessage> = {}): ThreadMessage => ({
  id,
  conversation_id: 'c',
  direction: 'inbound',
  sender_type: 'customer',
  type: 'text',
  text: id,
  media_url: null,
  template_name: null,
  status: 'delivered',
  channel_message_id: null,
  reply_to_message_id: null,
  created_at: at,
  author_user_id: null,
  assistant_id: null,
  run_id: null,
  error: null,
  media: null,
  reactions: [],
  ...more,
});
const note = (id: string, at: string): ConversationNote => ({
  id,
  conversation_id: 'c',
  body: id,
  author_user_id: 'u',
  created_at: at,
  updated_at: at,
});
const outgoing = (id: string, at: string, text = id): Outgoing => ({
  id,
  conversationId: 'c',
  createdAt: at,
  text,
  file: null,
  replyTo: null,
  lastSeen: null,
  request: { type: 'text', to: { conversation_id: 'c' }, text },
  state: 'sending',
  error: null,
  key: id,
  position: Date.parse(at),
  tries: 1,
  triedAt: Date.parse(at),
  nextAt: 0,
});
const pages = (data: ThreadMessage[], has_more = false): ThreadPages => ({
  pages: [{ data, meta: { next_cursor: null, has_more, limit: 50 } }],
  pageParams: [undefined],
});
const shown = (entries: ReturnType<typeof threadEntries>) =>
  entries.filter((entry) => entry.kind !== 'day').map((entry) => entry.key);

describe('threadEntries', () => {
  const loaded = [message('m2', '2026-01-31T12:02:00.000Z'), message('m1', '2026-01-31T12:00:00.000Z')];

  it('puts notes between messages by time and messages on their way last', () => {
    const entries = threadEntries(
      pages(loaded),
      [note('n', '2026-01-31T12:01:00.000Z')],
      [outgoing('o', '2026-01-31T11:00:00.000Z')],
    );
    expect(shown(entries)).toEqual(['m1', 'n', 'm2', 'o']);
  });
  it('holds back notes that are older than the loaded messages', () => {
    const old = note('n', '2026-01-01T12:00:00.000Z');
    expect(shown(threadEntries(pages(loaded, true), [old], []))).toEqual(['m1', 'm2']);
    expect(shown(threadEntries(pages(loaded), [old], []))).toEqual(['n', 'm1', 'm2']);
  });
  it('begins each day once', () => {
    const days = threadEntries(pages([message('b', '2026-02-02T12:00:00.000Z'), ...loaded]), [], []).filter(
      (entry) => entry.kind === 'day',
    );
    expect(days).toHaveLength(2);
  });
  it('shows a sent message once when the stream is faster than the response', () => {
    const sent = message('s', '2026-01-31T12:05:00.000Z', {
      direction: 'outbound',
      sender_type: 'agent',
      text: 'ok',
    });
    const twice = [
      outgoing('o1', '2026-01-31T12:04:00.000Z', 'ok'),
      outgoing('o2', '2026-01-31T12:04:01.000Z', 'ok'),
    ];
    expect(shown(threadEntries(pages([sent, ...loaded]), [], twice))).toEqual(['m1', 'm2', 's', 'o2']);
  });
});

describe('upsertMessage', () => {
  const data = pages([
    message('b', '2026-01-31T12:02:00.000Z', {
      status: 'read',
      reactions: [{ emoji: '👍', from: 'customer', at: '' }],
    }),
    message('a', '2026-01-31T12:00:00.000Z'),
  ]);
  const ids = (given: ThreadPages) => given.pages.flatMap((page) => page.data.map((each) => each.id));

  it('adds a message that arrives late at its place', () => {
    expect(ids(upsertMessage(data, message('x', '2026-01-31T12:01:00.000Z')))).toEqual(['b', 'x', 'a']);
  });
  it('keeps what an event does not carry, and never moves a status backwards', () => {
    const { author_user_id, error, media, reactions, ...bare } = message('b', '2026-01-31T12:02:00.000Z', {
      status: 'delivered',
    });
    const changed = upsertMessage(data, bare).pages[0]?.data[0];
    expect(changed).toMatchObject({ status: 'read', reactions: [{ emoji: '👍' }] });
  });
  it('takes the reason of a failure', () => {
    const failed = upsertMessage(data, message('b', '2026-01-31T12:02:00.000Z', { status: 'failed' }), {
      code: '131047',
      reason: 'outside_window',
      message: 'Late',
    });
    expect(failed.pages[0]?.data[0]).toMatchObject({ status: 'failed', error: { reason: 'outside_window' } });
  });
});

describe('repliesAfter', () => {
  const at = '2026-01-31T12:00:00.000Z';
  const reply = (id: string, more: Partial<ThreadMessage>) =>
    message(id, at, { direction: 'outbound', sender_type: 'agent', ...more });
  const thread = pages([
    reply('m6', { sender_type: 'bot', assistant_id: 'robo' }),
    reply('m5', { author_user_id: null }),
    reply('m4', { author_user_id: 'me' }),
    reply('m3', { author_user_id: 'bo' }),
    message('m2', at),
    reply('m1', { author_user_id: 'bo' }),
  ]);

  it('finds what colleagues and assistants have sent since, not what the member or the customer has', () => {
    expect(repliesAfter(thread, 'm2', 'me').map(({ id }) => id)).toEqual(['m3', 'm6']);
    expect(repliesAfter(thread, 'm6', 'me')).toEqual([]);
    expect(repliesAfter(thread, undefined, 'me')).toEqual([]);
  });
  it('knows the newest message', () => {
    expect(newestId(thread)).toBe('m6');
    expect(newestId(undefined)).toBeNull();
  });
});
