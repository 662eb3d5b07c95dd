//! Settling: what came of attempts is written, many in one transaction, each only if its lease is still ours.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use frontdesk_db::{self as db, Dialect, List, Tx};
use frontdesk_kernel::Timestamp;
use frontdesk_kernel::ids::AccountId;

use super::attempt::{Outcome, Verdict};
use crate::Means;
use crate::webhooks::DeliveryStatus;
use crate::webhooks::EndpointId;

/// An endpoint whose deliveries have all failed for so long is switched off.
const FAILING_MAX: Duration = Duration::from_hours(5 * 24);

frontdesk_db::statements! {
    ONE = "UPDATE deliveries SET status = $4, attempts = $5, step = $6, next_attempt_at = $7, last_status_code = $8, last_error = $9,
    response_snippet = $10, duration_ms = $11, delivered_at = $12, lease = NULL, leased_until = NULL
    WHERE account_id = $1 AND id = $2 AND lease = $3 AND status = 'claimed'";
    RECOVERED = "UPDATE webhook_endpoints SET failing_since = NULL WHERE account_id = $1 AND id = $2";
    FAILING = "UPDATE webhook_endpoints SET failing_since = $3 WHERE account_id = $1 AND id = $2 AND failing_since IS NULL";
    DISABLE = "UPDATE webhook_endpoints SET enabled = false, disabled_reason = $3, updated_at = $4 WHERE account_id = $1 AND id = $2 AND enabled = true";
}

// Only what is claimed has a lease; to ask for the status too would lead the planner to the index of leases, and to all
// that is dead in it.
const MANY: &str = "UPDATE deliveries d SET status = v.status, attempts = v.attempts, step = v.step, next_attempt_at = v.next, last_status_code = v.code,
    last_error = v.error, response_snippet = v.snippet, duration_ms = v.millis, delivered_at = v.delivered, lease = NULL, leased_until = NULL
    FROM unnest($1::uuid[], $2::uuid[], $3::uuid[], $4::text[], $5::bigint[], $6::bigint[], $7::timestamptz[], $8::bigint[], $9::text[], $10::text[],
        $11::bigint[], $12::timestamptz[]) AS v (account_id, id, lease, status, attempts, step, next, code, error, snippet, millis, delivered)
    WHERE d.account_id = v.account_id AND d.id = v.id AND d.lease = v.lease";
pub(super) const POSTGRES_STATEMENTS: &[(&str, &str)] = &[("courier::SETTLE_MANY", MANY)];

/// Writes a batch. The caller keeps it, and tries again if the store fails.
pub(super) async fn settle(means: &Means, batch: &[Arc<Outcome>]) -> db::Result<()> {
    let ours = batch.to_vec();
    let disabled = means.store.write(move |tx| write(tx, &ours)).await?;
    for (account, endpoint, reason) in disabled {
        tracing::warn!(account = %account, endpoint = %endpoint, reason, "a webhook endpoint was switched off");
        metrics::counter!("frontdesk_webhook_endpoints_disabled_total").increment(1);
    }
    Ok(())
}

type Disabled = Vec<(AccountId, EndpointId, &'static str)>;

fn write(tx: &mut Tx<'_>, batch: &[Arc<Outcome>]) -> db::Result<Disabled> {
    match tx.dialect() {
        Dialect::Sqlite => one_by_one(tx, batch)?,
        Dialect::Postgres => together(tx, batch)?,
    }
    endpoints(tx, batch)
}

/// What an outcome makes of its delivery: status, when it is next due, when it arrived.
fn state(outcome: &Outcome) -> (DeliveryStatus, Option<Timestamp>, Option<Timestamp>) {
    match outcome.verdict {
        Verdict::Delivered => (DeliveryStatus::Succeeded, None, Some(outcome.ended_at)),
        Verdict::Again(Some(next)) => (DeliveryStatus::Pending, Some(next), None),
        Verdict::Again(None) => (DeliveryStatus::Exhausted, None, None),
        Verdict::Gone | Verdict::Refused => (DeliveryStatus::Failed, None, None),
    }
}

fn one_by_one(tx: &mut Tx<'_>, batch: &[Arc<Outcome>]) -> db::Result<()> {
    for outcome in batch {
        let (status, next, delivered) = state(outcome);
        let params: &[&dyn db::Param] = &[
            &outcome.account,
            &outcome.delivery,
            &outcome.lease,
            &status,
            &outcome.attempts,
            &outcome.step,
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

/// One statement for the whole batch: PostgreSQL is a round trip away.
fn together(tx: &mut Tx<'_>, batch: &[Arc<Outcome>]) -> db::Result<()> {
    fn each<'b, T>(batch: &'b [Arc<Outcome>], of: impl Fn(&'b Outcome) -> T) -> List<T> {
        List(batch.iter().map(|outcome| of(outcome)).collect())
    }
    let params: &[&dyn db::Param] = &[
        &each(batch, |outcome| outcome.account),
        &each(batch, |outcome| outcome.delivery),
        &each(batch, |outcome| outcome.lease),
        &each(batch, |outcome| state(outcome).0),
        &each(batch, |outcome| outcome.attempts),
        &each(batch, |outcome| outcome.step),
        &each(batch, |outcome| state(outcome).1),
        &each(batch, |outcome| outcome.status_code),
        &each(batch, |outcome| outcome.error.as_deref()),
        &each(batch, |outcome| outcome.snippet.as_deref()),
        &each(batch, |outcome| outcome.millis),
        &each(batch, |outcome| state(outcome).2),
    ];
    tx.plan_anew()?;
    let _lost_leases_change_nothing = tx.execute(MANY, params)?;
    Ok(())
}

/// What the batch says about the health of its endpoints. The last word of each counts.
fn endpoints(tx: &mut Tx<'_>, batch: &[Arc<Outcome>]) -> db::Result<Disabled> {
    let last: HashMap<EndpointId, &Outcome> =
        batch.iter().map(|outcome| (outcome.endpoint, outcome.as_ref())).collect();
    let mut disabled = Vec::new();
    for (endpoint, outcome) in last {
        let reason = match (outcome.verdict, outcome.failing_since) {
            (Verdict::Delivered, None) => continue,
            (Verdict::Delivered, Some(_)) => {
                let _deleted_is_fine = tx.execute(RECOVERED, &[&outcome.account, &endpoint])?;
                continue;
            }
            (Verdict::Gone, _) => "the endpoint answered 410 Gone",
            (_, Some(since)) if since + FAILING_MAX <= outcome.ended_at => {
                "every delivery has failed for 5 days"
            }
            _ => {
                let _set_already_is_fine =
                    tx.execute(FAILING, &[&outcome.account, &endpoint, &outcome.ended_at])?;
                continue;
            }
        };
        if tx.execute(DISABLE, &[&outcome.account, &endpoint, &reason, &outcome.ended_at])?.any() {
            disabled.push((outcome.account, endpoint, reason));
        }
    }
    Ok(disabled)
}
