//! The next step of a broadcast: one transaction of its worker.
//!
//! The worker adds recipients, then queues their messages with the sender, a few at a time. At most one window of
//! recipients is queued, so that memory and the queue stay small and a cancel has few messages to withdraw. The sender
//! keeps the number's pace and gives priority to messages that somebody waits for.

use std::time::Duration;

use frontdesk_channels::{Composed, Layout};
use frontdesk_crm::contacts::ContactId;
use frontdesk_db::{self as db, Tx};
use frontdesk_inbox::connections::{self, StoredConnection};
use frontdesk_inbox::media::Links;
use frontdesk_inbox::messages::bulk::{self, Addressed, Batch};
use frontdesk_inbox::messages::{self, MessageError, MessageId};
use frontdesk_inbox::sender;
use frontdesk_kernel::{Phone, Timestamp};
use frontdesk_platform::sealing::Keyring;
use frontdesk_platform::{By, Error as PlatformError};
use uuid::Uuid;

use crate::audience::{self, AudienceQuery, AudienceRule, NewContacts};
use crate::create::made_of;
use crate::event_types;
use crate::recipients::{self, FailureReason, RecipientId};
use crate::row::{self, Stopping, StoredBroadcast};
use crate::sql::{DROP, FEED, FIRST, PENDING};
use crate::status::BroadcastStatus;
use crate::stop::{self, Stopped};

/// Maximum recipients added in one transaction, and contacts examined for them.
const FILL_ROWS_MAX: usize = 2_000;
const FILL_LOOKED_MAX: usize = 20_000;
/// Maximum recipients queued in one transaction.
const FEED_ROWS_MAX: i64 = 512;
/// The window: as many messages as the number sends in this time, up to this maximum.
const WINDOW_SECONDS: f64 = 4.0;
const WINDOW_MAX: i64 = 512;
/// The window is refilled in this many steps, so that some messages are sent while the next are written.
const REFILLS: i64 = 4;
/// On SQLite a broadcast with this many recipients under way queues only as many more as the sender takes at once.
/// Those need not be claimed.
const CLAIMED_MAX: i64 = sender::AT_ONCE_MAX as i64;
/// If this many recipients fail with the same error before any other is tried, the broadcast stops: the request is
/// wrong, not the recipients.
const FIRST_ERRORS: i64 = 5;
/// How often the worker checks a broadcast that waits for the outcome of its last messages.
const DOUBT_PAUSE: Duration = Duration::from_secs(1);

/// The reason of failures that the request itself causes, and that would be the same for every recipient.
const REQUEST_ERROR: &str = "bad_request";

/// The contacts are locked until their messages exist, so that none is erased or merged meanwhile.
const CONTACTS_STAY: &str = "FOR NO KEY UPDATE OF c";

/// What the worker does after a transaction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Step {
    /// Continues at once.
    More,
    /// Continues when at most this many recipients are outstanding.
    When { outstanding: i64 },
    /// Continues at this moment.
    At(Timestamp),
    /// Stops until the broadcast is woken.
    Over,
}

/// What a transaction of the worker needs besides the broadcast.
pub(crate) struct AdvanceContext<'t> {
    pub(crate) links: &'t Links,
    pub(crate) keys: &'t Keyring,
}

/// Runs the next step of a broadcast.
pub(crate) fn advance(
    tx: &mut Tx<'_>,
    by: &By,
    tools: &AdvanceContext<'_>,
    broadcast: &mut StoredBroadcast,
) -> db::Result<Step> {
    if let Some(stopping) = broadcast.stopping.clone() {
        return Ok(match stop::step(tx, by, tools.links, broadcast, &stopping, false)? {
            Stopped::Partly => Step::More,
            Stopped::Waiting => Step::At(by.now + DOUBT_PAUSE),
            Stopped::Over => Step::Over,
        });
    }
    if broadcast.fill_cursor.is_some() {
        fill(tx, by, broadcast)?;
        return Ok(Step::More);
    }
    match (broadcast.resource.status, broadcast.resource.scheduled_at) {
        (BroadcastStatus::Scheduled, Some(at)) if at > by.now => Ok(Step::At(at)),
        (BroadcastStatus::Scheduled, _) => {
            broadcast.resource.status = BroadcastStatus::Sending;
            broadcast.save(tx, by.now)?;
            stop::write_event(tx, by, broadcast, event_types::STARTED, None)?;
            Ok(Step::More)
        }
        (BroadcastStatus::Sending, _) => send(tx, by, tools, broadcast),
        (BroadcastStatus::Draft | BroadcastStatus::Sent | BroadcastStatus::Failed, _) => Ok(Step::Over),
    }
}

