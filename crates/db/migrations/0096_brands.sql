-- How an account's forms and web chats look. An account without a row has no brand of its own.
CREATE TABLE brands (
    account_id uuid NOT NULL PRIMARY KEY,
    name text,
    color text,
    logo bytea,
    logo_type text,
    logo_hash text,
    updated_at timestamptz NOT NULL
);
CREATE UNIQUE INDEX brands_logo_key ON brands (logo_hash);
