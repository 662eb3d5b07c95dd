import { expect, it } from 'vitest';
import type { Conversation, Deal, DealChange, Note } from '@/api/schema';
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

const change = (id: string, kind: DealChange['kind'], created_at: string) =>
  ({ id, deal_id: 'd', kind, created_at }) as DealChange;

it('shows what was recorded of a deal, and once only', () => {
  const deals = [{ id: 'd', created_at: '2026-01-01', closed_at: '2026-01-05' } as Deal];
  const changes = [
    change('h3', 'won', '2026-01-05'),
    change('h2', 'value', '2026-01-03'),
    change('h1', 'created', '2026-01-01'),
  ];
  const kinds = (known: DealChange[]) =>
    timeline({ deals, changes: known }).map((entry) =>
      entry.kind === 'dealChange' ? entry.change.kind : entry.kind,
    );
  expect(kinds(changes)).toEqual(['won', 'value', 'created']);
  // Of a deal from before anything was recorded, the deal itself tells.
  expect(kinds(changes.slice(1, 2))).toEqual(['dealClosed', 'value', 'deal']);
  // It was lost, reopened and then closed again before the second closing was recorded.
  expect(kinds([change('h2', 'lost', '2026-01-03')])).toEqual(['dealClosed', 'lost', 'deal']);
});

it('leaves out what is older than the changes that are known, until the others are', () => {
  const notes = ['2026-01-02', '2026-01-04'].map((created_at) => ({ id: created_at, created_at }) as Note);
  const changes = [change('h2', 'value', '2026-01-03')];
  const times = (hasOlderChanges: boolean) =>
    timeline({ notes, changes, hasOlderChanges }).map((entry) => entry.at);
  expect(times(true)).toEqual(['2026-01-04', '2026-01-03']);
  expect(times(false)).toEqual(['2026-01-04', '2026-01-03', '2026-01-02']);
});
