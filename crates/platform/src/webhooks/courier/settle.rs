//! Settling: writes the outcomes of attempts, many in one transaction, each only if its lease is still held.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use frontdesk_db::{self as db, Dialect, List, Tx};
use frontdesk_jobs::Done;
use frontdesk_kernel::Timestamp;
use frontdesk_kernel::ids::AccountId;

use super::Courier;
use super::attempt::{Outcome, Verdict};
use super::claim::Job;
use crate::webhooks::{DeliveryStatus, EndpointId};

/// An endpoint is disabled if all its deliveries have failed for this long.
const FAILING_MAX: Duration = Duration::from_hours(5 * 24);

frontdesk_db::statements! {
    ONE = "UPDATE deliveries SET status = $4, attempts = $5, step = $6, next_attempt_at = $7, last_status_code = $8, last_error = $9,
    response_snippet = $10, duration_ms = $11, delivered_at = $12, lease = NULL, leased_until = NULL
    WHERE account_id = $1 AND id = $2 AND lease = $3 AND status = 'claimed'";
    RECOVERED = "UPDATE webhook_endpoints SET failing_since = NULL WHERE account_id = $1 AND id = $2";
    FAILING = "UPDATE webhook_endpoints SET failing_since = $3 WHERE account_id = $1 AND id = $2 AND failing_since IS NULL";
    DISABLE = "UPDATE webhook_endpoints SET enabled = false, disabled_reason = $3, updated_at = $4 WHERE account_id = $1 AND id = $2 AND enabled = true";
}

// Only claimed deliveries have a lease. A condition on the status would make the planner use the index of
// leases with all its dead entries.
const MANY: &str = "UPDATE deliveries d SET status = v.status, attempts = v.attempts, step = v.step, next_attempt_at = v.next, last_status_code = v.code,
    last_error = v.error, response_snippet = v.snippet, duration_ms = v.millis, delivered_at = v.delivered, lease = NULL, leased_until = NULL
    FROM unnest($1::uuid[], $2::uuid[], $3::uuid[], $4::text[], $5::bigint[], $6::bigint[], $7::timestamptz[], $8::bigint[], $9::text[], $10::text[],
        $11::bigint[], $12::timestamptz[]) AS v (account_id, id, lease, status, attempts, step, next, code, error, snippet, millis, delivered)
    WHERE d.account_id = v.account_id AND d.id = v.id AND d.lease = v.lease";
pub(super) const POSTGRES_STATEMENTS: &[(&str, &str)] = &[("courier::SETTLE_MANY", MANY)];

type Batch = [Arc<Done<Courier>>];

/// A disabled endpoint, and the reason.
pub(super) struct Disabled {
    pub(super) account: AccountId,
    pub(super) endpoint: EndpointId,
    pub(super) reason: &'static str,
}

pub(super) fn write(tx: &mut Tx<'_>, batch: &Batch) -> db::Result<Vec<Disabled>> {
    match tx.dialect() {
        Dialect::Sqlite => one_by_one(tx, batch)?,
        Dialect::Postgres => together(tx, batch)?,
    }
    endpoints(tx, batch)
}

/// A delivery's new state: status, next attempt, arrival.
fn state(outcome: &Outcome) -> (DeliveryStatus, Option<Timestamp>, Option<Timestamp>) {
    match outcome.verdict {
        Verdict::Delivered => (DeliveryStatus::Succeeded, None, Some(outcome.ended_at)),
        Verdict::Again(Some(next)) => (DeliveryStatus::Pending, Some(next), None),
        Verdict::Again(None) => (DeliveryStatus::Exhausted, None, None),
        Verdict::Gone | Verdict::Refused => (DeliveryStatus::Failed, None, None),
    }
}

fn one_by_one(tx: &mut Tx<'_>, batch: &Batch) -> db::Result<()> {
    for done in batch {
        let (job, outcome) = (&done.job, &done.outcome);
        let (status, next, delivered) = state(outcome);
        let params: &[&dyn db::Param] = &[
            &job.account,
            &job.delivery,
            &job.lease,
            &status,
            &(job.attempts + 1),
            &(job.step + 1),
            &next,
            &outcome.status_code,
            &outcome.error,
            &outcome.snippet,
            &outcome.millis,
            &delivered,
        ];
        let _lost_lease_changes_nothing = tx.execute(ONE, params)?;
    }
    Ok(())
}

/// One statement for the whole batch, to save PostgreSQL round trips.
fn together(tx: &mut Tx<'_>, batch: &Batch) -> db::Result<()> {
    fn each<'b, T>(batch: &'b Batch, of: impl Fn(&'b Job, &'b Outcome) -> T) -> List<T> {
        List(batch.iter().map(|done| of(&done.job, &done.outcome)).collect())
    }
    let params: &[&dyn db::Param] = &[
        &each(batch, |job, _| job.account),
        &each(batch, |job, _| job.delivery),
        &each(batch, |job, _| job.lease),
        &each(batch, |_, outcome| state(outcome).0),
        &each(batch, |job, _| job.attempts + 1),
        &each(batch, |job, _| job.step + 1),
        &each(batch, |_, outcome| state(outcome).1),
        &each(batch, |_, outcome| outcome.status_code),
        &each(batch, |_, outcome| outcome.error.as_deref()),
        &each(batch, |_, outcome| outcome.snippet.as_deref()),
        &each(batch, |_, outcome| outcome.millis),
        &each(batch, |_, outcome| state(outcome).2),
    ];
    tx.plan_anew()?;
    let _lost_leases_change_nothing = tx.execute(MANY, params)?;
    Ok(())
}

/// Updates the health of the batch's endpoints. The last outcome of each endpoint counts.
fn endpoints(tx: &mut Tx<'_>, batch: &Batch) -> db::Result<Vec<Disabled>> {
    let last: HashMap<EndpointId, &Done<Courier>> =
        batch.iter().map(|done| (done.lane, done.as_ref())).collect();
    let mut disabled = Vec::new();
    for (endpoint, Done { job, outcome, .. }) in last {
        let account = job.account;
        let reason = match (outcome.verdict, job.route.failing_since) {
            (Verdict::Delivered, None) => continue,
            (Verdict::Delivered, Some(_)) => {
                let _deleted_is_fine = tx.execute(RECOVERED, &[&account, &endpoint])?;
                continue;
            }
            (Verdict::Gone, _) => "the endpoint answered 410 Gone",
            (_, Some(since)) if since + FAILING_MAX <= outcome.ended_at => {
                "every delivery has failed for 5 days"
            }
            _ => {
                let _set_already_is_fine = tx.execute(FAILING, &[&account, &endpoint, &outcome.ended_at])?;
                continue;
            }
        };
        if tx.execute(DISABLE, &[&account, &endpoint, &reason, &outcome.ended_at])?.any() {
            disabled.push(Disabled { account, endpoint, reason });
        }
    }
    Ok(disabled)
}
