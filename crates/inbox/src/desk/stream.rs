//! Rows for the members' streams.

use std::collections::HashMap;

use frontdesk_db::{self as db, ReadTx};
use frontdesk_kernel::ids::AccountId;
use frontdesk_platform::events::Event;
use serde::Deserialize;

use super::row;
use crate::conversations::ConversationId;

/// The part of an event's data that names its conversation.
#[derive(Deserialize)]
struct Concerned<'a> {
    #[serde(borrow)]
    message: Option<OfMessage<'a>>,
    #[serde(borrow)]
    conversation: Option<OfConversation<'a>>,
}

#[derive(Deserialize)]
struct OfMessage<'a> {
    conversation_id: &'a str,
}

#[derive(Deserialize)]
struct OfConversation<'a> {
    id: &'a str,
}

/// Reads the rows that events have changed, as JSON: one entry per event, with the row of its conversation at
/// the last event that concerns it. A conversation that is erased has no row.
pub fn changed_rows(
    tx: &mut ReadTx<'_>,
    account: AccountId,
    events: &[&Event],
) -> db::Result<Vec<Option<String>>> {
    let mut rows = vec![None; events.len()];
    let mut last_event_of: HashMap<ConversationId, usize> = HashMap::new();
    for (at, event) in events.iter().enumerate() {
        if let Some(id) = conversation_of(event) {
            last_event_of.insert(id, at);
        }
    }
    let ids: Vec<ConversationId> = last_event_of.keys().copied().collect();
    for row in row::by_ids(tx, account, &ids)? {
        let at = last_event_of[&row.conversation.id];
        rows[at] = Some(serde_json::to_string(&row).map_err(|_| db::Error::Decode("inbox row"))?);
    }
    Ok(rows)
}

fn conversation_of(event: &Event) -> Option<ConversationId> {
    let subject = event.event_type.split('.').next()?;
    if !matches!(subject, "message" | "conversation") {
        return None;
    }
    let concerned: Concerned<'_> = serde_json::from_str(event.data.get()).ok()?;
    let of_message = concerned.message.map(|message| message.conversation_id);
    of_message.or(concerned.conversation.map(|conversation| conversation.id))?.parse().ok()
}
