//! Events that fire triggers.
//!
//! The transaction that writes an event also queues it as a row, so a burst of events makes no writer wait for a
//! trigger's row lock. A worker starts the runs, and keeps at most [`RUNS_MAX`] of them queued or running in an
//! account, so the runs of a large import never delay the runs that answer customers. Events wait until there is room.
//! When the budget is spent or the assistant is disabled, they are dropped, and the trigger's `last_error` says why.
//!
//! People outside the account cause many events and choose some of their words, so these runs are confined to the event's
//! contact.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Duration;

use frontdesk_agent::ids::TriggerId;
use frontdesk_agent::runs::as_record;
use frontdesk_crm::contacts::ContactId;
use frontdesk_db::{self as db, LeaseRange, Query, ReadTx, Tx, only};
use frontdesk_jobs::{
    self as jobs, Claim, Claimed, Context, Done, FAULTS_MAX, Kind, Limits, Worker, set_aside,
};
use frontdesk_kernel::Timestamp;
use frontdesk_kernel::ids::AccountId;
use frontdesk_platform::events::{EventId, WrittenEvent};
use frontdesk_platform::{By, ServerContext};
use uuid::Uuid;

use crate::fire::{Firings, NewTriggerRun, SendWindow, send_window};
use crate::refusal::TriggerRefusal;
use crate::trigger::{TriggerEvent, TriggerKind};
use crate::{row, sql};

/// The topic that wakes the worker about an account.
const QUEUED: db::Topic = "trigger events";
/// Maximum runs of triggers that are queued or running in one account while events start more.
const RUNS_MAX: i64 = 200;
/// Maximum events that one transaction starts runs for.
const BATCH_ROWS_MAX: i64 = 64;
const LEASE: Duration = Duration::from_mins(1);
const START_TIME_MAX: Duration = Duration::from_secs(20);
/// How long events wait for a retry after the store fails.
const FAULT_PAUSE: Duration = Duration::from_secs(5);
/// The `last_error` of a trigger while more of its events wait.
const WAITING: &str = "events_waiting";

/// Queues an event for every enabled trigger that it fires. On PostgreSQL this costs no round trip.
pub(crate) fn queue(
    tx: &mut Tx<'_>,
    by: &By,
    key: TriggerEvent,
    event: &WrittenEvent<'_>,
    contact: Option<ContactId>,
) -> db::Result<()> {
    let params: Vec<db::OwnedParam> = vec![
        Box::new(by.account),
        Box::new(event.id),
        Box::new(contact),
        Box::new(event.data.to_owned()),
        Box::new(by.now),
        Box::new(key),
    ];
    let insert = Query::whole(sql::QUEUE_EVENT, params);
    // If it is not known yet whether a trigger waits for the event, the worker finds it when it looks, once per period.
    if tx.change_along(insert)?.is_some_and(db::Touched::any) {
        tx.wake_about(QUEUED, by.account.uuid());
    }
    Ok(())
}

/// Drops the events that wait for a trigger.
pub(crate) fn forget(tx: &mut Tx<'_>, account: AccountId, trigger: TriggerId) -> db::Result<()> {
    let _any_number_is_fine = tx.execute(sql::DELETE_EVENTS, &[&account, &trigger])?;
    Ok(())
}

/// Starts the worker.
pub fn start(server: &ServerContext, context: &Context) -> Worker {
    jobs::start(EventWorker { server: server.clone() }, context)
}

struct EventWorker {
    server: ServerContext,
}

/// Claimed events of an account.
struct Batch {
    account: AccountId,
    lease: Uuid,
    events: Vec<Event>,
}

#[derive(Clone)]
struct Event {
    trigger: TriggerId,
    id: EventId,
    contact: Option<ContactId>,
    data: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Outcome {
    /// Everything is stored.
    Over,
    /// The store failed; the events are due again after a pause.
    Fault,
}

impl Kind for EventWorker {
    const NAME: &'static str = "trigger events";
    const TOPIC: db::Topic = QUEUED;
    const LIMITS: Limits =
        Limits { overall: 32, lease: LEASE, act_time_max: START_TIME_MAX, ..Limits::DEFAULT };

    type Lane = AccountId;
    type Job = Batch;
    type Outcome = Outcome;
    type Settled = ();

    fn due(&self, tx: &mut ReadTx<'_>, now: Timestamp) -> db::Result<Vec<AccountId>> {
        tx.query(sql::ACCOUNTS_WITH_DUE_EVENTS, &[&now], only)
    }

