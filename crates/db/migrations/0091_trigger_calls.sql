-- The newest calls of webhook triggers' addresses. Calls that are refused alike within a minute share a row, and count says how many they
-- are. contact_id is the contact that the call named. body is the beginning of the body as text.
CREATE TABLE trigger_calls (
    account_id uuid NOT NULL,
    trigger_id uuid NOT NULL,
    id uuid NOT NULL,
    outcome text NOT NULL,
    status_code bigint NOT NULL,
    error text,
    run_id uuid,
    contact_id uuid,
    count bigint NOT NULL,
    last_called_at timestamptz NOT NULL,
    address text,
    body_bytes bigint,
    body text,
    PRIMARY KEY (account_id, trigger_id, id),
    CONSTRAINT trigger_calls_trigger_fkey FOREIGN KEY (account_id, trigger_id) REFERENCES triggers (account_id, id) ON DELETE CASCADE
);
CREATE INDEX trigger_calls_contact ON trigger_calls (account_id, contact_id) WHERE contact_id IS NOT NULL;
