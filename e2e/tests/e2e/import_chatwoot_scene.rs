//! A Chatwoot database: its schema, rows of every kind, and odd ones among them.

use std::fs;
use std::path::{Path, PathBuf};

use frontdesk_testdb::PostgresDatabase;
use postgres::{Client, NoTls};

const SCHEMA: &str = include_str!("import_chatwoot.sql");

/// Rows as a business has them, and as nobody expects them. Account 1 is a business, account 2 another one.
const ROWS: &str = "
INSERT INTO accounts (id, name, created_at, updated_at) VALUES
    (1, 'Chairs & Co', '2023-01-05 10:00:00.123456', now()), (2, 'Tables Ltd', '2023-02-06 11:00:00', now());
INSERT INTO users (id, uid, name, email, created_at, updated_at) VALUES
    (1, '1', 'Olga Owner', 'olga@chairs.example', now(), now()), (2, '2', 'Adam Agent', 'adam@chairs.example', now(), now()),
    (3, '3', 'Nobody', NULL, now(), now()), (4, '4', 'Tina', 'tina@tables.example', now(), now());
INSERT INTO account_users (account_id, user_id, role, created_at, updated_at) VALUES
    (1, 2, 0, now(), now()), (1, 1, 1, now(), now()), (1, 3, 0, now(), now()), (2, 4, 1, now(), now()), (2, 1, 0, now(), now());
INSERT INTO channel_whatsapp (id, account_id, phone_number) VALUES (1, 1, '+4915100000001');
INSERT INTO channel_email (id, account_id, email, forward_to_email) VALUES (1, 1, 'desk@chairs.example', 'x@chatwoot.example');
INSERT INTO channel_twilio_sms (id, account_id, phone_number, auth_token, account_sid, medium) VALUES (1, 2, '+4915100000002', 't', 's', 1);
INSERT INTO inboxes (id, channel_id, account_id, name, channel_type, created_at, updated_at) VALUES
    (1, 1, 1, 'WhatsApp', 'Channel::Whatsapp', '2023-01-05 10:05:00', now()), (2, 1, 1, 'Desk', 'Channel::Email', '2023-01-05 10:06:00', now()),
    (3, 1, 2, 'Twilio', 'Channel::TwilioSms', '2023-02-06 11:05:00', now());
INSERT INTO custom_attribute_definitions (attribute_key, attribute_display_name, attribute_display_type, attribute_model, account_id, attribute_values, created_at, updated_at) VALUES
    ('seats', 'Seats', 1, 1, 1, '[]', now(), now()), ('plan', 'Plan', 6, 1, 1, '[\"Gold\", \"Tin\"]', now(), now()),
    ('born', 'Born', 5, 1, 1, '[]', now(), now()), ('vip', 'VIP', 7, 1, 1, '[]', now(), now()), ('order', 'Order', 0, 0, 1, '[]', now(), now());
INSERT INTO labels (id, title, color, account_id, created_at, updated_at) VALUES (1, 'vip', '#ff0000', 1, now(), now()), (2, 'late', '#00ff00', 1, now(), now());
INSERT INTO tags (id, name) VALUES (1, 'vip'), (2, 'late'), (3, 'unlisted');
INSERT INTO contacts (id, name, last_name, email, phone_number, account_id, created_at, updated_at, custom_attributes, additional_attributes, identifier) VALUES
    (1, 'Ann', 'Lee', 'ann@example.com', '+491510000489', 1, '2023-03-01 08:00:00.5', now(), '{\"seats\": 12, \"plan\": \"gold\", \"born\": \"1990-12-01T00:00:00.000Z\", \"vip\": true, \"note\": \"extra\"}', '{\"company_name\": \"Acme\"}', 'crm-7'),
    (2, 'Bob \u{1F346}', '', NULL, '+4901510000490', 1, '2023-03-02 08:00:00', now(), '{\"seats\": \"many\"}', '{}', NULL),
    (3, 'Ann again', '', NULL, '+49 151 0000489', 1, '2023-03-03 08:00:00', now(), '{\"seats\": 99, \"colour\": \"red\"}', '{}', NULL),
    (4, 'misty-sea-23', '', NULL, NULL, 1, '2023-03-04 08:00:00', now(), 'null', NULL, NULL),
    (5, 'Impossible', '', 'not an address', '+49 12', 1, '2023-03-05 08:00:00', now(), '{}', '{}', NULL),
    (6, '', '', NULL, '', 1, '2023-03-06 08:00:00', now(), '{}', '{}', NULL),
    (7, 'Tom', '', NULL, '+491510000489', 2, '2023-03-01 08:00:00', now(), '{}', '{}', NULL);
