//! The replica's threads: each owns a session there and makes reads.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use crossbeam_channel::Receiver;
use tokio::sync::oneshot;

use super::state::{Cause, ReplicaState};
use super::watcher::{self, Identity};
use crate::error::{Error, Result};
use crate::position::Position;
use crate::postgres::{Lateness, Session};
use crate::read_tx::{Engine, ReadTx};
use crate::row::only;
use crate::scans::{BACKEND, CANCEL, ScanGuard};
use crate::store::job::ReadOperation;

pub(super) enum ReplicaJob {
    Read(ReplicaRead),
    /// Interrupts a long read whose caller is gone.
    Cancel(Arc<ScanGuard>),
}

pub(super) struct ReplicaRead {
    pub(super) operation: ReadOperation,
    /// If it may take long.
    pub(super) guard: Option<Arc<ScanGuard>>,
    pub(super) needed: Position,
    pub(super) reply: oneshot::Sender<ReplicaOutcome>,
}

pub(super) enum ReplicaOutcome {
    /// The operation has run to its end, or must not be repeated.
    Done(Result<()>),
    /// The operation must be run on the primary.
    Refused(Cause, ReadOperation),
}

impl ReplicaRead {
    fn is_wanted(&self) -> bool {
        !self.reply.is_closed() && self.guard.as_ref().is_none_or(|guard| !guard.is_over())
    }
}

pub(super) struct Worker {
    url: String,
    primary: Identity,
    state: Arc<ReplicaState>,
    jobs: Receiver<ReplicaJob>,
    session: Option<Session>,
    /// The process id of the session's backend, once it was queried.
    backend: Option<i64>,
}

impl Worker {
    pub(super) fn new(
        url: &str,
        primary: Identity,
        state: Arc<ReplicaState>,
        jobs: Receiver<ReplicaJob>,
    ) -> Self {
        Self { url: url.to_owned(), primary, state, jobs, session: None, backend: None }
    }

    pub(super) fn work(mut self) {
        while let Some(job) = self.jobs.try_recv().ok().or_else(|| self.wait()) {
            match job {
                ReplicaJob::Cancel(guard) => self.cancel(&guard),
                ReplicaJob::Read(read) if read.is_wanted() => self.carry_out(read),
                ReplicaJob::Read(read) => {
                    let _gone_is_fine = read.reply.send(ReplicaOutcome::Done(Err(Error::TooLong)));
                }
            }
        }
    }

    /// Waits for the next job without holding a snapshot, which could keep the replica from replaying.
    fn wait(&mut self) -> Option<ReplicaJob> {
        if let Some(session) = &mut self.session {
            session.settle();
        }
        self.jobs.recv().ok()
    }

    fn carry_out(&mut self, read: ReplicaRead) {
        let ReplicaRead { operation, guard, needed, reply } = read;
        let ran = self.run(&operation, guard.as_deref(), &needed);
        // Before the caller gets its result: if the caller then disconnects, the backend must not be cancelled.
        let undisturbed = guard.as_ref().is_none_or(|guard| guard.leave());
        let outcome = match ran {
            Ok(done) => ReplicaOutcome::Done(done),
            Err(cause) => ReplicaOutcome::Refused(cause, operation),
        };
        let is_done = matches!(outcome, ReplicaOutcome::Done(Ok(())));
        let _gone_is_fine = reply.send(outcome);
        self.end(is_done && guard.is_none(), undisturbed);
    }

    /// Runs an operation; the cause if the primary has to.
    fn run(
        &mut self,
        operation: &ReadOperation,
        guard: Option<&ScanGuard>,
        needed: &Position,
    ) -> std::result::Result<Result<()>, Cause> {
        if !self.state.is_usable() {
            return Err(Cause::Unused);
        }
        let session = match self.session(guard) {
            Ok(session) => session,
            Err(Error::TooLong) => return Ok(Err(Error::TooLong)),
            Err(_) => {
                self.state.suspect();
                return Err(Cause::Unreachable);
            }
        };
        session.begin_read_at(needed);
        let mut tx = ReadTx::new(Engine::Postgres(session)).held_by(guard);
        let ran = catch_unwind(AssertUnwindSafe(|| operation(&mut tx)));
        let failed = tx.has_failed();
        if ran.is_err() {
            return Ok(Err(Error::Panicked));
        }
        if guard.is_some_and(ScanGuard::is_over) {
            return Ok(Err(Error::TooLong));
        }
        match session.take_lateness() {
            Some(Lateness::Behind) => return Err(Cause::Behind),
            Some(lateness) => {
                // The watcher finds out what has happened.
                self.state.suspect();
                let is_standby = lateness == Lateness::OtherEpoch;
                return Err(if is_standby { Cause::OtherEpoch } else { Cause::NotStandby });
            }
            None => {}
        }
        let (is_lost, is_sound) = (session.is_lost(), session.is_sound());
        if is_lost {
            self.state.suspect();
            return Err(Cause::Unreachable);
        }
        // A statement that was in the way of what the replica replays is cancelled, and so may its session be.
        if failed || !is_sound { Err(Cause::Failed) } else { Ok(Ok(())) }
    }

    /// Ends the read's transaction: with the next statement, or at once. A session that was cancelled is not used again.
    fn end(&mut self, with_the_next: bool, undisturbed: bool) {
        let Some(session) = &mut self.session else { return };
        if with_the_next {
            session.end_read();
        } else if session.roll_back().is_err() || !undisturbed {
            self.session = None;
        }
    }

    fn session(&mut self, guard: Option<&ScanGuard>) -> Result<&mut Session> {
        if self.session.as_ref().is_none_or(Session::is_closed) {
            (self.session, self.backend) = (None, None);
            let mut session = watcher::connect(&self.url, &self.primary)?;
            session.wait_while(self.state.usable_flag())?;
            self.session = Some(session);
        }
        let session = self.session.as_mut().ok_or(Error::Closed)?;
        if let Some(guard) = guard {
            let backend = match self.backend {
                Some(backend) => backend,
                None => {
                    session.query(BACKEND, &[], only)?.into_iter().next().ok_or(Error::Decode("backend"))?
                }
            };
            self.backend = Some(backend);
            guard.enter(backend)?;
        }
        Ok(session)
    }

    /// If this fails, the statement runs until its deadline.
    fn cancel(&mut self, guard: &ScanGuard) {
        if let Ok(session) = self.session(None) {
            let _ = guard.cancel(|backend| session.query(CANCEL, &[&backend], only::<bool>).map(drop));
        }
    }
}
