//! The worker: fires triggers that are due.
//!
//! A job is a batch of due triggers, claimed together under one lease and fired in one transaction: their runs and
//! their next due times commit together or not at all. A trigger whose audience is a segment is a batch of its own,
//! because the worker first searches for its contacts. A worker that lost its lease fires nothing, so a due time never
//! fires twice. Triggers that a dead server had claimed are due again when another takes over.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Duration;

use frontdesk_agent::ids::TriggerId;
use frontdesk_crm::contacts::ContactId;
use frontdesk_crm::segments::SegmentId;
use frontdesk_db::{self as db, LeaseRange, ReadTx, Tx, only};
use frontdesk_jobs::{
    self as jobs, Claim, ClaimSql, Claimed, Context, Done, FAULTS_MAX, Kind, Limits, Worker, catch_panic,
    claim_sql, set_aside,
};
use frontdesk_kernel::Timestamp;
use frontdesk_kernel::ids::AccountId;
use frontdesk_platform::{By, ServerContext, not_suspended};
use uuid::Uuid;

use crate::fire::{Firings, Quiet, Targets, quiet};
use crate::refusal::TriggerRefusal;
use crate::row::{self, TriggerRow};
use crate::trigger::AudienceType;
use crate::{DUE, plan, targets};

/// Maximum triggers fired in one transaction.
const BATCH_ROWS_MAX: usize = 64;
/// Maximum batches under way at a time.
const BATCHES_MAX: usize = 8;
/// How long the lease of a claim lasts, and the longest that a firing takes. A segment may have to be searched among
/// many contacts.
const LEASE: Duration = Duration::from_mins(2);
const FIRE_TIME_MAX: Duration = Duration::from_secs(90);
/// How long triggers wait for a retry after the store fails.
const FAULT_PAUSE: Duration = Duration::from_secs(5);

/// A claimed trigger is due again when its lease expires. Triggers of suspended accounts stay due, and fire once when the
/// account is resumed.
pub(crate) const CLAIM: ClaimSql = claim_sql!(
    "triggers::CLAIM",
    update: ["UPDATE triggers SET due_at = $2, lease = $3"],
    key: "account_id, id",
    from: ["FROM triggers WHERE due_at <= $1 AND ", not_suspended!("triggers.account_id"), " ORDER BY due_at LIMIT $4"],
    returning: "account_id, id, audience_type, contact_id, segment_id, max_targets",
);

frontdesk_db::statements! {
    ANY_DUE = concat!("SELECT id FROM triggers WHERE due_at <= $1 AND ", not_suspended!("triggers.account_id"), " LIMIT 1");
    RELEASE = "UPDATE triggers SET due_at = $4, lease = NULL WHERE account_id = $1 AND id = $2 AND lease = $3";
    COUNT_FAULT = "UPDATE triggers SET faults = faults + 1 WHERE account_id = $1 AND id = $2 AND lease = $3 RETURNING faults";
    GIVE_UP = "UPDATE triggers SET due_at = NULL, lease = NULL, faults = 0, last_error = $4 WHERE account_id = $1 AND id = $2 AND lease = $3";
    TAKE_OVER = "UPDATE triggers SET due_at = $1, lease = NULL WHERE due_at IS NOT NULL AND lease >= $2 AND lease <= $3";
}

/// Starts the worker.
pub fn start(server: &ServerContext, context: &Context) -> Worker {
    jobs::start(Clockwork { server: server.clone() }, context)
}

struct Clockwork {
    server: ServerContext,
}

/// A claimed trigger.
#[derive(Clone, Copy, Debug)]
struct Due {
    account: AccountId,
    trigger: TriggerId,
    audience: AudienceType,
    contact: Option<ContactId>,
    segment: Option<SegmentId>,
    max_targets: i64,
}

/// Triggers that are fired together.
struct Batch {
    lease: Uuid,
    due: Vec<Due>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Outcome {
    /// Everything is stored.
    Over,
    /// The store failed; the triggers are due again after a pause.
    Fault,
}

impl Kind for Clockwork {
    const NAME: &'static str = "triggers";
    const TOPIC: db::Topic = DUE;
    const LIMITS: Limits = Limits {
        lane: BATCHES_MAX,
        overall: BATCHES_MAX,
        lease: LEASE,
        act_time_max: FIRE_TIME_MAX,
        ..Limits::DEFAULT
    };

    type Lane = ();
    type Job = Batch;
    type Outcome = Outcome;
    type Settled = ();

    fn due(&self, tx: &mut ReadTx<'_>, now: Timestamp) -> db::Result<Vec<()>> {
        let found = tx.find(ANY_DUE, &[&now], only::<TriggerId>)?;
        Ok(found.map(|_| ()).into_iter().collect())
    }

