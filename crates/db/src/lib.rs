//! The store: one small layer over SQLite and PostgreSQL.
//!
//! A transaction is a plain synchronous closure, [`Store::read`] or [`Store::write`], so nothing inside one
//! can wait for the network. A write is acknowledged only once it is durable. A closure may run again if the
//! engine requires it, so closures are `Fn` and have no side effects except on the transaction.
//!
//! One SQL text serves both engines, with `$1` placeholders; the few differences go through [`Dialect`].

#![cfg_attr(
    test,
    expect(clippy::disallowed_methods, reason = "tests measure time and need names of their own")
)]

pub mod copies;
mod dialect;
mod error;
pub mod heartbeat;
mod incarnation;
pub mod lease;
mod mailbox;
mod marks;
mod migrate;
mod other_database;
mod position;
mod postgres;
mod query;
mod read_tx;
mod reader_cache;
mod row;
mod scans;
mod slow;
mod sqlite;
mod statements;
mod store;
pub mod tables;
#[cfg(test)]
mod tests;
mod tx;
mod url;
mod value;
mod wake;
mod watch;

pub use dialect::{Dialect, EngineSql};
pub use error::{Error, Result};
pub use incarnation::{Incarnation, LeaseRange, new_lease};
pub use mailbox::{Mailbox, Place};
pub use marks::{BegunCalls, Mark, MarkSlot};
pub use migrate::pending_migrations;
pub use other_database::OtherDatabase;
pub use query::{OwnedParam, Query};
pub use read_tx::ReadTx;
pub use row::{Cell, Column, Row, only};
pub use slow::SlowStatements;
pub use sqlite::{SideFile, real_path};
pub use store::{Options, QueueLength, ReplicaReport, Store, look_at_replica};
pub use tx::{FOR_UPDATE, Touched, Tx};
pub use url::{DatabaseUrl, InvalidUrl};
pub use value::{Json, List, Param, Value};
pub use wake::{Topic, Wakes};

/// The store's own statements that run only on SQLite.
pub const SQLITE_STATEMENTS: &[(&str, &str)] = tables::SQLITE_STATEMENTS;

/// The store's own statements that run only on PostgreSQL.
pub const POSTGRES_STATEMENTS: &[(&str, &str)] = &[
    ("tables::ESTIMATES", tables::sizes::ESTIMATES),
    ("scans::CANCEL", scans::CANCEL),
    ("scans::BACKEND", scans::BACKEND),
    ("read_tx::SET_TIMEOUT", read_tx::SET_TIMEOUT),
    ("tx::TRY_LOCK", tx::TRY_LOCK),
    ("tx::LOCK", tx::LOCK),
    ("tx::LOCK_ALL", tx::LOCK_ALL),
    ("read_tx::BY_INDEX", read_tx::BY_INDEX),
    ("tx::PLAN_ANEW", tx::PLAN_ANEW),
    ("copies::SERVERS", copies::SERVERS),
    ("account_rows::COLUMNS_POSTGRES", tables::COLUMNS_POSTGRES),
    ("store::DATABASE_TIME", store::DATABASE_TIME),
    ("heartbeat::BEAT", heartbeat::BEAT),
    ("heartbeat::DECLARE_DEAD", heartbeat::DECLARE_DEAD),
    ("heartbeat::FORGET_MARKS", heartbeat::FORGET_MARKS),
    ("position::FIND", position::FIND),
    ("position::EPOCH", position::EPOCH),
    ("position::RECORD", position::RECORD),
    ("position::BEGIN_EPOCH", position::BEGIN_EPOCH),
    ("position::BEGIN_POSITIONS", position::BEGIN_POSITIONS),
    ("position::REPLAYED", position::REPLAYED),
    ("marks::MAKE", marks::MAKE),
    ("marks::MADE", marks::MADE),
    ("marks::IS_COMPLETE", marks::IS_COMPLETE),
];

/// Stores a type as text, by its `as_str` and `FromStr`.
#[macro_export]
macro_rules! text_column {
    ($($type:ty),+ $(,)?) => {$(
        impl $crate::Param for $type {
            fn value(&self) -> $crate::Value<'_> {
                $crate::Value::Text(self.as_str())
            }
        }

        impl $crate::Column for $type {
            fn read(cell: $crate::Cell<'_>) -> $crate::Result<Self> {
                cell.text()?.parse().map_err(|_| $crate::Error::Decode(stringify!($type)))
            }
        }
    )+};
}
