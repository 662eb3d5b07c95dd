//! PostgreSQL's pool: threads that each own a session and take jobs from two bounded queues.
//!
//! A few threads are reserved for short statements, such as those that authenticate a request. The others also run
//! transactions, which may wait for row locks, and long reads, which never have all of them.

use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::Duration;

use crossbeam_channel::{Receiver, Sender};
use uuid::Uuid;

use super::job::Job;
use super::traced::SpanName;
use crate::error::{Error, Result};
use crate::postgres::{Outbox, Session};
use crate::row::only;
use crate::scans::{BACKEND, ScanGuard};
use crate::slow::now;
use crate::tx::Tx;
use crate::wake::Wakes;
use crate::watch::Watch;

/// One thread in this many is reserved for short statements, but at least one if there are two.
const THREADS_PER_RESERVED: usize = 8;

/// How often a transaction is run again after the engine rolled it back.
const RERUNS_MAX: usize = 5;
const RECONNECT_PAUSE: Duration = Duration::from_millis(100);

pub(super) struct Pool {
    pub(super) queues: Queues<Sender<Work>>,
    /// Maximum concurrent long reads.
    pub(super) scans_max: usize,
    pub(super) threads: Vec<JoinHandle<()>>,
}

/// The two queues: for short statements, and for longer jobs.
pub(super) struct Queues<End> {
    pub(super) short: End,
    pub(super) long: End,
}

/// A job in a queue.
pub(super) struct Work {
    kind: Kind,
    job: Job,
}

/// What a job needs. A read and a long read are transactions that see one snapshot and cannot write. A single read
/// and a single change are one statement each and need no BEGIN and COMMIT.
pub(super) enum Kind {
    Read,
    ReadSingle,
    Single,
    Transaction,
    Scan(Arc<ScanGuard>),
}

impl Kind {
    /// The name of its spans.
    pub(super) fn span_name(&self) -> SpanName {
        match self {
            Self::Read | Self::ReadSingle => SpanName::Read,
            Self::Single | Self::Transaction => SpanName::Transaction,
            Self::Scan(_) => SpanName::Scan,
        }
    }

    /// Whether it is one of the short jobs, for which threads are reserved.
    pub(super) fn is_short(&self) -> bool {
        matches!(self, Self::Read | Self::ReadSingle | Self::Single)
    }
}

impl Work {
    pub(super) fn new(kind: Kind, job: Job) -> Self {
        Self { kind, job }
    }

    /// A read whose caller has disconnected is not started. A change is made all the same.
    fn is_wanted(&self) -> bool {
        match &self.kind {
            Kind::Read | Kind::ReadSingle => self.job.is_wanted(),
            Kind::Scan(guard) => !guard.is_over(),
            Kind::Single | Kind::Transaction => true,
        }
    }
}

impl Pool {
    pub(super) fn start(
        url: &str,
        first: Session,
        size: usize,
        queue_max: usize,
        wakes: &Wakes,
        outbox: &Outbox,
        watch: &Arc<Watch>,
    ) -> Self {
        let size = size.max(1);
        let reserved = (size / THREADS_PER_RESERVED).max(1).min(size - 1);
        let (short, shorts) = crossbeam_channel::bounded(queue_max);
        let (long, longs) = crossbeam_channel::bounded(queue_max);
        let mut first = Some(first);
        let threads = (0..size)
            .map(|at| {
                let worker = Worker {
                    url: url.to_owned(),
                    session: first.take(),
                    backend: None,
                    wakes: wakes.clone(),
                    outbox: outbox.clone(),
                    watch: watch.clone(),
                };
                let jobs = Jobs { short: shorts.clone(), long: (at >= reserved).then(|| longs.clone()) };
                std::thread::Builder::new()
                    .name(format!("store-{at}"))
                    .spawn(move || worker.work(&jobs))
                    .expect("a thread can be started")
            })
            .collect();
        let unreserved = size - reserved;
        let scans_max = (unreserved / 2).max(2).min(unreserved);
        Self { queues: Queues { short, long }, scans_max, threads }
    }
}

/// The source of a thread's jobs. A reserved thread takes no long ones.
struct Jobs {
    short: Receiver<Work>,
    long: Option<Receiver<Work>>,
}

impl Jobs {
    /// A job that is already queued.
    fn waiting(&self) -> Option<Work> {
        self.short.try_recv().ok().or_else(|| self.long.as_ref()?.try_recv().ok())
    }

    /// The next job; none once the queues are closed and empty.
    fn next(&self) -> Option<Work> {
        let Some(long) = &self.long else { return self.short.recv().ok() };
        crossbeam_channel::select! {
            recv(self.short) -> work => work.ok().or_else(|| long.recv().ok()),
            recv(long) -> work => work.ok().or_else(|| self.short.recv().ok()),
        }
    }
}

struct Worker {
    url: String,
    session: Option<Session>,
    /// The process id of the session's backend, once it was queried.
    backend: Option<i64>,
    wakes: Wakes,
    outbox: Outbox,
    watch: Arc<Watch>,
}

impl Worker {
    fn work(mut self, jobs: &Jobs) {
        while let Some(work) = jobs.waiting().or_else(|| self.wait(jobs)) {
            if !work.is_wanted() {
                work.job.finish(&Err(Error::TooLong), &mut |_| {});
                continue;
            }
            let Work { kind, mut job } = work;
            let outcome = self.carry_out(&kind, &mut job);
            // Before the caller gets its result: if the caller then disconnects, the backend must not be
            // cancelled.
            let scanned = if let Kind::Scan(guard) = &kind { Some(guard.leave()) } else { None };
            job.finish(&outcome, &mut |after_commit| {
                for wake in &after_commit.wakes {
                    self.outbox.send(wake.topic);
                }
                for (topic, text) in &after_commit.texts {
                    self.outbox.tell(topic, text);
                }
                self.wakes.publish(after_commit);
            });
            if let Some(undisturbed) = scanned {
                self.end_scan(undisturbed);
            }
        }
    }