    /// Servers claim for one account one after the other, so that together they do not exceed the limit.
    fn claim(&self, tx: &mut Tx<'_>, claim: &Claim<AccountId>) -> db::Result<Claimed<Batch>> {
        let Claim { lane: account, now, lease, leased_until, .. } = *claim;
        tx.lock(format!("trigger events {account}"))?;
        tx.plan_by_index()?;
        let active: i64 = tx.find(sql::COUNT_ACTIVE_RUNS, &[&account, &RUNS_MAX], only)?.unwrap_or(0);
        let claimed: i64 = tx.find(sql::COUNT_CLAIMED_EVENTS, &[&account, &now], only)?.unwrap_or(0);
        let room = (RUNS_MAX - active - claimed).min(BATCH_ROWS_MAX);
        if room <= 0 {
            let _any_number_is_fine = tx.execute(sql::SET_WAITING, &[&account, &now, &WAITING])?;
            return Ok(Claimed::jobs(Vec::new()));
        }
        let events = sql::CLAIM_EVENTS.query(tx, &[&now, &leased_until, &lease, &account, &room], |row| {
            Ok(Event { trigger: row.next()?, id: row.next()?, contact: row.next()?, data: row.next()? })
        })?;
        let batch = (!events.is_empty()).then_some(Batch { account, lease, events });
        Ok(Claimed::jobs(batch.into_iter().collect()))
    }

    async fn act(&self, batch: Arc<Batch>) -> Outcome {
        match self.start(&batch).await {
            Ok(()) => Outcome::Over,
            Err(error) if error.is_lasting() => {
                let events = batch.events.len();
                tracing::warn!(events, %error, "runs of events not started; trying each in its own transaction");
                self.start_each(&batch).await
            }
            Err(error) => {
                let events = batch.events.len();
                tracing::warn!(events, %error, "runs of events not started; retrying in {FAULT_PAUSE:?}");
                Outcome::Fault
            }
        }
    }

    fn settle(&self, tx: &mut Tx<'_>, done: &[Arc<Done<Self>>], now: Timestamp) -> db::Result<()> {
        let mut failed = done.iter().filter(|done| done.outcome == Outcome::Fault);
        failed.try_for_each(|done| release(tx, &done.job, now + FAULT_PAUSE))
    }

    fn account(&self, batch: &Batch) -> Option<AccountId> {
        Some(batch.account)
    }

    fn give_back(&self, tx: &mut Tx<'_>, jobs: &[Arc<Batch>], now: Timestamp) -> db::Result<()> {
        jobs.iter().try_for_each(|batch| release(tx, batch, now))
    }

    fn take_over(&self, tx: &mut Tx<'_>, dead: LeaseRange, now: Timestamp) -> db::Result<bool> {
        let _any_number_is_fine = tx.execute(sql::TAKE_OVER_EVENTS, &[&now, &dead.first, &dead.last])?;
        Ok(false)
    }
}

impl EventWorker {
    async fn start(&self, batch: &Arc<Batch>) -> db::Result<()> {
        let (recorder, now) = (self.server.recorder.clone(), (self.server.clock)());
        let batch = batch.clone();
        self.server.store.write(move |tx| fire(tx, &By::system(batch.account, now, &recorder), &batch)).await
    }

    /// Starts the run of every event in a transaction of its own, because one of them fails.
    async fn start_each(&self, batch: &Batch) -> Outcome {
        let mut outcome = Outcome::Over;
        for event in &batch.events {
            let alone =
                Arc::new(Batch { account: batch.account, lease: batch.lease, events: vec![event.clone()] });
            if let Err(error) = self.start(&alone).await
                && !(error.is_lasting() && self.is_given_up(&alone, event, &error).await)
            {
                outcome = Outcome::Fault;
            }
        }
        outcome
    }