INSERT INTO taggings (tag_id, taggable_type, taggable_id, context) VALUES (1, 'Contact', 1, 'labels'), (3, 'Contact', 2, 'labels'), (2, 'Conversation', 2, 'labels'), (1, 'Contact', 1, 'other');
INSERT INTO contact_inboxes (id, contact_id, inbox_id, source_id, created_at, updated_at) VALUES
    (1, 1, 1, '491510000489', now(), now()), (2, 2, 2, 'bob@example.com', now(), now()), (3, 7, 3, 'whatsapp:+491510000489', now(), now());
INSERT INTO conversations (id, account_id, inbox_id, status, assignee_id, created_at, updated_at, contact_id, display_id, contact_inbox_id, custom_attributes, snoozed_until) VALUES
    (1, 1, 1, 1, 2, '2023-03-01 08:01:00', now(), 1, 1, 1, '{}', NULL),
    (2, 1, 1, 0, 2, '2023-04-01 08:01:00', now(), 1, 2, 1, '{\"order\": \"7\"}', NULL),
    (3, 1, 2, 3, 77, '2023-04-02 08:01:00', now(), 2, 3, 2, '{}', '2999-01-01 00:00:00'),
    (4, 1, 2, 2, NULL, '2023-04-03 08:01:00', now(), 4, 4, NULL, '{}', NULL),
    (5, 1, 2, 0, NULL, '2023-04-04 08:01:00', now(), 999, 5, NULL, '{}', NULL),
    (6, 1, 99, 0, NULL, '2023-04-05 08:01:00', now(), 1, 6, NULL, '{}', NULL),
    (7, 2, 3, 0, 4, '2023-04-06 08:01:00', now(), 7, 1, 3, '{}', NULL);
INSERT INTO messages (id, content, account_id, inbox_id, conversation_id, message_type, created_at, updated_at, private, status, sender_type, sender_id, content_type) VALUES
    (1, 'Is the aubergine ripe? \u{1F346}', 1, 1, 1, 0, '2023-03-01 08:01:01.250001', now(), false, 0, 'Contact', 1, 0),
    (2, 'In May', 1, 1, 1, 1, '2023-03-01 08:02:00', now(), false, 2, 'User', 2, 0),
    (3, 'Conversation was marked resolved by Adam', 1, 1, 1, 2, '2023-03-01 08:03:00', now(), false, 0, NULL, NULL, 0),
    (4, 'Thanks for writing', 1, 1, 1, 3, '2023-03-01 08:04:00', now(), false, 0, NULL, NULL, 0),
    (5, 'Careful, she is *angry*', 1, 1, 2, 1, '2023-04-01 08:02:00', now(), true, 0, 'User', 2, 0),
    (6, NULL, 1, 1, 2, 0, '2023-04-01 08:03:00', now(), false, 0, 'Contact', 1, 0),
    (7, 'Look at this', 1, 1, 2, 0, '2023-04-01 08:04:00', now(), false, 0, 'Contact', 1, 0),
    (8, NULL, 1, 1, 2, 1, '2023-04-01 08:05:00', now(), false, 3, 'User', 55, 0),
    (9, repeat('Wörter ', 20000), 1, 2, 3, 0, '2023-04-02 08:02:00', now(), false, 0, 'Contact', 2, 8),
    (10, 'I am a bot', 1, 2, 3, 1, '2023-04-02 08:03:00', now(), false, 1, 'AgentBot', 1, 0),
    (11, 'two files', 1, 2, 4, 0, '2023-04-03 08:02:00', now(), false, 0, 'Contact', 4, 0),
    (12, 'lost', 1, 2, 5, 0, '2023-04-04 08:02:00', now(), false, 0, 'Contact', 999, 0),
    (13, NULL, 1, 2, 4, 0, '2023-04-03 08:03:00', now(), false, 0, 'Contact', 4, 0),
    (14, 'Hello Tables', 2, 3, 7, 0, '2023-04-06 08:02:00', now(), false, 0, 'Contact', 7, 0),
    (15, '  ', 1, 2, 4, 1, '2023-04-03 08:04:00', now(), true, 0, 'User', 2, 0);
