//! Runs whose steps keep failing for a reason of their own. After a few times such a run ends as failed.

use frontdesk_db::{self as db, Tx, only};
use frontdesk_jobs::{FAULTS_MAX, set_aside};
use frontdesk_kernel::Timestamp;
use frontdesk_kernel::ids::AccountId;
use frontdesk_platform::By;
use uuid::Uuid;

use super::super::advance::{self, End};
use super::super::claimed::Job;
use super::super::row::{self, RunRow};
use super::Agent;
use super::sql;
use crate::ids::RunId;

const ERROR: &str = "This run failed several times because of an internal error. Start it again, and report it if it fails again.";

/// Reads claimed runs one by one, because one of them cannot be read. Such a run ends, so that it keeps no other from
/// being claimed.
pub(super) fn readable(
    tx: &mut Tx<'_>,
    kind: &'static str,
    account: AccountId,
    ids: &[RunId],
    lease: Uuid,
    now: Timestamp,
) -> db::Result<Vec<RunRow>> {
    let mut rows = Vec::with_capacity(ids.len());
    for id in ids {
        match row::look(tx, account, *id) {
            Err(error @ db::Error::Decode(_)) => {
                tx.execute(sql::GIVE_UP, &[&account, id, &lease, &ERROR, &now])?.exactly(1)?;
                set_aside(kind, id, &error);
            }
            found => rows.extend(found?),
        }
    }
    Ok(rows)
}

/// Counts a fault of a run. Returns true if it was one too many, and the run has ended.
pub(super) async fn is_given_up(agent: &Agent, kind: &'static str, job: Job, error: &db::Error) -> bool {
    match end_if_needed(agent, job).await {
        Ok(is_over) => {
            if is_over {
                set_aside(kind, job.run, error);
            }
            is_over
        }
        Err(failed) => {
            tracing::warn!(run = %job.run, error = %failed, "failing run not ended; trying again with its next failure");
            false
        }
    }
}

async fn end_if_needed(agent: &Agent, job: Job) -> db::Result<bool> {
    let store = &agent.server.store;
    let Job { account, run, lease } = job;
    let faults =
        store.write(move |tx| tx.find(sql::COUNT_FAULT, &[&account, &run, &lease], only::<i64>)).await?;
    if faults.is_none_or(|faults| faults < FAULTS_MAX) {
        return Ok(false);
    }
    let by = By::system(account, agent.now(), &agent.server.recorder);
    let now = by.now;
    let ended = store.write(move |tx| -> db::Result<()> {
        if let Some(row) = row::hold_leased(tx, account, run, lease)? {
            advance::end(tx, &by, row, End::Failed(ERROR.to_owned()))?;
        }
        Ok(())
    });
    if let Err(error) = ended.await {
        tracing::warn!(%run, %error, "failing run not ended with its events; setting its status only");
        let give_up =
            move |tx: &mut Tx<'_>| tx.execute(sql::GIVE_UP, &[&account, &run, &lease, &ERROR, &now]);
        store.write(move |tx| give_up(tx).map(|_| ())).await?;
    }
    Ok(true)
}
