//! The pool: threads that each own a session and take jobs from one bounded queue.

use std::thread::JoinHandle;
use std::time::Duration;

use crossbeam_channel::{Receiver, Sender};

use super::listener::Outbox;
use super::session::Session;
use crate::store::Job;
use crate::{Error, Result, Tx, Wakes};

/// How often a transaction is run again after the engine undid it.
const RERUNS_MAX: usize = 5;
const RECONNECT_PAUSE: Duration = Duration::from_millis(100);

pub(crate) struct Pool {
    pub(crate) queue: Sender<(Kind, Box<dyn Job>)>,
    pub(crate) threads: Vec<JoinHandle<()>>,
}

/// Bare statements have a snapshot each and need no BEGIN and COMMIT; a transaction holds its changes together.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    Bare,
    Transaction,
}

impl Pool {
    pub(crate) fn start(
        url: &str,
        first: Session,
        size: usize,
        queue_max: usize,
        wakes: &Wakes,
        outbox: &Outbox,
    ) -> Self {
        let (queue, jobs) = crossbeam_channel::bounded(queue_max);
        let mut first = Some(first);
        let threads = (0..size.max(1))
            .map(|at| {
                let worker = Worker {
                    url: url.to_owned(),
                    session: first.take(),
                    wakes: wakes.clone(),
                    outbox: outbox.clone(),
                };
                let jobs: Receiver<(Kind, Box<dyn Job>)> = jobs.clone();
                std::thread::Builder::new()
                    .name(format!("store-{at}"))
                    .spawn(move || worker.work(&jobs))
                    .expect("a thread can be started")
            })
            .collect();
        Self { queue, threads }
    }
}

struct Worker {
    url: String,
    session: Option<Session>,
    wakes: Wakes,
    outbox: Outbox,
}

impl Worker {
    fn work(mut self, jobs: &Receiver<(Kind, Box<dyn Job>)>) {
        while let Ok((kind, mut job)) = jobs.recv() {
            let outcome = self.carry_out(kind, job.as_mut());
            job.finish(&outcome, &mut |tidings| {
                for wake in &tidings.wakes {
                    self.outbox.send(wake.topic);
                }
                self.wakes.tell(tidings);
            });
        }
    }

    /// Runs the job, again if the engine undid it or the connection was lost before the commit. A connection lost
    /// *during* the commit leaves the outcome unknown, so that is reported, never repeated.
    fn carry_out(&mut self, kind: Kind, job: &mut dyn Job) -> Result<()> {
        let (mut last, wakes) = (Error::Undone, self.wakes.clone());
        for _ in 0..RERUNS_MAX {
            let session = match self.session() {
                Ok(session) => session,
                Err(error) => {
                    last = error;
                    std::thread::sleep(RECONNECT_PAUSE);
                    continue;
                }
            };
            match attempt(session, &wakes, kind, job) {
                Attempt::Settled(outcome) => return outcome,
                // One more connection finds the server that takes writes now, if there is one.
                Attempt::Again(error @ Error::ReadOnly(_)) if matches!(last, Error::ReadOnly(_)) => {
                    return Err(error);
                }
                Attempt::Again(error) => last = error,
            }
        }
        Err(last)
    }

    fn session(&mut self) -> Result<&mut Session> {
        if self.session.as_ref().is_none_or(Session::is_closed) {
            self.session = None;
            self.session = Some(Session::connect(&self.url)?);
        }
        self.session.as_mut().ok_or(Error::Closed)
    }
}

enum Attempt {
    Settled(Result<()>),
    Again(Error),
}

fn attempt(session: &mut Session, wakes: &Wakes, kind: Kind, job: &mut dyn Job) -> Attempt {
    if kind == Kind::Transaction {
        session.begin();
    }
    let mut tx = Tx::postgres(session, wakes);
    let done = job.run(&mut tx);
    let undone = tx.was_undone().then(|| tx.refusal().cloned().unwrap_or(Error::Undone));
    if let Some(error) = undone {
        let _ = session.roll_back();
        return Attempt::Again(error);
    }
    match kind {
        Kind::Bare => Attempt::Settled(Ok(())),
        Kind::Transaction if done => match session.commit() {
            Err(error @ (Error::Undone | Error::ReadOnly(_))) => Attempt::Again(error),
            outcome => Attempt::Settled(outcome),
        },
        Kind::Transaction => {
            // A rollback that fails leaves a dead session; the next job gets a new one.
            let _ = session.roll_back();
            Attempt::Settled(Ok(()))
        }
    }
}
