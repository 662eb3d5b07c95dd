//! A claimed row of the queue.

use std::sync::{Arc, OnceLock};
use std::time::Duration;

use frontdesk_db::{Mark, MarkSlot};
use frontdesk_kernel::ids::AccountId;
use uuid::Uuid;

use super::queue::{SendPayload, Subject};
use crate::connections::{ConnectionId, StoredConnection};
use crate::ids::{ConversationId, MessageId};
use crate::message::Message;

/// How long a claimed message waits for its call at most. It is also how long a call with an unknown outcome waits for
/// the channel's report.
pub(crate) const LEASE: Duration = Duration::from_mins(10);

/// A claimed row.
pub(crate) struct Job {
    pub(crate) account: AccountId,
    pub(crate) connection_id: ConnectionId,
    pub(crate) message: MessageId,
    pub(crate) part: i64,
    pub(crate) conversation: ConversationId,
    /// The channel's id of the person.
    pub(crate) person: String,
    /// None if it cannot be parsed any more.
    pub(crate) payload: Option<SendPayload>,
    pub(crate) reply_to: Option<String>,
    pub(crate) tries: i64,
    pub(crate) lease: Uuid,
    /// The mark of its call, once that has begun.
    pub(crate) mark: OnceLock<MarkSlot>,
    pub(crate) connection: Arc<StoredConnection>,
    /// The message as this process wrote it a moment ago; none if the row was claimed, as every row is on PostgreSQL.
    pub(crate) written: Option<Message>,
    /// Whether the channel's id of the person was known to be a contact's when the message was written.
    pub(crate) is_person_known: bool,
}

impl Job {
    /// The mark that says that the call has begun.
    pub(crate) fn begun(&self) -> Mark {
        Mark { lease: self.lease, row: self.message.uuid(), part: self.part }
    }

    pub(super) fn subject(&self) -> Subject {
        Subject { message: self.message, conversation: self.conversation }
    }
}
