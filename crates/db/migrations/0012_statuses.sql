-- What disconnected a connection, and what became of messages.

-- session, refused or operator; null while it is connected. A session may connect again only what a session disconnected.
ALTER TABLE connections ADD COLUMN disconnected_by text;
UPDATE connections SET disconnected_by = CASE
        WHEN disconnected_reason = 'disconnected by the operator' THEN 'operator'
        WHEN disconnected_reason LIKE '%(code %)' THEN 'refused'
        ELSE 'session' END
    WHERE status = 'disconnected';

-- How many rows of message_statuses a message has had.
ALTER TABLE messages ADD COLUMN status_changes bigint NOT NULL DEFAULT 0;

-- When the channel says it happened.
ALTER TABLE early_reports ADD COLUMN reported_at timestamptz;

-- Every status that a message rose to, in the order of n. A message that we send begins as sending, which is no row: its
-- moment is in its id. A message that began otherwise has that as row 0. error is JSON.
CREATE TABLE message_statuses (
    account_id uuid NOT NULL,
    message_id uuid NOT NULL,
    n bigint NOT NULL,
    status text NOT NULL,
    at timestamptz NOT NULL,
    error text,
    PRIMARY KEY (account_id, message_id, n)
);