/// Adds some recipients.
fn fill(tx: &mut Tx<'_>, by: &By, broadcast: &mut StoredBroadcast) -> db::Result<()> {
    let (cursor, audience) =
        (broadcast.fill_cursor.unwrap_or_default(), row::audience_of(tx, broadcast.account, broadcast.id())?);
    let Some(audience) = audience else {
        broadcast.fill_cursor = None;
        return broadcast.save(tx, by.now);
    };
    let fields = broadcast.content.custom_fields();
    let part = if let AudienceRule::Phones(phones) = &audience.whom {
        audience::meet(tx, by, &fields, phones, cursor, FILL_ROWS_MAX, NewContacts::All)?.unwrap_or_default()
    } else {
        let look = AudienceQuery { account: by.account, now: by.now, fields: &fields };
        audience::look(tx, &look, &audience, cursor, FILL_ROWS_MAX, FILL_LOOKED_MAX)?
    };
    let layout = line_and_layout(tx, broadcast)?.ok().and_then(|(_, layout)| layout);
    let new = made_of(&broadcast.content, layout.as_ref(), &part.candidates);
    let added = recipients::insert(tx, by, broadcast.id(), &new)?;
    broadcast.counts.total += added.total;
    broadcast.counts.failed += added.failed;
    broadcast.fill_cursor = part.next;
    if part.next.is_none() {
        broadcast.end_fill(tx)?;
    }
    broadcast.save(tx, by.now)
}

/// The connection, and the layout of the template if there is one; or why they can no longer be used.
type Sendable = Result<(StoredConnection, Option<Layout>), FailureReason>;

fn line_and_layout(tx: &mut Tx<'_>, broadcast: &StoredBroadcast) -> db::Result<Sendable> {
    let gone = |message: String| Ok(Err(FailureReason::new("channel_not_connected", message)));
    let Some(connection) = connections::find(tx, broadcast.account, broadcast.connection)? else {
        return gone("The channel is not there any more.".to_owned());
    };
    if !connection.is_connected() {
        let reason = connection.public.disconnected_reason.as_deref().unwrap_or("it was disconnected");
        return gone(format!("The channel is not connected any more: {reason}"));
    }
    let Some(template) = &broadcast.resource.template else { return Ok(Ok((connection, None))) };
    match messages::approved_template(tx, &connection, &template.name, &template.language) {
        Ok(layout) => Ok(Ok((connection, Some(layout)))),
        Err(MessageError::Platform(PlatformError::Store(error))) => Err(error),
        Err(error) => {
            let message = format!("The template cannot be sent any more: {error}.");
            Ok(Err(FailureReason::new("template_withdrawn", message)))
        }
    }
}

