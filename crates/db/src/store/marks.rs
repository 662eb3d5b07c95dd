//! Marks the calls that begin.

use std::sync::Arc;

use super::Store;
use crate::dialect::Dialect;
use crate::error::{Error, Result};
use crate::incarnation::LeaseRange;
use crate::marks::{self, BegunCalls, Mark, MarkSlot};
use crate::read_tx::ReadTx;

impl Store {
    /// Begins a new set of marks, after the claims of dead servers were released by the old one. SQLite needs this before
    /// the first claim.
    pub fn begin_marks(&self) {
        self.shared.marks.begin();
    }

    /// Marks a call as begun. `None` if the lease is void: this server was declared dead, and another one may make the
    /// call.
    pub async fn mark(&self, mark: Mark) -> Result<Option<MarkSlot>> {
        let marks = &self.shared.marks;
        let slot = marks.take_slot();
        let is_made = match self.dialect() {
            Dialect::Sqlite => {
                marks.write(slot, &mark);
                Ok(true)
            }
            Dialect::Postgres => self.mark_with_others(slot, mark).await,
        };
        // After an error the mark may still be made, late. In a slot that is used again it would replace another one.
        if matches!(is_made, Ok(false)) {
            marks.free([slot]);
        }
        is_made.map(|is_made| is_made.then_some(slot))
    }

    /// Frees the slots of marks whose rows are settled.
    pub fn free_marks(&self, settled: impl IntoIterator<Item = MarkSlot>) {
        self.shared.marks.free(settled);
    }

    /// What is known about the calls of the server that took these leases; on SQLite, of the last server.
    pub fn begun_calls(&self, tx: &mut ReadTx<'_>, dead: LeaseRange) -> Result<BegunCalls> {
        self.shared.marks.begun_calls(tx, dead)
    }

    /// Makes a mark together with those that others make at the same time.
    async fn mark_with_others(&self, slot: MarkSlot, mark: Mark) -> Result<bool> {
        let (is_first, outcome) = self.shared.marks.queue(slot, mark);
        if is_first {
            tokio::spawn(self.clone().write_marks());
        }
        outcome.await.unwrap_or(Err(Error::Closed))
    }

    /// Makes waiting marks until there are none.
    async fn write_marks(self) {
        loop {
            let batch = self.shared.marks.next_batch();
            if batch.is_empty() {
                return;
            }
            let marks: Arc<[(MarkSlot, Mark)]> = batch.iter().map(|it| (it.slot, it.mark)).collect();
            let made = self.single(move |tx| marks::make(tx, &marks)).await;
            for waiting in batch {
                let outcome = match &made {
                    Ok(made) => Ok(made.contains(&waiting.slot)),
                    Err(error) => Err(Error::Engine(format!("a call could not be marked: {error}"))),
                };
                let _gone_is_fine = waiting.made.send(outcome);
            }
        }
    }
}
