//! Settling: writes the outcomes of attempts, many in one transaction, each only if its lease is still held.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use frontdesk_db::{self as db, Tx};
use frontdesk_jobs::Done;
use frontdesk_kernel::ids::AccountId;
use frontdesk_kernel::{Ids, Timestamp};

use super::Courier;
use super::attempt::{Outcome, Verdict};
use crate::mails::{self, MailKind, NewMail};
use crate::notices;
use crate::webhooks::{DeliveryStatus, EndpointId, attempts};

/// An endpoint is disabled if all its deliveries have failed for this long.
const FAILING_MAX: Duration = Duration::from_hours(5 * 24);

frontdesk_db::statements! {
    SETTLE = "UPDATE deliveries SET status = $4, attempts = $5, step = $6, next_attempt_at = $7, last_status_code = $8, last_error = $9,
    response_snippet = $10, duration_ms = $11, delivered_at = $12, attempted_at = $13, lease = NULL, leased_until = NULL
    WHERE account_id = $1 AND id = $2 AND lease = $3";
    RECOVERED = "UPDATE webhook_endpoints SET failing_since = NULL WHERE account_id = $1 AND id = $2";
    FAILING = "UPDATE webhook_endpoints SET failing_since = $3 WHERE account_id = $1 AND id = $2 AND failing_since IS NULL";
    DISABLE = "UPDATE webhook_endpoints SET enabled = false, disabled_reason = $3, updated_at = $4 WHERE account_id = $1 AND id = $2 AND enabled = true";
}

type Batch = [Arc<Done<Courier>>];

/// A disabled endpoint, and the reason.
pub(super) struct Disabled {
    pub(super) account: AccountId,
    pub(super) endpoint: EndpointId,
    pub(super) reason: &'static str,
}

pub(super) fn write(tx: &mut Tx<'_>, batch: &Batch, ids: &Ids) -> db::Result<Vec<Disabled>> {
    attempts::keep(tx, batch.iter().map(|done| done.job.attempted()))?;
    deliveries(tx, batch)?;
    for done in batch {
        // An endpoint is told of once, however many of its deliveries are in the batch.
        notices::changed(tx, done.job.account, notices::WEBHOOKS, Some(done.lane.uuid()));
    }
    endpoints(tx, batch, ids)
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

/// Only claimed deliveries have a lease. A lost one changes nothing.
fn deliveries(tx: &mut Tx<'_>, batch: &Batch) -> db::Result<()> {
    let states: Vec<_> = batch
        .iter()
        .map(|done| {
            (&done.job, &done.outcome, state(&done.outcome), done.job.attempts + 1, done.job.step + 1)
        })
        .collect();
    let mut rows: Vec<[&dyn db::Param; 13]> = Vec::with_capacity(states.len());
    for (job, outcome, (status, next, delivered), attempts, step) in &states {
        rows.push([
            &job.account,
            &job.delivery,
            &job.lease,
            status,
            attempts,
            step,
            next,
            &outcome.status_code,
            &outcome.error,
            &outcome.snippet,
            &outcome.millis,
            delivered,
            &outcome.started_at,
        ]);
    }
    tx.execute_each(SETTLE, &rows).map(|_lost_leases_change_nothing| ())
}

/// Updates the health of the batch's endpoints. The last outcome of each endpoint counts.
fn endpoints(tx: &mut Tx<'_>, batch: &Batch, ids: &Ids) -> db::Result<Vec<Disabled>> {
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
            let mail = NewMail::for_managers(account, MailKind::EndpointDisabled, endpoint.uuid());
            mails::queue_for_managers(tx, ids, &mail, outcome.ended_at)?;
        }
    }
    Ok(disabled)
}
