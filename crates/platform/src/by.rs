//! Who writes, when, and who listens: the actor and the time of an operation, and the listeners of its events.
//!
//! A listener makes further writes in the transaction that writes an event: they commit with the event or not at all. The
//! server builds the list of listeners once; a crate above this one adds its own there, without a change here.

use std::sync::Arc;

use frontdesk_db::{self as db, ReadTx, Tx};
use frontdesk_kernel::ids::{AccountId, UserId};
use frontdesk_kernel::{Id, Ids, Timestamp};

use crate::members;
use crate::principal::{Actor, Principal};

/// The account, the actor and the time of an operation.
#[derive(Clone)]
pub struct By {
    pub account: AccountId,
    pub actor: Actor,
    /// The member to whom writes are attributed; none for the system.
    author: Option<UserId>,
    pub now: Timestamp,
    recorder: Arc<Recorder>,
}

impl By {
    /// A principal's action at this time.
    pub fn new(principal: &Principal, now: Timestamp, recorder: &Arc<Recorder>) -> Self {
        Self {
            account: principal.account,
            actor: principal.actor,
            author: Some(principal.author),
            now,
            recorder: recorder.clone(),
        }
    }

    /// The system itself: a customer writes, a form is submitted, a booking ends.
    pub fn system(account: AccountId, now: Timestamp, recorder: &Arc<Recorder>) -> Self {
        Self { account, actor: Actor::System, author: None, now, recorder: recorder.clone() }
    }

    /// The same, attributed to a member of the account.
    pub fn attributed_to(&self, member: UserId) -> Self {
        Self { author: Some(member), ..self.clone() }
    }

    /// Whether nothing that this does is an event: it happened long ago, elsewhere.
    pub(crate) fn is_silent(&self) -> bool {
        self.recorder.is_silent
    }

    /// The member to whom writes are attributed. Writes of the system are attributed to the account's owner,
    /// who is looked up.
    pub fn author(&self, tx: &mut ReadTx<'_>) -> db::Result<UserId> {
        match self.author {
            Some(author) => Ok(author),
            None => members::owner(tx, self.account)?.ok_or(db::Error::Decode("account")),
        }
    }

    /// The same actor, at a time after `moment`. A change gets a later time than the change before it, even
    /// if another server with a faster clock made that one. So events are in the order of the changes.
    pub fn after(&self, moment: Timestamp) -> Self {
        let next = Timestamp::from_millis(moment.millis() + 1);
        Self { now: self.now.max(next), ..self.clone() }
    }

    /// The same actor, at this time. A long operation reads the clock for each of its transactions, so that a change
    /// never carries a time long before its commit.
    pub fn at(&self, now: Timestamp) -> Self {
        Self { now, ..self.clone() }
    }

    /// An id for a new row, created now.
    pub fn new_id<T: ?Sized>(&self) -> Id<T> {
        self.recorder.next(self.now)
    }

    /// The ids of new rows.
    pub fn ids(&self) -> &Ids {
        self.recorder.ids()
    }

    pub(crate) fn listeners(&self) -> &[Arc<dyn EventListener>] {
        self.recorder.listeners()
    }
}

/// Marks the id of an event.
pub enum EventRow {}
pub type EventId = Id<EventRow>;

/// An event that this transaction has just written.
#[derive(Clone, Copy, Debug)]
pub struct WrittenEvent<'e> {
    pub id: EventId,
    /// Such as `contact.created`.
    pub event_type: &'static str,
    /// The event's `data`, as JSON.
    pub data: &'e str,
}

/// Reacts to events within their transaction.
pub trait EventListener: Send + Sync {
    /// Called before an event is written, if the operation knows that it will write one. A listener that
    /// reads something for every event requests it here with [`ReadTx::prefetch`], which saves PostgreSQL a
    /// round trip.
    fn expect(&self, _tx: &mut ReadTx<'_>, _by: &By) -> db::Result<()> {
        Ok(())
    }

    /// Called after the event is written, in the same transaction. An error undoes the transaction. Like every closure
    /// on a transaction, it may run again, so it has no other side effects.
    fn on_event(&self, tx: &mut Tx<'_>, by: &By, event: &WrittenEvent<'_>) -> db::Result<()>;

    /// Called after several events of one account are written at once. A listener that reads something for every event
    /// can read it once here.
    fn on_events(&self, tx: &mut Tx<'_>, by: &By, events: &[WrittenEvent<'_>]) -> db::Result<()> {
        events.iter().try_for_each(|event| self.on_event(tx, by, event))
    }
}

/// What writes need in addition to their transaction: ids for new rows, and the event listeners.
pub struct Recorder {
    ids: Ids,
    listeners: Vec<Arc<dyn EventListener>>,
    is_silent: bool,
}

impl Recorder {
    pub fn new(ids: Ids, listeners: Vec<Arc<dyn EventListener>>) -> Self {
        Self { ids, listeners, is_silent: false }
    }

    /// For what is brought from elsewhere: no event is written and nobody is told, and a row gets the time at which it was
    /// made there.
    pub fn of_the_past() -> Self {
        Self { ids: Ids::of_the_past(), listeners: Vec::new(), is_silent: true }
    }

    pub fn ids(&self) -> &Ids {
        &self.ids
    }

    /// The next id, with this moment as its time.
    pub fn next<T: ?Sized>(&self, now: Timestamp) -> Id<T> {
        self.ids.next(now)
    }

    pub(crate) fn listeners(&self) -> &[Arc<dyn EventListener>] {
        &self.listeners
    }
}