    fn claim(&self, tx: &mut Tx<'_>, claim: &Claim<()>) -> db::Result<Claimed<Batch>> {
        let Claim { most, now, lease, leased_until, .. } = *claim;
        let rows_max = (most * BATCH_ROWS_MAX) as i64;
        tx.plan_by_index()?;
        let due = CLAIM.query(tx, &[&now, &leased_until, &lease, &rows_max], |row| {
            Ok(Due {
                account: row.next()?,
                trigger: row.next()?,
                audience: row.next()?,
                contact: row.next()?,
                segment: row.next()?,
                max_targets: row.next()?,
            })
        })?;
        Ok(Claimed::jobs(batches(due, lease)))
    }

    async fn act(&self, batch: Arc<Batch>) -> Outcome {
        match catch_panic(self.fire(&batch)).await {
            Ok(()) => Outcome::Over,
            Err(error) if error.is_lasting() => {
                tracing::warn!(triggers = batch.due.len(), %error, "triggers did not fire; each is tried by itself");
                self.fire_each(&batch).await
            }
            Err(error) => {
                tracing::warn!(triggers = batch.due.len(), %error, "triggers did not fire; they are tried again");
                Outcome::Fault
            }
        }
    }

    fn settle(&self, tx: &mut Tx<'_>, done: &[Arc<Done<Self>>], now: Timestamp) -> db::Result<()> {
        let mut failed = done.iter().filter(|done| done.outcome == Outcome::Fault);
        failed.try_for_each(|done| release(tx, &done.job, now + FAULT_PAUSE))
    }

    fn give_back(&self, tx: &mut Tx<'_>, jobs: &[Arc<Batch>], now: Timestamp) -> db::Result<()> {
        jobs.iter().try_for_each(|batch| release(tx, batch, now))
    }

    fn take_over(&self, tx: &mut Tx<'_>, dead: LeaseRange, now: Timestamp) -> db::Result<bool> {
        let _any_number_is_fine = tx.execute(TAKE_OVER, &[&now, &dead.first, &dead.last])?;
        Ok(false)
    }
}

/// Groups claimed triggers into batches. Each trigger whose audience is a segment gets its own batch.
fn batches(due: Vec<Due>, lease: Uuid) -> Vec<Batch> {
    let (alone, mut together): (Vec<Due>, Vec<Due>) =
        due.into_iter().partition(|due| due.audience == AudienceType::Segment);
    together.sort_unstable_by_key(|due| (due.account, due.trigger));
    let together = together.chunks(BATCH_ROWS_MAX).map(|due| Batch { lease, due: due.to_vec() });
    let alone = alone.into_iter().map(|due| Batch { lease, due: vec![due] });
    together.chain(alone).collect()
}

fn release(tx: &mut Tx<'_>, batch: &Batch, due_at: Timestamp) -> db::Result<()> {
    for due in &batch.due {
        let params: &[&dyn db::Param] = &[&due.account, &due.trigger, &batch.lease, &due_at];
        let _lost_lease_changes_nothing = tx.execute(RELEASE, params)?;
    }
    Ok(())
}

impl Clockwork {
    /// Fires every trigger of a batch in a transaction of its own, because one of them fails. Those that fired already are
    /// no longer claimed, so they do not fire twice.
    async fn fire_each(&self, batch: &Batch) -> Outcome {
        let mut outcome = Outcome::Over;
        for due in &batch.due {
            let alone = Arc::new(Batch { lease: batch.lease, due: vec![*due] });
            if let Err(error) = catch_panic(self.fire(&alone)).await
                && !(error.is_lasting() && self.is_given_up(&alone, *due, &error).await)
            {
                outcome = Outcome::Fault;
            }
        }
        outcome
    }

    /// Counts a fault of a trigger. Returns true if it was one too many: the trigger fires no more until it is changed.
    async fn is_given_up(&self, batch: &Batch, due: Due, error: &db::Error) -> bool {
        let (account, trigger, lease) = (due.account, due.trigger, batch.lease);
        let counted = self.server.store.write(move |tx| -> db::Result<bool> {
            let key: &[&dyn db::Param] = &[&account, &trigger, &lease];
            if tx.find(COUNT_FAULT, key, only::<i64>)?.is_none_or(|faults| faults < FAULTS_MAX) {
                return Ok(false);
            }
            let told = TriggerRefusal::KeepsFailing.as_str();
            Ok(tx.execute(GIVE_UP, &[&account, &trigger, &lease, &told])?.any())
        });
        let is_given_up = counted.await.unwrap_or_else(|failed| {
            tracing::warn!(%trigger, error = %failed, "a trigger that keeps failing was not set aside");
            false
        });
        if is_given_up {
            set_aside(Self::NAME, trigger, error);
        }
        is_given_up
    }

