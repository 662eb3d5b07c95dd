/** Brings events into the inbox: rows, threads, notes, presence, and alerts for the member. */
import type { QueryClient } from '@tanstack/react-query';
import type { Message, Note, StatusError } from '@/api/schema';
import { refreshIfReading, refreshSoon } from '@/live/burst';
import { rowKey } from '@/live/changes';
import type { LiveContext, LiveHandler, ThreadNotice } from '@/live/handler';
import { announce, toAnnounce } from './alerts';
import { isReading, knownRow, refreshCounts, refreshThread, refreshThreads, setRows } from './cache';
import { tellMention } from './mentions';
import { clearPresence, setPresence, setVisitorTyping } from './presence';
import { conversationChangesQuery, conversationNotesQuery, threadQuery } from './queries';
import { findMessage, type ThreadPages, upsertMessage } from './thread/entries';

const INBOX_PATH = '/inbox/';

export const inboxLive: LiveHandler = {
  watches: {
    'canned-replies': () => [['canned-replies']],
    'visited-pages': (id) => [rowKey('visited-pages', id)],
  },
  apply({ events, rows, threads, presences, typings }, { client, me }) {
    for (const presence of presences) setPresence(presence);
    for (const typing of typings) setVisitorTyping(typing);
    setRows(client, [...rows.values()], me);
    for (const notice of threads) applyThreadNotice(client, notice);
    for (const event of events) {
      switch (event.event_type) {
        case 'message.received':
          setVisitorTyping({ conversation_id: event.data.message.conversation_id, typing: false });
          applyMessage(client, event.data.message);
          break;
        case 'message.sent':
          applyMessage(client, event.data.message);
          break;
        case 'message.status_changed':
          applyMessage(client, event.data.message, event.data.error);
          break;
        case 'note.created':
          applyNote(client, event.data.note);
          break;
        case 'conversation.created':
        case 'conversation.updated':
        case 'conversation.handed_over':
          refreshSoon(client, conversationChangesQuery(event.data.conversation.id).queryKey);
      }
    }
    if (rows.size > 0) refreshCounts(client);
  },
  tell({ events, rows }, { client, me, path, open, leads }: LiveContext) {
    const lookingAt =
      document.hasFocus() && path().startsWith(INBOX_PATH) ? path().slice(INBOX_PATH.length) : null;
    const row = (id: string) => rows.get(id) ?? knownRow(client, id);
    const openConversation = (id: string) => open(INBOX_PATH + id);
    announce(toAnnounce(events, row, me, lookingAt), leads(), openConversation);
    for (const event of events) void tellMention(client, event, me, openConversation);
  },
  onLost: clearPresence,
  onReturn: refreshThreads,
};

function applyThreadNotice(client: QueryClient, { conversation_id: id }: ThreadNotice): void {
  if (id) refreshThread(client, id);
  else refreshThreads(client);
}

function applyMessage(client: QueryClient, message: Message, error?: StatusError | null): void {
  const { queryKey } = threadQuery(message.conversation_id);
  const pages = client.getQueryData<ThreadPages>(queryKey);
  if (pages) client.setQueryData<ThreadPages>(queryKey, upsertMessage(pages, message, error));
  // What a colleague or an assistant sent comes without its author. And a reading that is under way may be older than the event.
  const lacksAuthor = message.direction === 'outbound' && pages && !findMessage(pages, message.id);
  if (lacksAuthor || isReading(client, queryKey)) refreshThread(client, message.conversation_id);
}

function applyNote(client: QueryClient, note: Note): void {
  if (!note.conversation_id) return;
  const { queryKey } = conversationNotesQuery(note.conversation_id);
  client.setQueryData(queryKey, (notes) => notes && [note, ...notes.filter((other) => other.id !== note.id)]);
  refreshIfReading(client, queryKey);
}