/// Queues recipients as far as the window has room. Ends the broadcast when all are done.
fn send(
    tx: &mut Tx<'_>,
    by: &By,
    tools: &AdvanceContext<'_>,
    broadcast: &mut StoredBroadcast,
) -> db::Result<Step> {
    let (connection, layout) = match line_and_layout(tx, broadcast)? {
        Ok(server) => server,
        Err(failure) => return stop(tx, by, broadcast, failure),
    };
    let mut window = window(&connection, tools.keys);
    let outstanding = broadcast.outstanding();
    let tally = broadcast.tally();
    if tally.sent == 0 && tally.fed <= FIRST_ERRORS {
        // Until one message is sent, only the first few recipients are tried.
        if tally.fed == FIRST_ERRORS && outstanding > 0 {
            return Ok(Step::When { outstanding: outstanding - 1 });
        }
        if tally.fed == FIRST_ERRORS
            && let Some(failure) = common_error(tx, broadcast)?
        {
            return stop(tx, by, broadcast, failure);
        }
        if tally.fed < FIRST_ERRORS {
            window = window.min(FIRST_ERRORS - tally.fed + outstanding);
        }
    }
    let refill_at = window - (window / REFILLS).max(1);
    let mut room = (window - outstanding).min(FEED_ROWS_MAX);
    if !tx.is_shared() {
        room = room.min((CLAIMED_MAX - outstanding).max(sender::places(tx, &connection) as i64));
    }
    if room <= 0 || outstanding > refill_at {
        // The sender may be full even if the window is not. Then the next outcome makes room.
        return Ok(Step::When { outstanding: refill_at.min(outstanding - 1) });
    }
    let fed = feed(tx, by, broadcast, &connection, layout.as_ref(), room)?;
    if fed == FeedResult::Some {
        broadcast.save(tx, by.now)?;
        return Ok(Step::More);
    }
    if outstanding > 0 {
        return Ok(Step::When { outstanding: 0 });
    }
    Ok(if stop::complete(tx, by, broadcast)? { Step::Over } else { Step::More })
}

fn stop(
    tx: &mut Tx<'_>,
    by: &By,
    broadcast: &mut StoredBroadcast,
    failure: FailureReason,
) -> db::Result<Step> {
    tracing::warn!(broadcast = %broadcast.id(), reason = failure.reason, "broadcast stopped: {}", failure.message);
    broadcast.stopping = Some(Stopping::Failure(failure));
    broadcast.save(tx, by.now)?;
    Ok(Step::More)
}

/// How many recipients may be queued at a time. A linked device gets one, because its first contacts are spread over
/// days and messages that somebody waits for would be scheduled behind them.
fn window(connection: &StoredConnection, keys: &Keyring) -> i64 {
    if sender::is_paced_for_a_person(connection) {
        return 1;
    }
    let per_second = sender::per_second(connection, connection.credentials(keys));
    ((per_second * WINDOW_SECONDS) as i64).clamp(1, WINDOW_MAX)
}

/// The error of the first recipients, if all of them have the same one and the request caused it.
fn common_error(tx: &mut Tx<'_>, broadcast: &StoredBroadcast) -> db::Result<Option<FailureReason>> {
    let errors =
        tx.query(FIRST, &[&broadcast.account, &broadcast.id(), &FIRST_ERRORS], db::only::<Option<String>>)?;
    let errors: Vec<FailureReason> =
        errors.iter().flatten().filter_map(|error| FailureReason::stored(error)).collect();
    let Some(first) = errors.first() else { return Ok(None) };
    let is_common = errors.len() as i64 == FIRST_ERRORS
        && first.reason == REQUEST_ERROR
        && errors.iter().all(|error| error.code == first.code);
    Ok(is_common.then(|| FailureReason {
        code: first.code.clone(),
        reason: "request_errors".to_owned(),
        message: format!("The channel refused the first {FIRST_ERRORS} messages alike: {}", first.message),
    }))
}

/// A pending recipient that is next.
struct Due {
    id: RecipientId,
    contact: ContactId,
    phone: Phone,
    params: Vec<String>,
    opted_out: bool,
}

/// Whether any recipient was left.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum FeedResult {
    Some,
    Nobody,
}

