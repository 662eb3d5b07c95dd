//! Marks: which calls have begun. They survive the death of the process, but not that of the machine.
//!
//! A row is claimed before its call begins, and a call must not be made twice. So a restart must tell a claim whose call
//! had begun from one whose call had not. A server makes a mark right before a call, which costs no synchronous commit:
//! on SQLite a write into a file next to the database, on PostgreSQL a row of an unlogged table. Where marks may have been
//! lost, nothing can be told, and every claim counts as begun.
//!
//! A mark has a slot, which the server uses again once the row is settled. So there are as many slots as calls under way.

mod journal;
mod slots;

use std::collections::HashSet;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::oneshot;
use uuid::Uuid;

use crate::incarnation::{Incarnation, LeaseRange};
use crate::{Dialect, Error, List, ReadTx, Result, Store, only};
use journal::Journal;
use slots::Slots;

/// Makes marks of servers that live. The lock on a server's row keeps others from declaring it dead meanwhile.
pub(crate) const MAKE: &str = "WITH living AS (SELECT id FROM server_beats WHERE id = ANY ($1) AND NOT is_dead FOR SHARE)
    INSERT INTO call_marks (server, slot, lease, row_id, part)
    SELECT v.server, v.slot, v.lease, v.row_id, v.part
    FROM unnest($1::uuid[], $2::bigint[], $3::uuid[], $4::uuid[], $5::bigint[]) AS v (server, slot, lease, row_id, part)
    JOIN living l ON l.id = v.server
    ON CONFLICT (server, slot) DO UPDATE SET lease = excluded.lease, row_id = excluded.row_id, part = excluded.part
    RETURNING slot";
pub(crate) const MADE: &str = "SELECT lease, row_id, part FROM call_marks WHERE server = $1";
pub(crate) const IS_COMPLETE: &str = "SELECT id FROM server_beats WHERE id = $1";

/// Marks that one statement makes on PostgreSQL. If the server dies between the statement and the calls, that many calls
/// count as begun although they were not.
const BATCH_MARKS_MAX: usize = 8;

/// A call that begins: the lease of its claim, and the claimed row.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Mark {
    pub lease: Uuid,
    pub row: Uuid,
    pub part: i64,
}

/// Where a mark is. It is free again when the row is settled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MarkSlot(u64);

/// What is known about the calls of dead servers.
#[derive(Debug, Default)]
pub struct BegunCalls {
    /// The server whose marks are complete.
    known: Option<LeaseRange>,
    begun: HashSet<Mark>,
}

impl BegunCalls {
    /// Whether a call has certainly not begun.
    pub fn has_not_begun(&self, call: &Mark) -> bool {
        self.known.is_some_and(|known| known.contains(call.lease)) && !self.begun.contains(call)
    }
}

/// The marks of a store.
#[derive(Default)]
pub(crate) struct Marks {
    slots: Mutex<Slots>,
    /// On SQLite, in a server.
    journal: Option<Journal>,
    /// On PostgreSQL.
    waiting: Mutex<Waiting>,
}

/// Marks to be made, and whether a task is making some.
#[derive(Default)]
struct Waiting {
    marks: Vec<(MarkSlot, Mark, oneshot::Sender<Result<bool>>)>,
    is_writing: bool,
}

impl Marks {
    /// Reads the marks that the last server left at this path.
    pub(crate) fn open(path: PathBuf) -> Self {
        Self { journal: Some(Journal::open(path)), ..Self::default() }
    }
}

impl Store {
    /// Begins a new set of marks, after the claims of dead servers were released by the old one. SQLite needs this before
    /// the first claim.
    pub fn begin_marks(&self) {
        if let Some(journal) = &self.marks().journal {
            journal.begin(Incarnation::current());
        }
    }

