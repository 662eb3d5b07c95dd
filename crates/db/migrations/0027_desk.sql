-- What people in an inbox need: snoozed conversations, private notes on conversations, canned replies, changes
-- of many rows.

-- A snoozed conversation is pending, and opens at this time.
ALTER TABLE conversations ADD COLUMN snoozed_until timestamptz;
-- A note is about a contact, an inquiry or a conversation.
ALTER TABLE notes ADD COLUMN conversation_id uuid;

-- shortcut_key is the shortcut in lower case.
CREATE TABLE canned_replies (
    account_id uuid NOT NULL,
    id uuid NOT NULL,
    shortcut text NOT NULL,
    shortcut_key text NOT NULL,
    body text NOT NULL,
    updated_at timestamptz NOT NULL,
    PRIMARY KEY (account_id, id)
);
CREATE UNIQUE INDEX canned_replies_shortcut_key ON canned_replies (account_id, shortcut_key);

-- Changes of many rows. request is the body that asked for it (JSON). Rows are taken from below on, the newest first, or from
-- the list of ids, of which done + failed are over.
CREATE TABLE bulk_jobs (
    account_id uuid NOT NULL,
    id uuid NOT NULL,
    kind text NOT NULL,
    request text NOT NULL,
    total bigint NOT NULL,
    done bigint NOT NULL,
    failed bigint NOT NULL,
    status text NOT NULL,
    below uuid NOT NULL,
    updated_at timestamptz NOT NULL,
    PRIMARY KEY (account_id, id)
);
CREATE INDEX bulk_jobs_running ON bulk_jobs (updated_at) WHERE status = 'running';

-- @sqlite
CREATE INDEX conversations_snoozed ON conversations (snoozed_until) WHERE snoozed_until IS NOT NULL;
CREATE INDEX conversations_activity ON conversations (account_id, last_message_at, id);
CREATE INDEX notes_conversation ON notes (account_id, conversation_id, id) WHERE conversation_id IS NOT NULL;
-- @postgres
-- @index
CREATE INDEX CONCURRENTLY conversations_snoozed ON conversations (snoozed_until) WHERE snoozed_until IS NOT NULL;
-- @index
CREATE INDEX CONCURRENTLY conversations_activity ON conversations (account_id, last_message_at, id);
-- @index
CREATE INDEX CONCURRENTLY notes_conversation ON notes (account_id, conversation_id, id) WHERE conversation_id IS NOT NULL;
-- @both