INSERT INTO active_storage_blobs (id, key, filename, content_type, byte_size, checksum, created_at, service_name) VALUES
    (1, 'aabbccddee11', 'chair.png', 'image/png', 11, encode(decode(md5('a fine chair'), 'hex'), 'base64'), now(), 'local'),
    (2, 'aabbccddee22', 'gone.pdf', 'application/pdf', 5, encode(decode(md5('hello'), 'hex'), 'base64'), now(), 'local'),
    (3, 'aabbccddee33', 'cut.pdf', 'application/pdf', 99, encode(decode(md5('hello'), 'hex'), 'base64'), now(), 'local'),
    (4, '../../../../etc/passwd', 'passwd', 'text/plain', 5, NULL, now(), 'local');
UPDATE active_storage_blobs SET byte_size = 12 WHERE id = 1;
INSERT INTO attachments (id, file_type, message_id, account_id, external_url, coordinates_lat, coordinates_long, fallback_title, created_at, updated_at) VALUES
    (1, 0, 7, 1, NULL, 0, 0, NULL, now(), now()), (2, 3, 8, 1, NULL, 0, 0, NULL, now(), now()), (3, 3, 11, 1, NULL, 0, 0, NULL, now(), now()),
    (4, 3, 11, 1, NULL, 0, 0, NULL, now(), now()), (5, 4, 13, 1, NULL, 52.5, 13.4, 'Berlin', now(), now()), (6, 5, 13, 1, 'https://x.example/post', 0, 0, 'A post', now(), now());
INSERT INTO active_storage_attachments (name, record_type, record_id, blob_id, created_at) VALUES
    ('file', 'Attachment', 1, 1, now()), ('file', 'Attachment', 2, 2, now()), ('file', 'Attachment', 3, 3, now()), ('file', 'Attachment', 4, 4, now()),
    ('avatar', 'Contact', 1, 1, now());
INSERT INTO canned_responses (id, account_id, short_code, content, created_at, updated_at) VALUES
    (1, 1, 'hours', 'We open at nine', now(), now()), (2, 1, 'HOURS', 'The same', now(), now()), (3, 1, 'empty', '', now(), now()), (4, 2, 'hours', 'At ten', now(), now());
INSERT INTO notes (id, content, account_id, contact_id, user_id, created_at, updated_at) VALUES
    (1, 'likes chairs', 1, 1, 2, '2023-05-01 08:00:00', now()), (2, 'nobody', 1, 999, 2, now(), now()), (3, 'by a gone user', 1, 2, 88, '2023-05-02 08:00:00', now());
SELECT setval('messages_id_seq', 1000), setval('contacts_id_seq', 1000), setval('conversations_id_seq', 1000);
";

/// The files that are there. One of them is cut.
const FILES: &[(&str, &str)] = &[("aa/bb/aabbccddee11", "a fine chair"), ("aa/bb/aabbccddee33", "hello")];

/// A Chatwoot installation.
pub(crate) struct Chatwoot {
    pub url: String,
    pub storage: PathBuf,
    _database: PostgresDatabase,
}

impl Chatwoot {
    /// With the schema and no rows.
    pub(crate) fn empty(dir: &Path) -> Self {
        let database = PostgresDatabase::create();
        let url = database.unencrypted_url();
        let storage = dir.join("storage");
        fs::create_dir_all(&storage).expect("a directory");
        let chatwoot = Self { url, storage, _database: database };
        chatwoot.run(SCHEMA);
        chatwoot
    }

    /// With rows, and odd ones among them.
    pub(crate) fn with_odd_rows(dir: &Path) -> Self {
        let chatwoot = Self::empty(dir);
        chatwoot.run(ROWS);
        chatwoot.store_files();
        chatwoot
    }

    /// With many rows: [`Many`] says how many of each kind.
    pub(crate) fn with_contacts(dir: &Path, contacts: u64) -> Self {
        let chatwoot = Self::empty(dir);
        chatwoot.run(&MANY.replace("{contacts}", &contacts.to_string()));
        chatwoot.store_files();
        chatwoot
    }

    fn store_files(&self) {
        for (path, text) in FILES {
            let path = self.storage.join(path);
            fs::create_dir_all(path.parent().expect("a directory")).expect("a directory");
            fs::write(path, text).expect("a file");
        }
    }

