/** What happened with a contact, newest first, from all that concerns it. Pure. */
import type { Booking, Conversation, Deal, DealChange, Inquiry, Note, OptOut, Run } from '@/api/schema';

export type TimelineEntry =
  | { kind: 'note'; at: string; note: Note }
  | { kind: 'conversation'; at: string; conversation: Conversation }
  | { kind: 'deal'; at: string; deal: Deal }
  | { kind: 'dealClosed'; at: string; deal: Deal }
  | { kind: 'dealChange'; at: string; change: DealChange }
  | { kind: 'inquiry'; at: string; inquiry: Inquiry }
  | { kind: 'booking'; at: string; booking: Booking }
  | { kind: 'run'; at: string; run: Run }
  | { kind: 'optOut'; at: string; optOut: OptOut };

export interface TimelineSources {
  notes?: readonly Note[] | undefined;
  conversations?: readonly Conversation[] | undefined;
  deals?: readonly Deal[] | undefined;
  /** What happened to the deals, newest first. Deals from before it was recorded have none. */
  changes?: readonly DealChange[] | undefined;
  /** Whether there are older changes. What is older than those that are known is left out: it would come between them. */
  hasOlderChanges?: boolean;
  inquiries?: readonly Inquiry[] | undefined;
  bookings?: readonly Booking[] | undefined;
  runs?: readonly Run[] | undefined;
  optOut?: OptOut | undefined;
}

export function timeline(sources: TimelineSources): TimelineEntry[] {
  const { notes = [], conversations = [], deals = [], inquiries = [], bookings = [] } = sources;
  const { runs = [], optOut } = sources;
  const { changes = [], hasOlderChanges = false } = sources;
  const recorded = (deal: Deal, kinds: ReadonlyArray<DealChange['kind']>, since: string) =>
    changes.some(
      (change) => change.deal_id === deal.id && kinds.includes(change.kind) && change.created_at >= since,
    );
  const entries: TimelineEntry[] = [
    ...notes.map((note) => ({ kind: 'note' as const, at: note.created_at, note })),
    ...conversations.map((conversation) => ({
      kind: 'conversation' as const,
      at: conversation.last_message_at ?? conversation.created_at,
      conversation,
    })),
    ...changes.map((change) => ({ kind: 'dealChange' as const, at: change.created_at, change })),
    ...deals
      .filter((deal) => !recorded(deal, ['created'], ''))
      .map((deal) => ({ kind: 'deal' as const, at: deal.created_at, deal })),
    ...deals.flatMap((deal) =>
      deal.closed_at && !recorded(deal, ['won', 'lost'], deal.closed_at)
        ? [{ kind: 'dealClosed' as const, at: deal.closed_at, deal }]
        : [],
    ),
    ...inquiries.map((inquiry) => ({ kind: 'inquiry' as const, at: inquiry.created_at, inquiry })),
    ...bookings.map((booking) => ({ kind: 'booking' as const, at: booking.start_at, booking })),
    ...runs.map((run) => ({ kind: 'run' as const, at: run.created_at, run })),
    ...(optOut?.opted_out_at ? [{ kind: 'optOut' as const, at: optOut.opted_out_at, optOut }] : []),
  ];
  const oldest = hasOlderChanges ? (changes.at(-1)?.created_at ?? '') : '';
  return entries
    .filter((entry) => entry.at >= oldest)
    .sort((a, b) => (a.at < b.at ? 1 : a.at > b.at ? -1 : 0));
}

/** The thread to open for a contact: the one that was active last. */
export function latestConversation(conversations: readonly Conversation[]): Conversation | undefined {
  const activity = (conversation: Conversation) => conversation.last_message_at ?? conversation.created_at;
  return conversations.toSorted((a, b) => (activity(a) < activity(b) ? 1 : -1))[0];
}