    /// Waits for the next job without holding a snapshot.
    fn wait(&mut self, jobs: &Jobs) -> Option<Work> {
        if let Some(session) = &mut self.session {
            session.settle();
        }
        jobs.next()
    }

    /// Runs the job, again if the engine rolled it back or the connection was lost before the commit. If the
    /// connection is lost *during* the commit, the outcome is unknown; this is reported and never repeated.
    fn carry_out(&mut self, kind: &Kind, job: &mut Job) -> Result<()> {
        let (mut last, wakes, watch) = (Error::Undone, self.wakes.clone(), self.watch.clone());
        for _ in 0..RERUNS_MAX {
            let session = match self.session(kind) {
                Ok(session) => session,
                Err(Error::TooLong) => return Err(Error::TooLong),
                Err(error) => {
                    last = error;
                    std::thread::sleep(RECONNECT_PAUSE);
                    continue;
                }
            };
            match attempt(session, &wakes, &watch, kind, job) {
                Attempt::Settled(outcome) => return outcome,
                Attempt::Unrecorded => {
                    self.record_positions(job.changed_accounts());
                    return Ok(());
                }
                // A new connection finds the server that now accepts writes, if there is one.
                Attempt::Again(error @ Error::ReadOnly(_)) if matches!(last, Error::ReadOnly(_)) => {
                    return Err(error);
                }
                Attempt::Again(error) => last = error,
            }
        }
        Err(last)
    }

    /// Records the positions of accounts after a commit with which that failed. Should the database have crashed meanwhile,
    /// nothing need be recorded: what it forgot is not read from a replica.
    fn record_positions(&mut self, accounts: &[Uuid]) {
        let mut last = None;
        for _ in 0..RERUNS_MAX {
            match self.session(&Kind::Single).and_then(|session| session.record_positions(accounts)) {
                Ok(()) => return,
                Err(error) => last = Some(error),
            }
            std::thread::sleep(RECONNECT_PAUSE);
        }
        let error = last.as_ref().map(tracing::field::display);
        tracing::warn!(
            error,
            "a position was not recorded: the read replica may show an account without its last change"
        );
    }

    /// Ends the transaction of a long read, after its caller got the result. A cancelled session is not used
    /// again.
    fn end_scan(&mut self, undisturbed: bool) {
        let rolled_back = self.session.as_mut().is_some_and(|session| session.roll_back().is_ok());
        if !(undisturbed && rolled_back) {
            self.session = None;
        }
    }

    fn session(&mut self, kind: &Kind) -> Result<&mut Session> {
        if self.session.as_ref().is_none_or(Session::is_closed) {
            (self.session, self.backend) = (None, None);
            self.session = Some(Session::connect(&self.url)?);
        }
        let session = self.session.as_mut().ok_or(Error::Closed)?;
        if let Kind::Scan(guard) = kind {
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
}

enum Attempt {
    Settled(Result<()>),
    /// It is committed, and the positions of the accounts that it changed are not recorded yet.
    Unrecorded,
    Again(Error),
}

/// Commits with the positions of changed accounts, and logs that if it is slow. False if they were not recorded.
fn commit(session: &mut Session, watch: &Watch, changed: &[Uuid]) -> Result<bool> {
    let Some(slow) = &watch.slow else { return session.commit_and_record(changed) };
    let (along, begun) = (session.along_texts(), now());
    let committed = session.commit_and_record(changed);
    slow.note_commit(&along, begun.elapsed());
    committed
}

fn attempt(session: &mut Session, wakes: &Wakes, watch: &Watch, kind: &Kind, job: &mut Job) -> Attempt {
    let guard = match kind {
        Kind::Scan(guard) => Some(&**guard),
        _ => None,
    };
    match kind {
        Kind::Transaction => session.begin(),
        Kind::Read | Kind::Scan(_) => session.begin_read(),
        Kind::ReadSingle | Kind::Single => {}
    }
    let mut tx = Tx::postgres(session, wakes).watched_by(watch.slow.as_ref()).held_by(guard);
    let done = job.run(&mut tx, watch);
    let undone = tx.was_undone().then(|| tx.refusal().cloned().unwrap_or(Error::Undone));
    if let Some(error) = undone {
        let _ = session.roll_back();
        return Attempt::Again(error);
    }
    let changed = if watch.records_positions { job.changed_accounts() } else { &[] };
    match kind {
        Kind::Read => {
            session.end_read();
            Attempt::Settled(Ok(()))
        }
        Kind::Single if !changed.is_empty() => Attempt::Unrecorded,
        Kind::ReadSingle | Kind::Single | Kind::Scan(_) => Attempt::Settled(Ok(())),
        Kind::Transaction if done => match commit(session, watch, changed) {
            Err(error @ (Error::Undone | Error::ReadOnly(_))) => Attempt::Again(error),
            Ok(false) => Attempt::Unrecorded,
            outcome => Attempt::Settled(outcome.map(|_recorded| ())),
        },
        Kind::Transaction => {
            // If the rollback fails, the session is dead and the next job gets a new one.
            let _ = session.roll_back();
            Attempt::Settled(Ok(()))
        }
    }
}
