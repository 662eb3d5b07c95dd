-- Channels, the people met on them, conversations and messages.

-- settings holds tokens and is encrypted. A sandbox connection speaks to the stand-ins of this installation.
CREATE TABLE connections (
    account_id uuid NOT NULL,
    id uuid NOT NULL,
    channel text NOT NULL,
    name text NOT NULL,
    address text,
    status text NOT NULL,
    disconnected_reason text,
    sandbox boolean NOT NULL,
    settings text NOT NULL,
    updated_at timestamptz NOT NULL,
    PRIMARY KEY (account_id, id)
);
CREATE UNIQUE INDEX connections_id_key ON connections (id);

-- Who somebody is on one connection. One contact may have many.
CREATE TABLE identities (
    account_id uuid NOT NULL,
    connection_id uuid NOT NULL,
    person text NOT NULL,
    contact_id uuid NOT NULL,
    PRIMARY KEY (account_id, connection_id, person)
);
CREATE INDEX identities_contact ON identities (account_id, contact_id, connection_id);

-- One thread a contact and connection. last_inbound_at is the channel's own time, from which the window counts.
CREATE TABLE conversations (
    account_id uuid NOT NULL,
    id uuid NOT NULL,
    contact_id uuid NOT NULL,
    channel text NOT NULL,
    connection_id uuid NOT NULL,
    status text NOT NULL,
    handler text NOT NULL,
    assistant_id uuid,
    assigned_user_id uuid,
    unread_count bigint NOT NULL,
    last_message_at timestamptz,
    last_message_text text,
    last_inbound_at timestamptz,
    updated_at timestamptz NOT NULL,
    PRIMARY KEY (account_id, id)
);
CREATE UNIQUE INDEX conversations_thread_key ON conversations (account_id, connection_id, contact_id);
CREATE INDEX conversations_contact ON conversations (account_id, contact_id, id);
CREATE INDEX conversations_updated ON conversations (account_id, updated_at);
CREATE INDEX conversations_unread ON conversations (account_id, id) WHERE unread_count > 0;
CREATE INDEX conversations_assigned ON conversations (account_id, assigned_user_id, id) WHERE assigned_user_id IS NOT NULL;

-- media_id names what was fetched from the channel, media_url what the sender gave. details and error are JSON.
CREATE TABLE messages (
    account_id uuid NOT NULL,
    id uuid NOT NULL,
    conversation_id uuid NOT NULL,
    connection_id uuid NOT NULL,
    direction text NOT NULL,
    sender_type text NOT NULL,
    type text NOT NULL,
    text text,
    media_id uuid,
    media_url text,
    template_name text,
    details text,
    status text NOT NULL,
    error text,
    channel_message_id text,
    reply_to_message_id uuid,
    author_user_id uuid,
    PRIMARY KEY (account_id, id)
);
CREATE INDEX messages_conversation ON messages (account_id, conversation_id, id);
CREATE UNIQUE INDEX messages_channel_key ON messages (account_id, connection_id, channel_message_id);

-- What is to be handed to a channel. A row lives until the channel has taken or refused it. Once it is handed over it
-- is never handed over again unless the channel said no.
CREATE TABLE sends (
    account_id uuid NOT NULL,
    message_id uuid NOT NULL,
    part bigint NOT NULL,
    connection_id uuid NOT NULL,
    conversation_id uuid NOT NULL,
    person text NOT NULL,
    payload text NOT NULL,
    reply_to text,
    priority bigint NOT NULL,
    state text NOT NULL,
    due_at timestamptz NOT NULL,
    tries bigint NOT NULL,
    handed_at timestamptz,
    lease uuid,
    PRIMARY KEY (account_id, message_id, part)
);
CREATE INDEX sends_order ON sends (connection_id, priority, message_id, part) WHERE state = 'queued';
CREATE INDEX sends_due ON sends (connection_id, due_at) WHERE state = 'queued';
CREATE INDEX sends_thread ON sends (connection_id, conversation_id, message_id, part);
CREATE INDEX sends_handed ON sends (handed_at) WHERE state = 'handed';

-- What a channel reported of a message before we knew the channel's id of it.
CREATE TABLE early_reports (
    account_id uuid NOT NULL,
    connection_id uuid NOT NULL,
    channel_message_id text NOT NULL,
    status text NOT NULL,
    error text,
    created_at timestamptz NOT NULL,
    PRIMARY KEY (account_id, connection_id, channel_message_id)
);
CREATE INDEX early_reports_age ON early_reports (created_at);

CREATE TABLE reactions (
    account_id uuid NOT NULL,
    message_id uuid NOT NULL,
    person text NOT NULL,
    emoji text NOT NULL,
    reacted_at timestamptz NOT NULL,
    PRIMARY KEY (account_id, message_id, person)
);

-- What came with messages. A pending one is fetched by a worker under a lease; source says where from (JSON).
CREATE TABLE media (
    account_id uuid NOT NULL,
    id uuid NOT NULL,
    connection_id uuid NOT NULL,
    kind text NOT NULL,
    source text NOT NULL,
    state text NOT NULL,
    content_type text,
    filename text,
    bytes bigint,
    tries bigint NOT NULL,
    due_at timestamptz NOT NULL,
    error text,
    PRIMARY KEY (account_id, id)
);
CREATE UNIQUE INDEX media_id_key ON media (id);
CREATE INDEX media_due ON media (due_at) WHERE state = 'pending';

CREATE TABLE media_chunks (
    account_id uuid NOT NULL,
    media_id uuid NOT NULL,
    n bigint NOT NULL,
    bytes bytea NOT NULL,
    PRIMARY KEY (account_id, media_id, n)
);

CREATE TABLE templates (
    account_id uuid NOT NULL,
    id uuid NOT NULL,
    connection_id uuid NOT NULL,
    name text NOT NULL,
    language text NOT NULL,
    category text NOT NULL,
    status text NOT NULL,
    named boolean NOT NULL,
    components text NOT NULL,
    updated_at timestamptz NOT NULL,
    PRIMARY KEY (account_id, id)
);
CREATE UNIQUE INDEX templates_name_key ON templates (account_id, connection_id, name, language);
