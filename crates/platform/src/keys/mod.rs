//! API keys: created, listed, revoked, regenerated and edited by the command line; found by their hash on
//! every request.
//!
//! Only the hash of a key is stored. Every transaction that changes a key, its account or its member also
//! raises the version that cached keys are checked against, so the change applies to the next request.

mod manage;
mod record;

pub use manage::{
    CreateKey, EditKey, Expiry, KeyError, KeyInfo, NewKey, create, edit, list, regenerate, revoke,
};
pub use record::{KeyRecord, find, version};

pub(crate) use record::{key_columns, key_tables, read_record};

/// The topic that wakes servers when a key, an account or a member has changed.
pub const CHANGED: frontdesk_db::Topic = "auth";

pub const STATEMENTS: &[(&str, &str)] = &[
    ("keys::FIND", record::FIND),
    ("keys::VERSION", record::VERSION),
    ("keys::RAISE_VERSION", record::RAISE_VERSION),
    ("keys::CREATE", manage::CREATE),
    ("keys::LIST", manage::LIST),
    ("keys::LOCATE", manage::LOCATE),
    ("keys::UPDATE", manage::UPDATE),
    ("keys::REGENERATE", manage::REGENERATE),
    ("keys::REVOKE", manage::REVOKE),
];

pub(crate) use record::raise_version;