fn feed(
    tx: &mut Tx<'_>,
    by: &By,
    broadcast: &mut StoredBroadcast,
    connection: &StoredConnection,
    layout: Option<&Layout>,
    room: i64,
) -> db::Result<FeedResult> {
    let due = due(tx, broadcast, room)?;
    let Some(last) = due.last() else { return Ok(FeedResult::Nobody) };
    broadcast.fed_after = Some(last.id.uuid());
    let (mut fed, mut messages) = (Vec::with_capacity(due.len()), Vec::with_capacity(due.len()));
    for recipient in due {
        match composed(broadcast, layout, &recipient) {
            Ok(_) if recipient.opted_out => {
                let failure =
                    FailureReason::new("opted_out", "The contact has opted out of broadcasts since.");
                let params: &[&dyn db::Param] = &[
                    &broadcast.account,
                    &broadcast.id(),
                    &recipient.id,
                    &"cancelled",
                    &0_i64,
                    &failure.written(),
                    &by.now,
                ];
                tx.execute(DROP, params)?.exactly(1)?;
            }
            Ok(composed) => {
                let Due { id, contact, phone, .. } = recipient;
                fed.push(id);
                messages.push(Addressed { contact, phone, composed });
            }
            Err(failure) => {
                let params: &[&dyn db::Param] = &[
                    &broadcast.account,
                    &broadcast.id(),
                    &recipient.id,
                    &"failed",
                    &recipients::RecipientFlags::FAILED.0,
                    &failure.written(),
                    &by.now,
                ];
                tx.execute(DROP, params)?.exactly(1)?;
                broadcast.counts.failed += 1;
            }
        }
    }
    if fed.is_empty() {
        return Ok(FeedResult::Some);
    }
    let template = broadcast.resource.template.as_ref();
    // The header's media is the same for everybody.
    let media_url = messages.first().and_then(|first| first.composed.media_url()).map(ToOwned::to_owned);
    let batch = Batch {
        connection,
        sender: broadcast.sender,
        author: broadcast.author,
        template: template.map(|template| (template.name.as_str(), template.language.as_str())),
        media_url: media_url.as_deref(),
    };
    let ids = bulk::send_many(tx, by, &batch, messages)?;
    mark(tx, by, broadcast, &fed, &ids)?;
    broadcast.counts.fed += fed.len() as i64;
    Ok(FeedResult::Some)
}

fn due(tx: &mut Tx<'_>, broadcast: &StoredBroadcast, most: i64) -> db::Result<Vec<Due>> {
    let after = broadcast.fed_after.unwrap_or(Uuid::nil());
    let params: &[&dyn db::Param] = &[&broadcast.account, &broadcast.id(), &after, &most];
    tx.query_locked(PENDING, CONTACTS_STAY, params, |row| {
        let (id, contact, phone) = (row.next()?, row.next()?, row.next()?);
        let params: Option<String> = row.next()?;
        Ok(Due {
            id,
            contact,
            phone,
            params: params.and_then(|params| serde_json::from_str(&params).ok()).unwrap_or_default(),
            opted_out: row.next()?,
        })
    })
}

/// The message to a recipient, with the values that were read when the recipient was created.
fn composed(
    broadcast: &StoredBroadcast,
    layout: Option<&Layout>,
    recipient: &Due,
) -> Result<Composed, FailureReason> {
    let content = &broadcast.content;
    let Some(layout) = layout else {
        return Ok(Composed { text: content.text.clone().unwrap_or_default(), ..Composed::default() });
    };
    content.compose(layout, &recipient.params).map_err(|wrong| {
        let message = wrong.first().map(|first| format!("{}: {}", first.path, first.message));
        FailureReason::new("template_params_mismatch", message.unwrap_or_default())
    })
}

fn mark(
    tx: &mut Tx<'_>,
    by: &By,
    broadcast: &StoredBroadcast,
    fed: &[RecipientId],
    messages: &[MessageId],
) -> db::Result<()> {
    let (account, id) = (broadcast.account, broadcast.id());
    let rows: Vec<[&dyn db::Param; 5]> = (fed.iter().zip(messages))
        .map(|(recipient, message)| [&account as &dyn db::Param, &id, recipient, message, &by.now])
        .collect();
    tx.execute_each(FEED, &rows)?.into_iter().try_for_each(|touched| touched.exactly(1))
}
