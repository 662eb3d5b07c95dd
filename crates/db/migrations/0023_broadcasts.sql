-- Broadcasts: one message to many people, and each of those people.

-- content is JSON: what is said, and how it is filled in for each recipient. filling is how far recipients have been
-- added (JSON); null when all are there. stopping is why it stops before its end (JSON). fed counts recipients whose
-- message was queued, settled those of whom it is known what came of it; recipients up to fed_after have been fed.
-- Counts are kept in broadcast_counts first and added here every few seconds.
CREATE TABLE broadcasts (
    account_id uuid NOT NULL,
    id uuid NOT NULL,
    name text NOT NULL,
    search text NOT NULL,
    kind text NOT NULL,
    channel text NOT NULL,
    connection_id uuid NOT NULL,
    template_name text,
    template_language text,
    content text NOT NULL,
    status text NOT NULL,
    scheduled_at timestamptz,
    filling text,
    stopping text,
    sender_type text NOT NULL,
    author_user_id uuid NOT NULL,
    total bigint NOT NULL,
    sent bigint NOT NULL,
    delivered bigint NOT NULL,
    read bigint NOT NULL,
    replied bigint NOT NULL,
    failed bigint NOT NULL,
    fed bigint NOT NULL,
    settled bigint NOT NULL,
    fed_after uuid,
    due_at timestamptz,
    lease uuid,
    updated_at timestamptz NOT NULL,
    PRIMARY KEY (account_id, id)
);
CREATE UNIQUE INDEX broadcasts_id_key ON broadcasts (id);
CREATE INDEX broadcasts_due ON broadcasts (due_at) WHERE due_at IS NOT NULL;
-- @postgres
CREATE INDEX broadcasts_search ON broadcasts USING gin (account_id, search gin_trgm_ops);
-- @both

-- Whom a broadcast is for (JSON), until all of its recipients have been added.
CREATE TABLE broadcast_audiences (
    account_id uuid NOT NULL,
    broadcast_id uuid NOT NULL,
    audience text NOT NULL,
    PRIMARY KEY (account_id, broadcast_id)
);

-- params are the values that differ from recipient to recipient (JSON). marks has a bit for everything that has
-- happened: 1 sent, 2 delivered, 4 read, 8 replied, 16 failed. status 'queued' is shown as pending.
CREATE TABLE broadcast_recipients (
    account_id uuid NOT NULL,
    broadcast_id uuid NOT NULL,
    id uuid NOT NULL,
    contact_id uuid,
    phone text,
    params text,
    status text NOT NULL,
    marks bigint NOT NULL,
    error text,
    message_id uuid,
    handed_at timestamptz,
    updated_at timestamptz NOT NULL,
    PRIMARY KEY (account_id, broadcast_id, id)
);
CREATE UNIQUE INDEX broadcast_recipients_contact_key ON broadcast_recipients (account_id, contact_id, broadcast_id);
CREATE UNIQUE INDEX broadcast_recipients_message_key ON broadcast_recipients (account_id, message_id) WHERE message_id IS NOT NULL;

-- What a transaction adds to the counts of a broadcast: a row each, so that none waits for another.
CREATE TABLE broadcast_counts (
    account_id uuid NOT NULL,
    broadcast_id uuid NOT NULL,
    id uuid NOT NULL,
    sent bigint NOT NULL,
    delivered bigint NOT NULL,
    read bigint NOT NULL,
    replied bigint NOT NULL,
    failed bigint NOT NULL,
    settled bigint NOT NULL,
    PRIMARY KEY (account_id, broadcast_id, id)
);
-- @postgres
-- Rows live for seconds; without this a count would walk over dead ones.
ALTER TABLE broadcast_counts SET (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000, autovacuum_vacuum_cost_delay = 0);
ALTER TABLE broadcast_recipients SET (fillfactor = 80);
-- @both
