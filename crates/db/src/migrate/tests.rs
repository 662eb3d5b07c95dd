//! Steps, batches and waiting, with migrations for the tests; and the real ones on a large database.

mod beside_old_servers;
mod carried_over;

use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::time::{Duration, Instant};

use frontdesk_testdb::PostgresDatabase;

use super::*;
use crate::{DatabaseUrl, Options, Store, only, sqlite as engine};

const ROWS: i64 = 1_000;
const FIRST: Migration =
    (1, "CREATE TABLE parts (\n  id bigint NOT NULL PRIMARY KEY,\n  moved bigint NOT NULL\n);");
/// Moves a hundred rows at a time. A row whose id is in `stones` cannot be passed.
const SECOND: Migration = (
    2,
    "ALTER TABLE parts ADD COLUMN more bigint;
-- @batch
-- Where the next hundred end.
SELECT cast(max(id) AS text), count(*) FROM (SELECT id FROM parts
    WHERE id > coalesce(cast(cast($1 AS text) AS bigint), 0) ORDER BY id LIMIT 100) AS batch;
UPDATE parts SET moved = moved + 1, more = id / (1 - (SELECT count(*) FROM stones WHERE stones.id = parts.id))
    WHERE id > coalesce(cast(cast($1 AS text) AS bigint), 0) AND id <= cast(cast($2 AS text) AS bigint);
-- @postgres
-- @index
CREATE INDEX CONCURRENTLY parts_more ON parts (more);
-- @both
-- @step
DROP TABLE stones;",
);
const VERSION: &str = "SELECT max(version) FROM migrations";
const STONES: &str = "CREATE TABLE stones (id bigint NOT NULL PRIMARY KEY);";

/// A PostgreSQL database that is dropped with this value.
struct Database(PostgresDatabase);

impl Database {
    fn new() -> Self {
        Self(PostgresDatabase::create())
    }

    fn url(&self) -> String {
        self.0.unencrypted_url()
    }

    fn session(&self) -> Session {
        Session::connect(&self.url()).unwrap()
    }

    fn client(&self) -> ::postgres::Client {
        ::postgres::Client::connect(&self.url(), ::postgres::NoTls).unwrap()
    }

    /// With the first migration, and rows.
    fn with_parts() -> (Self, Session) {
        let database = Self::new();
        let mut session = database.session();
        postgres::migrate(&mut session, &[FIRST]).unwrap();
        let rows = format!("INSERT INTO parts SELECT n, 0 FROM generate_series(1, {ROWS}) n");
        session.batch(&format!("{STONES} {rows}")).unwrap();
        (database, session)
    }
}

#[test]
fn a_database_from_the_future_is_refused() {
    assert!(matches!(pending(MIGRATIONS, &[1, 1_000_000]), Err(Error::TooNew { .. })));
}

#[test]
fn a_migration_that_this_program_does_not_know_is_refused_whatever_its_number() {
    let list = [(1, ""), (4, "")];
    assert!(matches!(pending(&list, &[1, 2, 4]), Err(Error::TooNew { found: 2, known: 4 })));
}

#[test]
fn a_migration_that_was_left_out_is_caught_up_on() {
    let versions = |applied: &[i64]| -> Vec<i64> {
        let list = [(1, ""), (2, ""), (4, "")];
        pending(&list, applied).unwrap().into_iter().map(|(version, _)| version).collect()
    };
    assert_eq!(versions(&[]), [1, 2, 4]);
    assert_eq!(versions(&[1, 4]), [2]);
    assert_eq!(versions(&[1, 2, 4]), [0; 0]);
}

