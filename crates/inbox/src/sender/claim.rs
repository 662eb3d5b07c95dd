//! Claims due rows: they are marked as handed over before anything is sent.

use std::sync::{Arc, OnceLock};

use frontdesk_db::{self as db, Tx};
use frontdesk_jobs::Claim;

use super::sql::CLAIM;
use crate::connections::{self, ConnectionId, StoredConnection};
use crate::outbox::{self, Job};

/// Rows that are held back leave room for others; this is how often one transaction looks for them.
const ROUNDS_MAX: usize = 50;

// Rows are needed in the order of the index of ready rows. The due time is wrapped so that the planner does
// not choose another index.
/// The result of a claim.
pub(super) enum ClaimResult {
    Jobs(Vec<Job>),
    /// The connection can no longer send.
    Gone(Option<Arc<StoredConnection>>),
}

pub(super) fn claim(tx: &mut Tx<'_>, claim: &Claim<ConnectionId>) -> db::Result<ClaimResult> {
    tx.plan_by_index()?;
    let connection = match connections::find_in_any_account(tx, claim.lane)?.map(Arc::new) {
        Some(connection) if connection.is_connected() => connection,
        gone => return Ok(ClaimResult::Gone(gone)),
    };
    for _ in 0..ROUNDS_MAX {
        let jobs = mark(tx, &connection, claim)?;
        let found = jobs.len();
        let jobs = outbox::hold_back(tx, &connection, jobs, claim.now)?;
        if !jobs.is_empty() || found == 0 {
            return Ok(ClaimResult::Jobs(jobs));
        }
    }
    Ok(ClaimResult::Jobs(Vec::new()))
}

fn mark(
    tx: &mut Tx<'_>,
    connection: &Arc<StoredConnection>,
    claim: &Claim<ConnectionId>,
) -> db::Result<Vec<Job>> {
    let Claim { most, now, lease, .. } = *claim;
    let mut jobs = CLAIM.query(tx, &[&connection.id(), &now, &(most as i64), &lease], |row| {
        Ok(Job {
            account: row.next()?,
            connection_id: connection.id(),
            message: row.next()?,
            part: row.next()?,
            conversation: row.next()?,
            person: row.next()?,
            payload: serde_json::from_str(&row.next::<String>()?).ok(),
            reply_to: row.next()?,
            tries: row.next()?,
            lease,
            mark: OnceLock::new(),
            connection: connection.clone(),
            written: None,
            is_person_known: false,
        })
    })?;
    jobs.sort_by_key(|job| (job.message, job.part));
    Ok(jobs)
}
