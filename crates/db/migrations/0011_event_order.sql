-- The order in which events are read forward, and replays of deliveries.

-- position is the transaction that wrote the event, on PostgreSQL: an event whose transaction commits late still comes
-- after everything that a reader was given, because readers stop before the oldest transaction that is running. On
-- SQLite, which has one writer at a time, it is a count. Events that were there before have 0 and stand by their ids.
-- @sqlite
ALTER TABLE events ADD COLUMN position INTEGER NOT NULL DEFAULT 0;
CREATE INDEX events_order ON events (account_id, position, id);
-- @postgres
ALTER TABLE events ADD COLUMN position bigint NOT NULL DEFAULT 0;
ALTER TABLE events ALTER COLUMN position SET DEFAULT (pg_current_xact_id()::text::bigint);
-- base is added to the numbers of transactions. A database that is restored into another cluster, whose numbers are
-- smaller, gets a new base.
CREATE TABLE event_order (
    one bigint NOT NULL PRIMARY KEY CHECK (one = 1),
    base bigint NOT NULL
);
INSERT INTO event_order (one, base) VALUES (1, 0);
-- @index
CREATE INDEX CONCURRENTLY events_order ON events (account_id, position, id);
-- @both
-- @step

-- Deliveries that are being set back to pending, from next_id on.
CREATE TABLE replays (
    account_id uuid NOT NULL,
    id uuid NOT NULL,
    endpoint_id uuid NOT NULL,
    status text NOT NULL,
    next_id uuid NOT NULL,
    until_id uuid NOT NULL,
    PRIMARY KEY (account_id, id)
);
