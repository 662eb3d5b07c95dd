//! Settles the outcomes of calls, many in one transaction.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use frontdesk_channels::Class;
use frontdesk_db::{self as db, Mark, ReadTx, Tx};
use frontdesk_kernel::Timestamp;
use frontdesk_kernel::ids::AccountId;
use frontdesk_platform::By;
use frontdesk_platform::events::Recorder;

use super::accepted;
use super::outcome::{SendOutcome, Sent, is_message};
use super::sql::{AGAIN, DONE, DOUBT, DOUBTFUL, FORGET_MESSAGE, GIVE_BACK, WAITING};
use crate::connections::{self, StoredConnection};
use crate::media::Links;
use crate::messages::{self, Change, MessageFailure, MessageId, MessageStatus, UNKNOWN_OUTCOME};
use crate::outbox::{self, Job};

/// A call with an unknown outcome fails after this long without a report.
pub(super) const DOUBT_MAX: Duration = outbox::LEASE;
/// Rows per sweep, and rows that fail at a time when their connection is gone.
const SWEEP_ROWS_MAX: i64 = 500;

/// The context of settling.
pub(super) struct SettleContext<'a> {
    pub(super) recorder: &'a Arc<Recorder>,
    pub(super) links: &'a Links,
    pub(super) now: Timestamp,
}

/// Writes the outcomes of a batch of calls.
pub(super) fn write(tx: &mut Tx<'_>, context: &SettleContext<'_>, batch: &[Arc<Sent>]) -> db::Result<()> {
    tx.plan_by_index()?;
    let accounts = batch.iter().map(|sent| sent.job.account);
    let acting: HashMap<AccountId, By> =
        accounts.map(|account| (account, By::system(account, context.now, context.recorder))).collect();
    let mut batch: Vec<&Sent> = batch.iter().map(Arc::as_ref).collect();
    batch.sort_by_key(|sent| (sent.job.message, sent.job.part));
    let (taken, others): (Vec<&Sent>, Vec<&Sent>) =
        batch.into_iter().partition(|sent| accepted::is_accepted(sent));
    accepted::write(tx, &acting, context.links, &taken, &others)?;
    for sent in others {
        write_one(tx, &acting[&sent.job.account], context.links, sent)?;
    }
    Ok(())
}

fn write_one(tx: &mut Tx<'_>, by: &By, links: &Links, sent: &Sent) -> db::Result<()> {
    let (job, outcome) = (&*sent.job, &sent.outcome);
    if let SendOutcome::Unknown(why) = outcome {
        tracing::warn!(message = %job.message, why, "the outcome of a send is unknown; waiting for the channel's report");
        return doubt(tx, &job.begun(), job.account);
    }
    if matches!(outcome, SendOutcome::Suspended) {
        return give_back_call(tx, &job.begun(), job.account);
    }
    if let Some(pause) = outcome.pause(job.tries) {
        let due = by.now + pause;
        let held: &[&dyn db::Param] = &[&job.account, &job.message, &job.part, &job.lease, &due];
        return queue_again(tx, job.account, AGAIN, held);
    }
    let ours = end(tx, DONE, &[&job.account, &job.message, &job.part, &job.lease])?;
    match outcome {
        SendOutcome::Accepted { person, .. } => accepted::meet(tx, &[(job, person.as_deref())]),
        SendOutcome::Refused(refusal) if ours => {
            // This applies also to receipts, and to messages that were sent in part.
            if matches!(refusal.class, Class::Token | Class::Channel) {
                messages::stop_channel(tx, by, job.connection_id, &refusal.code, &refusal.message)?;
            }
            failed(tx, by, links, job, refusal.clone().into())
        }
        SendOutcome::Unreached(why) if ours => failed(
            tx,
            by,
            links,
            job,
            trouble("unreachable", &format!("The channel could not be reached: {why}")),
        ),
        SendOutcome::Broken(error) if ours => failed(tx, by, links, job, error.clone()),
        SendOutcome::Refused(_)
        | SendOutcome::Unreached(_)
        | SendOutcome::Broken(_)
        | SendOutcome::Suspended
        | SendOutcome::Unknown(_) => Ok(()),
    }
}

/// Queues claimed messages again of which nothing was sent.
pub(super) fn give_back(tx: &mut Tx<'_>, jobs: &[Arc<Job>]) -> db::Result<()> {
    jobs.iter().try_for_each(|job| give_back_call(tx, &job.begun(), job.account))
}

/// Queues the message of a call again that was not made.
pub(super) fn give_back_call(tx: &mut Tx<'_>, call: &Mark, account: AccountId) -> db::Result<()> {
    queue_again(tx, account, GIVE_BACK, &[&account, &call.row, &call.part, &call.lease])
}

