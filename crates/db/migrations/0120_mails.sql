-- Mails of the server to members: invitations, new passwords, and what they should know while they are not there.

-- A mail and what became of it. It has no words: they are read when it is sent. state is 'waiting', 'begun' (the message may
-- have been handed over, so that no crash sends it twice), 'sent', 'failed' or 'unsure'. period is the day, or a shorter time
-- of the kind, in which a cause is mailed once. detail is JSON, for what no row says later.
CREATE TABLE mails (
    account_id uuid NOT NULL,
    id uuid NOT NULL,
    user_id uuid NOT NULL,
    kind text NOT NULL,
    about_id uuid NOT NULL,
    cause_id uuid NOT NULL,
    author_id uuid,
    period bigint NOT NULL,
    detail text,
    state text NOT NULL,
    error text,
    tries bigint NOT NULL,
    due_at timestamptz NOT NULL,
    lease uuid,
    PRIMARY KEY (account_id, id)
);
CREATE UNIQUE INDEX mails_cause_key ON mails (account_id, user_id, kind, about_id, period);
CREATE INDEX mails_kind ON mails (account_id, kind, id);
CREATE INDEX mails_due ON mails (due_at) WHERE state = 'waiting';
CREATE INDEX mails_begun ON mails (due_at) WHERE state = 'begun';
CREATE INDEX mails_age ON mails (id);

-- What a member wants no mails about: words with commas between them. language is the one the dashboard was last shown in.
CREATE TABLE mail_choices (
    account_id uuid NOT NULL,
    user_id uuid NOT NULL,
    off text NOT NULL,
    language text,
    updated_at timestamptz NOT NULL,
    PRIMARY KEY (account_id, user_id)
);

-- Email addresses for which somebody has asked for a new password, known or not, until a worker has looked at them.
CREATE TABLE password_requests (
    email_key text NOT NULL PRIMARY KEY,
    requested_at timestamptz NOT NULL
);
CREATE INDEX password_requests_age ON password_requests (requested_at);
