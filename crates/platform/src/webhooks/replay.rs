//! Replay: the deliveries of a time range become pending again, due now.
//!
//! There may be millions, so a replay is a row and runs in steps. Each step is a transaction that reads a
//! bounded number of deliveries. The first step runs in the transaction that accepts the replay; most replays
//! need no other. A crash loses nothing, and one replay resets no delivery twice, because it walks through
//! them by id.

use frontdesk_db::{self as db, ReadTx, Row, Topic, Tx, only};
use frontdesk_kernel::ids::AccountId;
use frontdesk_kernel::{Id, Timestamp};
use frontdesk_web::{Problems, choice, input, resource};

use super::deliveries::{DeliveryId, DeliveryStatus};
use super::endpoint::{EndpointId, MISSING, WebhookError};
use super::{QUEUED, endpoints};
use crate::by::By;

/// The topic that wakes the replay worker.
pub const ACCEPTED: Topic = "replays";

/// Deliveries that a step reads.
const STEP_ROWS_MAX: i64 = 1_000;

frontdesk_db::statements! {
    COUNT = "SELECT count(*) FROM deliveries
        WHERE account_id = $1 AND endpoint_id = $2 AND id >= $3 AND id < $4 AND status IN ($5, $6, $7)";
    STEP_END = "SELECT id FROM deliveries WHERE account_id = $1 AND endpoint_id = $2 AND id >= $3 AND id < $4
        ORDER BY id LIMIT 1 OFFSET $5";
    SET_BACK = "UPDATE deliveries SET status = 'pending', step = 0, next_attempt_at = $5
        WHERE account_id = $1 AND endpoint_id = $2 AND id >= $3 AND id < $4 AND status IN ($6, $7, $8)";
    INSERT = "INSERT INTO replays (account_id, id, endpoint_id, status, next_id, until_id) VALUES ($1, $2, $3, $4, $5, $6)";
    OLDEST = "SELECT account_id, id, endpoint_id, status, next_id, until_id FROM replays ORDER BY id LIMIT 1";
    ANY = "SELECT 1 FROM replays LIMIT 1";
    ADVANCE = "UPDATE replays SET next_id = $3 WHERE account_id = $1 AND id = $2";
    DELETE = "DELETE FROM replays WHERE account_id = $1 AND id = $2";
}

choice! {
    /// The status of the deliveries to replay; `all` means the three others.
    pub enum ReplayStatus {
        Failed => "failed",
        Exhausted => "exhausted",
        Succeeded => "succeeded",
        All => "all",
    }
}

input! {
    /// Which deliveries to send again.
    pub struct NewReplay {
        /// Deliveries created at or after this time.
        pub since: Timestamp,
        /// Deliveries created before this time; defaults to now.
        pub until: Option<Timestamp>,
        /// Defaults to `failed` and `exhausted` deliveries.
        pub status: Option<ReplayStatus>,
    }
    check = in_order;
}

fn in_order(new: &NewReplay, problems: &mut Problems) {
    if new.until.is_some_and(|until| until <= new.since) {
        problems.add("until", "must be later than since");
    }
}

resource! {
    /// An accepted replay.
    pub struct Replay {
        /// The number of deliveries that become pending again.
        pub count: i64,
    }
}

/// Marks the id of a replay.
pub(super) enum ReplayRow {}

/// The remaining part of a replay.
#[derive(Clone)]
pub(super) struct Rest {
    account: AccountId,
    id: Id<ReplayRow>,
    endpoint: EndpointId,
    status: Option<ReplayStatus>,
    next: DeliveryId,
    until: DeliveryId,
}

impl Rest {
    pub(super) fn new(by: &By, endpoint: EndpointId, new: &NewReplay) -> Self {
        // The default includes the current millisecond.
        let until = new.until.unwrap_or(Timestamp::from_millis(by.now.millis() + 1));
        Self {
            account: by.account,
            id: by.new_id(),
            endpoint,
            status: new.status,
            next: DeliveryId::first_at(new.since),
            until: DeliveryId::first_at(until),
        }
    }

