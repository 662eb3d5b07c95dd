/** Writes changes of conversations into every list that shows them. */
import type { QueryClient, QueryKey } from '@tanstack/react-query';
import type { InboxFilter, InboxRow } from '@/api/app';
import type { Conversation, Message } from '@/api/schema';
import { contactConversationsQuery } from '@/contacts/queries';
import { oncePerBurst, refreshIfReading, refreshSoon } from '@/live/burst';
import { countsQuery, INBOX_PAGE_ROWS, inboxRowQuery, threadQuery } from './queries';
import { belongs, findRow, flatten, type InboxPages, isOvergrown, placeRows, topOf } from './rows';

export function setRow(client: QueryClient, row: InboxRow, me: string): void {
  setRows(client, [row], me);
}

/** Writes rows into every list. Only what is on screen or was a moment ago is kept: others are read when wanted. */
export function setRows(client: QueryClient, rows: readonly InboxRow[], me: string): void {
  if (rows.length === 0) return;
  for (const row of rows) {
    placeWithContact(client, row.conversation);
    const { queryKey } = inboxRowQuery(row.conversation.id);
    if (!client.getQueryState(queryKey)) continue;
    client.setQueryData(queryKey, row);
    // The response to a reading that is under way may be older.
    if (isReading(client, queryKey)) refreshRow(client, row.conversation.id, me);
  }
  for (const query of client.getQueryCache().findAll({ queryKey: ['inbox'] })) {
    placeInList(client, query.queryKey, rows, me);
    // A reading that is under way overwrites the list, with what may be older.
    if (query.state.fetchStatus === 'fetching') {
      query.promise?.then(
        () => setTimeout(() => placeInList(client, query.queryKey, rows, me)),
        () => undefined,
      );
    }
  }
}

/** Writes a conversation into those of its contact, if somebody looks at that contact. */
function placeWithContact(client: QueryClient, conversation: Conversation): void {
  const { queryKey } = contactConversationsQuery(conversation.contact_id);
  if (!client.getQueryState(queryKey)) return;
  client.setQueryData(queryKey, (known) => {
    const isKnown = known?.some(({ id }) => id === conversation.id);
    if (!isKnown) return known && [conversation, ...known];
    return known?.map((other) => (other.id === conversation.id ? conversation : other));
  });
  refreshIfReading(client, queryKey);
}

function placeInList(client: QueryClient, key: QueryKey, rows: readonly InboxRow[], me: string): void {
  const data = client.getQueryData<InboxPages>(key);
  if (!data) return;
  const filter = key[1] as InboxFilter;
  const shown = new Map(flatten(data).map((row) => [row.conversation.id, row]));
  const placed = new Map<string, { row: InboxRow; keep: boolean }>();
  for (const row of rows) {
    const { id, updated_at } = row.conversation;
    const known = shown.get(id);
    if (known && updated_at < known.conversation.updated_at) continue;
    const keep = belongs(row, filter, me) ?? known !== undefined;
    if (keep || known) placed.set(id, { row, keep });
  }
  const next = placeRows(data, placed);
  if (next === data) return;
  if (!isOvergrown(data, next)) {
    client.setQueryData(key, next);
    return;
  }
  client.setQueryData(key, topOf(next, INBOX_PAGE_ROWS));
  refreshSoon(client, key);
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

/**
 * The row as a list has it, and since when: the stream keeps lists current, so that a conversation opens without
 * another reading of its row.
 */
export function listedRow(
  client: QueryClient,
  conversationId: string,
): { initialData: InboxRow; initialDataUpdatedAt: number } | undefined {
  for (const query of client.getQueryCache().findAll({ queryKey: ['inbox'] })) {
    const row = findRow(query.state.data as InboxPages | undefined, conversationId);
    const { dataUpdatedAt, isInvalidated } = query.state;
    if (row) return { initialData: row, initialDataUpdatedAt: isInvalidated ? 0 : dataUpdatedAt };
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
const forRow = oncePerBurst(QUIET_MS);
const forThread = oncePerBurst(QUIET_MS);

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

/**
 * Reads a thread on screen again, not for each of several events in quick succession. One that is not on screen is
 * dropped: it must not be shown as it was.
 */
export function refreshThread(client: QueryClient, conversationId: string): void {
  forThread(conversationId, () => {
    const { queryKey } = threadQuery(conversationId);
    if (client.getQueryCache().find({ queryKey })?.isActive() !== true) client.removeQueries({ queryKey });
    else void client.cancelQueries({ queryKey }).then(() => client.invalidateQueries({ queryKey }));
  });
}

/** Reads every thread on screen again, and drops the others. */
export function refreshThreads(client: QueryClient): void {
  for (const query of client.getQueryCache().findAll({ queryKey: ['thread'] })) {
    refreshThread(client, String(query.queryKey[1]));
  }
}
