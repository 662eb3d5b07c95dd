//! Settling: what came of calls is written, many in one transaction.

use std::sync::Arc;
use std::time::Duration;

use frontdesk_channels::Class;
use frontdesk_db::{self as db, Tx, only};
use frontdesk_kernel::Timestamp;
use frontdesk_kernel::ids::AccountId;
use frontdesk_platform::events::Recorder;
use frontdesk_platform::{By, Means};

use super::claim::Job;
use super::hand::{Outcome, Verdict};
use crate::connections::{self, Line};
use crate::identities;
use crate::media::Links;
use crate::messages::{self, Change, MessageId, MessageStatus, Trouble, UNKNOWN_OUTCOME};
use crate::outbox::Load;

/// A call whose outcome nobody knows has failed when no report has named it for so long.
const DOUBT_MAX: Duration = Duration::from_mins(10);
/// Rows that one sweep clears, and that fail at a time when their connection is gone.
const SWEEP_ROWS_MAX: i64 = 500;

frontdesk_db::statements! {
    DONE = "DELETE FROM sends WHERE account_id = $1 AND message_id = $2 AND part = $3 AND lease = $4 AND state = 'handed'";
    AGAIN = "UPDATE sends SET state = 'queued', due_at = $5, handed_at = NULL, lease = NULL
        WHERE account_id = $1 AND message_id = $2 AND part = $3 AND lease = $4 AND state = 'handed'";
    CONTACT = "SELECT contact_id FROM conversations WHERE account_id = $1 AND id = $2";
    DOUBTFUL = "SELECT account_id, message_id, part, connection_id FROM sends WHERE state = 'handed' AND handed_at <= $1 ORDER BY handed_at LIMIT $2";
    WAITING = "SELECT account_id, message_id, part, connection_id FROM sends WHERE connection_id = $1 AND state = 'queued' LIMIT $2";
    FORGET = "DELETE FROM sends WHERE account_id = $1 AND message_id = $2 AND part = $3";
    FORGET_MESSAGE = "DELETE FROM sends WHERE account_id = $1 AND message_id = $2";
}

/// Writes the outcomes of a batch of calls. The caller keeps the batch, and tries again if the store fails.
pub(super) async fn settle(means: &Means, batch: &[Arc<Outcome>]) -> db::Result<()> {
    let (ours, ids, links, now) =
        (batch.to_vec(), means.ids.clone(), Links::of(&means.services), (means.clock)());
    means.store.write(move |tx| write(tx, &ours, &ids, &links, now)).await
}

fn write(
    tx: &mut Tx<'_>,
    batch: &[Arc<Outcome>],
    ids: &Arc<Recorder>,
    links: &Links,
    now: Timestamp,
) -> db::Result<()> {
    // Reports of the same messages come in meanwhile and go through them in this order too.
    let mut batch: Vec<&Outcome> = batch.iter().map(Arc::as_ref).collect();
    batch.sort_by_key(|outcome| (outcome.job.message, outcome.job.part));
    for outcome in batch {
        let account = outcome.job.account;
        write_one(tx, &By::system(account, now, ids), links, outcome)?;
    }
    Ok(())
}

fn write_one(tx: &mut Tx<'_>, by: &By, links: &Links, outcome: &Outcome) -> db::Result<()> {
    let job = &outcome.job;
    if let Verdict::Unknown(why) = &outcome.verdict {
        tracing::warn!(message = %job.message, why, "nobody knows whether a message went out; it waits for the channel's report");
        return Ok(());
    }
    let held: &[&dyn db::Param] = &[&job.account, &job.message, &job.part, &job.lease];
    if let Some(pause) = outcome.pause() {
        let due = by.now + pause;
        let _lost_lease_changes_nothing =
            tx.execute(AGAIN, &[&job.account, &job.message, &job.part, &job.lease, &due])?;
        return Ok(());
    }
    let ours = tx.execute(DONE, held)?.any();
    match &outcome.verdict {
        Verdict::Taken { channel_message_id, person } => {
            taken(tx, by, links, job, channel_message_id.as_deref(), person.as_deref())
        }
        Verdict::Refused(refusal) if ours => {
            // A receipt's refusal says this too, and so does that of a message which has gone out in part.
            if matches!(refusal.class, Class::Token | Class::Channel) {
                messages::stop_channel(tx, by, job.connection, &refusal.code, &refusal.message)?;
            }
            failed(tx, by, links, job, refusal.clone().into())
        }
        Verdict::Unreached(why) if ours => failed(
            tx,
            by,
            links,
            job,
            trouble("unreachable", &format!("The channel could not be reached: {why}")),
        ),
        Verdict::Broken(error) if ours => failed(tx, by, links, job, error.clone()),
        Verdict::Refused(_) | Verdict::Unreached(_) | Verdict::Broken(_) | Verdict::Unknown(_) => Ok(()),
    }
}

fn trouble(reason: &str, message: &str) -> Trouble {
    Trouble { code: reason.to_owned(), reason: reason.to_owned(), message: message.to_owned() }
}

