import { describe, expect, it } from 'vitest';
import type { InboxRow } from '@/api/app';
import { belongs, flatten, type InboxPages, nextAfter, placeRow, placeRows, shareRows } from './rows';

function row(id: string, activity: string, more: Partial<InboxRow['conversation']> = {}): InboxRow {
  return {
    conversation: {
      id,
      contact_id: 'c',
      channel: 'whatsapp',
      connection_id: 'x',
      status: 'open',
      handler: 'human',
      assistant_id: null,
      assigned_user_id: null,
      unread_count: 0,
      last_message_at: activity,
      last_message_text: null,
      window_expires_at: null,
      snoozed_until: null,
      created_at: activity,
      updated_at: activity,
      ...more,
    },
    contact: { id: 'c', name: 'Ann', phone: null, avatar_url: null },
    last_message: null,
    last_activity_at: activity,
    needs_person_since: null,
  };
}

function pages(...lists: InboxRow[][]): InboxPages {
  return {
    pages: lists.map((data, index) => ({
      data,
      meta: {
        next_cursor: index < lists.length - 1 ? `p${index}` : null,
        has_more: index < lists.length - 1,
        limit: 2,
      },
    })),
    pageParams: lists.map((_, index) => (index === 0 ? undefined : `p${index - 1}`)),
  };
}
const ids = (data: InboxPages) => flatten(data).map((each) => each.conversation.id);

describe('belongs', () => {
  const withAssistant = row('a', '09:00', { handler: 'assistant', unread_count: 2 });
  const handedOff = { ...row('b', '09:00', { unread_count: 1 }), needs_person_since: '09:00' };

  it('counts a conversation with an assistant as neither unread nor unassigned', () => {
    expect(belongs(withAssistant, { unread: true }, 'me')).toBe(false);
    expect(belongs(withAssistant, { assigned: 'nobody' }, 'me')).toBe(false);
    expect(belongs(withAssistant, { handler: 'assistant' }, 'me')).toBe(true);
    expect(belongs(withAssistant, { needs_person: true }, 'me')).toBe(false);
    expect(belongs(handedOff, { unread: true }, 'me')).toBe(true);
    expect(belongs(handedOff, { assigned: 'nobody' }, 'me')).toBe(true);
    expect(belongs(handedOff, { needs_person: true }, 'me')).toBe(true);
  });
});

describe('placeRow', () => {
  const data = pages([row('d', '09:04'), row('c', '09:03')], [row('b', '09:02'), row('a', '09:01')]);

  it('moves a conversation with new activity to the top', () => {
    expect(ids(placeRow(data, row('b', '09:05'), true))).toEqual(['b', 'd', 'c', 'a']);
  });
  it('keeps the place of a conversation that changed without activity', () => {
    expect(ids(placeRow(data, row('c', '09:03', { unread_count: 0 }), true))).toEqual(['d', 'c', 'b', 'a']);
  });
  it('takes out a conversation that no longer matches', () => {
    expect(ids(placeRow(data, row('d', '09:04'), false))).toEqual(['c', 'b', 'a']);
  });
  it('adds an old conversation at the end only when the list is complete', () => {
    expect(ids(placeRow(data, row('z', '08:00'), true))).toEqual(['d', 'c', 'b', 'a', 'z']);
    const partial: InboxPages = { ...data, pages: data.pages.slice(0, 1) };
    expect(ids(placeRow(partial, row('z', '08:00'), true))).toEqual(['d', 'c']);
  });
  it('leaves untouched pages as they are', () => {
    const changed = placeRow(data, row('d', '09:06'), true);
    expect(changed.pages[1]).toBe(data.pages[1]);
  });
});

describe('flatten', () => {
  it('shows a row that two pages carry once, at its newer place', () => {
    expect(ids(pages([row('b', '09:05'), row('c', '09:03')], [row('b', '09:02')]))).toEqual(['b', 'c']);
  });
});

describe('belongs', () => {
  it('checks status, assignment and unread', () => {
    expect(belongs(row('a', '1', { status: 'closed' }), { status: 'open' }, 'me')).toBe(false);
    expect(belongs(row('a', '1', { assigned_user_id: 'me' }), { assigned: 'me' }, 'me')).toBe(true);
    expect(belongs(row('a', '1', { assigned_user_id: 'you' }), { assigned: 'me' }, 'me')).toBe(false);
    expect(belongs(row('a', '1', { assigned_user_id: 'you' }), { assigned: 'nobody' }, 'me')).toBe(false);
    expect(belongs(row('a', '1'), { unread: true }, 'me')).toBe(false);
  });
  it('leaves a search to the server', () => {
    expect(belongs(row('a', '1'), { q: 'chairs' }, 'me')).toBeUndefined();
  });
});

describe('many rows at once', () => {
  const page = (rows: InboxRow[], more = true): InboxPages['pages'][number] => ({
    data: rows,
    meta: { next_cursor: more ? 'next' : null, has_more: more, limit: 2 },
  });
  const b = row('b', '2');
  const a = row('a', '1');
  const data: InboxPages = { pages: [page([b]), page([a], false)], pageParams: [undefined, 'next'] };
  const ids = (pages: InboxPages) => flatten(pages).map((each) => each.conversation.id);

  it('are placed by their activity, or taken out', () => {
    const rows = [row('d', '4'), row('a', '5'), row('c', '3')];
    const placed = placeRows(
      data,
      new Map(rows.map((each) => [each.conversation.id, { row: each, keep: true }])),
    );
    expect(ids(placed)).toEqual(['a', 'd', 'c', 'b']);
    expect(ids(placeRows(data, new Map([['b', { row: b, keep: false }]])))).toEqual(['a']);
  });
  it('leave the list alone when none of them is in it', () => {
    expect(placeRows(data, new Map([['x', { row: row('x', '9'), keep: false }]]))).toBe(data);
  });
  it('keep their objects when a reading brings the same again, wherever they stand', () => {
    const read: InboxPages = {
      pages: [page([row('c', '3'), structuredClone(b)]), page([row('a', '1', { unread_count: 2 })], false)],
      pageParams: [undefined, 'next'],
    };
    const rows = flatten(shareRows(data, read));
    expect(rows[1]).toBe(b);
    expect(rows[2]).not.toBe(a);
    expect(rows[2]?.conversation.unread_count).toBe(2);
  });
});

it('finds what to open when a conversation leaves its list', () => {
  const rows = ['a', 'b', 'c'].map((id) => row(id, '2026-01-31T09:30:00.000Z'));
  expect([nextAfter(rows, 'a'), nextAfter(rows, 'b'), nextAfter(rows, 'c')]).toEqual(['b', 'c', 'b']);
  expect(nextAfter(rows.slice(0, 1), 'a')).toBeNull();
  expect(nextAfter(rows, 'elsewhere')).toBeUndefined();
});
