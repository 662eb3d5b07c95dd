//! The event types of messages.

use frontdesk_platform::event_types;
use frontdesk_web::example::{self, Example};
use frontdesk_web::resource;

use super::history::StatusError;
use super::message::{Direction, Message, MessageStatus, MessageType, SenderType};

resource! {
    /// The `data` of events about a message.
    pub struct MessageEventData<'e> {
        pub message: &'e Message,
    }
}

resource! {
    /// The `data` of an event about a message's status.
    pub struct MessageStatusEventData<'e> {
        pub message: &'e Message,
        pub previous: PreviousMessageStatus,
        /// Why it failed, if it did.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub error: Option<StatusError>,
    }
}

resource! {
    /// The message's previous status.
    pub struct PreviousMessageStatus {
        pub status: MessageStatus,
    }
}

event_types! {
    pub RECEIVED: MessageEventData<'static> = "message.received",
        "A customer sent a message.",
        MessageEventData {
            message: &Message {
                direction: Direction::Inbound,
                sender_type: SenderType::Customer,
                status: MessageStatus::Delivered,
                text: Some("Is it still available?".into()),
                ..Message::example()
            },
        };
    pub SENT: MessageEventData<'static> = "message.sent",
        "The channel has accepted a message.",
        MessageEventData { message: &Message::example() };
    pub STATUS_CHANGED: MessageStatusEventData<'static> = "message.status_changed",
        "A message was sent, delivered, read, or failed; `error` says why it failed.",
        MessageStatusEventData {
            message: &Message::example(),
            previous: PreviousMessageStatus { status: MessageStatus::Sending },
            error: None,
        };
}

impl Example for Message {
    fn example() -> Self {
        Self {
            id: example::id(),
            conversation_id: example::id(),
            direction: Direction::Outbound,
            sender_type: SenderType::Bot,
            r#type: MessageType::Text,
            text: Some("Yes, it is.".into()),
            media_url: None,
            template_name: None,
            status: MessageStatus::Sent,
            channel_message_id: Some("wamid.HBgL".into()),
            reply_to_message_id: None,
            created_at: example::MOMENT,
        }
    }
}
