//! Starts a broadcast, now or later, and retries recipients that it did not reach.

use frontdesk_db::{self as db, Dialect, Query, Tx};
use frontdesk_inbox::connections;
use frontdesk_inbox::messages::MessageError;
use frontdesk_kernel::Timestamp;
use frontdesk_platform::{By, Error as PlatformError};

use crate::broadcast::{Broadcast, BroadcastError, BroadcastId, MISSING};
use crate::event_types;
use crate::row::{self, Campaign};
use crate::status::{Act, BroadcastStatus, Next};
use crate::stop;

const NO_CONNECTION: PlatformError = PlatformError::Missing("connection");

/// Reasons of failures that can be retried: nothing was handed over, and the reason may pass.
const TEMPORARY_REASONS: &[&str] = &["temporary", "rate_limited", "unreachable", "channel_not_connected"];

/// Starts a broadcast at a given moment, or at once.
pub(crate) fn schedule(
    tx: &mut Tx<'_>,
    by: &By,
    id: BroadcastId,
    at: Option<Timestamp>,
) -> Result<Broadcast, BroadcastError> {
    let mut campaign = row::find_to_change(tx, by.account, id)?.ok_or(MISSING)?;
    let by = &by.after(campaign.shown.updated_at);
    let later = at.filter(|at| *at > by.now);
    let next = campaign.shown.status.after(Act::Schedule { later: later.is_some() })?;
    is_connected(tx, &campaign)?;
    if let Next::Is(status) = next {
        campaign.shown.status = status;
    }
    campaign.shown.scheduled_at = Some(later.unwrap_or(by.now));
    campaign.save(tx, by.now)?;
    let is_ready = campaign.filling.is_none();
    campaign.wake(tx, Some(later.filter(|_| is_ready).unwrap_or(by.now)))?;
    if campaign.shown.status == BroadcastStatus::Sending {
        stop::tell(tx, by, &campaign, event_types::STARTED, None)?;
    }
    Ok(campaign.show())
}

/// Retries recipients that failed for a reason that may have passed. Contacts that have opted out are left out.
pub(crate) fn retry(tx: &mut Tx<'_>, by: &By, id: BroadcastId) -> Result<Broadcast, BroadcastError> {
    let mut campaign = row::find_to_change(tx, by.account, id)?.ok_or(MISSING)?;
    let by = &by.after(campaign.shown.updated_at);
    let next = campaign.shown.status.after(Act::Retry)?;
    is_connected(tx, &campaign)?;
    let again = put_back(tx, by, &campaign)?;
    if again == 0 {
        return Err(BroadcastError::NothingToRetry);
    }
    if let Next::Is(status) = next {
        campaign.shown.status = status;
    }
    campaign.fed_after = None;
    campaign.kept.failed -= again;
    campaign.save(tx, by.now)?;
    campaign.wake(tx, Some(by.now))?;
    stop::tell(tx, by, &campaign, event_types::STARTED, None)?;
    Ok(campaign.show())
}

/// Makes recipients pending again. Returns how many.
fn put_back(tx: &mut Tx<'_>, by: &By, campaign: &Campaign) -> db::Result<i64> {
    let mut query = Query::new(
        "UPDATE broadcast_recipients SET status = 'pending', marks = 0, error = NULL, message_id = NULL, handed_at = NULL, updated_at = ",
    );
    query.bind(by.now).push(" WHERE account_id = ").bind(by.account).push(" AND broadcast_id = ");
    query.bind(campaign.id()).push(" AND status = 'failed' AND marks = 16 AND ");
    query.push(match tx.dialect() {
        Dialect::Sqlite => "json_extract(error, '$.reason')",
        Dialect::Postgres => "error::jsonb ->> 'reason'",
    });
    let reasons: Vec<String> = TEMPORARY_REASONS.iter().map(|reason| (*reason).to_owned()).collect();
    query.push(" IN ").bind_list(&reasons);
    query.push(" AND EXISTS (SELECT 1 FROM contacts c WHERE c.account_id = broadcast_recipients.account_id");
    query.push(" AND c.id = broadcast_recipients.contact_id AND c.opted_out_at IS NULL)");
    Ok(tx.change(&query)?.rows() as i64)
}

fn is_connected(tx: &mut Tx<'_>, campaign: &Campaign) -> Result<(), BroadcastError> {
    let connection = connections::find(tx, campaign.account, campaign.connection)?.ok_or(NO_CONNECTION)?;
    if connection.is_connected() {
        Ok(())
    } else {
        Err(MessageError::NotConnected(Box::new(connection.public)).into())
    }
}