    /// Counts a fault of an event. Returns true if it was one too many, and the event was dropped.
    async fn is_given_up(&self, batch: &Batch, event: &Event, error: &db::Error) -> bool {
        let (account, trigger, id, lease) = (batch.account, event.trigger, event.id, batch.lease);
        let counted = self.server.store.write(move |tx| -> db::Result<bool> {
            let key: &[&dyn db::Param] = &[&account, &trigger, &id, &lease];
            if tx.find(sql::COUNT_EVENT_FAULT, key, only::<i64>)?.is_none_or(|faults| faults < FAULTS_MAX) {
                return Ok(false);
            }
            let code = TriggerRefusal::KeepsFailing.as_str();
            let _gone_is_fine = tx.execute(sql::SET_ERROR, &[&account, &trigger, &code])?;
            Ok(tx.execute(sql::DEQUEUE_EVENT, key)?.any())
        });
        let is_given_up = counted.await.unwrap_or_else(|failed| {
            tracing::warn!(event = %id, error = %failed, "failing event not set aside; trying again with its next failure");
            false
        });
        if is_given_up {
            set_aside(Self::NAME, id, error);
        }
        is_given_up
    }
}

fn release(tx: &mut Tx<'_>, batch: &Batch, due_at: Timestamp) -> db::Result<()> {
    batch.events.iter().try_for_each(|event| release_one(tx, batch, event, due_at))
}

fn release_one(tx: &mut Tx<'_>, batch: &Batch, event: &Event, due_at: Timestamp) -> db::Result<()> {
    let params: &[&dyn db::Param] = &[&batch.account, &event.trigger, &event.id, &batch.lease, &due_at];
    let _lost_lease_changes_nothing = tx.execute(sql::RELEASE_EVENT, params)?;
    Ok(())
}

/// Starts the runs of a batch. It locks contacts before triggers, as an erasure does.
fn fire(tx: &mut Tx<'_>, by: &By, batch: &Batch) -> db::Result<()> {
    let contacts: BTreeSet<ContactId> = batch.events.iter().filter_map(|event| event.contact).collect();
    let contacts: Vec<ContactId> = contacts.into_iter().collect();
    let held = row::hold_contacts(tx, batch.account, &contacts)?;
    let mut by_trigger: BTreeMap<TriggerId, Vec<&Event>> = BTreeMap::new();
    for event in &batch.events {
        by_trigger.entry(event.trigger).or_default().push(event);
    }
    let mut firings = Firings::default();
    for (trigger, events) in by_trigger {
        let gone =
            |event: &&Event| event.contact.is_some_and(|contact| held.binary_search(&contact).is_err());
        let (gone, events): (Vec<&Event>, Vec<&Event>) = events.into_iter().partition(gone);
        for event in gone {
            dequeue(tx, batch, event)?;
        }
        fire_trigger(tx, by, &mut firings, batch, trigger, &events)?;
    }
    Ok(())
}

fn fire_trigger(
    tx: &mut Tx<'_>,
    by: &By,
    firings: &mut Firings,
    batch: &Batch,
    trigger: TriggerId,
    events: &[&Event],
) -> db::Result<()> {
    let row = row::hold(tx, batch.account, trigger)?;
    let is_event = |row: &row::TriggerRow| row.trigger.enabled && row.trigger.kind == TriggerKind::Event;
    let Some(mut row) = row.filter(is_event) else {
        for event in events {
            dequeue(tx, batch, event)?;
        }
        return Ok(());
    };
    let account = firings.account(tx, batch.account)?;
    if account.suspended_at.is_some() {
        return events.iter().try_for_each(|event| release_one(tx, batch, event, by.now));
    }
    let refused = match send_window(&row.trigger, &account, by.now) {
        SendWindow::Open => None,
        SendWindow::Never => Some(TriggerRefusal::NoSendingHours),
        SendWindow::OpensAt(opens) => {
            return events.iter().try_for_each(|event| release_one(tx, batch, event, opens));
        }
    };
    let mut fired = None;
    for event in events {
        if !dequeue(tx, batch, event)? {
            continue;
        }
        let note = Some(note(&row.trigger, event));
        let new = NewTriggerRun { contact: event.contact, note, confined: true, ..NewTriggerRun::default() };
        let outcome = match refused {
            Some(refusal) => Err(refusal),
            None => firings.start_one(tx, by, &row.trigger, new)?,
        };
        fired = Some(outcome.err().map(TriggerRefusal::as_str));
    }
    let Some(error) = fired else { return Ok(()) };
    let is_waiting = tx.find(sql::ANY_EVENT, &[&batch.account, &trigger], only::<EventId>)?.is_some();
    row::record_firing(tx, &mut row, by.now, error.or(is_waiting.then_some(WAITING)))
}

/// Takes an event from the queue. Returns false when the lease on it is lost.
fn dequeue(tx: &mut Tx<'_>, batch: &Batch, event: &Event) -> db::Result<bool> {
    let params: &[&dyn db::Param] = &[&batch.account, &event.trigger, &event.id, &batch.lease];
    Ok(tx.execute(sql::DEQUEUE_EVENT, params)?.any())
}

/// The note that tells the model about an event.
fn note(trigger: &crate::trigger::Trigger, event: &Event) -> String {
    let key = trigger.event_key.map_or("an event", TriggerEvent::as_str);
    format!("You work on this because of the event {key}:\n{}", as_record(&event.data))
}
