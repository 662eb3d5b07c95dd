//! The sender: hands messages to their channels.
//!
//! A message to send is a row. A claim marks it as handed over before anything is sent. Then the call is marked
//! as begun and made, with no transaction open, and its outcome is settled. A call that was refused temporarily,
//! or never reached the channel, is queued again. A call with an unknown outcome is never repeated: its row loses
//! its lease, waits for the channel's report, and fails after ten minutes.
//!
//! If a server dies, its rows are queued again where the call had certainly not begun. The others are calls with
//! an unknown outcome (`takeover`).
//!
//! A conversation has one call at a time, oldest first. One server at a time has the lease of a connection,
//! so that its pace holds with any number of servers. Messages that people wait for go before broadcasts.

mod accepted;
mod call;
mod claim;
mod file;
mod job;
mod opened;
mod outcome;
mod pace;
mod settle;
mod sql;
mod takeover;
#[cfg(test)]
mod tests;
mod upload;

use frontdesk_platform::ServerContext;

use crate::media::Links;
use opened::OpenedConnections;

pub use job::{AT_ONCE_MAX, places, start, start_mender};
pub use pace::per_second;

pub use crate::outbox::is_minded as is_paced_for_a_person;

/// The sender of this process.
struct Sender {
    server: ServerContext,
    links: Links,
    opened: OpenedConnections,
}

/// Every statement of the sender, by name.
pub fn statements() -> Vec<(&'static str, &'static str)> {
    let claim: &[_] = &[sql::CLAIM.statement()];
    [claim, sql::STATEMENTS].concat()
}

/// The messages that wait.
pub(crate) use sql::BACKLOG;

pub const POSTGRES_STATEMENTS: &[(&str, &str)] = &[sql::CLAIM.postgres_statement()];
