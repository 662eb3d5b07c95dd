//! The outbox: rows of what is to be handed to a channel, and when each may go.
//!
//! A row is written in the transaction of the message that it is for. The sender claims rows, makes
//! the calls and settles them; nothing here calls anybody.

mod queue;
mod strangers;

pub(crate) use queue::{Load, Priority, Subject, queue, queue_receipt};
pub(crate) use strangers::{Claim, hold_back, wrote};

pub(crate) use crate::connections::SENDS as QUEUED;

/// Every statement of the outbox, by name.
pub fn statements() -> Vec<(&'static str, &'static str)> {
    [queue::STATEMENTS, strangers::STATEMENTS].concat()
}