    async fn fire(&self, batch: &Arc<Batch>) -> db::Result<()> {
        let now = (self.server.clock)();
        let found = match batch.due.as_slice() {
            [Due { account, segment: Some(segment), max_targets, .. }] => {
                let most = usize::try_from(*max_targets).unwrap_or_default();
                let store = &self.server.store;
                Some(targets::search_long(store, *account, *segment, most, now).await?)
            }
            _ => None,
        };
        let segment = found.map(|found| match found {
            None => Targets::Refused(TriggerRefusal::SegmentMissing),
            Some(contacts) => Targets::Contacts(contacts),
        });
        let (batch, recorder) = (batch.clone(), self.server.recorder.clone());
        let fired = self.server.store.write(move |tx| {
            let mut firings = Firings::default();
            let held = hold_contacts(tx, &batch, segment.as_ref())?;
            let keys: Vec<_> = batch.due.iter().map(|due| (due.account, due.trigger)).collect();
            for row in row::hold_leased(tx, &keys, batch.lease)? {
                let by = By::system(row.account, now, &recorder);
                fire(tx, &by, &mut firings, &row, &held)?;
            }
            Ok(())
        });
        fired.await
    }
}

/// The contacts that a batch acts on, locked. The worker locks contacts before triggers, as an erasure does.
struct Held {
    contacts: BTreeSet<(AccountId, ContactId)>,
    segment: Option<Targets>,
}

fn hold_contacts(tx: &mut Tx<'_>, batch: &Batch, segment: Option<&Targets>) -> db::Result<Held> {
    let mut wanted: BTreeMap<AccountId, BTreeSet<ContactId>> = BTreeMap::new();
    for due in &batch.due {
        wanted.entry(due.account).or_default().extend(due.contact);
        if let Some(Targets::Contacts(contacts)) = segment {
            wanted.entry(due.account).or_default().extend(contacts);
        }
    }
    let mut contacts = BTreeSet::new();
    for (account, wanted) in wanted {
        let wanted: Vec<ContactId> = wanted.into_iter().collect();
        let held = row::hold_contacts(tx, account, &wanted)?;
        contacts.extend(held.into_iter().map(|contact| (account, contact)));
    }
    Ok(Held { contacts, segment: segment.cloned() })
}

impl Held {
    /// The contacts that a trigger acts on.
    fn targets(&self, row: &TriggerRow) -> Targets {
        let is_held = |contact: &ContactId| self.contacts.contains(&(row.account, *contact));
        match (row.trigger.audience_type, &self.segment) {
            (AudienceType::None, _) => Targets::Nobody,
            (AudienceType::Contact, _) => match row.trigger.contact_id.filter(is_held) {
                Some(contact) => Targets::Contacts(vec![contact]),
                None => Targets::Refused(TriggerRefusal::ContactMissing),
            },
            (AudienceType::Segment, Some(Targets::Contacts(found))) => {
                let contacts: Vec<ContactId> = found.iter().copied().filter(is_held).collect();
                if contacts.is_empty() {
                    Targets::Refused(TriggerRefusal::SegmentEmpty)
                } else {
                    Targets::Contacts(contacts)
                }
            }
            (AudienceType::Segment, _) => Targets::Refused(TriggerRefusal::SegmentMissing),
        }
    }
}

/// Fires a trigger that this transaction has locked, or moves it if it is not due after all.
fn fire(tx: &mut Tx<'_>, by: &By, firings: &mut Firings, row: &TriggerRow, held: &Held) -> db::Result<()> {
    let account = firings.account(tx, by.account)?;
    if account.suspended_at.is_some() {
        return row::move_to(tx, row, row.next_fire_at, Some(by.now));
    }
    let next = |fired_for| plan::next(&row.trigger, fired_for, &account.timezone, by.now);
    if row.next_fire_at.is_none_or(|at| at > by.now) {
        // The account's timezone or sending hours were changed.
        let next = next(row.fired_for).filter(|_| row.trigger.enabled);
        return row::move_to(tx, row, next, next);
    }
    let targets = match quiet(&row.trigger, &account, by.now) {
        Quiet::Now => held.targets(row),
        Quiet::Forever => Targets::Refused(TriggerRefusal::NoSendingHours),
        Quiet::Until(opens) => return row::move_to(tx, row, row.next_fire_at, Some(opens)),
    };
    let error = firings.start(tx, by, &row.trigger, &targets)?.err().map(TriggerRefusal::as_str);
    row::fired(tx, row, by.now, error, next(row.next_fire_at))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn due(number: u128, audience: AudienceType) -> Due {
        let id = Uuid::from_u128(number);
        Due {
            account: AccountId::from_uuid(Uuid::nil()),
            trigger: TriggerId::from_uuid(id),
            audience,
            contact: None,
            segment: None,
            max_targets: 50,
        }
    }

    #[test]
    fn a_trigger_with_a_segment_is_fired_alone() {
        let many = BATCH_ROWS_MAX as u128 + 1;
        let mut claimed: Vec<Due> = (0..many).map(|number| due(number, AudienceType::None)).collect();
        claimed.insert(3, due(many, AudienceType::Segment));
        claimed.insert(9, due(many + 1, AudienceType::Segment));
        let sizes: Vec<usize> = batches(claimed, Uuid::nil()).iter().map(|batch| batch.due.len()).collect();
        assert_eq!(sizes, [BATCH_ROWS_MAX, 1, 1, 1]);
        assert!(batches(Vec::new(), Uuid::nil()).is_empty());
    }
}
