/** The inbox's filters, kept in the address so that a view can be reloaded, shared and left by Back. */
import type { InboxFilter } from '@/api/app';
import { CHANNELS } from '@/api/channels';
import type { Channel, ConversationStatus } from '@/api/schema';

export const VIEWS = ['mine', 'unassigned', 'all', 'unread', 'needs_person', 'with_assistant'] as const;
export type View = (typeof VIEWS)[number];
export const STATUSES: readonly ConversationStatus[] = ['open', 'pending', 'closed'];

/** Every field is always named: the router keeps what the address has of a field that is not. */
export interface InboxSearch {
  view?: View | undefined;
  /** Absent means open. */
  status?: ConversationStatus | 'any' | undefined;
  channel?: Channel | undefined;
  q?: string | undefined;
}

const oneOf = <T extends string>(allowed: readonly T[], value: unknown): T | undefined =>
  allowed.find((candidate) => candidate === value);

export function parseInboxSearch(search: Record<string, unknown>): InboxSearch {
  const view = oneOf(VIEWS, search.view);
  const status = oneOf([...STATUSES, 'any'] as const, search.status);
  const channel = oneOf(CHANNELS, search.channel);
  const q = typeof search.q === 'string' && search.q.trim() !== '' ? search.q : undefined;
  return { view, status, channel, q };
}

export function toFilter(search: InboxSearch): InboxFilter {
  const view = search.view ?? 'all';
  const status = search.status ?? (search.q ? 'any' : 'open');
  return {
    ...(view === 'mine' && { assigned: 'me' }),
    ...(view === 'unassigned' && { assigned: 'nobody' }),
    ...(view === 'unread' && { unread: true }),
    ...(view === 'needs_person' && { needs_person: true }),
    ...(view === 'with_assistant' && { handler: 'assistant' }),
    ...(status !== 'any' && { status }),
    ...(search.channel && { channel: search.channel }),
    ...(search.q && { q: search.q }),
  };
}

/** Whether the list is narrowed down beyond what it shows at first. */
export function isFiltered({ view, status, channel, q }: InboxSearch): boolean {
  return [view, status, channel, q].some((value) => value !== undefined);
}
