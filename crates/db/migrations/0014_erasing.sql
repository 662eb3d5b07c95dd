-- Erasing and merging contacts, and the list of bookings.

-- Numbers that lead to a contact beside its own: those of the contacts that were merged into it.
CREATE TABLE contact_phones (
    account_id uuid NOT NULL,
    phone_key text NOT NULL,
    contact_id uuid NOT NULL,
    PRIMARY KEY (account_id, phone_key)
);
CREATE INDEX contact_phones_contact ON contact_phones (account_id, contact_id);

-- Contacts and conversations that were erased and of which rows are left. None of those rows is shown any more.
CREATE TABLE erasures (
    account_id uuid NOT NULL,
    subject uuid NOT NULL,
    PRIMARY KEY (account_id, subject)
);

-- A contact has one thread on a connection. A merge may leave it older ones, which nothing is added to by itself.
ALTER TABLE conversations ADD COLUMN superseded boolean NOT NULL DEFAULT false;
DROP INDEX conversations_thread_key;
CREATE UNIQUE INDEX conversations_thread_key ON conversations (account_id, connection_id, contact_id) WHERE NOT superseded;

CREATE INDEX messages_media ON messages (account_id, conversation_id, media_id) WHERE media_id IS NOT NULL;
CREATE INDEX inquiries_contact ON inquiries (account_id, contact_id) WHERE contact_id IS NOT NULL;
CREATE INDEX bookings_contact ON bookings (account_id, contact_id, id) WHERE contact_id IS NOT NULL;
CREATE INDEX bookings_start ON bookings (account_id, start_at);
