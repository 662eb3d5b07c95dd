-- Contacts and what hangs on them.

-- phone_key and email_key are the forms that are compared. seq is the id's place in the order of creation and search
-- the text that q looks in: SQLite uses the one (as the row number of its index), PostgreSQL the other.
CREATE TABLE contacts (
    account_id uuid NOT NULL,
    id uuid NOT NULL,
    seq bigint NOT NULL,
    name text,
    phone text,
    phone_key text,
    email text,
    email_key text,
    company text,
    avatar_url text,
    search text,
    opted_out_at timestamptz,
    opt_out_source text,
    last_inbound_at timestamptz,
    updated_at timestamptz NOT NULL,
    PRIMARY KEY (account_id, id)
);
CREATE UNIQUE INDEX contacts_phone_key ON contacts (account_id, phone_key);
CREATE INDEX contacts_email ON contacts (account_id, email_key, id) WHERE email_key IS NOT NULL;
CREATE INDEX contacts_updated ON contacts (account_id, updated_at);

-- @sqlite
CREATE UNIQUE INDEX contacts_seq_key ON contacts (seq);
CREATE VIRTUAL TABLE contact_search USING fts5 (grams, starts, content = '', contentless_delete = 1, tokenize = 'ascii');
-- @postgres
CREATE EXTENSION IF NOT EXISTS pg_trgm;
CREATE EXTENSION IF NOT EXISTS btree_gin;
CREATE INDEX contacts_search ON contacts USING gin (account_id, search gin_trgm_ops);
-- @both

-- The channels a contact has been met on.
CREATE TABLE contact_channels (
    account_id uuid NOT NULL,
    contact_id uuid NOT NULL,
    channel text NOT NULL,
    PRIMARY KEY (account_id, contact_id, channel)
);

CREATE TABLE tags (
    account_id uuid NOT NULL,
    id uuid NOT NULL,
    name text NOT NULL,
    name_key text NOT NULL,
    color text NOT NULL,
    updated_at timestamptz NOT NULL,
    PRIMARY KEY (account_id, id)
);
CREATE UNIQUE INDEX tags_name_key ON tags (account_id, name_key);

CREATE TABLE contact_tags (
    account_id uuid NOT NULL,
    contact_id uuid NOT NULL,
    tag_id uuid NOT NULL,
    PRIMARY KEY (account_id, contact_id, tag_id),
    CONSTRAINT contact_tags_tag_fkey FOREIGN KEY (account_id, tag_id) REFERENCES tags (account_id, id) ON DELETE CASCADE
);
CREATE INDEX contact_tags_tag ON contact_tags (account_id, tag_id, contact_id);

CREATE TABLE custom_fields (
    account_id uuid NOT NULL,
    id uuid NOT NULL,
    name text NOT NULL,
    name_key text NOT NULL,
    type text NOT NULL,
    options text NOT NULL,
    updated_at timestamptz NOT NULL,
    PRIMARY KEY (account_id, id)
);
CREATE UNIQUE INDEX custom_fields_name_key ON custom_fields (account_id, name_key);

CREATE TABLE contact_values (
    account_id uuid NOT NULL,
    contact_id uuid NOT NULL,
    field_id uuid NOT NULL,
    value text NOT NULL,
    PRIMARY KEY (account_id, contact_id, field_id),
    CONSTRAINT contact_values_field_fkey FOREIGN KEY (account_id, field_id) REFERENCES custom_fields (account_id, id) ON DELETE CASCADE
);
CREATE INDEX contact_values_field ON contact_values (account_id, field_id, contact_id);

CREATE TABLE notes (
    account_id uuid NOT NULL,
    id uuid NOT NULL,
    contact_id uuid,
    body text NOT NULL,
    author_user_id uuid NOT NULL,
    updated_at timestamptz NOT NULL,
    PRIMARY KEY (account_id, id)
);
CREATE INDEX notes_contact ON notes (account_id, contact_id, id);

-- match says whether all rules must hold or any; rules is JSON.
CREATE TABLE segments (
    account_id uuid NOT NULL,
    id uuid NOT NULL,
    name text NOT NULL,
    match text NOT NULL,
    rules text NOT NULL,
    updated_at timestamptz NOT NULL,
    PRIMARY KEY (account_id, id)
);
