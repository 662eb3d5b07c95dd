//! Listeners: further writes in the transaction that writes an event.
//!
//! A listener's rows commit with the event or not at all. The server builds the list once; a crate above this
//! one adds its own listener there, without a change here.

use std::sync::Arc;

use frontdesk_db::{self as db, ReadTx, Tx};
use frontdesk_kernel::{Id, Ids, Timestamp};

use super::EventId;
use crate::By;

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
}

impl Recorder {
    pub fn new(ids: Ids, listeners: Vec<Arc<dyn EventListener>>) -> Self {
        Self { ids, listeners }
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
