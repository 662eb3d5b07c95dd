import { QueryClient } from '@tanstack/react-query';
import { expect, it, vi } from 'vitest';
import type { Member } from '@/api/schema';
import { membersQuery } from '@/session/queries';
import type { Envelope } from './apply';
import { mentionedIn, nameOf } from './mentions';

const note = {
  id: 'n1',
  conversation_id: 'c1',
  body: '@Ann look',
  author_user_id: 'bo',
  created_at: '2026-01-31T09:00:00.000Z',
  updated_at: '2026-01-31T09:00:00.000Z',
};
const envelope = (more: Partial<Envelope['data']>, type = 'note.created'): Envelope => ({
  event_id: 'evt_1',
  event_type: type,
  created_at: note.created_at,
  data: { note, ...more },
});

it('finds the conversation in which the member is mentioned', () => {
  expect(mentionedIn(envelope({ mentioned_user_ids: ['ann'] }), 'ann')).toBe('c1');
});

it('tells nobody else, and not the author', () => {
  expect(mentionedIn(envelope({ mentioned_user_ids: ['ann'] }), 'cy')).toBeNull();
  expect(mentionedIn(envelope({}), 'ann')).toBeNull();
  expect(mentionedIn(envelope({ mentioned_user_ids: ['bo'] }), 'bo')).toBeNull();
  expect(mentionedIn(envelope({ mentioned_user_ids: ['ann'] }, 'deal.updated'), 'ann')).toBeNull();
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
