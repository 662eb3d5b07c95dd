import { QueryClient } from '@tanstack/react-query';
import { expect, it, vi } from 'vitest';
import type { Member, NoteCreatedEvent } from '@/api/schema';
import { membersQuery } from '@/session/queries';
import { deal } from '@/testing/data';
import { mentionedIn, nameOf } from './mentions';

const note = {
  id: 'n1',
  conversation_id: 'c1',
  body: '@Ann look',
  author_user_id: 'bo',
  created_at: '2026-01-31T09:00:00.000Z',
  updated_at: '2026-01-31T09:00:00.000Z',
};
const event = (more: Partial<NoteCreatedEvent['data']>): NoteCreatedEvent => ({
  event_id: 'evt_1',
  event_type: 'note.created',
  account_id: 'acme',
  api_version: 'v1',
  created_at: note.created_at,
  data: { note, ...more },
});

it('finds the conversation in which the member is mentioned', () => {
  expect(mentionedIn(event({ mentioned_user_ids: ['ann'] }), 'ann')).toBe('c1');
});

it('tells nobody else, and not the author', () => {
  expect(mentionedIn(event({ mentioned_user_ids: ['ann'] }), 'cy')).toBeNull();
  expect(mentionedIn(event({}), 'ann')).toBeNull();
  expect(mentionedIn(event({ mentioned_user_ids: ['bo'] }), 'bo')).toBeNull();
  expect(mentionedIn({ ...event({}), event_type: 'deal.deleted', data: { deal } }, 'ann')).toBeNull();
});

it('reads the members when the author is not among those that are known', async () => {
  const client = new QueryClient();
  const bo = { id: 'bo', name: 'Bo Agent' } as Member;
  const respond = vi.fn(async () => Response.json({ data: [bo] }));
  vi.stubGlobal('fetch', respond);
  expect(await nameOf(client, 'bo')).toBe('Bo Agent');
  expect(await nameOf(client, 'bo')).toBe('Bo Agent');
  expect(respond).toHaveBeenCalledTimes(1);
  client.setQueryData(membersQuery.queryKey, []);
  expect(await nameOf(client, 'bo')).toBe('Bo Agent');
  vi.unstubAllGlobals();
});