    pub(crate) fn run(&self, sql: &str) {
        let mut client = Client::connect(&self.url, NoTls).expect("the test server");
        client.batch_execute(sql).expect("rows of Chatwoot");
    }

    pub(crate) fn storage(&self) -> &str {
        self.storage.to_str().expect("a path")
    }
}

/// How much becomes of [`MANY`] rows of so many contacts.
pub(crate) struct Many {
    /// Those that become contacts; others have the number of one of them.
    pub contacts: u64,
    pub joined: u64,
    pub conversations: u64,
    pub messages: u64,
    /// Messages with a file that is there and sound.
    pub files: u64,
    pub notes: u64,
}

impl Many {
    pub(crate) fn of(contacts: u64) -> Self {
        let attachments = (contacts * 50 + 93) / 100;
        Self {
            contacts,
            joined: contacts / 10,
            conversations: contacts * 5,
            // A text that is too long for one message becomes two.
            messages: contacts * 50 + (contacts / 200 + 1) * 2,
            files: (0..attachments).filter(|attachment| attachment % 4 < 2).count() as u64,
            notes: contacts * 2,
        }
    }
}

/// Contacts with five conversations of ten messages each, and every kind of row among them: files that are there, missing and cut, labels,
/// notes, people who are there twice, conversations of nobody, values and numbers that do not fit, texts that are empty or too long.
const MANY: &str = "
INSERT INTO accounts (id, name, created_at, updated_at) VALUES (1, 'Many', '2023-01-05 10:00:00', now());
INSERT INTO users (id, uid, name, email, created_at, updated_at) VALUES (1, '1', 'Olga', 'olga@many.example', now(), now());
INSERT INTO account_users (account_id, user_id, role, created_at, updated_at) VALUES (1, 1, 1, now(), now());
INSERT INTO channel_whatsapp (id, account_id, phone_number) VALUES (1, 1, '+4915100000001');
INSERT INTO inboxes (id, channel_id, account_id, name, channel_type, created_at, updated_at) VALUES (1, 1, 1, 'WhatsApp', 'Channel::Whatsapp', '2023-01-05 10:05:00', now());
INSERT INTO custom_attribute_definitions (attribute_key, attribute_display_name, attribute_display_type, attribute_model, account_id, created_at, updated_at) VALUES
    ('seats', 'Seats', 1, 1, 1, now(), now());
INSERT INTO labels (id, title, color, account_id, created_at, updated_at) VALUES (1, 'vip', '#ff0000', 1, now(), now()), (2, 'late', '#00ff00', 1, now(), now());
INSERT INTO tags (id, name) VALUES (1, 'vip'), (2, 'late');
INSERT INTO contacts (id, name, phone_number, email, account_id, created_at, updated_at, custom_attributes, additional_attributes)
    SELECT n, 'Person ' || n, CASE n % 20 WHEN 13 THEN '+49 12' ELSE '+4915' || (100000000 + n) END,
        CASE n % 4 WHEN 1 THEN 'person' || n || '@example.com' WHEN 2 THEN 'not an address ' || n END, 1,
        timestamp '2023-02-01' + n * interval '1 second', now(),
        CASE n % 6 WHEN 3 THEN '{\"seats\": \"many\"}' ELSE '{\"seats\": 1, \"colour\": \"red\"}' END::jsonb,
        CASE n % 3 WHEN 0 THEN '{\"company_name\": \"Acme\"}' ELSE '{}' END::jsonb
    FROM generate_series(1, {contacts}) n;
INSERT INTO contacts (id, name, phone_number, account_id, created_at, updated_at, custom_attributes)
    SELECT {contacts} + n, 'Person again ' || n, '+4915' || (100000000 + n * 10), 1, timestamp '2023-03-01' + n * interval '1 second', now(), '{\"shoe\": 42}'
    FROM generate_series(1, {contacts} / 10) n;
INSERT INTO contact_inboxes (id, contact_id, inbox_id, source_id, created_at, updated_at)
    SELECT n, n, 1, '4915' || (100000000 + n), now(), now() FROM generate_series(1, {contacts}) n;
INSERT INTO conversations (id, account_id, inbox_id, status, created_at, updated_at, contact_id, display_id, contact_inbox_id)
    SELECT n, 1, 1, n % 3, timestamp '2023-03-01' + n * interval '1 second', now(), (n - 1) / 5 + 1, n, (n - 1) / 5 + 1
    FROM generate_series(1, {contacts} * 5) n;
