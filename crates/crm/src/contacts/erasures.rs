//! The queue of remaining erasures.
//!
//! A subject is the id of a deleted contact or conversation. Its remaining rows are hidden from everyone and
//! are erased in batches. The queue is a table, so it resumes after a crash.

use super::sql::{ADD_ERASURE, END_ERASURE, HOLD_ERASURE, NEXT_ERASURE, PUT_OFF_ERASURE};
use frontdesk_db::{self as db, ReadTx, Topic, Tx, only};
use frontdesk_jobs::FAULTS_MAX;
use frontdesk_kernel::ids::AccountId;
use uuid::Uuid;

/// Wakes the worker that erases.
pub const QUEUED: Topic = "erasures";

/// A contact or a conversation with remaining rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Erasure {
    pub account: AccountId,
    pub subject: Uuid,
}

/// Queues a subject whose rows are to be erased.
pub fn add(tx: &mut Tx<'_>, account: AccountId, subject: Uuid) -> db::Result<()> {
    let _queued_already_is_fine = tx.execute(ADD_ERASURE, &[&account, &subject])?;
    tx.wake(QUEUED);
    Ok(())
}

/// The next subject, if any. Those that failed come last, and those that keep failing are left.
pub fn next(tx: &mut ReadTx<'_>) -> db::Result<Option<Erasure>> {
    tx.find(NEXT_ERASURE, &[&FAULTS_MAX], |row| Ok(Erasure { account: row.next()?, subject: row.next()? }))
}

/// Locks a subject, so that servers erase it one after the other. False if another server has finished it.
pub fn hold(tx: &mut Tx<'_>, erasure: Erasure) -> db::Result<bool> {
    Ok(tx.find_to_change(HOLD_ERASURE, &[&erasure.account, &erasure.subject], only::<Uuid>)?.is_some())
}

/// Puts a subject off that could not be erased. Returns true if it failed once too often, and is left from now on.
pub fn put_off(tx: &mut Tx<'_>, erasure: Erasure) -> db::Result<bool> {
    let faults = tx.find(PUT_OFF_ERASURE, &[&erasure.account, &erasure.subject], only::<i64>)?;
    Ok(faults == Some(FAULTS_MAX))
}

/// Removes a subject that has no rows left.
pub fn done(tx: &mut Tx<'_>, erasure: Erasure) -> db::Result<()> {
    let _done_by_another_is_fine = tx.execute(END_ERASURE, &[&erasure.account, &erasure.subject])?;
    Ok(())
}
