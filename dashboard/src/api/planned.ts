/**
 * Operations of the public API that the contract has and openapi.json has not yet. As soon as the
 * document declares one, its own types count and the entry here can go.
 */
import type {
  Contact,
  Conversation,
  ConversationStatus,
  Deleted,
  ListMeta,
  Message,
  NewMessage,
} from './schema';

export interface One<T> {
  data: T;
}
export interface Page<T> {
  data: T[];
  meta: ListMeta;
}
export interface PageQuery {
  cursor?: string;
  limit?: number;
}

/** A private note on a conversation. It is never sent. */
export interface ConversationNote {
  id: string;
  conversation_id: string;
  body: string;
  author_user_id: string;
  created_at: string;
  updated_at: string;
}

export interface Upload {
  id: string;
  url: string;
  content_type: string;
  size: number;
}

export interface CannedReply {
  id: string;
  shortcut: string;
  /** With placeholders such as `{{contact.name}}`, which the dashboard fills in. */
  body: string;
  created_at: string;
  updated_at: string;
}
export interface NewCannedReply {
  shortcut: string;
  body: string;
}

export interface Assistant {
  id: string;
  name: string;
  color: string | null;
  enabled: boolean;
}

export interface BulkJob {
  id: string;
  total: number;
  done: number;
  failed: number;
  status: 'running' | 'done' | 'failed';
}
export interface ConversationBulk {
  ids?: string[];
  filter?: Record<string, unknown>;
  status?: ConversationStatus;
  assigned_user_id?: string | null;
}
export interface ContactBulk {
  ids?: string[];
  filter?: Record<string, unknown>;
  add_tag_ids?: string[];
  remove_tag_ids?: string[];
}

export interface PlannedOperations {
  'GET /conversations/{id}/notes': {
    path: { id: string };
    query?: PageQuery;
    response: Page<ConversationNote>;
  };
  'POST /conversations/{id}/notes': {
    path: { id: string };
    /** Members named in the note are told of it. */
    body: { body: string; mentioned_user_ids?: string[] };
    response: One<ConversationNote>;
  };
  'POST /conversations/{id}/unread': { path: { id: string }; response: One<Conversation> };
  'POST /conversations/{id}/snooze': {
    path: { id: string };
    body: { until: string | null };
    response: One<Conversation>;
  };
  'POST /conversations/bulk': { body: ConversationBulk; response: One<BulkJob> };
  'GET /conversations/bulk/{id}': { path: { id: string }; response: One<BulkJob> };
  'POST /contacts/bulk': { body: ContactBulk; response: One<BulkJob> };
  'GET /contacts/bulk/{id}': { path: { id: string }; response: One<BulkJob> };
  'GET /messages': {
    query: { q: string; conversation_id?: string; contact_id?: string; since?: string } & PageQuery;
    response: Page<Message>;
  };
  'POST /media': { body: FormData; response: One<Upload> };
  'GET /canned-replies': { response: Page<CannedReply> };
  'POST /canned-replies': { body: NewCannedReply; response: One<CannedReply> };
  'PATCH /canned-replies/{id}': {
    path: { id: string };
    body: Partial<NewCannedReply>;
    response: One<CannedReply>;
  };
  'DELETE /canned-replies/{id}': { path: { id: string }; response: One<Deleted> };
  'GET /assistants': { query?: PageQuery; response: Page<Assistant> };
}

/** POST /messages with the field that quotes a message of the same conversation. */
export type Sending = NewMessage & { reply_to_message_id?: string };

/** Conversation with the field that snoozing adds. */
export type SnoozableConversation = Conversation & { snoozed_until?: string | null };

/** Contact as rows of a list carry it. */
export type ContactSummary = Pick<Contact, 'id' | 'name' | 'phone' | 'avatar_url'>;
