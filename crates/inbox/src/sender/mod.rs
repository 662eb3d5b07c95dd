//! The sender: hands messages to their channels.
//!
//! What is to be sent is a row. A row is claimed, which marks it as handed over before anything goes out, then the call
//! is made with no transaction open, then what came of it is settled. A call that the channel refused for a while, or
//! that never reached it, is queued again; a call whose outcome nobody knows is never repeated. It waits for the
//! channel's own report, and after ten minutes it has failed.
//!
//! In one conversation there is one call at a time, oldest first. Of one connection one server at a time has charge, so
//! that its pace is kept whatever the number of servers; what people wait for goes before broadcasts.

pub(crate) mod call;
mod claim;
mod desk;
mod file;
mod hand;
mod pace;
mod queue;
mod settle;
mod strangers;

pub use call::{Heard, make as ask};
pub use desk::Sender;
pub(crate) use queue::{Load, Priority, queue, queue_receipt};
pub use settle::sweep;
pub(crate) use strangers::wrote;

/// The topic that wakes the sender.
pub(crate) const QUEUED: frontdesk_db::Topic = "sends";

/// Every statement of the sender, by name.
pub fn statements() -> Vec<(&'static str, &'static str)> {
    [claim::STATEMENTS, queue::STATEMENTS, settle::STATEMENTS, strangers::STATEMENTS].concat()
}

pub const POSTGRES_STATEMENTS: &[(&str, &str)] = &[("sender::CLAIM_POSTGRES", claim::CLAIM_POSTGRES)];
