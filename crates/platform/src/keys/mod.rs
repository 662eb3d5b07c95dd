//! API keys: created, listed, revoked, regenerated and edited by the command line; found by their hash on
//! every request.
//!
//! Only the hash of a key is stored. Every transaction that changes a key, its account or its member also raises the
//! version that cached keys are checked against (`auth_version.rs`).

mod manage;
mod record;
mod sql;
mod uses;

pub use manage::{
    CreateKey, EditKey, Expiry, KeyError, KeyInfo, NewKey, create, edit, list, regenerate, revoke,
};
pub use record::{KeyRecord, find, find_by_id};

pub(crate) use record::read_record;
pub use sql::STATEMENTS;

/// Keys without their hashes.
pub(crate) const EXPORTED: &[&dyn crate::export::Exported] = &[&manage::EXPORTED];
pub(crate) use sql::{key_columns, key_tables};
pub use uses::KeyUses;
