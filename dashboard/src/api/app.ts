/**
 * What the dashboard needs from the server beyond the public API: the routes under `/app/api`.
 * Errors, paging and timestamps are as in the public API. Every list is `{ data, meta }`.
 */

import type {
  Channel,
  Connection,
  Conversation,
  ConversationStatus,
  Deleted,
  Handler,
  Inquiry,
  Message,
  Role,
  StatusError,
} from './schema';
import type { ContactSummary, One, Page, PageQuery } from './shapes';

/** Who is signed in, to which account, and what the role allows. */
export interface Session {
  user: { id: string; name: string; email: string; second_factor: boolean };
  account: { id: string; name: string; timezone: string };
  role: Role;
  /** Effective scopes of the role, as GET /me reports them for a key. */
  scopes: string[];
  /** Every account that the person is an active member of, this one included. */
  accounts: Array<{ id: string; name: string; role: Role }>;
}

export interface SessionInfo {
  id: string;
  current: boolean;
  user_agent: string;
  address: string;
  created_at: string;
  last_used_at: string;
}

/** One line of the inbox list, ordered by `last_activity_at` (newest first), then by id. */
export interface InboxRow {
  conversation: Conversation;
  contact: ContactSummary;
  last_message: Pick<Message, 'id' | 'direction' | 'sender_type' | 'type' | 'text' | 'status'> | null;
  /** `last_message_at`, or `created_at` of a conversation without messages. */
  last_activity_at: string;
}
export interface InboxFilter {
  /** `me`, `nobody`, or a member's id. */
  assigned?: string;
  unread?: boolean;
  channel?: Channel;
  connection_id?: string;
  status?: ConversationStatus;
  handler?: Handler;
  /** Name, phone or email of the contact, or any part of a message. */
  q?: string;
}
/** Open conversations, counted for the list's tabs and the title. */
export interface InboxCounts {
  mine: number;
  unassigned: number;
  all: number;
  unread: number;
}

export interface Reaction {
  emoji: string;
  from: 'customer' | 'account';
  at: string;
}
/** Message, with what the thread shows beside its text. */
export type ThreadMessage = Message & {
  /** The member who sent it; null for a customer, an assistant or a key. Events of the stream do not tell. */
  author_user_id?: string | null;
  /** Why it failed. Null unless `status` is `failed`. */
  error: StatusError | null;
  media: { content_type: string; filename: string | null; size: number } | null;
  /** One per person; the latest counts. */
  reactions: Reaction[];
};

export interface StageTotal {
  stage_id: string;
  count: number;
  /** The sum of the open deals' values, one entry per currency. */
  sums: Array<{ currency: string; value: number }>;
}

export interface ImportRow {
  /** The line in the file, so that results can be matched. */
  line: number;
  name?: string;
  phone?: string;
  email?: string;
  company?: string;
  /** By name; a tag that does not exist yet is created on the real run. */
  tags?: string[];
  custom_fields?: Record<string, string>;
}
export interface ImportBatch {
  dry_run: boolean;
  /** The field that finds the contact to update. A row without it is rejected. */
  match_by: 'phone' | 'email';
  /** False: a row that matches a contact is skipped (`unchanged`). */
  update_existing: boolean;
  rows: ImportRow[];
}
export interface ImportResult {
  line: number;
  outcome: 'created' | 'updated' | 'unchanged' | 'rejected';
  contact_id: string | null;
  /** Why it was rejected: the field and what is wrong with it. */
  errors: Array<{ path: string; message: string }>;
}

export interface TeamMember {
  id: string;
  name: string;
  email: string | null;
  role: Role;
  status: 'active' | 'invited' | 'removed';
  second_factor: boolean;
  last_seen_at: string | null;
}
/** A one-time link for the first password or a new one. It is shown once. */
export interface Invitation {
  url: string;
  expires_at: string;
  /** Whether the server has sent it by mail as well. */
  mailed: boolean;
}

export interface ApiKey {
  id: string;
  name: string;
  /** The last four characters, to tell keys apart. */
  hint: string;
  scopes: string[];
  member_id: string | null;
  ip_allowlist: string[];
  rate_limit_per_minute: number | null;
  expires_at: string | null;
  last_used_at: string | null;
  revoked_at: string | null;
  revoked_by: string | null;
  revoked_reason: string | null;
  created_at: string;
}
export interface NewApiKey {
  name: string;
  scopes: string[];
  expires_in_days: 30 | 90 | 180 | 365 | null;
  ip_allowlist?: string[];
  rate_limit_per_minute?: number | null;
}

export type ConnectionDetail = Connection & {
  /** What the vendor's console asks for. Null where the channel has none. */
  webhook_url: string | null;
  sandbox: boolean;
};
export type NewConnection =
  | { channel: Channel; sandbox: true; name?: string }
  | {
      channel: 'whatsapp';
      name?: string;
      phone_number_id: string;
      waba_id: string;
      access_token: string;
      app_secret: string;
      verify_token: string;
    }
  | {
      channel: 'messenger' | 'instagram';
      name?: string;
      page_id: string;
      access_token: string;
      app_secret: string;
      verify_token: string;
    }
  | { channel: 'personal_whatsapp'; name?: string; bridge_url: string; bridge_key: string; session: string }
  | { channel: 'web_chat'; name?: string };

