-- Calls of programs that wait for a person.

-- Whether the key carries out at once what otherwise waits for a person's approval.
ALTER TABLE api_keys ADD COLUMN unattended boolean NOT NULL DEFAULT false;

-- What an ask that a program raised carries out once it is approved: the call of an operation as the key that asked. The ask's
-- run_id, raised_by and assistant_id are the nil uuid. params (the path's values) and body are JSON. call_key is the name that the
-- program gave its call, and fingerprint the hash of what it asked for. contact_id is whom it is about. outcome is the response as
-- JSON, once it was carried out.
CREATE TABLE held_calls (
    account_id uuid NOT NULL,
    ask_id uuid NOT NULL,
    key_id uuid NOT NULL,
    operation text NOT NULL,
    params text NOT NULL,
    body text,
    call_key text,
    fingerprint bytea NOT NULL,
    contact_id uuid,
    outcome text,
    PRIMARY KEY (account_id, ask_id)
);
CREATE UNIQUE INDEX held_calls_key ON held_calls (account_id, key_id, call_key);
CREATE INDEX held_calls_fingerprint ON held_calls (account_id, key_id, fingerprint);
CREATE INDEX held_calls_contact ON held_calls (account_id, contact_id) WHERE contact_id IS NOT NULL;
