/** What a thread shows, in order: messages, private notes, messages on their way, and days. Pure. */
import type { InfiniteData } from '@tanstack/react-query';
import type { ThreadMessage } from '@/api/app';
import type { ConversationChange, Message } from '@/api/schema';
import type { ConversationNote, Page } from '@/api/shapes';
import { sameDay } from '@/i18n/time';
import type { Outgoing } from '../outbox/outgoing';

export type ThreadPages = InfiniteData<Page<ThreadMessage>, unknown>;

export type ThreadEntry =
  | { kind: 'day'; key: string; at: string }
  | { kind: 'message'; key: string; at: string; message: ThreadMessage }
  | { kind: 'note'; key: string; at: string; note: ConversationNote }
  | { kind: 'change'; key: string; at: string; change: ConversationChange }
  | { kind: 'outgoing'; key: string; at: string; outgoing: Outgoing };

/** A message that the stream brought before the response to its own request did, or whose response was lost. */
function isEcho(outgoing: Outgoing, message: ThreadMessage): boolean {
  return (
    outgoing.state !== 'failed' &&
    outgoing.triedAt !== null &&
    message.direction === 'outbound' &&
    message.sender_type === 'agent' &&
    message.text === outgoing.text &&
    (message.type === 'text') === (outgoing.request?.type === 'text') &&
    Date.parse(message.created_at) >= outgoing.triedAt
  );
}

export function threadEntries(
  pages: ThreadPages | undefined,
  notes: readonly ConversationNote[],
  outgoing: readonly Outgoing[],
  /** Whether the response to the message's own request has come. */
  isAnswered: (messageId: string) => boolean = () => false,
  changes: readonly ConversationChange[] = [],
): ThreadEntry[] {
  const messages = pages?.pages.flatMap((page) => page.data) ?? [];
  const complete = pages?.pages.at(-1)?.meta.has_more === false;
  const oldest = messages.at(-1)?.created_at;
  const entries: ThreadEntry[] = messages.map((message) => ({
    kind: 'message',
    key: message.id,
    at: message.created_at,
    message,
  }));
  // What is older than the loaded messages comes with their page.
  const isLoaded = (at: string) => complete || (oldest !== undefined && at >= oldest);
  for (const note of notes) {
    if (isLoaded(note.created_at)) entries.push({ kind: 'note', key: note.id, at: note.created_at, note });
  }
  for (const change of changes) {
    if (isLoaded(change.created_at))
      entries.push({ kind: 'change', key: change.id, at: change.created_at, change });
  }
  entries.sort((a, b) => (a.at < b.at ? -1 : a.at > b.at ? 1 : a.key < b.key ? -1 : 1));
  const echoes = new Set<string>();
  for (const entry of outgoing) {
    const echo = messages.find(
      (message) => !echoes.has(message.id) && !isAnswered(message.id) && isEcho(entry, message),
    );
    if (echo) echoes.add(echo.id);
    // Whatever clock the browser has, a message on its way stands last.
    else entries.push({ kind: 'outgoing', key: entry.id, at: entry.createdAt, outgoing: entry });
  }
  return withDays(entries);
}

function withDays(entries: ThreadEntry[]): ThreadEntry[] {
  const result: ThreadEntry[] = [];
  let day: Date | undefined;
  for (const entry of entries) {
    const at = new Date(entry.at);
    if (!day || !sameDay(day, at)) {
      result.push({ kind: 'day', key: `day-${entry.key}`, at: entry.at });
      day = at;
    }
    result.push(entry);
  }
  return result;
}

/** The newest message that is loaded. Ids are in the order of time. */
export function newestId(data: ThreadPages | undefined): string | null {
  const ids = data?.pages.flatMap((page) => page.data).map(({ id }) => id) ?? [];
  return ids.reduce<string | null>((newest, id) => (newest === null || id > newest ? id : newest), null);
}

/** What others have sent to the customer after a message, oldest first. */
export function repliesAfter(
  data: ThreadPages | undefined,
  messageId: string | undefined,
  me: string,
): ThreadMessage[] {
  if (!messageId) return [];
  // What the stream has just brought from a member comes without its author, who may be this one.
  const isOthers = ({ direction, sender_type: sender, author_user_id: author }: ThreadMessage) =>
    direction === 'outbound' && (sender !== 'agent' || (author !== null && author !== me));
  const messages = data?.pages.flatMap((page) => page.data) ?? [];
  return messages
    .filter((message) => message.id > messageId && isOthers(message))
    .sort((a, b) => (a.id < b.id ? -1 : 1));
}

export function findMessage(data: ThreadPages, id: string): ThreadMessage | undefined {
  return data.pages.flatMap((page) => page.data).find((message) => message.id === id);
}

const EXTRAS = {
  author_user_id: null,
  assistant_id: null,
  run_id: null,
  error: null,
  media: null,
  reactions: [],
};

/** Adds a message to the first page, or changes it in place. Status never goes backwards on a late event. */
export function upsertMessage(
  data: ThreadPages,
  message: Message & Partial<ThreadMessage>,
  error?: ThreadMessage['error'],
): ThreadPages {
  let known = false;
  const pages = data.pages.map((page) => {
    const index = page.data.findIndex((other) => other.id === message.id);
    const existing = page.data[index];
    if (!existing) return page;
    known = true;
    const status = later(existing.status, message.status);
    const merged = { ...existing, ...message, status, error: error ?? message.error ?? existing.error };
    return { ...page, data: page.data.with(index, merged) };
  });
  if (known) return { ...data, pages };
  const [first, ...rest] = pages;
  if (!first) return data;
  const added: ThreadMessage = { ...EXTRAS, ...message, error: error ?? message.error ?? null };
  const at = first.data.findIndex((other) => other.created_at <= added.created_at);
  const rows = first.data.toSpliced(at < 0 ? first.data.length : at, 0, added);
  return { ...data, pages: [{ ...first, data: rows }, ...rest] };
}

const PROGRESS: Record<Message['status'], number> = { sending: 0, sent: 1, delivered: 2, read: 3, failed: 4 };

function later(a: Message['status'], b: Message['status']): Message['status'] {
  return PROGRESS[b] >= PROGRESS[a] ? b : a;
}
