import { expect, it } from 'vitest';
import type { Conversation, Deal, Note } from '@/api/schema';
import { latestConversation, timeline } from './timeline';

const conversation = (id: string, created_at: string, last_message_at: string | null) =>
  ({ id, created_at, last_message_at }) as Conversation;

it('puts everything in one order, and a closed deal twice', () => {
  const entries = timeline({
    notes: [{ id: 'n', created_at: '2026-01-02' } as Note],
    conversations: [conversation('c', '2026-01-01', '2026-01-04')],
    deals: [{ id: 'd', created_at: '2026-01-03', closed_at: '2026-01-05' } as Deal],
  });
  expect(entries.map((entry) => entry.kind)).toEqual(['dealClosed', 'conversation', 'deal', 'note']);
});

it('opens the conversation that was active last', () => {
  const threads = [
    conversation('new', '2026-01-03', null),
    conversation('active', '2026-01-01', '2026-01-04'),
  ];
  expect(latestConversation(threads)?.id).toBe('active');
  expect(latestConversation([])).toBeUndefined();
});
