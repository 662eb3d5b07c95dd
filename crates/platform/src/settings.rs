//! Settings that an installation stores about itself.

use frontdesk_db::{self as db, ReadTx, Tx, only};

frontdesk_db::statements! {
    GET = "SELECT value FROM settings WHERE name = $1";
    PUT = "INSERT INTO settings (name, value) VALUES ($1, $2) ON CONFLICT (name) DO UPDATE SET value = excluded.value";
    PUT_FIRST = "INSERT INTO settings (name, value) VALUES ($1, $2) ON CONFLICT (name) DO NOTHING";
    REMOVE = "DELETE FROM settings WHERE name = $1";
}

pub fn get(tx: &mut ReadTx<'_>, name: &str) -> db::Result<Option<String>> {
    tx.find(GET, &[&name], only)
}

pub fn put(tx: &mut Tx<'_>, name: &str, value: &str) -> db::Result<()> {
    tx.execute(PUT, &[&name, &value])?.exactly(1)
}

/// Removes a value, if there is one.
pub fn remove(tx: &mut Tx<'_>, name: &str) -> db::Result<()> {
    tx.execute(REMOVE, &[&name]).map(|_| ())
}

/// Writes the value unless there is one, and returns the stored one.
pub fn put_first(tx: &mut Tx<'_>, name: &str, value: &str) -> db::Result<String> {
    if tx.execute(PUT_FIRST, &[&name, &value])?.any() {
        return Ok(value.to_owned());
    }
    get(tx, name)?.ok_or(db::Error::Decode("setting"))
}
