//! The conversation and its inputs.

use std::time::Duration;

use frontdesk_crm::contacts::ContactId;
use frontdesk_db as db;
use frontdesk_kernel::ids::{AssistantId, UserId};
use frontdesk_kernel::{Patch, Timestamp};
use frontdesk_platform::Error as PlatformError;
use frontdesk_web::{
    Components, FieldPath, Given, Input, Problems, choice, filters, input, resource, tagged,
};
use serde_json::Value;

use crate::connections::{Channel, ConnectionId};
pub use crate::ids::ConversationId;

/// How long after the customer's last message free text may be sent.
const WINDOW: Duration = Duration::from_hours(24);

/// When the window that a message opened closes.
pub fn window_from(inbound: Timestamp) -> Timestamp {
    inbound + WINDOW
}

choice! {
    /// The status of a conversation. A message from the customer opens it again.
    pub enum ConversationStatus {
        Open => "open",
        Pending => "pending",
        Closed => "closed",
    }
}

choice! {
    /// Who handles the conversation.
    pub enum Handler {
        Human => "human",
        Assistant => "assistant",
    }
}

db::text_column!(ConversationStatus, Handler);

resource! {
    /// The messages of one contact on one connection.
    pub struct Conversation {
        pub id: ConversationId,
        pub contact_id: ContactId,
        pub channel: Channel,
        pub connection_id: ConnectionId,
        pub status: ConversationStatus,
        pub handler: Handler,
        pub assistant_id: Option<AssistantId>,
        /// The assigned member.
        pub assigned_user_id: Option<UserId>,
        /// Messages of the customer since it was last marked as read.
        pub unread_count: i64,
        pub last_message_at: Option<Timestamp>,
        pub last_message_text: Option<String>,
        /// When the window for free text closes; null if the channel has no window, or the customer has not
        /// written yet.
        pub window_expires_at: Option<Timestamp>,
        /// When a snoozed conversation opens again; null unless it is snoozed.
        pub snoozed_until: Option<Timestamp>,
        pub created_at: Timestamp,
        pub updated_at: Timestamp,
    }
}

impl Conversation {
    /// Whether text and media may be sent now.
    pub fn takes_free_text(&self, now: Timestamp) -> bool {
        !self.channel.has_window() || self.window_expires_at.is_some_and(|end| end > now)
    }

    /// The same conversation with another status. A snooze ends unless the conversation stays pending.
    pub(super) fn with_status(mut self, status: ConversationStatus) -> Self {
        if status != ConversationStatus::Pending {
            self.snoozed_until = None;
        }
        self.status = status;
        self
    }
}

filters! {
    /// Which conversations to list.
    pub struct ConversationFilters {
        pub status: Option<ConversationStatus>,
        pub channel: Option<Channel>,
        pub assigned_user_id: Option<UserId>,
        pub contact_id: Option<ContactId>,
        pub handler: Option<Handler>,
        /// Only conversations with unread messages, or only those without.
        pub unread: Option<bool>,
        /// Only conversations with activity at or after this time.
        pub updated_since: Option<Timestamp>,
    }
}

input! {
    /// Changes of a conversation.
    pub struct ConversationPatch {
        pub status: Given<ConversationStatus>,
        /// A member of the account; null removes the assignment.
        pub assigned_user_id: Patch<UserId>,
    }
}

input! {
    /// Until when a conversation is left alone.
    pub struct Snooze {
        /// A moment in the future; null ends a snooze and opens the conversation.
        pub until: Until,
    }
}

/// A moment, or null. The field must be there: leaving it out is more likely a mistake than a wish to end a snooze.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Until(pub Option<Timestamp>);

impl Input for Until {
    fn schema(components: &mut Components) -> Value {
        <Option<Timestamp> as Input>::schema(components)
    }

    fn read(value: Option<&Value>, at: &mut FieldPath, problems: &mut Problems) -> Option<Self> {
        if value.is_none() {
            problems.at(at, "is required; null ends a snooze");
            return None;
        }
        <Option<Timestamp> as Input>::read(value, at, problems).map(Self)
    }
}

tagged! {
    /// Who handles the conversation from now on.
    pub enum Handover by "to" {
        "assistant" => Assistant(ToAssistant),
        "human" => Human(ToHuman),
    }
}

input! {
    /// An assistant takes over.
    pub struct ToAssistant {
        pub assistant_id: AssistantId,
    }
}

input! {
    /// A person takes over.
    pub struct ToHuman {
        /// The member to assign.
        pub user_id: Option<UserId>,
    }
}

pub(crate) const MISSING: PlatformError = PlatformError::Missing("conversation");
