//! The sender: hands messages to their channels.
//!
//! A message to send is a row. A claim marks it as handed over before anything is sent. Then the call is made
//! with no transaction open, and its outcome is settled. A call that was refused temporarily, or never
//! reached the channel, is queued again. A call with an unknown outcome is never repeated: it waits for the
//! channel's report, and fails after ten minutes.
//!
//! A conversation has one call at a time, oldest first. One server at a time has the lease of a connection,
//! so that its pace holds with any number of servers. Messages that people wait for go before broadcasts.

mod accepted;
mod call;
mod claim;
mod file;
mod job;
mod opened;
mod pace;
mod settle;
#[cfg(test)]
mod tests;
mod upload;

pub use job::{AT_ONCE_MAX, places, start, start_mender};
pub use pace::per_second;

pub use crate::outbox::is_minded as is_paced_for_a_person;

/// Every statement of the sender, by name.
pub fn statements() -> Vec<(&'static str, &'static str)> {
    [&[claim::CLAIM.statement()], claim::STATEMENTS, settle::STATEMENTS, accepted::STATEMENTS].concat()
}

pub const POSTGRES_STATEMENTS: &[(&str, &str)] =
    &[claim::CLAIM.postgres_statement(), ("sender::DONE_MANY", accepted::DONE_MANY)];
