/** Brings an event of the account into everything on screen that it concerns. */
import type { QueryClient } from '@tanstack/react-query';
import type { InboxRow, ThreadMessage } from '@/api/app';
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
import { applyContact, forgetContact } from '@/contacts/cache';
import { applyDeal } from '@/deals/cache';
import {
  isReading,
  knownRow,
  refreshCounts,
  refreshRow,
  refreshThread,
  refreshThreads,
  rowAfter,
  setRow,
} from '@/inbox/cache';
import { conversationNotesQuery, inboxRowQuery, threadQuery } from '@/inbox/queries';
import { findMessage, type ThreadPages, upsertMessage } from '@/inbox/thread/entries';

/** An envelope as the stream carries it. The dashboard's stream adds `inbox_row` to what concerns a conversation. */
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
    inbox_row?: InboxRow;
  };
}

export function applyEvent(client: QueryClient, { event_type: type, data }: Envelope, me: string): void {
  const subject = type.split('.')[0];
  if (data.message) applyMessage(client, type, data, data.message, me);
  if (data.conversation) applyConversation(client, data.conversation, me, data.inbox_row);
  if (type === 'contact.deleted' && data.contact) forgetContact(client, data.contact.id);
  else if (data.contact) applyContact(client, data.contact, data.previous?.contact_id);
  if (subject === 'note' && data.note) applyNote(client, data.note);
  if (data.deal) applyDeal(client, data.deal, type === 'deal.deleted');
  if (data.inquiry) {
    client.setQueryData(['inquiry', data.inquiry.id], data.inquiry);
    void client.invalidateQueries({ queryKey: ['inquiries'] });
  }
  if (data.booking) void client.invalidateQueries({ queryKey: ['bookings'] });
  if (data.channel) void client.invalidateQueries({ queryKey: ['connections'] });
}

/** A thread has changed in a way that no event reports. Another server does not say which. */
export interface ThreadNotice {
  conversation_id?: string;
}

export function applyThreadNotice(client: QueryClient, { conversation_id: id }: ThreadNotice): void {
  if (id) refreshThread(client, id);
  else refreshThreads(client);
}

function applyMessage(
  client: QueryClient,
  type: string,
  data: Envelope['data'],
  message: ThreadMessage,
  me: string,
): void {
  const { queryKey } = threadQuery(message.conversation_id);
  const pages = client.getQueryData<ThreadPages>(queryKey);
  if (pages) client.setQueryData<ThreadPages>(queryKey, upsertMessage(pages, message, data.error));
  // What a colleague sent comes without its author. And a reading that is under way may be older than the event.
  const lacksAuthor = message.sender_type === 'agent' && pages && !findMessage(pages, message.id);
  if (lacksAuthor || isReading(client, queryKey)) refreshThread(client, message.conversation_id);
  if (data.inbox_row) {
    setRow(client, data.inbox_row, me);
  } else {
    const known = knownRow(client, message.conversation_id);
    if (known) setRow(client, rowAfter(known, message), me);
    if (!known || type === 'message.received') refreshRow(client, message.conversation_id, me);
  }
  refreshCounts(client);
}

function applyConversation(
  client: QueryClient,
  conversation: Conversation,
  me: string,
  row: InboxRow | undefined,
): void {
  const shown = knownRow(client, conversation.id);
  if (shown && conversation.updated_at < shown.conversation.updated_at) return;
  const known = row ?? shown;
  if (known) setRow(client, { ...known, conversation: { ...known.conversation, ...conversation } }, me);
  if (!known || isReading(client, inboxRowQuery(conversation.id).queryKey)) {
    refreshRow(client, conversation.id, me);
  }
  refreshCounts(client);
}

function applyNote(client: QueryClient, note: Note | ConversationNote): void {
  if ('conversation_id' in note && note.conversation_id) {
    const { queryKey } = conversationNotesQuery(note.conversation_id);
    client.setQueryData(
      queryKey,
      (notes) => notes && [note, ...notes.filter((other) => other.id !== note.id)],
    );
    return;
  }
  if ('contact_id' in note && note.contact_id)
    void client.invalidateQueries({ queryKey: ['contact-notes', note.contact_id] });
  if ('inquiry_id' in note && note.inquiry_id)
    void client.invalidateQueries({ queryKey: ['inquiry-notes', note.inquiry_id] });
}
