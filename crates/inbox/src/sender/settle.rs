//! Settling: what came of calls is written, many in one transaction.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use frontdesk_channels::Class;
use frontdesk_db::{self as db, ReadTx, Tx};
use frontdesk_kernel::Timestamp;
use frontdesk_kernel::ids::AccountId;
use frontdesk_platform::events::Recorder;
use frontdesk_platform::{By, Means};

use super::claim::Job;
use super::hand::{Outcome, Verdict};
use super::taken;
use crate::connections::{self, Line};
use crate::media::Links;
use crate::messages::{self, Change, MessageId, MessageStatus, Trouble, UNKNOWN_OUTCOME};
use crate::outbox::{self, Load};

/// A call whose outcome nobody knows has failed when no report has named it for so long.
const DOUBT_MAX: Duration = Duration::from_mins(10);
/// Rows that one sweep clears, and that fail at a time when their connection is gone.
const SWEEP_ROWS_MAX: i64 = 500;

frontdesk_db::statements! {
    DONE = "DELETE FROM sends WHERE account_id = $1 AND message_id = $2 AND part = $3 AND lease = $4 AND state = 'handed'
        RETURNING connection_id, conversation_id, ready AND priority < 9";
    AGAIN = "UPDATE sends SET state = 'queued', due_at = $5, handed_at = NULL, lease = NULL
        WHERE account_id = $1 AND message_id = $2 AND part = $3 AND lease = $4 AND state = 'handed'
        RETURNING connection_id, conversation_id, ready";
    DOUBTFUL = "SELECT account_id, message_id, part, connection_id FROM sends WHERE state = 'handed' AND handed_at <= $1 ORDER BY handed_at LIMIT $2";
    WAITING = "SELECT account_id, message_id, part, connection_id FROM sends WHERE connection_id = $1 AND state = 'queued' LIMIT $2";
    FORGET = "DELETE FROM sends WHERE account_id = $1 AND message_id = $2 AND part = $3";
    FORGET_MESSAGE = "DELETE FROM sends WHERE account_id = $1 AND message_id = $2 RETURNING connection_id, conversation_id, ready AND priority < 9";
}

/// Writes the outcomes of a batch of calls. The caller keeps the batch, and tries again if the store fails.
pub(super) async fn settle(means: &Means, batch: &[Arc<Outcome>]) -> db::Result<()> {
    let (ours, ids, links, now) =
        (batch.to_vec(), means.ids.clone(), Links::of(&means.services), (means.clock)());
    means.store.write(move |tx| write(tx, &ours, &ids, &links, now)).await
}

pub(super) fn write(
    tx: &mut Tx<'_>,
    batch: &[Arc<Outcome>],
    ids: &Arc<Recorder>,
    links: &Links,
    now: Timestamp,
) -> db::Result<()> {
    tx.plan_by_index()?;
    let acting: HashMap<AccountId, By> = batch
        .iter()
        .map(|outcome| outcome.job.account)
        .map(|account| (account, By::system(account, now, ids)))
        .collect();
    let mut batch: Vec<&Outcome> = batch.iter().map(Arc::as_ref).collect();
    batch.sort_by_key(|outcome| (outcome.job.message, outcome.job.part));
    let (taken, others): (Vec<&Outcome>, Vec<&Outcome>) =
        batch.into_iter().partition(|outcome| taken::is_taken(outcome));
    taken::write(tx, &acting, links, &taken, &others)?;
    for outcome in others {
        write_one(tx, &acting[&outcome.job.account], links, outcome)?;
    }
    Ok(())
}

fn write_one(tx: &mut Tx<'_>, by: &By, links: &Links, outcome: &Outcome) -> db::Result<()> {
    let job = &outcome.job;
    if let Verdict::Unknown(why) = &outcome.verdict {
        tracing::warn!(message = %job.message, why, "nobody knows whether a message went out; it waits for the channel's report");
        return Ok(());
    }
    if let Some(pause) = outcome.pause() {
        let due = by.now + pause;
        let held: &[&dyn db::Param] = &[&job.account, &job.message, &job.part, &job.lease, &due];
        // A lost lease changes nothing. Nothing waits behind a receipt.
        if let Some((thread, false)) = tx.find(AGAIN, held, outbox::ended)?
            && is_message(job)
        {
            outbox::go_back(tx, job.account, thread)?;
        }
        return Ok(());
    }
    let ours = end(tx, DONE, &[&job.account, &job.message, &job.part, &job.lease])?;
    match &outcome.verdict {
        Verdict::Taken { person, .. } => taken::meet(tx, &[(job, person.as_deref())]),
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

pub(super) fn is_message(job: &Job) -> bool {
    !matches!(job.load, Some(Load::Receipt { .. }))
}

/// Deletes rows, and passes on the turn that they had. True when there were any.
fn end(tx: &mut Tx<'_>, delete: &str, key: &[&dyn db::Param]) -> db::Result<bool> {
    let gone = tx.query(delete, key, outbox::ended)?;
    let had_turn = gone.iter().filter(|(_, had_turn)| *had_turn).map(|(thread, _)| *thread);
    outbox::pass_on_all(tx, &had_turn.collect::<Vec<_>>())?;
    Ok(!gone.is_empty())
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
    let _gone_already_is_fine = end(tx, FORGET_MESSAGE, &[&by.account, &message])?;
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

/// Lets conversations go on whose call has been under way for too long, and fails what has been in doubt for too long.
/// True when there may be more.
pub(super) async fn sweep(means: &Means) -> db::Result<bool> {
    let now = (means.clock)();
    let before = now - DOUBT_MAX;
    let looked = move |tx: &mut ReadTx<'_>| {
        let doubtful = tx.query(DOUBTFUL, &[&before, &1_i64], given)?;
        Ok::<_, db::Error>((!doubtful.is_empty(), outbox::is_overdue(tx, now)?))
    };
    let (in_doubt, overdue) = means.store.read(looked).await?;
    if overdue {
        means.store.write(move |tx| outbox::expire(tx, now)).await?;
    }
    if !in_doubt {
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
        let by = By::system(row.account, now, ids);
        fail(tx, &by, links, row.connection, row.message, error.clone())?;
    }
    Ok(rows.len() as i64 == SWEEP_ROWS_MAX)
}
