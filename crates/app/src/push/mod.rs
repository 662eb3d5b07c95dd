//! Notifications that a browser shows, also while no page of the dashboard is open (Web Push).
//!
//! A member's browser registers as a *device* of its session, and dies with it. The transaction of an event inserts a
//! notification for each device that wants it (`listener`), with ids and no words. The courier (`courier`) reads the words
//! when it sends: what has been read, answered or taken by somebody else meanwhile is not sent, nor is anything that is
//! older than ten minutes. It is encrypted for the browser (`encryption`) and signed by the installation (`vapid`).
//! No crash sends one twice.

mod api;
mod courier;
mod device;
mod encryption;
#[cfg(test)]
mod fuzzed;
mod listener;
mod notice;
mod queue;
mod sql;
mod vapid;

use std::time::Duration;

use frontdesk_db::{self as db, Tx};
use frontdesk_kernel::Timestamp;
use frontdesk_platform::sealing::SealedColumn;

pub(crate) use api::routes;
pub use courier::start;
pub use device::{DeviceId, PushDevice, PushKind};
pub use listener::Notifications;
pub use vapid::SETTING as KEY_SETTING;

/// Maximum devices of one member.
const DEVICES_MAX: i64 = 10;
/// A notification that is older than this is not sent any more. Push services get what is left of it as the time to live.
const FRESH_MAX: Duration = Duration::from_mins(10);
/// Devices without a session deleted in one transaction.
const FORGET_ROWS_MAX: i64 = 1_000;

/// The columns that hold sealed values.
pub(crate) const SEALED_COLUMNS: [SealedColumn; 1] = [device::TARGET];

pub(crate) fn statements() -> Vec<(&'static str, &'static str)> {
    [sql::STATEMENTS.to_vec(), sql::ROWS.statements()].concat()
}

/// The notifications that wait.
pub(crate) const BACKLOG: frontdesk_jobs::Backlog = sql::BACKLOG;

pub(crate) fn postgres_statements() -> Vec<(&'static str, &'static str)> {
    vec![sql::ROWS.postgres_statement()]
}

/// Deletes devices whose session has ended. True if there may be more.
pub fn forget(tx: &mut Tx<'_>, _now: Timestamp) -> db::Result<bool> {
    Ok(tx.execute(sql::FORGET_DEVICES, &[&FORGET_ROWS_MAX])?.rows() == FORGET_ROWS_MAX as u64)
}