fn is_message(job: &Job) -> bool {
    !matches!(job.load, Some(Load::Receipt { .. }))
}

fn taken(
    tx: &mut Tx<'_>,
    by: &By,
    links: &Links,
    job: &Job,
    channel_message_id: Option<&str>,
    person: Option<&str>,
) -> db::Result<()> {
    if let Some(person) = person
        && let Some(contact) = tx.find_to_change(CONTACT, &[&job.account, &job.conversation], only)?
    {
        identities::remember(tx, job.account, job.connection, person, contact)?;
    }
    if !is_message(job) || job.part > 0 {
        return Ok(());
    }
    let named = match channel_message_id {
        // The channel's own echo of the message may have been stored before its answer came.
        Some(id) => messages::locate(tx, by, job.connection, None, Some(id))?
            .is_none_or(|known| known.id == job.message)
            .then(|| id.to_owned()),
        None => None,
    };
    let change =
        Change { status: MessageStatus::Sent, channel_message_id: named.clone(), error: None, at: None };
    if let Some(known) = messages::locate(tx, by, job.connection, Some(job.message), None)? {
        messages::raise(tx, by, links, &known, &change)?;
    }
    if let Some(id) = named {
        messages::apply_early(tx, by, links, job.connection, &id)?;
    }
    messages::catch_up(tx, by, links, &job.line, job.message, job.tries)
}

fn failed(tx: &mut Tx<'_>, by: &By, links: &Links, job: &Job, error: Trouble) -> db::Result<()> {
    if is_message(job) { fail(tx, by, links, job.connection, job.message, error) } else { Ok(()) }
}

/// A message has failed, and nothing of it is to be sent any more.
fn fail(
    tx: &mut Tx<'_>,
    by: &By,
    links: &Links,
    connection: connections::ConnectionId,
    message: MessageId,
    error: Trouble,
) -> db::Result<()> {
    let _gone_already_is_fine = tx.execute(FORGET_MESSAGE, &[&by.account, &message])?;
    let change =
        Change { status: MessageStatus::Failed, channel_message_id: None, error: Some(error), at: None };
    if let Some(known) = messages::locate(tx, by, connection, Some(message), None)? {
        messages::raise(tx, by, links, &known, &change)?;
    }
    Ok(())
}

/// One row that is given up.
struct Given {
    account: AccountId,
    message: MessageId,
    part: i64,
    connection: connections::ConnectionId,
}

fn given(row: &mut db::Row<'_>) -> db::Result<Given> {
    Ok(Given { account: row.next()?, message: row.next()?, part: row.next()?, connection: row.next()? })
}

/// Fails what has been in doubt for too long. True when there may be more.
pub async fn sweep(means: &Means) -> db::Result<bool> {
    let now = (means.clock)();
    let before = now - DOUBT_MAX;
    let doubtful = means.store.read(move |tx| tx.query(DOUBTFUL, &[&before, &1_i64], given)).await?;
    if doubtful.is_empty() {
        return Ok(false);
    }
    let (ids, links) = (means.ids.clone(), Links::of(&means.services));
    let told = "Nobody knows whether this message went out: the connection to the channel broke while it was handed over, and the channel has not reported it since.";
    let error = trouble(UNKNOWN_OUTCOME, told);
    means
        .store
        .write(move |tx| {
            let rows = tx.query(DOUBTFUL, &[&before, &SWEEP_ROWS_MAX], given)?;
            give_up(tx, &rows, &ids, &links, &error, now)
        })
        .await
}

/// Fails what waits for a connection that cannot send any more. True when there may be more.
pub(super) async fn fail_waiting(
    means: &Means,
    connection: connections::ConnectionId,
    line: Option<Arc<Line>>,
) -> db::Result<bool> {
    let (ids, links, now) = (means.ids.clone(), Links::of(&means.services), (means.clock)());
    let why = line.and_then(|line| line.connection.disconnected_reason.clone());
    let why = why.map_or_else(String::new, |why| format!(": {why}"));
    let error = trouble("channel_not_connected", &format!("The channel is not connected any more{why}"));
    means
        .store
        .write(move |tx| {
            let rows = tx.query(WAITING, &[&connection, &SWEEP_ROWS_MAX], given)?;
            give_up(tx, &rows, &ids, &links, &error, now)
        })
        .await
}

fn give_up(
    tx: &mut Tx<'_>,
    rows: &[Given],
    ids: &Arc<Recorder>,
    links: &Links,
    error: &Trouble,
    now: Timestamp,
) -> db::Result<bool> {
    let mut turns: Vec<&Given> = rows.iter().collect();
    turns.sort_by_key(|row| (row.message, row.part));
    for row in turns {
        let _gone_already_is_fine = tx.execute(FORGET, &[&row.account, &row.message, &row.part])?;
        let by = By::system(row.account, now, ids);
        fail(tx, &by, links, row.connection, row.message, error.clone())?;
    }
    Ok(rows.len() as i64 == SWEEP_ROWS_MAX)
}
