//! The sender: hands messages to their channels.
//!
//! What is to be sent is a row. A row is claimed, which marks it as handed over before anything goes out, then the call
//! is made with no transaction open, then what came of it is settled. A call that the channel refused for a while, or
//! that never reached it, is queued again; a call whose outcome nobody knows is never repeated. It waits for the
//! channel's own report, and after ten minutes it has failed.
//!
//! In one conversation there is one call at a time, oldest first. One server at a time has charge of a connection, so that
//! its pace is kept whatever the number of servers. What people wait for goes before broadcasts.

mod accepted;
mod call;
mod claim;
mod file;
mod job;
mod pace;
mod settle;
#[cfg(test)]
mod tests;

pub use job::{AT_ONCE_MAX, start, start_mender};
pub use pace::per_second;

pub use crate::outbox::is_minded as is_paced_for_a_person;

/// Every statement of the sender, by name.
pub fn statements() -> Vec<(&'static str, &'static str)> {
    [&[claim::CLAIM.statement()], claim::STATEMENTS, settle::STATEMENTS, accepted::STATEMENTS].concat()
}

pub const POSTGRES_STATEMENTS: &[(&str, &str)] =
    &[claim::CLAIM.postgres_statement(), ("sender::DONE_MANY", accepted::DONE_MANY)];
