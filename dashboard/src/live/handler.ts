/** How a feature takes part in the event stream: each declares a handler of its own, and `shell/handlers.ts` lists them. */
import type { QueryClient, QueryKey } from '@tanstack/react-query';
import type { InboxRow, Presence } from '@/api/app';
import type { Event } from '@/api/schema';
import type { StreamEvent } from './sse';

/** A thread has changed in a way that no event reports. Another server does not say which. */
export interface ThreadNotice {
  conversation_id?: string;
}

/** What members change without an event type of its own: the first part of its path. */
export type Resource =
  | 'account'
  | 'assistants'
  | 'booking-sources'
  | 'brand'
  | 'broadcasts'
  | 'canned-replies'
  | 'connections'
  | 'custom-fields'
  | 'forms'
  | 'instructions'
  | 'keys'
  | 'members'
  | 'memories'
  | 'pipelines'
  | 'runs'
  | 'segments'
  | 'tags'
  | 'templates'
  | 'triggers'
  | 'visited-pages'
  | 'webhooks';

/** A resource has changed: the row with this id, or any. Without a resource, anything may have changed. */
export interface ChangeNotice {
  resource?: string;
  id?: string;
}

/** A website visitor types, or has stopped. */
export interface TypingNotice {
  conversation_id: string;
  typing: boolean;
}

/** What a batch of the stream says, by kind. */
export interface LiveBatch {
  events: Event[];
  /** The inbox's rows of conversations that the events concern, newest last. */
  rows: Map<string, InboxRow>;
  threads: ThreadNotice[];
  changes: ChangeNotice[];
  presences: Presence[];
  typings: TypingNotice[];
}

export interface LiveContext {
  client: QueryClient;
  /** The signed-in member. */
  me: string;
  /** The path of the page, without the base. */
  path: () => string;
  open: (path: string) => void;
  /** Whether this tab speaks for all tabs of the member. */
  leads: () => boolean;
}

/** The queries that show a resource, or only those that show the row with this id and the lists that it may be in. */
export type Watch = (id: string | undefined, client: QueryClient, me: string) => readonly QueryKey[];

export interface LiveHandler {
  /** What is read again when a resource has changed, or when the stream is back. */
  watches?: Partial<Record<Resource, Watch>>;
  /** Writes a batch into the cache. What all handlers write is drawn at once. */
  apply?: (batch: LiveBatch, context: LiveContext) => void;
  /** Tells the member, after every handler has written. */
  tell?: (batch: LiveBatch, context: LiveContext) => void;
  /** The stream is lost: nothing more is known of what no event reports. */
  onLost?: () => void;
  /** The stream is back. Events are made up for, notices are not. */
  onReturn?: (client: QueryClient) => void;
}

export function readBatch(streamed: readonly StreamEvent[]): LiveBatch {
  const batch: LiveBatch = {
    events: [],
    rows: new Map(),
    threads: [],
    changes: [],
    presences: [],
    typings: [],
  };
  for (const { type, data } of streamed) {
    const value: unknown = JSON.parse(data);
    if (type === 'presence') batch.presences.push(value as Presence);
    else if (type === 'visitor_typing') batch.typings.push(value as TypingNotice);
    else if (type === 'thread') batch.threads.push(value as ThreadNotice);
    else if (type === 'changed') batch.changes.push(value as ChangeNotice);
    else if (type === 'inbox_row') batch.rows.set((value as InboxRow).conversation.id, value as InboxRow);
    else batch.events.push(value as Event);
  }
  return batch;
}