/** The state of linking a personal number. Read every two seconds while the dialog is open. */
export interface Pairing {
  status: 'waiting' | 'connected' | 'expired' | 'failed';
  /** The text to show as a QR code. */
  qr: string | null;
  /** Eight characters to type on the phone, once a number was given. */
  code: string | null;
  expires_at: string | null;
}

export interface AuditEntry {
  id: string;
  at: string;
  user_id: string | null;
  action: string;
  subject: string | null;
  address: string | null;
}

export interface AppOperations {
  'GET /app/api/session': { response: One<Session> };
  /** 401 `reason: code_required` when the password is right and a second factor is set up. */
  'POST /app/api/session': {
    body: { email: string; password: string; code?: string };
    response: One<Session>;
  };
  'DELETE /app/api/session': { response: One<Deleted> };
  /** Signs in by a one-time link (the one that the first start prints). */
  'POST /app/api/session/link': { body: { token: string }; response: One<Session> };
  'POST /app/api/session/account': { body: { account_id: string }; response: One<Session> };
  'POST /app/api/password': { body: { token: string; password: string }; response: One<{ email: string }> };

  'PATCH /app/api/profile': { body: { name: string }; response: One<Session> };
  'POST /app/api/profile/password': {
    body: { current_password: string; password: string };
    response: One<Session>;
  };
  /** Begins: the secret counts once it is confirmed. */
  'POST /app/api/profile/second-factor': { response: One<{ secret: string; uri: string }> };
  'POST /app/api/profile/second-factor/confirm': {
    body: { code: string };
    response: One<{ recovery_codes: string[] }>;
  };
  'POST /app/api/profile/second-factor/remove': { body: { password: string }; response: One<Session> };
  'GET /app/api/sessions': { response: Page<SessionInfo> };
  'DELETE /app/api/sessions/{id}': { path: { id: string }; response: One<Deleted> };

  'GET /app/api/inbox': { query?: InboxFilter & PageQuery; response: Page<InboxRow> };
  'GET /app/api/inbox/{conversation_id}': { path: { conversation_id: string }; response: One<InboxRow> };
  'GET /app/api/inbox/counts': { response: One<InboxCounts> };
  /** As GET /conversations/{id}/messages, newest first. */
  'GET /app/api/conversations/{id}/messages': {
    path: { id: string };
    query?: PageQuery;
    response: Page<ThreadMessage>;
  };
  /** Says what this member looks at. Expires after 45 seconds unless repeated. */
  'POST /app/api/presence': {
    body: { conversation_id: string | null; typing: boolean };
    response: One<{ ok: true }>;
  };

  'POST /app/api/contacts/import': { body: ImportBatch; response: One<{ results: ImportResult[] }> };
  'GET /app/api/deals/totals': {
    query: { pipeline_id: string; owner_user_id?: string; q?: string };
    response: One<StageTotal[]>;
  };
  'GET /app/api/contacts/{id}/inquiries': { path: { id: string }; response: Page<Inquiry> };
  /** Names for at most 100 ids, separated by commas; unknown ids are left out. */
  'GET /app/api/contacts/names': { query: { ids: string }; response: Page<ContactSummary> };

  'GET /app/api/admin/members': { response: Page<TeamMember> };
  'POST /app/api/admin/members': {
    body: { name: string; email: string; role: 'admin' | 'agent' };
    response: One<{ member: TeamMember; invitation: Invitation }>;
  };
  'PATCH /app/api/admin/members/{id}': {
    path: { id: string };
    body: { name?: string; role?: 'admin' | 'agent' };
    response: One<TeamMember>;
  };
  'DELETE /app/api/admin/members/{id}': { path: { id: string }; response: One<Deleted> };
  'POST /app/api/admin/members/{id}/invitation': { path: { id: string }; response: One<Invitation> };

  'GET /app/api/admin/keys': { response: Page<ApiKey> };
  'POST /app/api/admin/keys': { body: NewApiKey; response: One<{ key: ApiKey; secret: string }> };
  'POST /app/api/admin/keys/{id}/regenerate': {
    path: { id: string };
    response: One<{ key: ApiKey; secret: string }>;
  };
  'POST /app/api/admin/keys/{id}/revoke': {
    path: { id: string };
    body: { reason: string };
    response: One<ApiKey>;
  };

  'GET /app/api/admin/connections': { response: Page<ConnectionDetail> };
  'POST /app/api/admin/connections': { body: NewConnection; response: One<ConnectionDetail> };
  'POST /app/api/admin/connections/{id}/disconnect': {
    path: { id: string };
    response: One<ConnectionDetail>;
  };
  'POST /app/api/admin/connections/{id}/reconnect': { path: { id: string }; response: One<ConnectionDetail> };
  'POST /app/api/admin/connections/{id}/sync': { path: { id: string }; response: One<{ templates: number }> };
  'POST /app/api/admin/connections/{id}/pairing': {
    path: { id: string };
    body: { phone?: string };
    response: One<Pairing>;
  };
  'GET /app/api/admin/connections/{id}/pairing': { path: { id: string }; response: One<Pairing> };
  'GET /app/api/admin/audit-log': { query?: PageQuery; response: Page<AuditEntry> };
}

/** Presence as the stream sends it: everyone who looks at the conversation now, without an event id. */
export interface Presence {
  conversation_id: string;
  members: Array<{ user_id: string; typing: boolean }>;
}
