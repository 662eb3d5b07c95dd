//! The catalogue of events: what each type means and what it carries.

use serde_json::{Value, json};

macro_rules! events {
    ($($variant:ident $name:literal $description:literal [$($noun:ident),*];)+) => {
        /// A kind of event.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum EventType { $($variant),+ }

        /// Every kind, in the order of the catalogue.
        pub const TYPES: &[EventType] = &[$(EventType::$variant),+];

        impl EventType {
            pub const fn name(self) -> &'static str {
                match self { $(Self::$variant => $name),+ }
            }

            pub const fn description(self) -> &'static str {
                match self { $(Self::$variant => $description),+ }
            }

            /// An example of the event's `data`.
            pub fn example(self) -> Value {
                match self {
                    $(Self::$variant => {
                        let mut data = serde_json::Map::new();
                        $(data.insert(stringify!($noun).to_owned(), examples::$noun());)*
                        Value::Object(data)
                    })+
                }
            }
        }
    };
}

events! {
    ContactCreated "contact.created" "A contact was created." [contact];
    ContactUpdated "contact.updated" "A contact, its tags or its custom fields changed." [contact];
    ContactOptedOut "contact.opted_out" "A contact asked to get no broadcasts." [contact];
    ContactOptedIn "contact.opted_in" "A contact may get broadcasts again." [contact];
    NoteCreated "note.created" "A note was written." [note];
    ConversationCreated "conversation.created" "A conversation began." [conversation];
    ConversationUpdated "conversation.updated" "A conversation's status, assignment or unread count changed." [conversation];
    ConversationHandedOver "conversation.handed_over" "A conversation was given to an assistant or to a person." [conversation];
    MessageReceived "message.received" "A customer wrote." [message];
    MessageSent "message.sent" "A message was taken by its channel." [message];
    MessageStatusChanged "message.status_changed" "A message was sent, delivered, read, or failed; `error` says why it failed." [message, previous];
    WebhookTest "webhook.test" "Sent to one endpoint when its owner asks for a test." [webhook];
}

/// One example of each noun that events carry.
mod examples {
    use super::{Value, json};

    const ID: &str = "01890a5d-ac96-774b-bcce-b302099a8057";
    const MOMENT: &str = "2026-01-31T09:30:00.000Z";

    pub(super) fn contact() -> Value {
        json!({
            "id": ID, "name": "Ann Lee", "phone": "+14155550123", "email": "ann@example.com", "company": "Acme",
            "avatar_url": null,
            "tags": [{ "id": ID, "name": "vip", "color": "#2563eb" }],
            "custom_fields": [{ "field_id": ID, "name": "Plan", "value": "gold" }],
            "created_at": MOMENT, "updated_at": MOMENT,
        })
    }

    pub(super) fn conversation() -> Value {
        json!({
            "id": ID, "contact_id": ID, "channel": "whatsapp", "connection_id": ID, "status": "open", "handler": "human",
            "assistant_id": null, "assigned_user_id": null, "unread_count": 1, "last_message_at": MOMENT,
            "last_message_text": "Is it still available?", "window_expires_at": "2026-02-01T09:30:00.000Z",
            "created_at": MOMENT, "updated_at": MOMENT,
        })
    }

    pub(super) fn message() -> Value {
        json!({
            "id": ID, "conversation_id": ID, "direction": "outbound", "sender_type": "bot", "type": "text", "text": "Yes, it is.",
            "media_url": null, "template_name": null, "status": "sent", "channel_message_id": "wamid.HBgL",
            "reply_to_message_id": null, "created_at": MOMENT,
        })
    }

    pub(super) fn previous() -> Value {
        json!({ "status": "sending" })
    }

    pub(super) fn webhook() -> Value {
        json!({
            "id": ID, "url": "https://example.com/hook", "description": null, "event_types": ["contact.*"],
            "enabled": true, "disabled_reason": null, "created_at": MOMENT, "updated_at": MOMENT,
        })
    }

    pub(super) fn note() -> Value {
        json!({
            "id": ID, "contact_id": ID, "body": "Prefers mornings.", "author_user_id": ID,
            "created_at": MOMENT, "updated_at": MOMENT,
        })
    }
}