#[test]
fn a_batch_that_breaks_off_is_taken_up_where_it_was_on_postgres() {
    let (_database, mut session) = Database::with_parts();
    let one = |session: &mut Session, sql: &str| session.query::<i64>(sql, &[], only).unwrap()[0];
    session.batch("INSERT INTO stones VALUES (450)").unwrap();
    postgres::migrate(&mut session, &[FIRST, SECOND]).unwrap_err();
    assert_eq!(one(&mut session, "SELECT count(*) FROM parts WHERE moved = 1"), 400);
    assert_eq!(one(&mut session, VERSION), 1);
    // An index of an interrupted step would be in the way too.
    session.batch("DELETE FROM stones; CREATE INDEX parts_more ON parts (moved)").unwrap();
    postgres::migrate(&mut session, &[FIRST, SECOND]).unwrap();
    assert_eq!(one(&mut session, "SELECT count(*) FROM parts WHERE moved = 1 AND more = id"), ROWS);
    assert_eq!(one(&mut session, VERSION), 2);
    let built = "SELECT count(*) FROM pg_index WHERE indexrelid = 'parts_more'::regclass AND indisvalid
        AND pg_get_indexdef(indexrelid) LIKE '%(more)'";
    assert_eq!(one(&mut session, built), 1);
    assert_eq!(one(&mut session, "SELECT count(*) FROM migration_progress"), 0);
}

#[test]
fn a_batch_that_breaks_off_is_taken_up_where_it_was_on_sqlite() {
    let connection = Connection::open(Path::new(":memory:")).unwrap();
    let one =
        |sql: &str| engine::query(&connection.raw, &connection.names, sql, &[], only::<i64>).unwrap()[0];
    sqlite::migrate(&connection, &[FIRST]).unwrap();
    connection
        .batch(&format!(
            "{STONES} INSERT INTO stones VALUES (450);
             WITH RECURSIVE n (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM n WHERE n < {ROWS})
             INSERT INTO parts SELECT n, 0 FROM n;
             CREATE TRIGGER stone BEFORE UPDATE ON parts WHEN (SELECT count(*) FROM stones WHERE id = new.id) > 0
             BEGIN SELECT raise(ABORT, 'a stone'); END;"
        ))
        .unwrap();
    sqlite::migrate(&connection, &[FIRST, SECOND]).unwrap_err();
    assert_eq!((one("SELECT count(*) FROM parts WHERE moved = 1"), one(VERSION)), (400, 1));
    connection.batch("DELETE FROM stones").unwrap();
    connection.batch("DROP TRIGGER stone").unwrap();
    sqlite::migrate(&connection, &[FIRST, SECOND]).unwrap();
    assert_eq!(one("SELECT count(*) FROM parts WHERE moved = 1 AND more = id"), ROWS);
    assert_eq!((one(VERSION), one("SELECT count(*) FROM migration_progress")), (2, 0));
}

/// Takes longer than statements may take outside of migrations, in these tests.
const SLOW: Migration = (2, "SELECT pg_sleep(1.2);\n-- @step\nALTER TABLE parts ADD COLUMN more bigint;");

#[test]
fn migrations_and_servers_that_wait_for_them_have_no_time_limit() {
    let (database, _session) = Database::with_parts();
    let start = || {
        let mut session = database.session();
        session.batch("SET statement_timeout = '300ms'").unwrap();
        session.limit_silence(Duration::from_millis(300));
        postgres::migrate(&mut session, &[FIRST, SLOW]).unwrap();
        // Afterwards the limits apply again.
        let limit = session.query::<String>("SHOW statement_timeout", &[], only).unwrap();
        assert_eq!(limit, ["35s"]);
        session.query::<i64>(VERSION, &[], only).unwrap()[0]
    };
    std::thread::scope(|scope| {
        let servers = [scope.spawn(start), scope.spawn(start), scope.spawn(start)];
        for server in servers {
            assert_eq!(server.join().unwrap(), 2);
        }
    });
}

