//! Mails of the server to members: the queue, its limits, and what members want.
//!
//! A mail is a row, written in the transaction of its cause. A cause is mailed once in a period, which is a day for most
//! kinds. What a mail says is read when it is sent, by the crate of the dashboard. Whether mail is set up at all is a
//! setting, stored by the servers that send, so that every server and every command knows.

pub mod choices;
mod kind;
mod queue;
pub mod requests;
mod sql;

use frontdesk_db::{self as db, ReadTx, Tx};

pub use choices::MailChoices;
pub use kind::{MailKind, MailLanguage};
pub use queue::{
    KIND_PER_DAY_MAX, MailId, MailRow, NewMail, Queued, forget, queue, queue_for_managers, queue_link, waits,
    withdraw,
};
pub use sql::STATEMENTS;

use crate::export::Exported;
use crate::settings;

/// The topic that wakes the courier.
pub const QUEUED: db::Topic = "mails";
/// The setting that is there while the servers send mails.
const SET_UP: &str = "mail";

pub(crate) const EXPORTED: &[&dyn Exported] = choices::EXPORTED;

/// Whether the servers send mails.
pub fn is_set_up(tx: &mut ReadTx<'_>) -> db::Result<bool> {
    Ok(settings::get(tx, SET_UP)?.is_some())
}

/// Stores whether the servers send mails.
pub fn set_up(tx: &mut Tx<'_>, sends: bool) -> db::Result<()> {
    if is_set_up(tx)? == sends {
        return Ok(());
    }
    if sends { settings::put(tx, SET_UP, "on") } else { settings::remove(tx, SET_UP) }
}
