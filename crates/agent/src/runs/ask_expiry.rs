//! Asks that nobody answered in time: of runs, and of programs.

use frontdesk_db::{self as db, ReadTx, Tx, only};
use frontdesk_kernel::Timestamp;
use frontdesk_kernel::ids::AccountId;
use frontdesk_platform::By;

use super::advance::resume;
use super::row;
use super::sql;
use super::step::Input;
use crate::asks::{self, AskRow, AskStatus};
use crate::ids::AskId;

/// Maximum asks that expire in one transaction.
const BATCH_MAX: i64 = 50;
const EXPIRED: &str = "Nobody answered what the assistant asked within 72 hours.";

/// Whether any pending ask is past its expiry.
pub(crate) fn any_due(tx: &mut ReadTx<'_>, now: Timestamp) -> db::Result<bool> {
    Ok(tx.find(sql::ANY_DUE_ASK, &[&now], only::<AskId>)?.is_some())
}

/// Expires a batch of asks and fails their runs. Returns true when there may be more.
pub(crate) fn expire(tx: &mut Tx<'_>, now: Timestamp, by: impl Fn(AccountId) -> By) -> db::Result<bool> {
    let due = tx.query(sql::DUE_ASKS, &[&now, &BATCH_MAX], |row| {
        Ok((row.next::<AccountId>()?, row.next::<AskId>()?))
    })?;
    let more = due.len() as i64 == BATCH_MAX;
    for (account, id) in due {
        expire_one(tx, &by(account), id)?;
    }
    Ok(more)
}

fn expire_one(tx: &mut Tx<'_>, by: &By, id: AskId) -> db::Result<()> {
    let Some(AskRow { ask, raised_by, .. }) = asks::look(tx, by.account, id)? else {
        return Ok(());
    };
    let held = match raised_by {
        Some(run) => row::hold(tx, by.account, run)?,
        None => None,
    };
    if !asks::settle(tx, by, ask, AskStatus::Expired)? {
        return Ok(());
    }
    if let Some(run) = held.filter(|run| !run.run.status.is_over()) {
        resume(tx, by, run, Input::Stopped { error: EXPIRED.to_owned() })?;
    }
    Ok(())
}
