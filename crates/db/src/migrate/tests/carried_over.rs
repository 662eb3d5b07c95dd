//! Rows of an earlier version that a migration moves, on both engines.

use frontdesk_kernel::text::sort_key;

use super::*;

/// A database with the migrations before a version.
enum Older {
    Sqlite(Connection),
    Postgres(Box<Session>),
}

/// Runs a test on both engines, on a database that has every migration before `version`.
fn on_both_before(version: i64, test: impl Fn(&mut Older)) {
    let older: Vec<Migration> =
        MIGRATIONS.iter().copied().take_while(|(found, _)| *found < version).collect();
    let connection = Connection::open(Path::new(":memory:")).unwrap();
    sqlite::migrate(&connection, &older).unwrap();
    test(&mut Older::Sqlite(connection));

    let database = Database::new();
    let mut session = database.session();
    postgres::migrate(&mut session, &older).unwrap();
    test(&mut Older::Postgres(Box::new(session)));
}

impl Older {
    fn migrate(&mut self) {
        match self {
            Self::Sqlite(connection) => sqlite::migrate(connection, MIGRATIONS).unwrap(),
            Self::Postgres(session) => postgres::migrate(session, MIGRATIONS).unwrap(),
        }
    }

    fn run(&mut self, sql: &str) {
        match self {
            Self::Sqlite(connection) => connection.batch(sql).unwrap(),
            Self::Postgres(session) => session.batch(sql).unwrap(),
        }
    }

    /// The first column of every row.
    fn texts(&mut self, sql: &str) -> Vec<String> {
        match self {
            Self::Sqlite(connection) => {
                engine::query(&connection.raw, &connection.names, sql, &[], only).unwrap()
            }
            Self::Postgres(session) => session.query(sql, &[], only).unwrap(),
        }
    }

    fn id(&self, id: u8) -> String {
        match self {
            Self::Sqlite(_) => format!("x'{}'", id_text(id).replace('-', "")),
            Self::Postgres(_) => format!("'{}'", id_text(id)),
        }
    }

    fn moment(&self, millis: i64) -> String {
        match self {
            Self::Sqlite(_) => millis.to_string(),
            Self::Postgres(_) => format!("to_timestamp({millis} / 1000.0)"),
        }
    }

    /// An expression whose value is the last two digits of an id.
    fn last_digits(&self, column: &str) -> String {
        match self {
            Self::Sqlite(_) => format!("substr(hex({column}), 31)"),
            Self::Postgres(_) => format!("right({column}::text, 2)"),
        }
    }

    /// An expression whose value is a moment in milliseconds.
    fn millis(&self, column: &str) -> String {
        match self {
            Self::Sqlite(_) => column.to_owned(),
            Self::Postgres(_) => format!("round(extract(epoch FROM {column}) * 1000)::bigint"),
        }
    }

    fn insert_connection(&mut self, id: u8) {
        let (account, connection, updated_at) = (self.id(1), self.id(id), self.moment(0));
        self.run(&format!(
            "INSERT INTO connections (account_id, id, channel, name, status, sandbox, settings, updated_at)
             VALUES ({account}, {connection}, 'whatsapp', 'Sales', 'connected', false, '', {updated_at})"
        ));
    }
}

/// A UUID that ends in this number.
fn id_text(id: u8) -> String {
    format!("00000000-0000-7000-8000-0000000000{id:02}")
}

#[test]
fn queues_in_settings_move_to_tables_of_their_own() {
    on_both_before(21, |database| {
        database.insert_connection(2);
        database.insert_connection(3);
        let (two, three, gone) = (id_text(2), id_text(3), id_text(4));
        database.run(&format!(
            r#"INSERT INTO settings (name, value) VALUES
                ('templates_to_sync', '{{"{two}":{{"due_at_millis":1800000000123,"tries":2,"under_way":true}},
                    "{gone}":{{"due_at_millis":1800000000000,"tries":0,"under_way":false}}}}'),
                ('first_contacts {two}', '[{{"message":"{}","at_millis":1800000000456}},{{"message":"{}","at_millis":1800000000789}}]'),
                ('first_contacts {three}', '[]'),
                ('first_contacts {gone}', '[{{"message":"{}","at_millis":1800000000000}}]'),
                ('public_url', 'https://crm.example')"#,
            id_text(10),
            id_text(11),
            id_text(12),
        ));
        database.migrate();

        let (account, connection) =
            (database.last_digits("account_id"), database.last_digits("connection_id"));
        let syncs = database.texts(&format!(
            "SELECT {account} || ' ' || {connection} || ' ' || {} || ' ' || tries FROM template_syncs WHERE lease IS NULL",
            database.millis("due_at")
        ));
        assert_eq!(syncs, ["01 02 1800000000123 2"], "a connection that is gone is left out");
        let contacts = database.texts(&format!(
            "SELECT {account} || ' ' || {connection} || ' ' || {} || ' ' || {} FROM first_contacts ORDER BY message_id",
            database.last_digits("message_id"),
            database.millis("sent_at")
        ));
        assert_eq!(contacts, ["01 02 10 1800000000456", "01 02 11 1800000000789"]);
        assert_eq!(
            database.texts("SELECT value FROM settings WHERE name = 'public_url'"),
            ["https://crm.example"]
        );
    });
}

