//! The event types of conversations.

use frontdesk_platform::event_types;
use frontdesk_web::example::{self, Example};
use frontdesk_web::resource;

use super::conversation::{Conversation, ConversationStatus, Handler, window_from};
use crate::connections::Channel;

resource! {
    /// The `data` of events about a conversation.
    pub struct ConversationEventData<'e> {
        pub conversation: &'e Conversation,
    }
}

event_types! {
    pub CREATED: ConversationEventData<'static> = "conversation.created",
        "A conversation was created.",
        ConversationEventData { conversation: &Conversation::example() };
    pub UPDATED: ConversationEventData<'static> = "conversation.updated",
        "A conversation's status or assignment changed, or it was marked as read or unread, or snoozed.",
        ConversationEventData { conversation: &Conversation::example() };
    pub HANDED_OVER: ConversationEventData<'static> = "conversation.handed_over",
        "A conversation was handed over to an assistant or to a person.",
        ConversationEventData { conversation: &Conversation::example() };
}

impl Example for Conversation {
    fn example() -> Self {
        Self {
            id: example::id(),
            contact_id: example::id(),
            channel: Channel::Whatsapp,
            connection_id: example::id(),
            status: ConversationStatus::Open,
            handler: Handler::Human,
            assistant_id: None,
            assigned_user_id: None,
            unread_count: 1,
            last_message_at: Some(example::MOMENT),
            last_message_text: Some("Is it still available?".into()),
            window_expires_at: Some(window_from(example::MOMENT)),
            snoozed_until: None,
            created_at: example::MOMENT,
            updated_at: example::MOMENT,
        }
    }
}
