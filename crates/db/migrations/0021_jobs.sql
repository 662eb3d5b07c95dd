-- Queues that were kept in settings get tables of their own, and fetches get a lease.

-- Connections whose templates are to be synced. A row is held under its lease until due_at.
CREATE TABLE template_syncs (
    account_id uuid NOT NULL,
    connection_id uuid NOT NULL,
    due_at timestamptz NOT NULL,
    tries bigint NOT NULL,
    lease uuid,
    PRIMARY KEY (account_id, connection_id)
);
CREATE INDEX template_syncs_due ON template_syncs (due_at);

-- The first contacts of linked devices in the last day: WhatsApp locks a phone that writes to many strangers.
CREATE TABLE first_contacts (
    account_id uuid NOT NULL,
    connection_id uuid NOT NULL,
    message_id uuid NOT NULL,
    sent_at timestamptz NOT NULL,
    PRIMARY KEY (account_id, connection_id, message_id)
);

-- @postgres
INSERT INTO template_syncs (account_id, connection_id, due_at, tries)
    SELECT c.account_id, c.id, to_timestamp((w.value ->> 'due_at_millis')::float8 / 1000), (w.value ->> 'tries')::bigint
    FROM settings s CROSS JOIN LATERAL jsonb_each(s.value::jsonb) w JOIN connections c ON c.id::text = w.key
    WHERE s.name = 'templates_to_sync';
INSERT INTO first_contacts (account_id, connection_id, message_id, sent_at)
    SELECT c.account_id, c.id, (w.value ->> 'message')::uuid, to_timestamp((w.value ->> 'at_millis')::float8 / 1000)
    FROM connections c JOIN settings s ON s.name = 'first_contacts ' || c.id::text
    CROSS JOIN LATERAL jsonb_array_elements(s.value::jsonb) w (value)
    ON CONFLICT DO NOTHING;
-- Servers of the version before still read and write the settings.
-- @sqlite
INSERT INTO template_syncs (account_id, connection_id, due_at, tries)
    SELECT c.account_id, c.id, json_extract(w.value, '$.due_at_millis'), json_extract(w.value, '$.tries')
    FROM settings s, json_each(s.value) w JOIN connections c ON c.id = unhex(replace(w.key, '-', ''))
    WHERE s.name = 'templates_to_sync';
INSERT INTO first_contacts (account_id, connection_id, message_id, sent_at)
    SELECT c.account_id, c.id, unhex(replace(json_extract(w.value, '$.message'), '-', '')), json_extract(w.value, '$.at_millis')
    FROM settings s, json_each(s.value) w JOIN connections c ON c.id = unhex(replace(substr(s.name, length('first_contacts ') + 1), '-', ''))
    WHERE s.name LIKE 'first_contacts %'
    ON CONFLICT DO NOTHING;
DELETE FROM settings WHERE name = 'templates_to_sync' OR name LIKE 'first_contacts %';
-- @both
-- @step
ALTER TABLE media ADD COLUMN lease uuid;
