//! Stores the items of a webhook: in one transaction, unless there are very many. If a later transaction fails, the vendor
//! sends the webhook again, and the items that are stored already change nothing.

use std::sync::Arc;

use frontdesk_channels::{Incoming, Report, SessionState};
use frontdesk_db::{self as db, ReadTx, Tx};
use frontdesk_kernel::Timestamp;
use frontdesk_platform::events::Recorder;
use frontdesk_platform::{By, ServerContext};

use super::context::{Context, OptOutWords, prefer};
use super::{messages, reports};
use crate::connections::{self, Cause, StoredConnection};
use crate::media::Links;
use crate::messages::MessageId;
use crate::{identities, templates};

/// Maximum items stored in one transaction, so that a large webhook does not hold up other writes.
const BATCH_ITEMS_MAX: usize = 100;

/// Stores all items of a webhook. When this returns `Ok`, they are durable.
pub async fn store(
    server: &ServerContext,
    words: Arc<OptOutWords>,
    connection: StoredConnection,
    items: Vec<Incoming>,
    now: Timestamp,
) -> db::Result<()> {
    let context = Arc::new(Context { connection, links: Links::of(&server.services), words });
    let mut items = items.into_iter();
    let mut now = now;
    loop {
        let batch: Vec<Incoming> = items.by_ref().take(BATCH_ITEMS_MAX).collect();
        let (context, recorder) = (context.clone(), server.recorder.clone());
        server.store.write(move |tx| store_in(tx, &context, &recorder, &batch, now)).await?;
        if items.len() == 0 {
            return Ok(());
        }
        now = (server.clock)();
    }
}

/// Stores status reports. They contain no text, so no opt-out.
pub async fn store_reports(
    server: &ServerContext,
    connection: StoredConnection,
    reports: Vec<Report>,
    now: Timestamp,
) -> db::Result<()> {
    store(server, Arc::default(), connection, reports.into_iter().map(Incoming::Report).collect(), now).await
}

fn store_in(
    tx: &mut Tx<'_>,
    context: &Context,
    recorder: &Arc<Recorder>,
    items: &[Incoming],
    now: Timestamp,
) -> db::Result<()> {
    let by = By::system(context.connection.account, now, recorder);
    for item in in_turn(tx, &by, context, items)? {
        store_one(tx, &by, context, item)?;
    }
    Ok(())
}

/// The subject of a webhook's item.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
enum About<'a> {
    Person(&'a str),
    Message(Option<MessageId>),
    Connection,
}

/// Webhooks about the same people and messages may arrive at the same time with their items in different
/// orders. All transactions process them in one order to avoid deadlocks; items about one person or message
/// keep their order.
fn in_turn<'a>(
    tx: &mut ReadTx<'_>,
    by: &By,
    context: &Context,
    items: &'a [Incoming],
) -> db::Result<Vec<&'a Incoming>> {
    // After a change of id, a person has another id for the following items.
    let moves = items.iter().any(|item| matches!(item, Incoming::Moved { .. }));
    if items.len() < 2 || moves {
        return Ok(items.iter().collect());
    }
    let mut turns = Vec::with_capacity(items.len());
    for item in items {
        let about = match item {
            Incoming::Message(message) => About::Person(&message.person.id),
            Incoming::Reaction { person, .. }
            | Incoming::Preference { person, .. }
            | Incoming::Moved { to: person, .. } => About::Person(&person.id),
            Incoming::Report(report) => {
                About::Message(reports::subject(tx, by, context.connection.id(), report)?)
            }
            Incoming::Watermark { .. } | Incoming::TemplateChanged { .. } | Incoming::Session { .. } => {
                About::Connection
            }
        };
        turns.push((about, item));
    }
    turns.sort_by(|(one, _), (other, _)| one.cmp(other));
    Ok(turns.into_iter().map(|(_, item)| item).collect())
}

fn store_one(tx: &mut Tx<'_>, by: &By, context: &Context, item: &Incoming) -> db::Result<()> {
    let connection = &context.connection;
    match item {
        Incoming::Message(message) if message.echo => messages::echoed(tx, by, context, message),
        Incoming::Message(message) => messages::received(tx, by, context, message),
        Incoming::Report(report) => reports::reported(tx, by, context, report),
        Incoming::Watermark { person, status, at } => {
            reports::watermark(tx, by, context, person, *status, *at)
        }
        Incoming::Reaction { person, channel_message_id, emoji, at } => {
            messages::reacted(tx, by, context, &person.id, channel_message_id, emoji.as_deref(), *at)
        }
        Incoming::TemplateChanged { name, language, status } => {
            if let Ok(status) = status.parse() {
                templates::apply_status(tx, by, connection, name, language, status)?;
            }
            Ok(())
        }
        Incoming::Moved { from, to } => identities::move_to(tx, by, connection, from, to),
        Incoming::Preference { person, stop, .. } => {
            let contact = identities::find_or_create_contact(tx, by, connection, person)?;
            prefer(tx, by, contact, *stop, connection.channel().as_str())
        }
        Incoming::Session { state, detail } => session(tx, by, connection, *state, detail.as_deref()),
    }
}

/// A linked device's session has started or ended.
fn session(
    tx: &mut Tx<'_>,
    by: &By,
    connection: &StoredConnection,
    state: SessionState,
    detail: Option<&str>,
) -> db::Result<()> {
    match state {
        SessionState::Working => connections::session_works(tx, by, connection.id())?,
        SessionState::Stopped | SessionState::Failed => {
            let why = detail.unwrap_or("the linked device's session has ended; link it again");
            connections::disconnect(tx, by, connection.id(), Cause::Session, why)?
        }
        SessionState::Starting | SessionState::Pairing => false,
    };
    Ok(())
}