    /// Marks a call as begun. `None` if the lease is void: this server was declared dead, and another one may make the
    /// call.
    pub async fn mark(&self, mark: Mark) -> Result<Option<MarkSlot>> {
        let marks = self.marks();
        let slot = held(&marks.slots).take();
        let is_made = match self.dialect() {
            Dialect::Sqlite => {
                if let Some(journal) = &marks.journal {
                    journal.write(slot, &mark);
                }
                Ok(true)
            }
            Dialect::Postgres => self.mark_with_others(slot, mark).await,
        };
        if !matches!(is_made, Ok(true)) {
            held(&marks.slots).free(slot);
        }
        is_made.map(|is_made| is_made.then_some(slot))
    }

    /// Frees the slots of marks whose rows are settled.
    pub fn free_marks(&self, settled: impl IntoIterator<Item = MarkSlot>) {
        let mut slots = held(&self.marks().slots);
        settled.into_iter().for_each(|slot| slots.free(slot));
    }

    /// What is known about the calls of the server that took these leases; on SQLite, of the last server.
    pub fn begun_calls(&self, tx: &mut ReadTx<'_>, dead: LeaseRange) -> Result<BegunCalls> {
        if tx.dialect() == Dialect::Sqlite {
            return Ok(self.marks().journal.as_ref().map(Journal::left).unwrap_or_default());
        }
        let server = Incarnation::of(dead.first).leases();
        if tx.find(IS_COMPLETE, &[&server.first], only::<Uuid>)?.is_none() {
            return Ok(BegunCalls::default());
        }
        let begun = tx.query(MADE, &[&server.first], |row| {
            Ok(Mark { lease: row.next()?, row: row.next()?, part: row.next()? })
        })?;
        Ok(BegunCalls { known: Some(server), begun: begun.into_iter().collect() })
    }

    /// Makes a mark together with those that others make at the same time.
    async fn mark_with_others(&self, slot: MarkSlot, mark: Mark) -> Result<bool> {
        let (made, outcome) = oneshot::channel();
        let is_first = {
            let mut waiting = held(&self.marks().waiting);
            waiting.marks.push((slot, mark, made));
            !std::mem::replace(&mut waiting.is_writing, true)
        };
        if is_first {
            tokio::spawn(self.clone().write_marks());
        }
        outcome.await.unwrap_or(Err(Error::Closed))
    }

    /// Makes waiting marks until there are none.
    async fn write_marks(self) {
        loop {
            let batch: Vec<_> = {
                let mut waiting = held(&self.marks().waiting);
                let some = waiting.marks.len().min(BATCH_MARKS_MAX);
                waiting.is_writing = some > 0;
                waiting.marks.drain(..some).collect()
            };
            if batch.is_empty() {
                return;
            }
            let marks: Arc<[(MarkSlot, Mark)]> = batch.iter().map(|(slot, mark, _)| (*slot, *mark)).collect();
            let made = self
                .single(move |tx| tx.query(MAKE, &params(&marks).each_ref().map(|it| &**it), only::<i64>));
            let made = made.await;
            for (slot, _, caller) in batch {
                let outcome = match &made {
                    Ok(made) => Ok(made.contains(&(slot.0 as i64))),
                    Err(error) => Err(Error::Engine(format!("a call could not be marked: {error}"))),
                };
                let _gone_is_fine = caller.send(outcome);
            }
        }
    }
}

/// The parameters of [`MAKE`].
fn params(marks: &[(MarkSlot, Mark)]) -> [Box<dyn crate::Param>; 5] {
    let servers = marks.iter().map(|(_, mark)| Incarnation::of(mark.lease).leases().first);
    [
        Box::new(List(servers.collect())),
        Box::new(List(marks.iter().map(|(slot, _)| slot.0 as i64).collect())),
        Box::new(List(marks.iter().map(|(_, mark)| mark.lease).collect())),
        Box::new(List(marks.iter().map(|(_, mark)| mark.row).collect())),
        Box::new(List(marks.iter().map(|(_, mark)| mark.part).collect())),
    ]
}

fn held<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