#[test]
fn a_migration_that_waits_for_a_lock_lets_others_pass() {
    let (database, mut session) = Database::with_parts();
    let mut holder = database.client();
    holder.batch_execute("BEGIN; SELECT * FROM parts LIMIT 1").unwrap();
    let done = AtomicBool::new(false);
    std::thread::scope(|scope| {
        let migrating = scope.spawn(|| {
            postgres::migrate(&mut session, &[FIRST, SECOND]).unwrap();
            done.store(true, Ordering::Release);
        });
        // Other transactions wait behind it until it gives up.
        let (mut other, begin) = (database.client(), Instant::now());
        let mut longest = Duration::ZERO;
        while begin.elapsed() < Duration::from_secs(4) {
            let asked = Instant::now();
            other.batch_execute("UPDATE parts SET moved = moved WHERE id = 1").unwrap();
            longest = longest.max(asked.elapsed());
            std::thread::sleep(Duration::from_millis(5));
        }
        assert!(!done.load(Ordering::Acquire), "it waits");
        assert!(longest < Duration::from_secs(3), "{longest:?}");
        holder.batch_execute("COMMIT").unwrap();
        migrating.join().unwrap();
    });
}

/// How many contacts the large database has. A million takes minutes.
const CONTACTS: &str = "FRONTDESK_TEST_MIGRATION_CONTACTS";
const CONTACTS_DEFAULT: i64 = 20_000;
/// The last version without `search_keys`.
const OLDER: usize = 6;

#[test]
fn a_large_database_is_migrated_while_it_is_used_and_two_servers_start() {
    let rows = std::env::var(CONTACTS).map_or(CONTACTS_DEFAULT, |rows| rows.parse().expect(CONTACTS));
    let database = Database::new();
    postgres::migrate(&mut database.session(), &MIGRATIONS[..OLDER]).unwrap();
    let mut client = database.client();
    client
        .batch_execute(&format!(
            "SET synchronous_commit = off;
             INSERT INTO accounts (id, num, name, timezone, owner_user_id, rate_limit, updated_at)
             VALUES ('00000000-0000-7000-8000-000000000001', 17, 'Acme', 'UTC', gen_random_uuid(), 1, now());
             INSERT INTO contacts (account_id, id, seq, name, search, updated_at)
             SELECT '00000000-0000-7000-8000-000000000001', gen_random_uuid(), n, 'Ann ' || n,
                 'ann ' || E'\\x01' || 'smith' || E'\\n' || (5550000000 + n), now()
             FROM generate_series(1, {rows}) n;
             CREATE INDEX seq ON contacts (seq); ANALYZE contacts;
             ALTER DATABASE {} SET statement_timeout = '100ms'",
            database.0.name()
        ))
        .unwrap();
    let begin = Instant::now();
    let starting = AtomicU32::new(2);
    let longest = std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                let url = DatabaseUrl::Postgres(database.url());
                let store = Store::open(&Options { server: true, pool: 2, ..Options::new(url) });
                starting.fetch_sub(1, Ordering::AcqRel);
                store.expect("a server starts").close();
            });
        }
        // A server of the previous version keeps working in the meantime.
        let (mut user, mut longest) = (database.client(), Duration::ZERO);
        user.batch_execute("SET statement_timeout = 0").unwrap();
        let change = user.prepare("UPDATE contacts SET name = 'Bob' WHERE seq = $1").unwrap();
        let mut times = 0_i64;
        while starting.load(Ordering::Acquire) > 0 {
            times += 1;
            let asked = Instant::now();
            user.execute(&change, &[&(times % 1_000)]).unwrap();
            longest = longest.max(asked.elapsed());
            std::thread::sleep(Duration::from_millis(20));
        }
        longest
    });
    println!("{rows} contacts migrated in {:?}; the longest change took {longest:?}", begin.elapsed());
    assert!(longest < Duration::from_secs(5), "{longest:?}");
    let count =
        |client: &mut ::postgres::Client, sql: &str| client.query_one(sql, &[]).unwrap().get::<_, i64>(0);
    client.batch_execute("SET statement_timeout = 0").unwrap();
    let right = "SELECT count(*) FROM contacts WHERE string_to_array(search_keys, E'\\n') @> ARRAY[
        '11z' || right(search, 4), '11zann smi', '11z' || substr(search, 12, 4)]";
    assert_eq!(count(&mut client, right), rows);
    assert_eq!(count(&mut client, VERSION), MIGRATIONS.last().unwrap().0);
}
