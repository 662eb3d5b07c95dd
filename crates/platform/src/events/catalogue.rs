//! The catalogue of events: what each type means and what it carries.

use std::str::FromStr;

use frontdesk_web::{Components, Describe, Param};
use serde_json::{Value, json};

/// The example of a noun, or another one of it where the event is about something particular.
macro_rules! example {
    ($noun:ident) => {
        examples::$noun()
    };
    ($noun:ident $example:ident) => {
        examples::$example()
    };
}

macro_rules! events {
    ($($variant:ident $name:literal $description:literal [$($noun:ident $(= $example:ident)?),*];)+) => {
        /// A kind of event.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum EventType { $($variant),+ }

        /// Every kind, in the order of the catalogue.
        pub const TYPES: &[EventType] = &[$(EventType::$variant),+];
        const NAMES: &[&str] = &[$($name),+];

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
                        $(data.insert(stringify!($noun).to_owned(), example!($noun $($example)?));)*
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
    ContactDeleted "contact.deleted" "A contact was erased for good; only its id and times are told." [contact = erased_contact];
    ContactMerged "contact.merged" "Another contact was merged into this one; `previous` has the id of the other, which is gone." [contact, previous = previous_contact];
    ContactOptedOut "contact.opted_out" "A contact asked to get no broadcasts." [contact];
    ContactOptedIn "contact.opted_in" "A contact may get broadcasts again." [contact];
    ChannelConnected "channel.connected" "A channel was connected, for the first time or again." [channel];
    ChannelDisconnected "channel.disconnected" "A channel was disconnected: nothing is sent over it until it is connected again; `reason` says why." [channel = disconnected_channel, reason];
    NoteCreated "note.created" "A note was written." [note];
    ConversationCreated "conversation.created" "A conversation began." [conversation];
    ConversationUpdated "conversation.updated" "A conversation's status or assignment changed, or it was marked as read." [conversation];
    ConversationHandedOver "conversation.handed_over" "A conversation was given to an assistant or to a person." [conversation];
    MessageReceived "message.received" "A customer wrote." [message];
    MessageSent "message.sent" "A message was taken by its channel." [message];
    MessageStatusChanged "message.status_changed" "A message was sent, delivered, read, or failed; `error` says why it failed." [message, previous];
    DealCreated "deal.created" "A deal was created." [deal];
    DealUpdated "deal.updated" "A deal's title, value, contact, owner or expected date changed." [deal];
    DealStageChanged "deal.stage_changed" "A deal moved to another stage; `previous` has the one it left." [deal, previous = previous_stage];
    DealClosed "deal.closed" "A deal was won or lost." [deal = closed_deal, previous = previous_open];
    DealReopened "deal.reopened" "A closed deal is open again." [deal, previous = previous_won];
    DealDeleted "deal.deleted" "A deal was deleted; this is what it was." [deal];
    InquiryCreated "inquiry.created" "Somebody wrote through a website's form or the API." [inquiry];
    InquiryStatusChanged "inquiry.status_changed" "An inquiry's status changed." [inquiry = begun_inquiry, previous = previous_new];
    BookingCreated "booking.created" "A calendar tells of a booking." [booking];
    BookingCompleted "booking.completed" "A booking's end has passed." [booking = completed_booking];
    BookingCancelled "booking.cancelled" "A booking was cancelled." [booking = cancelled_booking];
    WebhookTest "webhook.test" "Sent to one endpoint when its owner asks for a test." [webhook];
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("must be an event type such as contact.created; GET /event-types lists them")]
pub struct NotAnEventType;

impl FromStr for EventType {
    type Err = NotAnEventType;

    fn from_str(name: &str) -> Result<Self, NotAnEventType> {
        TYPES.iter().copied().find(|event| event.name() == name).ok_or(NotAnEventType)
    }
}

impl Describe for EventType {
    fn schema(components: &mut Components) -> Value {
        components.named::<Self>("EventType", |_| {
            json!({ "type": "string", "enum": NAMES, "description": "A kind of event. `GET /event-types` describes them." })
        })
    }
}

impl Param for EventType {
    fn parse(text: &str) -> Result<Self, String> {
        text.parse().map_err(|wrong: NotAnEventType| wrong.to_string())
    }

    fn schema(components: &mut Components) -> Value {
        <Self as Describe>::schema(components)
    }
}

/// One example of each noun that events carry.
mod examples {
    use super::{Value, json};

    const ID: &str = "01890a5d-ac96-774b-bcce-b302099a8057";
    const MOMENT: &str = "2026-01-31T09:30:00.000Z";
    const DISCONNECTED: &str = "The access token has expired (code 190)";

    pub(super) fn contact() -> Value {
        json!({
            "id": ID, "name": "Ann Lee", "phone": "+14155550123", "email": "ann@example.com", "company": "Acme",
            "avatar_url": null,
            "tags": [{ "id": ID, "name": "vip", "color": "#2563eb" }],
            "custom_fields": [{ "field_id": ID, "name": "Plan", "value": "gold" }],
            "created_at": MOMENT, "updated_at": MOMENT,
        })
    }

    pub(super) fn channel() -> Value {
        json!({
            "id": ID, "channel": "whatsapp", "name": "whatsapp +14155550100", "address": "+14155550100",
            "status": "connected", "disconnected_reason": null, "created_at": MOMENT,
        })
    }

    pub(super) fn disconnected_channel() -> Value {
        with(channel(), &[("status", "disconnected"), ("disconnected_reason", DISCONNECTED)])
    }

    pub(super) fn reason() -> Value {
        json!(DISCONNECTED)
    }

    pub(super) fn erased_contact() -> Value {
        json!({
            "id": ID, "name": null, "phone": null, "email": null, "company": null, "avatar_url": null,
            "tags": [], "custom_fields": [], "created_at": MOMENT, "updated_at": MOMENT,
        })
    }

    pub(super) fn previous_contact() -> Value {
        json!({ "contact_id": "01890a5d-ac96-774b-bcce-b302099a8058" })
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

    pub(super) fn deal() -> Value {
        json!({
            "id": ID, "title": "Forty chairs", "value": 19_999.9, "currency": "USD", "pipeline_id": ID, "stage_id": ID,
            "contact_id": ID, "owner_user_id": ID, "status": "open", "lost_reason": null,
            "expected_close_date": "2026-02-28", "closed_at": null, "created_at": MOMENT, "updated_at": MOMENT,
        })
    }

    pub(super) fn closed_deal() -> Value {
        with(deal(), &[("status", "won"), ("closed_at", MOMENT)])
    }

    pub(super) fn previous_stage() -> Value {
        json!({ "stage_id": "01890a5d-ac96-774b-bcce-b302099a8058" })
    }

    pub(super) fn previous_open() -> Value {
        json!({ "status": "open" })
    }

    pub(super) fn previous_won() -> Value {
        json!({ "status": "won" })
    }

    pub(super) fn inquiry() -> Value {
        json!({
            "id": ID, "form": "Contact us", "name": "Ann Lee", "email": "ann@example.com", "phone": "+14155550123",
            "message": "Do you ship to Norway?", "fields": { "company": "Acme" },
            "source_url": "https://example.com/contact", "contact_id": ID, "status": "new",
            "created_at": MOMENT, "updated_at": MOMENT,
        })
    }

    pub(super) fn begun_inquiry() -> Value {
        with(inquiry(), &[("status", "in_progress")])
    }

    pub(super) fn previous_new() -> Value {
        json!({ "status": "new" })
    }

    pub(super) fn booking() -> Value {
        json!({
            "id": ID, "uid": "bFJeNb2uX8ANpT3JL5EfXw", "contact_id": ID, "title": "Consultation",
            "start_at": "2026-02-02T10:00:00.000Z", "end_at": "2026-02-02T10:30:00.000Z", "status": "scheduled",
            "created_at": MOMENT, "updated_at": MOMENT,
        })
    }

    pub(super) fn completed_booking() -> Value {
        with(booking(), &[("status", "completed")])
    }

    pub(super) fn cancelled_booking() -> Value {
        with(booking(), &[("status", "cancelled")])
    }

    /// The same example with some fields changed.
    fn with(mut example: Value, fields: &[(&str, &str)]) -> Value {
        for (name, text) in fields {
            example[*name] = json!(text);
        }
        example
    }

    pub(super) fn note() -> Value {
        json!({
            "id": ID, "contact_id": ID, "body": "Prefers mornings.", "author_user_id": ID,
            "created_at": MOMENT, "updated_at": MOMENT,
        })
    }
}
