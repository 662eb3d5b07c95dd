//! A row that is claimed: what the sender hands over.

use std::sync::Arc;
use std::time::Duration;

use frontdesk_kernel::ids::AccountId;
use uuid::Uuid;

use super::queue::{SendPayload, Subject};
use crate::connections::{ConnectionId, StoredConnection};
use crate::ids::{ConversationId, MessageId};

/// How long a claim holds. It is also how long we wait for a channel's report of a call whose outcome nobody knows.
pub(crate) const LEASE: Duration = Duration::from_mins(10);

/// A claimed row.
pub(crate) struct Job {
    pub(crate) account: AccountId,
    pub(crate) connection_id: ConnectionId,
    pub(crate) message: MessageId,
    pub(crate) part: i64,
    pub(crate) conversation: ConversationId,
    /// What the channel knows the person by.
    pub(crate) person: String,
    /// None when it cannot be read any more.
    pub(crate) payload: Option<SendPayload>,
    pub(crate) reply_to: Option<String>,
    pub(crate) tries: i64,
    pub(crate) lease: Uuid,
    pub(crate) connection: Arc<StoredConnection>,
}

impl Job {
    pub(super) fn subject(&self) -> Subject {
        Subject { message: self.message, conversation: self.conversation }
    }
}
