//! Contacts written directly into SQLite.

use std::fs;
use std::path::{Path, PathBuf};

use frontdesk_kernel::text::sort_key;
use rusqlite::config::DbConfig;
use rusqlite::functions::{Context, FunctionFlags};
use rusqlite::{Connection, params};

use super::seed::{Seed, seeds};
use super::{Site, settle};
use crate::error::Result;
use crate::statements;

pub(super) const TRANSACTION_ROWS: usize = 10_000;

/// A connection with the product's own settings.
pub(crate) fn open(file: &Path) -> Result<Connection> {
    let connection = Connection::open(file)?;
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true)?;
    connection.execute_batch(
        "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON;
         PRAGMA temp_store = MEMORY; PRAGMA cache_size = -8192; PRAGMA journal_size_limit = 67108864;",
    )?;
    let hex = |call: &Context<'_>| Ok(format!("{:x}", call.get::<i64>(0)?));
    connection.create_scalar_function("to_hex", 1, FunctionFlags::SQLITE_DETERMINISTIC, hex)?;
    Ok(connection)
}

/// A connection to the database and to its full-text index, if that exists. Its transactions lock both files.
pub(super) fn connect(file: &Path) -> Result<Connection> {
    let connection = open(file)?;
    let index = index_of(file);
    if index.exists() {
        connection.execute("ATTACH DATABASE ?1 AS search", [index.to_string_lossy()])?;
    }
    Ok(connection)
}

/// A connection to the full-text index alone. The index's file has its own writer.
pub(crate) fn open_index(file: &Path) -> Result<Connection> {
    open(&index_of(file))
}

/// The file of a database's full-text index.
fn index_of(file: &Path) -> PathBuf {
    file.with_added_extension("search")
}

pub(super) fn fill(site: &mut Site) -> Result<()> {
    let file = site.database.file()?.to_owned();
    let mut connection = connect(&file)?;
    hurry(&connection)?;
    for account in &mut site.accounts {
        let num = "SELECT num FROM accounts WHERE id = ?1";
        account.num = connection.query_one(num, [account.id.uuid().as_bytes()], |row| row.get(0))?;
    }
    let mut rows = seeds(site).peekable();
    while rows.peek().is_some() {
        let transaction = connection.transaction()?;
        write(&transaction, rows.by_ref().take(TRANSACTION_ROWS))?;
        transaction.commit()?;
    }
    close(connection, &file)
}

/// Speeds up filling a database, at the cost of durability. If anything fails, the database is thrown away.
pub(super) fn hurry(connection: &Connection) -> Result<()> {
    Ok(connection.execute_batch("PRAGMA synchronous = OFF; PRAGMA cache_size = -262144;")?)
}

/// Closes the database and leaves no work for whoever opens it next.
pub(super) fn close(connection: Connection, file: &Path) -> Result<()> {
    connection.execute_batch("PRAGMA wal_checkpoint(TRUNCATE)")?;
    connection.close().map_err(|(_, error)| error)?;
    settle(file)
}

/// Whether the server has written every contact into its index.
pub(super) fn is_indexed(file: &Path) -> Result<bool> {
    let left = "SELECT EXISTS (SELECT 1 FROM contacts WHERE seq > (SELECT through FROM contact_index))";
    let left: bool = connect(file)?.query_one(left, [], |row| row.get(0))?;
    Ok(!left)
}

fn write<'s>(connection: &Connection, rows: impl Iterator<Item = Seed<'s>>) -> Result<()> {
    let mut contact = connection.prepare_cached(statements::insert_contact())?;
    let mut tag = connection.prepare_cached(statements::add_tag())?;
    let mut value = connection.prepare_cached(statements::set_value())?;
    for seed in rows {
        let labels = seed.labels();
        let Seed { account, id, person, tags, values } = seed;
        let (account_id, contact_id) = (account.id.uuid(), id.uuid());
        let (account_id, contact_id) = (account_id.as_bytes(), contact_id.as_bytes());
        contact.execute(params![
            account_id,
            contact_id,
            id.sequence(),
            person.name,
            person.phone.as_str(),
            person.phone.key(),
            person.email.as_str(),
            person.email.key(),
            person.company,
            None::<String>,
            None::<String>,
            id.created_at().millis(),
            labels,
            sort_key(&person.name),
            sort_key(&person.company),
        ])?;
        for carried in tags {
            tag.execute(params![account_id, contact_id, carried.uuid().as_bytes()])?;
        }
        for (field, text) in values {
            value.execute(params![account_id, contact_id, field.uuid().as_bytes(), text])?;
        }
    }
    Ok(())
}

/// Copies a database and its index. The database must not be open.
pub(super) fn copy(from: &Path, to: &Path) -> Result<()> {
    for (from, to) in [(from.to_owned(), to.to_owned()), (index_of(from), index_of(to))] {
        let connection = Connection::open(&from)?;
        connection.execute_batch("PRAGMA wal_checkpoint(TRUNCATE)")?;
        connection.close().map_err(|(_, error)| error)?;
        fs::copy(from, &to)?;
        settle(&to)?;
    }
    Ok(())
}
