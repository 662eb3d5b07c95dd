//! The outbox: the queue of messages to channels, and their order.
//!
//! A row is written in the transaction of its message. The sender claims rows, makes the calls and settles
//! them; nothing here makes calls.

mod held;
mod job;
mod many;
mod order;
mod queue;
mod sql;
mod strangers;

pub use held::give_up_held;
pub(crate) use job::{Job, LEASE, SendPayload, Subject};
pub(crate) use many::{any_outstanding, queue_many, withdraw};
pub(crate) use order::{
    ConversationKey, UNDER_WAY as CALL_OVER_AFTER, ended, expire, go_back, is_overdue, mend, pass_on_all,
    went_out,
};
pub(crate) use queue::{Priority, Waiting, queue, queue_receipt};
pub use strangers::is_minded;
pub(crate) use strangers::{hold_back, wrote};

use frontdesk_jobs::Queue;

use crate::connections::ConnectionId;
pub(crate) use crate::connections::SENDS as QUEUED;

/// The queue of the sender's jobs.
pub(crate) const QUEUE: Queue<ConnectionId, Job> = Queue::new(QUEUED);

/// Every statement of the outbox, by name.
pub fn statements() -> Vec<(&'static str, &'static str)> {
    sql::STATEMENTS.to_vec()
}
