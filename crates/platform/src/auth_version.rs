//! The version of keys, accounts and members.
//!
//! Every transaction that changes one of them raises the version. Cached keys are checked against it, so the change
//! applies to the next request.

use frontdesk_db::{self as db, ReadTx, Tx, only};

frontdesk_db::statements! {
    VERSION = "SELECT version FROM auth_state WHERE one = 1";
    RAISE_VERSION = "UPDATE auth_state SET version = version + 1 WHERE one = 1";
}

/// The topic that wakes servers when a key, an account or a member has changed.
pub(crate) const CHANGED: db::Topic = "auth";

/// The number that rises with every change of a key, an account or a member.
pub(crate) fn version(tx: &mut ReadTx<'_>) -> db::Result<i64> {
    Ok(tx.find(VERSION, &[], only)?.unwrap_or(0))
}

/// Must be part of every transaction that changes a key, an account or a member.
pub(crate) fn raise_version(tx: &mut Tx<'_>) -> db::Result<()> {
    tx.execute(RAISE_VERSION, &[])?.exactly(1)?;
    tx.notify(CHANGED)
}
