-- The tables of Chatwoot that an import reads: names and types as in its schema, without columns that it does not need.

CREATE TABLE accounts (
    id serial PRIMARY KEY,
    name varchar NOT NULL,
    created_at timestamp NOT NULL,
    updated_at timestamp NOT NULL,
    status integer DEFAULT 0,
    settings jsonb DEFAULT '{}'
);
CREATE TABLE account_users (
    id bigserial PRIMARY KEY,
    account_id bigint,
    user_id bigint,
    role integer DEFAULT 0,
    inviter_id bigint,
    created_at timestamp NOT NULL,
    updated_at timestamp NOT NULL
);
CREATE TABLE users (
    id serial PRIMARY KEY,
    uid varchar DEFAULT '' NOT NULL,
    encrypted_password varchar DEFAULT '' NOT NULL,
    name varchar NOT NULL,
    display_name varchar,
    email varchar,
    created_at timestamp NOT NULL,
    updated_at timestamp NOT NULL,
    type varchar
);
CREATE TABLE inboxes (
    id serial PRIMARY KEY,
    channel_id integer NOT NULL,
    account_id integer NOT NULL,
    name varchar NOT NULL,
    created_at timestamp NOT NULL,
    updated_at timestamp NOT NULL,
    channel_type varchar,
    email_address varchar,
    timezone varchar DEFAULT 'UTC'
);
CREATE TABLE channel_whatsapp (
    id bigserial PRIMARY KEY,
    account_id integer NOT NULL,
    phone_number varchar NOT NULL,
    provider varchar DEFAULT 'default',
    provider_config jsonb DEFAULT '{}'
);
CREATE TABLE channel_twilio_sms (
    id bigserial PRIMARY KEY,
    phone_number varchar,
    auth_token varchar NOT NULL,
    account_sid varchar NOT NULL,
    account_id integer NOT NULL,
    medium integer DEFAULT 0
);
CREATE TABLE channel_facebook_pages (
    id serial PRIMARY KEY,
    page_id varchar NOT NULL,
    user_access_token varchar NOT NULL,
    page_access_token varchar NOT NULL,
    account_id integer NOT NULL
);
CREATE TABLE channel_email (
    id bigserial PRIMARY KEY,
    account_id integer NOT NULL,
    email varchar NOT NULL,
    forward_to_email varchar NOT NULL
);
CREATE TABLE channel_web_widgets (
    id serial PRIMARY KEY,
    website_url varchar,
    account_id integer,
    website_token varchar
);
CREATE TABLE channel_api (
    id bigserial PRIMARY KEY,
    account_id integer NOT NULL,
    webhook_url varchar,
    identifier varchar
);
CREATE TABLE contacts (
    id serial PRIMARY KEY,
    name varchar DEFAULT '',
    email varchar,
    phone_number varchar,
    account_id integer NOT NULL,
    created_at timestamp NOT NULL,
    updated_at timestamp NOT NULL,
    additional_attributes jsonb DEFAULT '{}',
    identifier varchar,
    custom_attributes jsonb DEFAULT '{}',
    last_activity_at timestamp,
    contact_type integer DEFAULT 0,
    middle_name varchar DEFAULT '',
    last_name varchar DEFAULT '',
    location varchar DEFAULT '',
    country_code varchar DEFAULT '',
    blocked boolean DEFAULT false NOT NULL
);
CREATE TABLE contact_inboxes (
    id bigserial PRIMARY KEY,
    contact_id bigint,
    inbox_id bigint,
    source_id text NOT NULL,
    created_at timestamp NOT NULL,
    updated_at timestamp NOT NULL
);
CREATE TABLE conversations (
    id serial PRIMARY KEY,
    account_id integer NOT NULL,
    inbox_id integer NOT NULL,
    status integer DEFAULT 0 NOT NULL,
    assignee_id integer,
    created_at timestamp NOT NULL,
    updated_at timestamp NOT NULL,
    contact_id bigint,
    display_id integer NOT NULL,
    additional_attributes jsonb DEFAULT '{}',
    contact_inbox_id bigint,
    uuid uuid DEFAULT gen_random_uuid() NOT NULL,
    last_activity_at timestamp DEFAULT CURRENT_TIMESTAMP NOT NULL,
    snoozed_until timestamp,
    custom_attributes jsonb DEFAULT '{}',
    priority integer,
    cached_label_list text
);
CREATE TABLE messages (
    id serial PRIMARY KEY,
    content text,
    account_id integer NOT NULL,
    inbox_id integer NOT NULL,
    conversation_id integer NOT NULL,
    message_type integer NOT NULL,
    created_at timestamp NOT NULL,
    updated_at timestamp NOT NULL,
    private boolean DEFAULT false NOT NULL,
    status integer DEFAULT 0,
    source_id text,
    content_type integer DEFAULT 0 NOT NULL,
    content_attributes json DEFAULT '{}',
    sender_type varchar,
    sender_id bigint
);
CREATE TABLE attachments (
    id serial PRIMARY KEY,
    file_type integer DEFAULT 0,
    external_url varchar,
    coordinates_lat double precision DEFAULT 0.0,
    coordinates_long double precision DEFAULT 0.0,
    message_id integer NOT NULL,
    account_id integer NOT NULL,
    created_at timestamp NOT NULL,
    updated_at timestamp NOT NULL,
    fallback_title varchar,
    extension varchar
);
CREATE TABLE active_storage_attachments (
    id bigserial PRIMARY KEY,
    name varchar NOT NULL,
    record_type varchar NOT NULL,
    record_id bigint NOT NULL,
    blob_id bigint NOT NULL,
    created_at timestamp NOT NULL
);
CREATE TABLE active_storage_blobs (
    id bigserial PRIMARY KEY,
    key varchar NOT NULL,
    filename varchar NOT NULL,
    content_type varchar,
    metadata text,
    byte_size bigint NOT NULL,
    checksum varchar,
    created_at timestamp NOT NULL,
    service_name varchar NOT NULL
);
CREATE TABLE labels (
    id bigserial PRIMARY KEY,
    title varchar,
    description text,
    color varchar DEFAULT '#1f93ff' NOT NULL,
    show_on_sidebar boolean,
    account_id bigint,
    created_at timestamp NOT NULL,
    updated_at timestamp NOT NULL
);
CREATE TABLE tags (
    id serial PRIMARY KEY,
    name varchar,
    taggings_count integer DEFAULT 0
);
CREATE TABLE taggings (
    id serial PRIMARY KEY,
    tag_id integer,
    taggable_type varchar,
    taggable_id integer,
    tagger_type varchar,
    tagger_id integer,
    context varchar,
    created_at timestamp
);
CREATE TABLE canned_responses (
    id serial PRIMARY KEY,
    account_id integer NOT NULL,
    short_code varchar,
    content text,
    created_at timestamp NOT NULL,
    updated_at timestamp NOT NULL
);
CREATE TABLE notes (
    id bigserial PRIMARY KEY,
    content text NOT NULL,
    account_id bigint NOT NULL,
    contact_id bigint NOT NULL,
    user_id bigint,
    created_at timestamp NOT NULL,
    updated_at timestamp NOT NULL
);
CREATE TABLE custom_attribute_definitions (
    id bigserial PRIMARY KEY,
    attribute_display_name varchar,
    attribute_key varchar,
    attribute_display_type integer DEFAULT 0,
    attribute_model integer DEFAULT 0,
    account_id bigint,
    created_at timestamp NOT NULL,
    updated_at timestamp NOT NULL,
    attribute_values jsonb DEFAULT '[]'
);
CREATE UNIQUE INDEX ON account_users (account_id, user_id);
CREATE UNIQUE INDEX ON contacts (email, account_id);
CREATE INDEX ON contacts (account_id);
CREATE UNIQUE INDEX ON contact_inboxes (inbox_id, source_id);
CREATE UNIQUE INDEX ON conversations (account_id, display_id);
CREATE INDEX ON conversations (contact_id);
CREATE INDEX ON messages (account_id);
CREATE INDEX ON messages (conversation_id);
CREATE INDEX ON attachments (message_id);
CREATE UNIQUE INDEX ON active_storage_attachments (record_type, record_id, name, blob_id);
CREATE INDEX ON taggings (taggable_id, taggable_type, context);
CREATE UNIQUE INDEX ON labels (title, account_id);
