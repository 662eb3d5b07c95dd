//! Queues mails in the transaction of the event that they are about.

use frontdesk_agent::spend;
use frontdesk_broadcasts::event_types as broadcasts;
use frontdesk_crm::notes;
use frontdesk_db::{self as db, Tx};
use frontdesk_inbox::connections;
use frontdesk_kernel::ids::UserId;
use frontdesk_platform::events::{EventListener, WrittenEvent};
use frontdesk_platform::mails::{self, MailKind, NewMail};
use frontdesk_platform::{Actor, By};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::json;
use uuid::Uuid;

use super::MENTION_DELAY;

/// Mentioned members of one note who get mails.
const MENTIONED_MAX: usize = 50;

/// Mails members about events.
pub struct Mails;

#[derive(Deserialize)]
struct OfChannel {
    channel: Row,
}

#[derive(Deserialize)]
struct Row {
    id: Uuid,
}

#[derive(Deserialize)]
struct OfBroadcast {
    broadcast: Row,
    error: Option<StatusError>,
}

#[derive(Deserialize)]
struct StatusError {
    message: String,
}

#[derive(Deserialize)]
struct OfBudget {
    budget: Budget,
}

#[derive(Deserialize)]
struct Budget {
    spent_usd: f64,
    budget_usd: f64,
}

#[derive(Deserialize)]
struct OfNote {
    note: Note,
    #[serde(default)]
    mentioned_user_ids: Vec<Uuid>,
}

#[derive(Deserialize)]
struct Note {
    id: Uuid,
    conversation_id: Option<Uuid>,
    author_user_id: Uuid,
}

impl EventListener for Mails {
    fn on_event(&self, tx: &mut Tx<'_>, by: &By, event: &WrittenEvent<'_>) -> db::Result<()> {
        let name = event.event_type;
        if name == notes::CREATED.name() {
            mentioned(tx, by, event)
        } else if name == connections::event_types::DISCONNECTED.name() {
            let OfChannel { channel } = read(event)?;
            tell_managers(tx, by, MailKind::ChannelDisconnected, channel.id, None)
        } else if name == spend::event_types::WARNING.name() {
            let OfBudget { budget } = read(event)?;
            let detail = json!({ "spent_usd": budget.spent_usd, "budget_usd": budget.budget_usd });
            tell_managers(tx, by, MailKind::BudgetWarning, by.account.uuid(), Some(detail.to_string()))
        } else if name == broadcasts::FAILED.name() || name == broadcasts::COMPLETED.name() {
            let OfBroadcast { broadcast, error } = read(event)?;
            let is_failed = name == broadcasts::FAILED.name();
            if error.is_none() && !is_failed {
                return Ok(());
            }
            let detail = json!({ "message": error.map(|error| error.message) });
            tell_managers(tx, by, MailKind::BroadcastStopped, broadcast.id, Some(detail.to_string()))
        } else {
            Ok(())
        }
    }
}

fn read<T: DeserializeOwned>(event: &WrittenEvent<'_>) -> db::Result<T> {
    serde_json::from_str(event.data).map_err(|_| db::Error::Decode("event"))
}

fn tell_managers(
    tx: &mut Tx<'_>,
    by: &By,
    kind: MailKind,
    about: Uuid,
    detail: Option<String>,
) -> db::Result<()> {
    let author = match by.actor {
        Actor::Member(user) => Some(user),
        Actor::Key(_) | Actor::Assistant(_) | Actor::System => None,
    };
    let mail = NewMail { author, detail, ..NewMail::for_managers(by.account, kind, about) };
    mails::queue_for_managers(tx, by.ids(), &mail, by.now)
}

/// A mention is mailed after an hour, unless the member has looked at the conversation by then.
fn mentioned(tx: &mut Tx<'_>, by: &By, event: &WrittenEvent<'_>) -> db::Result<()> {
    let OfNote { note, mentioned_user_ids } = read(event)?;
    let Some(conversation) = note.conversation_id.filter(|_| !mentioned_user_ids.is_empty()) else {
        return Ok(());
    };
    if !mails::is_set_up(tx)? {
        return Ok(());
    }
    let author = UserId::from_uuid(note.author_user_id);
    let others = mentioned_user_ids.into_iter().map(UserId::from_uuid).filter(|user| *user != author);
    for user in others.take(MENTIONED_MAX) {
        let mail = NewMail {
            cause: note.id,
            author: Some(author),
            delay: MENTION_DELAY,
            ..NewMail::new(by.account, user, MailKind::Mention, conversation)
        };
        let _limits_are_fine = mails::queue(tx, by.ids(), &mail, by.now)?;
    }
    Ok(())
}
