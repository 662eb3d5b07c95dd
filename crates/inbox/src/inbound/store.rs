//! Storing what a webhook tells, all of it in one transaction.

use std::sync::Arc;

use frontdesk_channels::{Incoming, Report, SessionState};
use frontdesk_db::{self as db, ReadTx, Tx};
use frontdesk_kernel::Timestamp;
use frontdesk_platform::events::Recorder;
use frontdesk_platform::{By, Means};

use super::context::{Context, Words, prefer};
use super::{messages, reports};
use crate::connections::{self, Cause, Line};
use crate::media::Links;
use crate::messages::MessageId;
use crate::{identities, templates};

/// Stores everything that a webhook told. When this returns `Ok`, it is durable.
pub async fn store(
    means: &Means,
    words: Arc<Words>,
    line: Line,
    told: Vec<Incoming>,
    now: Timestamp,
) -> db::Result<()> {
    let context = Context { line, links: Links::of(&means.services), words };
    let ids = means.ids.clone();
    means.store.write(move |tx| store_in(tx, &context, &ids, &told, now)).await
}

/// Stores status reports. They hold no text in which anybody could opt out.
pub async fn store_reports(
    means: &Means,
    line: Line,
    reports: Vec<Report>,
    now: Timestamp,
) -> db::Result<()> {
    store(means, Arc::default(), line, reports.into_iter().map(Incoming::Report).collect(), now).await
}

fn store_in(
    tx: &mut Tx<'_>,
    context: &Context,
    ids: &Arc<Recorder>,
    told: &[Incoming],
    now: Timestamp,
) -> db::Result<()> {
    let by = By::system(context.line.account, now, ids);
    for item in in_turn(tx, &by, context, told)? {
        store_one(tx, &by, context, item)?;
    }
    Ok(())
}

/// What an item of a webhook is about.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
enum About<'a> {
    Person(&'a str),
    Message(Option<MessageId>),
    Connection,
}

/// Webhooks that tell of the same people and messages come at the same time, each in an order of its own. All go through
/// them in one order, or they would wait for each other; what is told of one person or message keeps its order.
fn in_turn<'a>(
    tx: &mut ReadTx<'_>,
    by: &By,
    context: &Context,
    told: &'a [Incoming],
) -> db::Result<Vec<&'a Incoming>> {
    // Who has moved is known by another name from there on.
    let moves = told.iter().any(|item| matches!(item, Incoming::Moved { .. }));
    if told.len() < 2 || moves {
        return Ok(told.iter().collect());
    }
    let mut turns = Vec::with_capacity(told.len());
    for item in told {
        let about = match item {
            Incoming::Message(message) => About::Person(&message.person.id),
            Incoming::Reaction { person, .. }
            | Incoming::Preference { person, .. }
            | Incoming::Moved { to: person, .. } => About::Person(&person.id),
            Incoming::Report(report) => About::Message(reports::subject(tx, by, context.line.id(), report)?),
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
    let line = &context.line;
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
                templates::told(tx, by, line, name, language, status)?;
            }
            Ok(())
        }
        Incoming::Moved { from, to } => identities::move_to(tx, by, line, from, to),
        Incoming::Preference { person, stop, .. } => {
            let contact = identities::meet(tx, by, line, person)?;
            prefer(tx, by, contact, *stop, line.channel().as_str())
        }
        Incoming::Session { state, detail } => session(tx, by, line, *state, detail.as_deref()),
    }
}

/// A linked device came or went.
fn session(
    tx: &mut Tx<'_>,
    by: &By,
    line: &Line,
    state: SessionState,
    detail: Option<&str>,
) -> db::Result<()> {
    match state {
        SessionState::Working => connections::session_works(tx, by, line.id())?,
        SessionState::Stopped | SessionState::Failed => {
            let why = detail.unwrap_or("the linked device's session has ended; link it again");
            connections::disconnect(tx, by, line.id(), Cause::Session, why)?
        }
        SessionState::Starting | SessionState::Pairing => false,
    };
    Ok(())
}