INSERT INTO conversations (id, account_id, inbox_id, status, created_at, updated_at, contact_id, display_id)
    SELECT {contacts} * 5 + n, 1, 1 + n % 2, 0, '2023-03-01', now(), {contacts} * 100, {contacts} * 5 + n FROM generate_series(1, {contacts} / 10) n;
INSERT INTO messages (id, content, account_id, inbox_id, conversation_id, message_type, created_at, updated_at, sender_type, sender_id)
    SELECT n, 'Message ' || n || ' about ' || repeat('chairs and tables ', n % 7), 1, 1, (n - 1) / 10 + 1, n % 2,
        timestamp '2023-04-01' + n * interval '20 seconds', now(), CASE n % 2 WHEN 0 THEN 'Contact' ELSE 'User' END, 1
    FROM generate_series(1, {contacts} * 50) n;
-- Too long, private, of the system, empty, and of nobody.
INSERT INTO messages (content, account_id, inbox_id, conversation_id, message_type, created_at, updated_at, private, sender_type, sender_id, id)
    SELECT repeat('W\u{f6}rter ', 12000), 1, 1, n, 0, timestamp '2023-03-02' + n * interval '1 second', now(), false, 'Contact', 1, {contacts} * 50 + n
        FROM generate_series(1, {contacts} / 200 + 1) n
    UNION ALL SELECT 'Note ' || n || ' for us alone', 1, 1, n * 5, 1, timestamp '2023-05-01' + n * interval '1 second', now(), true, 'User', 1, {contacts} * 60 + n
        FROM generate_series(1, {contacts}) n
    UNION ALL SELECT 'Conversation was resolved', 1, 1, n * 5, 2, '2023-05-01', now(), false, NULL, NULL, {contacts} * 70 + n FROM generate_series(1, {contacts}) n
    UNION ALL SELECT NULL, 1, 1, n * 20, 0, '2023-05-01', now(), false, 'Contact', 1, {contacts} * 80 + n FROM generate_series(1, {contacts} / 4) n
    UNION ALL SELECT 'lost', 1, 1, {contacts} * 5 + n, 0, '2023-05-01', now(), false, 'Contact', 1, {contacts} * 90 + n FROM generate_series(1, {contacts} / 10) n;
INSERT INTO active_storage_blobs (id, key, filename, content_type, byte_size, checksum, created_at, service_name) VALUES
    (1, 'aabbccddee11', 'chair.png', 'image/png', 12, encode(decode(md5('a fine chair'), 'hex'), 'base64'), now(), 'local'),
    (2, 'aabbccddee22', 'gone.pdf', 'application/pdf', 5, encode(decode(md5('hello'), 'hex'), 'base64'), now(), 'local'),
    (3, 'aabbccddee33', 'cut.pdf', 'application/pdf', 99, encode(decode(md5('hello'), 'hex'), 'base64'), now(), 'local');
INSERT INTO attachments (id, file_type, message_id, account_id, created_at, updated_at)
    SELECT n, CASE WHEN n % 4 < 2 THEN 0 ELSE 3 END, n * 100 + 7, 1, now(), now() FROM generate_series(0, ({contacts} * 50 + 93) / 100 - 1) n;
INSERT INTO active_storage_attachments (name, record_type, record_id, blob_id, created_at)
    SELECT 'file', 'Attachment', id, CASE id % 4 WHEN 2 THEN 2 WHEN 3 THEN 3 ELSE 1 END, now() FROM attachments;
INSERT INTO taggings (tag_id, taggable_type, taggable_id, context, created_at)
    SELECT 1, 'Contact', n, 'labels', now() FROM generate_series(2, {contacts}, 2) n
    UNION ALL SELECT 2, 'Conversation', n, 'labels', now() FROM generate_series(7, {contacts} * 5, 7) n;
INSERT INTO notes (id, content, account_id, contact_id, user_id, created_at, updated_at)
    SELECT n, 'Note about person ' || n, 1, n, CASE n % 3 WHEN 0 THEN 77 ELSE 1 END, timestamp '2023-05-01' + n * interval '1 second', now()
    FROM generate_series(1, {contacts}) n
    UNION ALL SELECT {contacts} + n, 'about nobody', 1, {contacts} * 100, 1, now(), now() FROM generate_series(1, {contacts} / 10) n;
ANALYZE;
";
