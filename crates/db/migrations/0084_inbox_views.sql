-- What the inbox shows of conversations that assistants handle.

-- When the conversation was handed off to people; null once one of them has answered, or nobody is needed any more.
ALTER TABLE conversations ADD COLUMN handed_off_at timestamptz;

-- What happened to a conversation beside its messages, for its thread. by_user_id or by_assistant_id is who did it; neither
-- is there when the customer, an API key or a timer did. user_id and assistant_id are who it was given to.
CREATE TABLE conversation_changes (
    account_id uuid NOT NULL,
    conversation_id uuid NOT NULL,
    id uuid NOT NULL,
    kind text NOT NULL,
    by_user_id uuid,
    by_assistant_id uuid,
    user_id uuid,
    assistant_id uuid,
    PRIMARY KEY (account_id, conversation_id, id)
);

-- Which assistant wrote a message, and in which run.
CREATE TABLE assistant_messages (
    account_id uuid NOT NULL,
    message_id uuid NOT NULL,
    assistant_id uuid NOT NULL,
    run_id uuid,
    PRIMARY KEY (account_id, message_id)
);

-- @sqlite
CREATE INDEX conversations_open ON conversations (account_id, last_message_at, id) WHERE status = 'open';
CREATE INDEX conversations_handed_off ON conversations (account_id, last_message_at, id) WHERE handed_off_at IS NOT NULL;
-- @postgres
-- @index
CREATE INDEX CONCURRENTLY conversations_open ON conversations (account_id, last_message_at, id) WHERE status = 'open';
-- @index
CREATE INDEX CONCURRENTLY conversations_handed_off ON conversations (account_id, last_message_at, id) WHERE handed_off_at IS NOT NULL;
-- @both
