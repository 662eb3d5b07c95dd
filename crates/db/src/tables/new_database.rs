//! Writes the rows of a backup into a database that has no accounts yet.
//!
//! PostgreSQL gets all rows in one transaction. SQLite gets them in a file under another name, which takes the place of the
//! database when it is complete. So whoever is killed meanwhile leaves no half of a database, and can begin again.

use frontdesk_kernel::Timestamp;

use crate::dialect::Dialect;
use crate::error::{Error, Result};
use crate::heartbeat::SILENCE_MAX;
use crate::migrate;
use crate::postgres::Session;
use crate::row::only;
use crate::sqlite;
use crate::tables::insert::Insert;
use crate::tables::new_file::NewFile;
use crate::tables::schema::quoted;
use crate::tables::{KEPT, StoredRow, TableSchema};
use crate::url::DatabaseUrl;

/// How long another command or server may hold the table of accounts.
const LOCK_MILLIS_MAX: u32 = 10_000;

/// A database that is being filled. Dropped before [`NewDatabase::finish`], it is as if it had never been begun.
pub struct NewDatabase {
    engine: Engine,
    tables: Vec<TableSchema>,
}

#[expect(clippy::large_enum_variant, reason = "there is one of them in a whole run")]
enum Engine {
    Sqlite(NewFile),
    Postgres(Session),
}

impl NewDatabase {
    /// Creates the tables of these migrations, and refuses where there are accounts or a server runs. `side_files` are the
    /// extensions of files that belong to the database that was there before. Blocks.
    pub fn create(url: &DatabaseUrl, migrations: &[i64], side_files: &[&str]) -> Result<Self> {
        migrate::check_known(migrations)?;
        let mut engine = match url {
            DatabaseUrl::Sqlite(path) => Engine::Sqlite(NewFile::create(path, migrations, side_files)?),
            DatabaseUrl::Postgres(address) => Engine::Postgres(begin(address, &url.place(), migrations)?),
        };
        let mut tables = Vec::new();
        for name in KEPT {
            let table = match &mut engine {
                Engine::Sqlite(file) => TableSchema::of_sqlite(file.connection()?, name)?,
                Engine::Postgres(session) => TableSchema::of_postgres(session, name)?,
            };
            tables.extend(table);
        }
        // Migrations insert a few rows, which the backup has too. Dependent tables come last in the list.
        for table in tables.iter().rev() {
            let delete = format!("DELETE FROM {}", quoted(&table.name));
            match &mut engine {
                Engine::Sqlite(file) => file.connection()?.batch(&delete)?,
                Engine::Postgres(session) => session.execute(&delete, &[]).map(drop)?,
            }
        }
        Ok(Self { engine, tables })
    }

    pub fn dialect(&self) -> Dialect {
        match self.engine {
            Engine::Sqlite(_) => Dialect::Sqlite,
            Engine::Postgres(_) => Dialect::Postgres,
        }
    }

    /// Inserts rows with these columns.
    pub fn insert(&mut self, table: &str, columns: &[String], rows: &[StoredRow]) -> Result<()> {
        let known = self.tables.iter().find(|known| known.name == table).ok_or_else(|| {
            Error::Engine(format!("the table {table} of the backup is not one of this version"))
        })?;
        let insert = Insert::new(known, columns)?;
        match &mut self.engine {
            Engine::Sqlite(file) => insert.run_sqlite(file.connection()?, rows),
            Engine::Postgres(session) => insert.run_postgres(session, rows),
        }
    }

    /// Completes the database, and applies the migrations that the backup did not have. `held_at` lets the work of all
    /// accounts wait.
    pub fn finish(self, held_at: Option<Timestamp>) -> Result<()> {
        let hold_all = "UPDATE accounts SET held_at = $1";
        match self.engine {
            Engine::Sqlite(mut file) => {
                file.migrate()?;
                if let Some(held_at) = held_at {
                    let connection = file.connection()?;
                    sqlite::execute(&connection.raw, &connection.names, hold_all, &[&held_at])?;
                }
                file.take_place()
            }
            Engine::Postgres(mut session) => {
                if let Some(held_at) = held_at {
                    // The rows must never be there without it, and an older backup has no such column yet.
                    session.batch("ALTER TABLE accounts ADD COLUMN IF NOT EXISTS held_at timestamptz")?;
                    session.execute(hold_all, &[&held_at])?;
                }
                session.batch("COMMIT")?;
                migrate::migrate_postgres(&mut session)?;
                session.lift_limits(LOCK_MILLIS_MAX)?;
                session.batch("ANALYZE")
            }
        }
    }
}

/// Creates the tables, and begins the transaction in which they are filled.
fn begin(address: &str, place: &str, migrations: &[i64]) -> Result<Session> {
    let mut session = Session::connect(address)?;
    let in_use = |what: &str| {
        Err(Error::InUse(format!(
            "the database {place} {what}: restore into an empty one, such as one that `createdb` has just made"
        )))
    };
    let found = migrate::applied_postgres(&mut session)?;
    let others = "SELECT count(*) FROM pg_tables WHERE schemaname = current_schema()
        AND tablename NOT IN ('migrations', 'migration_progress')";
    if !found.is_empty() {
        refuse_accounts(&mut session, in_use)?;
        // A restore that was interrupted leaves some of its migrations.
        if !found.iter().all(|version| migrations.contains(version)) {
            return in_use("has the tables of another version");
        }
    } else if session.query(others, &[], only::<i64>)? != [0] {
        return in_use("has tables of something else");
    }
    migrate::migrate_postgres_to(&mut session, migrations)?;
    session.lift_limits(LOCK_MILLIS_MAX)?;
    session.batch("BEGIN")?;
    // Nobody else creates an account, or restores, until this ends.
    session.batch("LOCK TABLE accounts IN SHARE ROW EXCLUSIVE MODE")?;
    refuse_accounts(&mut session, in_use)?;
    if session.query("SELECT to_regclass('server_beats') IS NOT NULL", &[], only::<bool>)? == [true] {
        let alive = format!(
            "SELECT count(*) FROM server_beats WHERE NOT is_dead AND beat_at > clock_timestamp() - interval '{} seconds'",
            SILENCE_MAX.as_secs()
        );
        if session.query(&alive, &[], only::<i64>)? != [0] {
            let message = format!("a server runs on {place}: stop it, and run this again ten seconds later");
            return Err(Error::InUse(message));
        }
    }
    Ok(session)
}

fn refuse_accounts(session: &mut Session, in_use: impl Fn(&str) -> Result<Session>) -> Result<()> {
    if session.query("SELECT count(*) FROM accounts", &[], only::<i64>)? == [0] {
        return Ok(());
    }
    in_use("has accounts, which a restore never overwrites").map(drop)
}
