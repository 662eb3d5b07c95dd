/**
 * Types of the routes under `/app/api`, which are the dashboard's own. They are generated from the server's
 * declarations like those of the public API; some have a shorter name here.
 */
import type { Operations } from './schema';

export type {
  ApiKeyInfo as ApiKey,
  AuditEntry,
  ConnectionDetail,
  ConversationPresence as Presence,
  FieldCheck,
  ImportBatch,
  ImportResult,
  InboxCounts,
  InboxRow,
  Invitation,
  LinkInfo,
  NewApiKey,
  NewChannel,
  Pairing,
  Session,
  SessionInfo,
  StageTotal,
  TeamMember,
  ThreadMessage,
} from './schema';

/** What the inbox list can be narrowed down by. */
export type InboxFilter = Omit<NonNullable<Operations['GET /app/api/inbox']['query']>, 'cursor' | 'limit'>;

/** A row of an import. The server checks its fields one by one, so that a wrong one rejects only its row. */
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
