/** Writes changes of conversations into every list that shows them. */
import type { QueryClient } from '@tanstack/react-query';
import type { InboxFilter, InboxRow } from '@/api/app';
import type { Conversation, Message } from '@/api/schema';
import { countsQuery, inboxRowQuery, threadQuery } from './queries';
import { belongs, findRow, type InboxPages, placeRow } from './rows';

export function setRow(client: QueryClient, row: InboxRow, me: string): void {
  client.setQueryData(inboxRowQuery(row.conversation.id).queryKey, row);
  for (const [key, data] of client.getQueriesData<InboxPages>({ queryKey: ['inbox'] })) {
    if (!data) continue;
    const filter = key[1] as InboxFilter;
    const fits = belongs(row, filter, me) ?? findRow(data, row.conversation.id) !== undefined;
    client.setQueryData(key, placeRow(data, row, fits));
  }
}

export function knownRow(client: QueryClient, conversationId: string): InboxRow | undefined {
  const open = client.getQueryData<InboxRow>(inboxRowQuery(conversationId).queryKey);
  if (open) return open;
  for (const [, data] of client.getQueriesData<InboxPages>({ queryKey: ['inbox'] })) {
    const found = findRow(data, conversationId);
    if (found) return found;
  }
  return undefined;
}

/** Changes a conversation on screen. Returns what undoes it. */
export function patchConversation(
  client: QueryClient,
  conversationId: string,
  change: Partial<Conversation> & { snoozed_until?: string | null },
  me: string,
): () => void {
  const row = knownRow(client, conversationId);
  if (!row) return () => undefined;
  setRow(client, { ...row, conversation: { ...row.conversation, ...change } }, me);
  const before = Object.fromEntries(
    Object.keys(change).map((field) => [field, row.conversation[field as keyof typeof row.conversation]]),
  );
  return () => {
    // Only what was changed goes back: a message may have come in between.
    const now = knownRow(client, conversationId) ?? row;
    setRow(client, { ...now, conversation: { ...now.conversation, ...before } }, me);
  };
}

const WINDOW_MS = 24 * 60 * 60_000;

/** The row after a message, as far as the message tells. */
export function rowAfter(row: InboxRow, message: Message): InboxRow {
  if (row.last_message && row.last_activity_at > message.created_at) return row;
  const inbound = message.direction === 'inbound';
  const isNew = row.last_message?.id !== message.id;
  const { conversation } = row;
  return {
    ...row,
    last_message: message,
    last_activity_at: message.created_at,
    conversation: {
      ...conversation,
      last_message_at: message.created_at,
      last_message_text: message.text,
      ...(inbound &&
        isNew && {
          unread_count: conversation.unread_count + 1,
          status: 'open' as const,
          snoozed_until: null,
        }),
      ...(inbound &&
        conversation.window_expires_at !== null && {
          window_expires_at: new Date(Date.parse(message.created_at) + WINDOW_MS).toISOString(),
        }),
    },
  };
}

const COUNTS_DELAY_MS = 1_000;
let countsWanted = false;

/** Counts are read again once after a burst of changes. */
export function refreshCounts(client: QueryClient): void {
  if (countsWanted) return;
  countsWanted = true;
  setTimeout(() => {
    countsWanted = false;
    void client.invalidateQueries({ queryKey: countsQuery.queryKey });
  }, COUNTS_DELAY_MS);
}

/** Whether the server is being asked: its response overwrites what an event has brought meanwhile. */
export function isReading(client: QueryClient, queryKey: readonly unknown[]): boolean {
  return client.getQueryState(queryKey)?.fetchStatus === 'fetching';
}

const QUIET_MS = 300;

/** Does a task at once, and once more at the end when it was asked for again within a short time. */
function oncePerBurst(): (key: string, task: () => void) => void {
  const running = new Map<string, { again: boolean }>();
  const ask = (key: string, task: () => void) => {
    const before = running.get(key);
    if (before) {
      before.again = true;
      return;
    }
    const burst = { again: false };
    running.set(key, burst);
    task();
    setTimeout(() => {
      running.delete(key);
      if (burst.again) ask(key, task);
    }, QUIET_MS);
  };
  return ask;
}

const forRow = oncePerBurst();
const forThread = oncePerBurst();

/** Reads a row from the server, not for each of several events in quick succession. */
export function refreshRow(client: QueryClient, conversationId: string, me: string): void {
  forRow(conversationId, () => {
    const query = inboxRowQuery(conversationId);
    client
      .cancelQueries({ queryKey: query.queryKey })
      .then(() => client.fetchQuery({ ...query, staleTime: 0 }))
      .then((row) => setRow(client, row, me))
      // Erased in the meantime, or not to be seen by this role: the list's next read settles it.
      .catch(() => undefined);
  });
}

/** Reads a thread on screen again, not for each of several events in quick succession. */
export function refreshThread(client: QueryClient, conversationId: string): void {
  forThread(conversationId, () => {
    const { queryKey } = threadQuery(conversationId);
    void client.cancelQueries({ queryKey }).then(() => client.invalidateQueries({ queryKey }));
  });
}

/** Reads every thread on screen again; the others when they are next opened. */
export function refreshThreads(client: QueryClient): void {
  for (const query of client.getQueryCache().findAll({ queryKey: ['thread'] })) {
    refreshThread(client, String(query.queryKey[1]));
  }
}
