-- How members sign in: logins, one-time links, sessions, and the log of who did what.

-- A login is one person. Members of several accounts may share one; account_id is the account in which it was made.
-- password_hash is null until a password is set. Both secrets of the second factor are encrypted: totp_pending counts once
-- it is confirmed. totp_step is the last time step whose code was used.
CREATE TABLE logins (
    account_id uuid NOT NULL,
    id uuid NOT NULL,
    password_hash text,
    totp_secret text,
    totp_pending text,
    totp_step bigint,
    updated_at timestamptz NOT NULL,
    PRIMARY KEY (account_id, id)
);
CREATE UNIQUE INDEX logins_id_key ON logins (id);

-- Codes that stand in for the second factor, each once. Only hashes are stored.
CREATE TABLE recovery_codes (
    login_id uuid NOT NULL,
    hash bytea NOT NULL,
    PRIMARY KEY (login_id, hash)
);

-- purpose is 'password' or 'sign_in'. A link of the operator may change a login that other accounts share.
CREATE TABLE member_links (
    hash bytea NOT NULL PRIMARY KEY,
    account_id uuid NOT NULL,
    user_id uuid NOT NULL,
    purpose text NOT NULL,
    by_operator boolean NOT NULL,
    expires_at timestamptz NOT NULL
);
CREATE INDEX member_links_member ON member_links (account_id, user_id);
CREATE INDEX member_links_age ON member_links (expires_at);

-- The cookie's token is stored as a hash. account_id and user_id are the membership in use.
CREATE TABLE sessions (
    id uuid NOT NULL PRIMARY KEY,
    hash bytea NOT NULL,
    login_id uuid NOT NULL,
    account_id uuid NOT NULL,
    user_id uuid NOT NULL,
    user_agent text NOT NULL,
    address text NOT NULL,
    last_used_at timestamptz NOT NULL
);
CREATE UNIQUE INDEX sessions_hash_key ON sessions (hash);
CREATE INDEX sessions_login ON sessions (login_id, id);
CREATE INDEX sessions_member ON sessions (account_id, user_id, last_used_at);
CREATE INDEX sessions_age ON sessions (last_used_at);

-- Attempts to sign in that failed, by address and by email address. span counts quarters of an hour.
CREATE TABLE sign_in_failures (
    subject text NOT NULL PRIMARY KEY,
    span bigint NOT NULL,
    failed bigint NOT NULL
);

-- user_id is null for what the operator or the server did.
CREATE TABLE audit_log (
    account_id uuid NOT NULL,
    id uuid NOT NULL,
    user_id uuid,
    action text NOT NULL,
    subject text,
    address text,
    PRIMARY KEY (account_id, id)
);

-- The last characters of a key, by which people tell keys apart; null for keys made before.
ALTER TABLE api_keys ADD COLUMN hint text;
ALTER TABLE members ADD COLUMN login_id uuid;
CREATE INDEX members_login ON members (login_id) WHERE login_id IS NOT NULL;
CREATE INDEX members_email ON members (email_key) WHERE email_key IS NOT NULL;
