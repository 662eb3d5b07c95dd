/** Brings events of the account into everything on screen that they concern. */
import { notifyManager, type QueryClient } from '@tanstack/react-query';
import type { InboxRow, Presence, ThreadMessage } from '@/api/app';
import type {
  Booking,
  Connection,
  Contact,
  Conversation,
  Deal,
  Inquiry,
  Note,
  StatusError,
} from '@/api/schema';
import type { ConversationNote } from '@/api/shapes';
import { applyContacts, forgetContact } from '@/contacts/cache';
import { applyDeal } from '@/deals/cache';
import { isReading, refreshCounts, refreshThread, refreshThreads, setRows } from '@/inbox/cache';
import { conversationChangesQuery, conversationNotesQuery, threadQuery } from '@/inbox/queries';
import { findMessage, type ThreadPages, upsertMessage } from '@/inbox/thread/entries';
import { refreshIfReading, refreshSoon } from './burst';
import type { StreamEvent } from './sse';

/** An envelope as the stream carries it. */
export interface Envelope {
  event_id: string;
  event_type: string;
  created_at: string;
  data: {
    contact?: Contact;
    conversation?: Conversation;
    message?: ThreadMessage;
    error?: StatusError | null;
    note?: Note | ConversationNote;
    mentioned_user_ids?: string[];
    deal?: Deal;
    inquiry?: Inquiry;
    booking?: Booking;
    channel?: Connection;
    previous?: { contact_id?: string; stage_id?: string };
  };
}

/** A thread has changed in a way that no event reports. Another server does not say which. */
export interface ThreadNotice {
  conversation_id?: string;
}

/** What a batch of the stream says, by kind. */
export interface Heard {
  envelopes: Envelope[];
  /** The inbox's rows of conversations that the envelopes concern, newest last. */
  rows: Map<string, InboxRow>;
  threads: ThreadNotice[];
  presences: Presence[];
}

export function hear(events: readonly StreamEvent[]): Heard {
  const heard: Heard = { envelopes: [], rows: new Map(), threads: [], presences: [] };
  for (const { type, data } of events) {
    const value: unknown = JSON.parse(data);
    if (type === 'presence') heard.presences.push(value as Presence);
    else if (type === 'thread') heard.threads.push(value as ThreadNotice);
    else if (type === 'inbox_row') heard.rows.set((value as InboxRow).conversation.id, value as InboxRow);
    else heard.envelopes.push(value as Envelope);
  }
  return heard;
}

/** Every list is written once for the whole batch, and drawn once. */
export function applyHeard(client: QueryClient, { envelopes, rows, threads }: Heard, me: string): void {
  notifyManager.batch(() => {
    setRows(client, [...rows.values()], me);
    for (const notice of threads) applyThreadNotice(client, notice);
    const contacts = new Map<string, Contact>();
    for (const envelope of envelopes) {
      noteContact(client, envelope, contacts);
      applyEvent(client, envelope);
    }
    applyContacts(client, [...contacts.values()]);
    if (rows.size > 0) refreshCounts(client);
  });
}

/** Collects contacts that changed, and forgets those that are gone. */
function noteContact(
  client: QueryClient,
  { event_type: type, data }: Envelope,
  contacts: Map<string, Contact>,
): void {
  const { contact, previous } = data;
  if (!contact) return;
  const gone = type === 'contact.deleted' ? contact.id : previous?.contact_id;
  if (type !== 'contact.deleted') contacts.set(contact.id, contact);
  if (!gone) return;
  contacts.delete(gone);
  forgetContact(client, gone);
}

function applyEvent(client: QueryClient, { event_type: type, data }: Envelope): void {
  if (data.message) applyMessage(client, data.message, data.error);
  if (type.startsWith('note.') && data.note) applyNote(client, data.note);
  if (type.startsWith('conversation.') && data.conversation)
    refreshSoon(client, conversationChangesQuery(data.conversation.id).queryKey);
  if (data.deal) applyDeal(client, data.deal, type === 'deal.deleted');
  if (data.inquiry) {
    const { inquiry } = data;
    client.setQueryData<Inquiry>(['inquiry', inquiry.id], (known) => known && inquiry);
    refreshIfReading(client, ['inquiry', inquiry.id]);
    refreshSoon(client, ['inquiries']);
  }
  if (data.booking) refreshSoon(client, ['bookings']);
  if (data.channel) refreshSoon(client, ['connections']);
}

function applyThreadNotice(client: QueryClient, { conversation_id: id }: ThreadNotice): void {
  if (id) refreshThread(client, id);
  else refreshThreads(client);
}

function applyMessage(
  client: QueryClient,
  message: ThreadMessage,
  error: StatusError | null | undefined,
): void {
  const { queryKey } = threadQuery(message.conversation_id);
  const pages = client.getQueryData<ThreadPages>(queryKey);
  if (pages) client.setQueryData<ThreadPages>(queryKey, upsertMessage(pages, message, error));
  // What a colleague or an assistant sent comes without its author. And a reading that is under way may be older than the event.
  const lacksAuthor = message.direction === 'outbound' && pages && !findMessage(pages, message.id);
  if (lacksAuthor || isReading(client, queryKey)) refreshThread(client, message.conversation_id);
}

function applyNote(client: QueryClient, note: Note | ConversationNote): void {
  if ('conversation_id' in note && note.conversation_id) {
    const { queryKey } = conversationNotesQuery(note.conversation_id);
    client.setQueryData(
      queryKey,
      (notes) => notes && [note, ...notes.filter((other) => other.id !== note.id)],
    );
    refreshIfReading(client, queryKey);
    return;
  }
  if ('contact_id' in note && note.contact_id) refreshSoon(client, ['contact-notes', note.contact_id]);
  if ('inquiry_id' in note && note.inquiry_id) refreshSoon(client, ['inquiry-notes', note.inquiry_id]);
}