/// The outcome of a call is unknown. Its row loses its lease, so nothing but a report or its age ends it.
pub(super) fn doubt(tx: &mut Tx<'_>, call: &Mark, account: AccountId) -> db::Result<()> {
    let _lost_lease_changes_nothing = tx.execute(DOUBT, &[&account, &call.row, &call.part, &call.lease])?;
    Ok(())
}

/// Queues a row again, before those that were queued after it. A lost lease changes nothing.
fn queue_again(tx: &mut Tx<'_>, account: AccountId, update: &str, held: &[&dyn db::Param]) -> db::Result<()> {
    // Nothing waits behind a receipt, which is always ready.
    match tx.find(update, held, outbox::ended)? {
        Some((conversation, false)) => outbox::go_back(tx, account, conversation),
        _ => Ok(()),
    }
}

fn trouble(reason: &str, message: &str) -> MessageFailure {
    MessageFailure { code: reason.to_owned(), reason: reason.to_owned(), message: message.to_owned() }
}

/// Deletes rows, and makes the next ones ready. True if there were any.
fn end(tx: &mut Tx<'_>, delete: &str, key: &[&dyn db::Param]) -> db::Result<bool> {
    let gone = tx.query(delete, key, outbox::ended)?;
    let had_turn = gone.iter().filter(|(_, had_turn)| *had_turn).map(|(conversation, _)| *conversation);
    outbox::pass_on_all(tx, &had_turn.collect::<Vec<_>>())?;
    Ok(!gone.is_empty())
}

fn failed(tx: &mut Tx<'_>, by: &By, links: &Links, job: &Job, error: MessageFailure) -> db::Result<()> {
    if is_message(job) { fail(tx, by, links, job.connection_id, job.message, error) } else { Ok(()) }
}

/// Fails a message, and removes its remaining rows.
fn fail(
    tx: &mut Tx<'_>,
    by: &By,
    links: &Links,
    connection: connections::ConnectionId,
    message: MessageId,
    error: MessageFailure,
) -> db::Result<()> {
    let _gone_already_is_fine = end(tx, FORGET_MESSAGE, &[&by.account, &message])?;
    let change =
        Change { status: MessageStatus::Failed, channel_message_id: None, error: Some(error), at: None };
    if let Some(known) = messages::locate(tx, by, connection, Some(message), None)? {
        messages::advance(tx, by, links, &known, &change)?;
    }
    Ok(())
}

/// A row that is given up.
struct Given {
    account: AccountId,
    message: MessageId,
    part: i64,
    connection: connections::ConnectionId,
}

fn given(row: &mut db::Row<'_>) -> db::Result<Given> {
    Ok(Given { account: row.next()?, message: row.next()?, part: row.next()?, connection: row.next()? })
}

/// Whether there is something to [`sweep`].
pub(super) fn is_stale(tx: &mut ReadTx<'_>, now: Timestamp) -> db::Result<bool> {
    let in_doubt = tx.find(DOUBTFUL, &[&(now - DOUBT_MAX), &1_i64], given)?;
    Ok(in_doubt.is_some() || outbox::is_overdue(tx, now)?)
}

/// Lets conversations continue whose call has run for too long, and fails calls with an unknown outcome that
/// are too old. True if there may be more.
pub(super) fn sweep(tx: &mut Tx<'_>, context: &SettleContext<'_>) -> db::Result<bool> {
    outbox::expire(tx, context.now)?;
    let message = "Nobody knows whether this message went out: the connection to the channel broke while it was handed over, and the channel has not reported it since.";
    let rows = tx.query(DOUBTFUL, &[&(context.now - DOUBT_MAX), &SWEEP_ROWS_MAX], given)?;
    give_up(tx, context, &rows, &trouble(UNKNOWN_OUTCOME, message))
}

/// Fails the queued messages of a connection that can no longer send. True if there may be more.
pub(super) fn fail_waiting(
    tx: &mut Tx<'_>,
    context: &SettleContext<'_>,
    connection_id: connections::ConnectionId,
    connection: Option<&StoredConnection>,
) -> db::Result<bool> {
    let why = connection.and_then(|connection| connection.public.disconnected_reason.as_deref());
    let why = why.map_or_else(String::new, |why| format!(": {why}"));
    let error = trouble("channel_not_connected", &format!("The channel is not connected any more{why}"));
    let rows = tx.query(WAITING, &[&connection_id, &SWEEP_ROWS_MAX], given)?;
    give_up(tx, context, &rows, &error)
}

fn give_up(
    tx: &mut Tx<'_>,
    context: &SettleContext<'_>,
    rows: &[Given],
    error: &MessageFailure,
) -> db::Result<bool> {
    let mut turns: Vec<&Given> = rows.iter().collect();
    turns.sort_by_key(|row| (row.message, row.part));
    for row in turns {
        let by = By::system(row.account, context.now, context.recorder);
        fail(tx, &by, context.links, row.connection, row.message, error.clone())?;
    }
    Ok(rows.len() as i64 == SWEEP_ROWS_MAX)
}
