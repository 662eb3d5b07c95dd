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
use std::sync::{Mutex, MutexGuard, PoisonError};

use tokio::sync::oneshot;
use uuid::Uuid;

use crate::dialect::Dialect;
use crate::error::Result;
use crate::incarnation::{Incarnation, LeaseRange};
use crate::read_tx::ReadTx;
use crate::row::only;
use crate::tx::Tx;
use crate::value::{List, Param};
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

#[cfg(test)]
impl MarkSlot {
    pub(crate) fn numbered(number: u64) -> Self {
        Self(number)
    }
}

/// What is known about the calls of dead servers.
#[derive(Debug, Default)]
pub struct BegunCalls {
    /// The server whose marks are complete.
    known: Option<LeaseRange>,
    begun: HashSet<Mark>,
}

impl BegunCalls {
    /// All calls that a server has begun.
    pub fn of(server: LeaseRange, begun: impl IntoIterator<Item = Mark>) -> Self {
        Self { known: Some(server), begun: begun.into_iter().collect() }
    }

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
    marks: Vec<WaitingMark>,
    is_writing: bool,
}

/// A mark to be made, and the caller who waits for it.
pub(crate) struct WaitingMark {
    pub(crate) slot: MarkSlot,
    pub(crate) mark: Mark,
    pub(crate) made: oneshot::Sender<Result<bool>>,
}

impl Marks {
    /// Reads the marks that the last server left at this path.
    pub(crate) fn open(path: PathBuf) -> Self {
        Self { journal: Some(Journal::open(path)), ..Self::default() }
    }

    /// Begins a new set of marks.
    pub(crate) fn begin(&self) {
        if let Some(journal) = &self.journal {
            journal.begin(Incarnation::current());
        }
    }

    pub(crate) fn take_slot(&self) -> MarkSlot {
        held(&self.slots).take()
    }

    pub(crate) fn free(&self, settled: impl IntoIterator<Item = MarkSlot>) {
        let mut slots = held(&self.slots);
        settled.into_iter().for_each(|slot| slots.free(slot));
    }

    /// Writes a mark into the file of SQLite's server.
    pub(crate) fn write(&self, slot: MarkSlot, mark: &Mark) {
        if let Some(journal) = &self.journal {
            journal.write(slot, mark);
        }
    }

    /// Queues a mark for PostgreSQL. True if no task makes the waiting marks, so that the caller must start one.
    pub(crate) fn queue(&self, slot: MarkSlot, mark: Mark) -> (bool, oneshot::Receiver<Result<bool>>) {
        let (made, outcome) = oneshot::channel();
        let mut waiting = held(&self.waiting);
        waiting.marks.push(WaitingMark { slot, mark, made });
        (!std::mem::replace(&mut waiting.is_writing, true), outcome)
    }

    /// The next waiting marks. The task that makes them ends when there are none.
    pub(crate) fn next_batch(&self) -> Vec<WaitingMark> {
        let mut waiting = held(&self.waiting);
        let some = waiting.marks.len().min(BATCH_MARKS_MAX);
        waiting.is_writing = some > 0;
        waiting.marks.drain(..some).collect()
    }

    /// What is known about the calls of the server that took these leases; on SQLite, of the last server.
    pub(crate) fn begun_calls(&self, tx: &mut ReadTx<'_>, dead: LeaseRange) -> Result<BegunCalls> {
        if tx.dialect() == Dialect::Sqlite {
            return Ok(self.journal.as_ref().map(Journal::left).unwrap_or_default());
        }
        let server = Incarnation::of(dead.first).leases();
        if tx.find(IS_COMPLETE, &[&server.first], only::<Uuid>)?.is_none() {
            return Ok(BegunCalls::default());
        }
        let begun = tx.query(MADE, &[&server.first], |row| {
            Ok(Mark { lease: row.next()?, row: row.next()?, part: row.next()? })
        })?;
        Ok(BegunCalls::of(server, begun))
    }
}

/// Makes marks on PostgreSQL. Returns the slots of those that were made.
pub(crate) fn make(tx: &mut Tx<'_>, marks: &[(MarkSlot, Mark)]) -> Result<Vec<MarkSlot>> {
    let made = tx.query(MAKE, &params(marks).each_ref().map(|it| &**it), only::<i64>)?;
    Ok(made.into_iter().map(|slot| MarkSlot(slot as u64)).collect())
}

/// The parameters of [`MAKE`].
fn params(marks: &[(MarkSlot, Mark)]) -> [Box<dyn Param>; 5] {
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
