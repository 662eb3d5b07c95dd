-- Triggers start runs of assistants. next_fire_at is the due time that comes next, or that is due and not fired yet. due_at is
-- when a worker looks at the trigger: at that time, in the next sending hour, or when a lease ends. fired_for is the last due
-- time that was fired, so that none is fired twice. token_hash is the SHA-256 of a webhook trigger's token.
CREATE TABLE triggers (
    account_id uuid NOT NULL,
    id uuid NOT NULL,
    assistant_id uuid NOT NULL,
    name text NOT NULL,
    enabled boolean NOT NULL,
    kind text NOT NULL,
    goal text NOT NULL,
    period text,
    send_time text,
    day_of_week bigint,
    day_of_month bigint,
    run_at timestamptz,
    event_key text,
    audience_type text NOT NULL,
    contact_id uuid,
    segment_id uuid,
    max_targets bigint NOT NULL,
    respect_quiet_hours boolean NOT NULL,
    token_hash bytea,
    last_fired_at timestamptz,
    last_error text,
    next_fire_at timestamptz,
    fired_for timestamptz,
    due_at timestamptz,
    lease uuid,
    updated_at timestamptz NOT NULL,
    PRIMARY KEY (account_id, id),
    CONSTRAINT triggers_assistant_fkey FOREIGN KEY (account_id, assistant_id) REFERENCES assistants (account_id, id) ON DELETE CASCADE
);
CREATE INDEX triggers_due ON triggers (due_at) WHERE due_at IS NOT NULL;
CREATE INDEX triggers_assistant ON triggers (account_id, assistant_id, id);
CREATE INDEX triggers_event ON triggers (account_id, event_key) WHERE event_key IS NOT NULL;
CREATE INDEX triggers_contact ON triggers (account_id, contact_id) WHERE contact_id IS NOT NULL;
CREATE UNIQUE INDEX triggers_token_key ON triggers (token_hash) WHERE token_hash IS NOT NULL;

-- Events whose runs are not started yet. id is the event's, so an event fires a trigger once. data is the event's, as JSON.
CREATE TABLE trigger_events (
    account_id uuid NOT NULL,
    trigger_id uuid NOT NULL,
    id uuid NOT NULL,
    contact_id uuid,
    data text NOT NULL,
    due_at timestamptz NOT NULL,
    lease uuid,
    PRIMARY KEY (account_id, trigger_id, id)
);
CREATE INDEX trigger_events_due ON trigger_events (account_id, due_at);
CREATE INDEX trigger_events_leased ON trigger_events (account_id) WHERE lease IS NOT NULL;
CREATE INDEX trigger_events_contact ON trigger_events (account_id, contact_id) WHERE contact_id IS NOT NULL;

-- How many runs of triggers are at work in an account.
-- @postgres
-- @index
CREATE INDEX CONCURRENTLY runs_of_triggers ON runs (account_id) WHERE trigger_id IS NOT NULL AND status IN ('queued', 'running');
-- @sqlite
CREATE INDEX runs_of_triggers ON runs (account_id) WHERE trigger_id IS NOT NULL AND status IN ('queued', 'running');
