-- Notifications that a browser shows, also while no page of the dashboard is open.

-- A browser that wants them: one for each session, and gone with it. target is the address and the keys of its push
-- service, sealed; fingerprint is their hash. kinds is a list of words with commas between them.
CREATE TABLE push_devices (
    account_id uuid NOT NULL,
    id uuid NOT NULL,
    user_id uuid NOT NULL,
    session_id uuid NOT NULL,
    fingerprint bytea NOT NULL,
    target text NOT NULL,
    kinds text NOT NULL,
    with_text boolean NOT NULL,
    language text NOT NULL,
    user_agent text NOT NULL,
    last_success_at timestamptz,
    failures bigint NOT NULL,
    PRIMARY KEY (account_id, id)
);
CREATE UNIQUE INDEX push_devices_session_key ON push_devices (account_id, session_id);
CREATE INDEX push_devices_member ON push_devices (account_id, user_id, id);
CREATE INDEX push_devices_fingerprint ON push_devices (fingerprint);

-- A notification that is to be sent. It has no words: they are read when it is sent. A later one about the same subject
-- takes the place of one that waits. begun says that the call may have been made, so that no crash repeats it.
CREATE TABLE push_notifications (
    account_id uuid NOT NULL,
    id uuid NOT NULL,
    device_id uuid NOT NULL,
    kind text NOT NULL,
    about_id uuid NOT NULL,
    cause_id uuid NOT NULL,
    actor_id uuid,
    tries bigint NOT NULL,
    begun boolean NOT NULL,
    due_at timestamptz NOT NULL,
    expires_at timestamptz NOT NULL,
    lease uuid,
    PRIMARY KEY (account_id, id)
);
CREATE UNIQUE INDEX push_notifications_about_key ON push_notifications (account_id, device_id, kind, about_id);
CREATE INDEX push_notifications_due ON push_notifications (due_at);
CREATE INDEX push_notifications_expires ON push_notifications (expires_at);
