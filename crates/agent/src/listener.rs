//! Reacts to events: starts runs that answer customers, and cancels them when a person takes over.

use frontdesk_crm::contacts::ContactId;
use frontdesk_db::{self as db, ReadTx, Tx};
use frontdesk_inbox::conversations::{self, ConversationId, Handler};
use frontdesk_inbox::messages::{self, MessageId, MessageType};
use frontdesk_kernel::ids::AssistantId;
use frontdesk_platform::events::{EventListener, WrittenEvent};
use frontdesk_platform::{Actor, By};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use uuid::Uuid;

use crate::{runs, transcripts};

/// Starts and stops the runs that answer customers, in the transactions of messages and handovers.
pub struct Assistants;

#[derive(Deserialize)]
struct Received {
    message: Message,
}

#[derive(Deserialize)]
struct Message {
    id: Uuid,
    conversation_id: Uuid,
    r#type: String,
}

#[derive(Deserialize)]
struct HandedOver {
    conversation: Conversation,
}

#[derive(Deserialize)]
struct Conversation {
    id: Uuid,
    contact_id: Uuid,
    handler: String,
    assistant_id: Option<Uuid>,
}

impl EventListener for Assistants {
    /// Customers' messages have no caller and are written by the system, so other actors need no prefetch.
    fn expect(&self, tx: &mut ReadTx<'_>, by: &By) -> db::Result<()> {
        if by.actor == Actor::System { runs::expect(tx, by) } else { Ok(()) }
    }

    fn on_event(&self, tx: &mut Tx<'_>, by: &By, event: &WrittenEvent<'_>) -> db::Result<()> {
        if event.event_type == messages::event_types::RECEIVED.name() {
            let Received { message } = read(event)?;
            let (id, conversation) =
                (MessageId::from_uuid(message.id), ConversationId::from_uuid(message.conversation_id));
            if !runs::any_assistant(tx, by)? {
                return Ok(());
            }
            let kind = message.r#type.parse::<MessageType>().map_err(|_| db::Error::Decode("type"))?;
            transcripts::received(tx, by, id, kind)?;
            runs::received(tx, by, id, conversation)
        } else if event.event_type == conversations::event_types::HANDED_OVER.name() {
            let HandedOver { conversation } = read(event)?;
            let handed = runs::HandedOver {
                id: ConversationId::from_uuid(conversation.id),
                contact: ContactId::from_uuid(conversation.contact_id),
                handler: conversation.handler.parse::<Handler>().map_err(|_| db::Error::Decode("handler"))?,
                assistant: conversation.assistant_id.map(AssistantId::from_uuid),
            };
            runs::handed_over(tx, by, &handed)
        } else {
            Ok(())
        }
    }
}

fn read<T: DeserializeOwned>(event: &WrittenEvent<'_>) -> db::Result<T> {
    serde_json::from_str(event.data).map_err(|_| db::Error::Decode("event"))
}
