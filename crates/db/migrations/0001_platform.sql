-- Accounts, members, keys, limits, idempotency and events.
-- An id is a UUIDv7 made from the reading of the clock that created_at reports, so no table has a created_at column:
-- it is in the id, and ordering by id is ordering by creation.

CREATE TABLE settings (
    name text NOT NULL PRIMARY KEY,
    value text NOT NULL
);

CREATE TABLE leases (
    name text NOT NULL PRIMARY KEY,
    holder uuid NOT NULL,
    leased_until timestamptz NOT NULL
);

-- num is a small number for the account, used where a uuid would be too long. contact_count is kept only while
-- contact_limit is set.
CREATE TABLE accounts (
    id uuid NOT NULL PRIMARY KEY,
    num bigint NOT NULL,
    name text NOT NULL,
    timezone text NOT NULL,
    owner_user_id uuid NOT NULL,
    suspended_at timestamptz,
    rate_limit bigint NOT NULL,
    contact_limit bigint,
    contact_count bigint NOT NULL DEFAULT 0,
    broadcast_limit bigint,
    ai_budget_micros bigint,
    model text,
    sending_hours text,
    business_hours text,
    updated_at timestamptz NOT NULL
);
CREATE UNIQUE INDEX accounts_num_key ON accounts (num);

CREATE TABLE members (
    account_id uuid NOT NULL,
    id uuid NOT NULL,
    name text NOT NULL,
    email text,
    email_key text,
    role text NOT NULL,
    removed_at timestamptz,
    updated_at timestamptz NOT NULL,
    PRIMARY KEY (account_id, id)
);
CREATE UNIQUE INDEX members_id_key ON members (id);

CREATE TABLE api_keys (
    account_id uuid NOT NULL,
    id uuid NOT NULL,
    hash bytea NOT NULL,
    name text NOT NULL,
    scopes text NOT NULL,
    member_id uuid,
    expires_at timestamptz,
    allowlist text,
    rate_limit bigint,
    revoked_at timestamptz,
    revoked_by uuid,
    revoked_reason text,
    updated_at timestamptz NOT NULL,
    PRIMARY KEY (account_id, id)
);
CREATE UNIQUE INDEX api_keys_id_key ON api_keys (id);
CREATE UNIQUE INDEX api_keys_hash_key ON api_keys (hash);

-- One row. Its version rises with every change of an account, a member or a key, in the same transaction.
CREATE TABLE auth_state (
    one bigint NOT NULL PRIMARY KEY,
    version bigint NOT NULL
);
INSERT INTO auth_state (one, version) VALUES (1, 1);

CREATE TABLE idempotency (
    account_id uuid NOT NULL,
    key text NOT NULL,
    fingerprint bytea NOT NULL,
    status bigint NOT NULL,
    body text NOT NULL,
    created_at timestamptz NOT NULL,
    PRIMARY KEY (account_id, key)
);
CREATE INDEX idempotency_age ON idempotency (created_at);

-- data is JSON, kept as text: what was true is sent to the byte.
CREATE TABLE events (
    account_id uuid NOT NULL,
    id uuid NOT NULL,
    event_type text NOT NULL,
    data text NOT NULL,
    PRIMARY KEY (account_id, id)
);
CREATE INDEX events_type ON events (account_id, event_type, id);

-- @postgres
-- Counters, shared by all servers. A crash may forget them: they are worth a minute.
CREATE UNLOGGED TABLE rate_windows (
    key_id uuid NOT NULL PRIMARY KEY,
    minute bigint NOT NULL,
    used bigint NOT NULL
) WITH (fillfactor = 50);
CREATE UNLOGGED TABLE auth_failures (
    address text NOT NULL PRIMARY KEY,
    minute bigint NOT NULL,
    failed bigint NOT NULL
) WITH (fillfactor = 50);
-- @both