    fn statuses(&self) -> [DeliveryStatus; 3] {
        use DeliveryStatus::{Exhausted, Failed, Succeeded};
        match self.status {
            None => [Failed, Exhausted, Exhausted],
            Some(ReplayStatus::Failed) => [Failed; 3],
            Some(ReplayStatus::Exhausted) => [Exhausted; 3],
            Some(ReplayStatus::Succeeded) => [Succeeded; 3],
            Some(ReplayStatus::All) => [Failed, Exhausted, Succeeded],
        }
    }

    /// Resets some of the deliveries: returns how many, and where to continue if there may be more.
    fn step(&self, tx: &mut Tx<'_>, now: Timestamp) -> db::Result<(u64, Option<DeliveryId>)> {
        let Self { account, endpoint, next, until, .. } = self;
        let end = tx.find(STEP_END, &[account, endpoint, next, until, &STEP_ROWS_MAX], only::<DeliveryId>)?;
        let [one, two, three] = self.statuses();
        let to = end.unwrap_or(*until);
        let params: &[&dyn db::Param] = &[account, endpoint, next, &to, &now, &one, &two, &three];
        let set_back = tx.execute(SET_BACK, params)?.rows();
        if set_back > 0 {
            tx.wake_about(QUEUED, endpoint.uuid());
        }
        Ok((set_back, end))
    }
}

/// The number of deliveries of a replay. There may be many, so this is a long read.
pub(super) fn count(tx: &mut ReadTx<'_>, rest: &Rest) -> Result<i64, WebhookError> {
    let Rest { account, endpoint, next, until, .. } = rest;
    enabled(tx, *account, *endpoint)?;
    let [one, two, three] = rest.statuses();
    Ok(tx.find(COUNT, &[account, endpoint, next, until, &one, &two, &three], only)?.unwrap_or(0))
}

/// Accepts a replay of the counted deliveries, and runs its first step.
pub(super) fn accept(tx: &mut Tx<'_>, by: &By, rest: &Rest, counted: i64) -> Result<Replay, WebhookError> {
    enabled(tx, rest.account, rest.endpoint)?;
    let (set_back, next) = rest.step(tx, by.now)?;
    let Some(next) = next else { return Ok(Replay { count: set_back as i64 }) };
    let status = rest.status.map(ReplayStatus::as_str).unwrap_or_default();
    let params: &[&dyn db::Param] = &[&rest.account, &rest.id, &rest.endpoint, &status, &next, &rest.until];
    tx.execute(INSERT, params)?.exactly(1)?;
    tx.wake(ACCEPTED);
    Ok(Replay { count: counted })
}

/// Whether any replay is unfinished.
pub fn any(tx: &mut ReadTx<'_>) -> db::Result<bool> {
    Ok(tx.find(ANY, &[], only::<i64>)?.is_some())
}

/// Runs a step of the oldest replay; true if there may be more to do.
pub fn advance(tx: &mut Tx<'_>, now: Timestamp) -> db::Result<bool> {
    let Some(rest) = tx.find_to_change(OLDEST, &[], read)? else { return Ok(false) };
    let endpoint = endpoints::find(tx, rest.account, rest.endpoint)?;
    // Deliveries of a deleted or disabled endpoint stay as they are.
    let next = match endpoint.filter(|endpoint| endpoint.enabled) {
        Some(_) => rest.step(tx, now)?.1,
        None => None,
    };
    match next {
        Some(next) => tx.execute(ADVANCE, &[&rest.account, &rest.id, &next])?.exactly(1)?,
        None => tx.execute(DELETE, &[&rest.account, &rest.id])?.exactly(1)?,
    }
    Ok(true)
}

fn enabled(tx: &mut ReadTx<'_>, account: AccountId, endpoint: EndpointId) -> Result<(), WebhookError> {
    let endpoint = endpoints::find(tx, account, endpoint)?.ok_or(MISSING)?;
    if endpoint.enabled { Ok(()) } else { Err(WebhookError::Disabled) }
}

fn read(row: &mut Row<'_>) -> db::Result<Rest> {
    Ok(Rest {
        account: row.next()?,
        id: row.next()?,
        endpoint: row.next()?,
        status: row.next::<String>()?.parse().ok(),
        next: row.next()?,
        until: row.next()?,
    })
}
