//! The message as the API shows it. It knows nothing of the rest of the inbox, so every part of that may hold one.

use frontdesk_db as db;
use frontdesk_kernel::Timestamp;
use frontdesk_platform::Actor;
use frontdesk_web::{choice, resource};

use crate::ids::{ConversationId, MessageId};

choice! {
    /// The direction of a message; `inbound` is from the customer.
    pub enum Direction {
        Inbound => "inbound",
        Outbound => "outbound",
    }
}

choice! {
    /// The sender of a message: `bot` is an assistant or an API key, `agent` a member in the inbox.
    pub enum SenderType {
        Customer => "customer",
        Agent => "agent",
        Bot => "bot",
    }
}

impl SenderType {
    /// The sender type of an actor's messages.
    pub fn of(actor: Actor) -> Self {
        match actor {
            Actor::Member(_) => Self::Agent,
            Actor::Key(_) | Actor::Assistant(_) | Actor::System => Self::Bot,
        }
    }
}

choice! {
    /// The kind of content.
    pub enum MessageType {
        Text => "text",
        Image => "image",
        Document => "document",
        Audio => "audio",
        Video => "video",
        Location => "location",
        Template => "template",
        Interactive => "interactive",
    }
}

choice! {
    /// The status of a message.
    pub enum MessageStatus {
        Sending => "sending",
        Sent => "sent",
        Delivered => "delivered",
        Read => "read",
        Failed => "failed",
    }
}

db::text_column!(Direction, SenderType, MessageType, MessageStatus);

resource! {
    /// A message of a conversation.
    pub struct Message {
        pub id: MessageId,
        pub conversation_id: ConversationId,
        pub direction: Direction,
        pub sender_type: SenderType,
        pub r#type: MessageType,
        /// Body text, or the caption of a media message.
        pub text: Option<String>,
        /// URL of the attached image, video, document or audio. One that a customer sent is a link that expires; get the message again for a new one.
        pub media_url: Option<String>,
        /// The name of the template that was sent.
        pub template_name: Option<String>,
        pub status: MessageStatus,
        /// The channel's own id.
        pub channel_message_id: Option<String>,
        /// The message that this one quotes, if it does.
        pub reply_to_message_id: Option<MessageId>,
        pub created_at: Timestamp,
    }
}