#[test]
fn contacts_on_sqlite_get_a_copy_of_their_tags_and_values() {
    on_both_before(66, |database| {
        let (account, at) = (database.id(1), database.moment(1_800_000_000_123));
        for table in [
            "tags (account_id, id, name, name_key, color",
            "custom_fields (account_id, id, name, name_key, type, options",
        ] {
            let extra = if table.starts_with("tags") { "''" } else { "'text', '[]'" };
            for name in [2, 3] {
                let id = database.id(name);
                database.run(&format!(
                    "INSERT INTO {table}, updated_at) VALUES ({account}, {id}, '{name}', '{name}', {extra}, {at})"
                ));
            }
        }
        for contact in [4, 5] {
            let id = database.id(contact);
            database.run(&format!(
                "INSERT INTO contacts (account_id, id, seq, name, updated_at) VALUES ({account}, {id}, {contact}, 'Ann', {at})"
            ));
        }
        let (two, three, four) = (database.id(2), database.id(3), database.id(4));
        for label in [
            format!(
                "contact_tags (account_id, contact_id, tag_id) VALUES ({account}, {four}, {two}), ({account}, {four}, {three})"
            ),
            format!(
                "contact_values (account_id, contact_id, field_id, value) VALUES ({account}, {four}, {three}, 'é')"
            ),
        ] {
            database.run(&format!("INSERT INTO {label}"));
        }
        database.migrate();

        let Older::Sqlite(_) = database else {
            assert_eq!(database.texts("SELECT name FROM contacts WHERE labels IS NULL").len(), 2);
            return;
        };
        let (time, [two, three]) =
            (format!("{:016X}", 1_800_000_000_123_i64), [2, 3].map(|id| id_text(id).replace('-', "")));
        assert_eq!(
            database.texts("SELECT hex(labels) FROM contacts ORDER BY id"),
            [format!("{time}00000002{two}{three}{three}00000002C3A9"), format!("{time}00000000")]
        );
    });
}

#[test]
fn of_queued_messages_the_first_of_each_conversation_gets_the_turn() {
    on_both_before(22, |database| {
        database.insert_connection(2);
        // Conversation, message, part, priority, and when it was handed over.
        let rows: [(u8, u8, u8, u8, Option<i64>); 11] = [
            (20, 30, 0, 0, None),
            (20, 31, 0, 0, None),
            // A message in flight stays first, and its second part waits for it.
            (21, 32, 0, 0, Some(1)),
            (21, 32, 1, 0, None),
            (21, 33, 0, 0, None),
            // Of two in flight, the one that was handed over last.
            (22, 34, 0, 0, Some(1)),
            (22, 35, 0, 0, Some(2)),
            // Rows with priority go first. Receipts do not wait.
            (23, 36, 0, 1, None),
            (23, 37, 0, 0, None),
            (23, 38, 0, 9, None),
            (24, 39, 0, 9, None),
        ];
        for (conversation, message, part, priority, handed_at) in rows {
            let (state, handed_at) =
                handed_at.map_or(("queued", "NULL".to_owned()), |at| ("handed", database.moment(at)));
            database.run(&format!(
                "INSERT INTO sends (account_id, message_id, part, connection_id, conversation_id, person, payload, priority, state, due_at, tries, handed_at)
                 VALUES ({}, {}, {part}, {}, {}, '+1', '{{}}', {priority}, '{state}', {}, 0, {handed_at})",
                database.id(1),
                database.id(message),
                database.id(2),
                database.id(conversation),
                database.moment(0),
            ));
        }
        database.migrate();

        let message = database.last_digits("message_id");
        let ready = database.texts(&format!(
            "SELECT {message} || '.' || part FROM sends WHERE ready ORDER BY message_id, part"
        ));
        assert_eq!(ready, ["30.0", "32.0", "35.0", "37.0", "38.0", "39.0"]);
        assert_eq!(database.texts("SELECT 'x' FROM sends").len(), rows.len(), "no row is lost");
    });
}

#[test]
fn contacts_get_the_keys_that_the_server_computes() {
    const NAMES: [&str; 8] = ["Zoë", "ÄRGER", "Straße", "Öl & Co", "Ødegård", "Çelik", "漢字", "ß"];
    on_both_before(140, |database| {
        let (account, at) = (database.id(1), database.moment(1_800_000_000_123));
        for (number, name) in (10..).zip(NAMES) {
            let (id, name) = (database.id(number), name.repeat(1 + number as usize % 2 * 40));
            database.run(&format!(
                "INSERT INTO contacts (account_id, id, seq, name, updated_at) VALUES ({account}, {id}, {number}, '{name}', {at})"
            ));
        }
        let nameless = database.id(30);
        database.run(&format!(
            "INSERT INTO contacts (account_id, id, seq, company, updated_at) VALUES ({account}, {nameless}, 30, 'Élan', {at})"
        ));
        database.migrate();

        let names = database.texts("SELECT coalesce(name, '') FROM contacts ORDER BY seq");
        let keys: Vec<String> = names.iter().map(|name| sort_key(name)).collect();
        assert_eq!(database.texts("SELECT name_order FROM contacts ORDER BY seq"), keys);
        assert_eq!(database.texts("SELECT company_order FROM contacts WHERE company_order <> ''"), ["elan"]);
    });
}
