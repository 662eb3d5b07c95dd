-- Webhook endpoints and their deliveries.

-- event_types is JSON; filter is the same as text to look in: ',contact.created,deal.*,' or '' for all. Secrets are
-- encrypted. failing_since is set by the first failure after a success.
CREATE TABLE webhook_endpoints (
    account_id uuid NOT NULL,
    id uuid NOT NULL,
    url text NOT NULL,
    description text,
    event_types text NOT NULL,
    filter text NOT NULL,
    enabled boolean NOT NULL,
    disabled_reason text,
    secret text NOT NULL,
    old_secret text,
    old_secret_until timestamptz,
    failing_since timestamptz,
    updated_at timestamptz NOT NULL,
    PRIMARY KEY (account_id, id)
);
CREATE UNIQUE INDEX webhook_endpoints_id_key ON webhook_endpoints (id);

-- A delivery is its own queue entry: pending ones are due at next_attempt_at, claimed ones are held under a lease.
-- step counts the attempts on the present schedule, attempts all of them.
CREATE TABLE deliveries (
    account_id uuid NOT NULL,
    id uuid NOT NULL,
    endpoint_id uuid NOT NULL,
    event_id uuid NOT NULL,
    event_type text NOT NULL,
    status text NOT NULL,
    attempts bigint NOT NULL,
    step bigint NOT NULL,
    next_attempt_at timestamptz,
    lease uuid,
    leased_until timestamptz,
    last_status_code bigint,
    last_error text,
    response_snippet text,
    duration_ms bigint,
    delivered_at timestamptz,
    PRIMARY KEY (account_id, id)
);
CREATE INDEX deliveries_endpoint ON deliveries (account_id, endpoint_id, id);
CREATE INDEX deliveries_due ON deliveries (endpoint_id, next_attempt_at, id) WHERE status = 'pending';
CREATE INDEX deliveries_leased ON deliveries (leased_until) WHERE status = 'claimed';
