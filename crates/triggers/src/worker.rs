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
use frontdesk_db::{self as db, ReadTx, Tx, only};
use frontdesk_jobs::{
    self as jobs, Claim, Claimed, Context, Done, FAULTS_MAX, Kind, LeasedRow, LeasedRows, Limits, Worker,
    catch_panic, set_aside,
};
use frontdesk_kernel::Timestamp;
use frontdesk_kernel::ids::AccountId;
use frontdesk_platform::{By, ServerContext};
use uuid::Uuid;

use crate::fire::{Firings, SendWindow, Targets, send_window};
use crate::refusal::TriggerRefusal;
use crate::row::{self, TriggerRow};
use crate::trigger::AudienceType;
use crate::{plan, sql, targets};

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

/// Starts the worker.
pub fn start(server: &ServerContext, context: &Context) -> Worker {
    jobs::start(TriggerWorker { server: server.clone() }, context)
}

struct TriggerWorker {
    server: ServerContext,
}

/// A claimed trigger.
#[derive(Clone, Copy, Debug)]
struct DueTrigger {
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
    due: Vec<DueTrigger>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Outcome {
    /// Everything is stored.
    Over,
    /// The store failed; the triggers are due again after a pause.
    Fault,
}

impl Kind for TriggerWorker {
    const NAME: &'static str = "triggers";
    const TOPIC: db::Topic = row::DUE;
    const ROWS: Option<LeasedRows> = Some(sql::DUE_TRIGGERS);
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
        let found = tx.find(sql::ANY_DUE, &[&now], only::<TriggerId>)?;
        Ok(found.map(|_| ()).into_iter().collect())
    }

    fn claim(&self, tx: &mut Tx<'_>, claim: &Claim<()>) -> db::Result<Claimed<Batch>> {
        tx.plan_by_index()?;
        let due = sql::DUE_TRIGGERS.claim(tx, claim, claim.most * BATCH_ROWS_MAX, &[], |row| {
            Ok(DueTrigger {
                account: row.next()?,
                trigger: row.next()?,
                audience: row.next()?,
                contact: row.next()?,
                segment: row.next()?,
                max_targets: row.next()?,
            })
        })?;
        Ok(Claimed::jobs(batches(due, claim.lease)))
    }

    async fn act(&self, batch: Arc<Batch>) -> Outcome {
        match catch_panic(self.fire(&batch)).await {
            Ok(()) => Outcome::Over,
            Err(error) if error.is_lasting() => {
                tracing::warn!(triggers = batch.due.len(), %error, "triggers not fired; trying each in its own transaction");
                self.fire_each(&batch).await
            }
            Err(error) => {
                tracing::warn!(triggers = batch.due.len(), %error, "triggers not fired; retrying in {FAULT_PAUSE:?}");
                Outcome::Fault
            }
        }
    }

    fn settle(&self, tx: &mut Tx<'_>, done: &[Arc<Done<Self>>], now: Timestamp) -> db::Result<()> {
        let failed = done.iter().filter(|done| done.outcome == Outcome::Fault);
        let mut rows = failed.flat_map(|done| done.job.rows());
        rows.try_for_each(|row| sql::DUE_TRIGGERS.release(tx, row, now + FAULT_PAUSE))
    }

    fn rows(&self, batch: &Batch) -> Vec<LeasedRow> {
        batch.rows().collect()
    }
}

impl Batch {
    fn rows(&self) -> impl Iterator<Item = LeasedRow> {
        self.due.iter().map(|due| LeasedRow::new(due.account, due.trigger, self.lease))
    }
}

/// Groups claimed triggers into batches. Each trigger whose audience is a segment gets its own batch.
fn batches(due: Vec<DueTrigger>, lease: Uuid) -> Vec<Batch> {
    let (alone, mut together): (Vec<DueTrigger>, Vec<DueTrigger>) =
        due.into_iter().partition(|due| due.audience == AudienceType::Segment);
    together.sort_unstable_by_key(|due| (due.account, due.trigger));
    let together = together.chunks(BATCH_ROWS_MAX).map(|due| Batch { lease, due: due.to_vec() });
    let alone = alone.into_iter().map(|due| Batch { lease, due: vec![due] });
    together.chain(alone).collect()
}

impl TriggerWorker {
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
    async fn is_given_up(&self, batch: &Batch, due: DueTrigger, error: &db::Error) -> bool {
        let (account, trigger, lease) = (due.account, due.trigger, batch.lease);
        let counted = self.server.store.write(move |tx| -> db::Result<bool> {
            let key: &[&dyn db::Param] = &[&account, &trigger, &lease];
            if tx.find(sql::COUNT_FAULT, key, only::<i64>)?.is_none_or(|faults| faults < FAULTS_MAX) {
                return Ok(false);
            }
            let code = TriggerRefusal::KeepsFailing.as_str();
            Ok(tx.execute(sql::GIVE_UP, &[&account, &trigger, &lease, &code])?.any())
        });
        let is_given_up = counted.await.unwrap_or_else(|failed| {
            tracing::warn!(%trigger, error = %failed, "failing trigger not set aside; trying again with its next failure");
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
            [DueTrigger { account, segment: Some(segment), max_targets, .. }] => {
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
struct LockedTargets {
    contacts: BTreeSet<(AccountId, ContactId)>,
    segment: Option<Targets>,
}

fn hold_contacts(tx: &mut Tx<'_>, batch: &Batch, segment: Option<&Targets>) -> db::Result<LockedTargets> {
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
    Ok(LockedTargets { contacts, segment: segment.cloned() })
}

impl LockedTargets {
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
fn fire(
    tx: &mut Tx<'_>,
    by: &By,
    firings: &mut Firings,
    row: &TriggerRow,
    held: &LockedTargets,
) -> db::Result<()> {
    let account = firings.account(tx, by.account)?;
    if account.suspended_at.is_some() {
        return row::reschedule(tx, row, row.next_fire_at, Some(by.now));
    }
    let next = |fired_for| plan::next(&row.trigger, fired_for, &account.timezone, by.now);
    if row.next_fire_at.is_none_or(|at| at > by.now) {
        // The account's timezone or sending hours were changed.
        let next = next(row.fired_for).filter(|_| row.trigger.enabled);
        return row::reschedule(tx, row, next, next);
    }
    let targets = match send_window(&row.trigger, &account, by.now) {
        SendWindow::Open => held.targets(row),
        SendWindow::Never => Targets::Refused(TriggerRefusal::NoSendingHours),
        SendWindow::OpensAt(opens) => return row::reschedule(tx, row, row.next_fire_at, Some(opens)),
    };
    let error = firings.start(tx, by, &row.trigger, &targets)?.err().map(TriggerRefusal::as_str);
    row::record_due_firing(tx, row, by.now, error, next(row.next_fire_at))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn due(number: u128, audience: AudienceType) -> DueTrigger {
        let id = Uuid::from_u128(number);
        DueTrigger {
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
        let mut claimed: Vec<DueTrigger> = (0..many).map(|number| due(number, AudienceType::None)).collect();
        claimed.insert(3, due(many, AudienceType::Segment));
        claimed.insert(9, due(many + 1, AudienceType::Segment));
        let sizes: Vec<usize> = batches(claimed, Uuid::nil()).iter().map(|batch| batch.due.len()).collect();
        assert_eq!(sizes, [BATCH_ROWS_MAX, 1, 1, 1]);
        assert!(batches(Vec::new(), Uuid::nil()).is_empty());
    }
}
