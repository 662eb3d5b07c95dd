/** What happened with a contact, newest first, from all that concerns it. Pure. */
import type { Booking, Conversation, Deal, Inquiry, Note } from '@/api/schema';

export type TimelineEntry =
  | { kind: 'note'; at: string; note: Note }
  | { kind: 'conversation'; at: string; conversation: Conversation }
  | { kind: 'deal'; at: string; deal: Deal }
  | { kind: 'dealClosed'; at: string; deal: Deal }
  | { kind: 'inquiry'; at: string; inquiry: Inquiry }
  | { kind: 'booking'; at: string; booking: Booking };

export interface TimelineSources {
  notes?: readonly Note[] | undefined;
  conversations?: readonly Conversation[] | undefined;
  deals?: readonly Deal[] | undefined;
  inquiries?: readonly Inquiry[] | undefined;
  bookings?: readonly Booking[] | undefined;
}

export function timeline(sources: TimelineSources): TimelineEntry[] {
  const { notes = [], conversations = [], deals = [], inquiries = [], bookings = [] } = sources;
  const entries: TimelineEntry[] = [
    ...notes.map((note) => ({ kind: 'note' as const, at: note.created_at, note })),
    ...conversations.map((conversation) => ({
      kind: 'conversation' as const,
      at: conversation.last_message_at ?? conversation.created_at,
      conversation,
    })),
    ...deals.map((deal) => ({ kind: 'deal' as const, at: deal.created_at, deal })),
    ...deals.flatMap((deal) =>
      deal.closed_at ? [{ kind: 'dealClosed' as const, at: deal.closed_at, deal }] : [],
    ),
    ...inquiries.map((inquiry) => ({ kind: 'inquiry' as const, at: inquiry.created_at, inquiry })),
    ...bookings.map((booking) => ({ kind: 'booking' as const, at: booking.start_at, booking })),
  ];
  return entries.sort((a, b) => (a.at < b.at ? 1 : a.at > b.at ? -1 : 0));
}

/** The thread to open for a contact: the one that was active last. */
export function latestConversation(conversations: readonly Conversation[]): Conversation | undefined {
  const activity = (conversation: Conversation) => conversation.last_message_at ?? conversation.created_at;
  return conversations.toSorted((a, b) => (activity(a) < activity(b) ? 1 : -1))[0];
}
