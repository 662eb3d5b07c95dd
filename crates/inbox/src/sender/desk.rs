//! The sender's task: a lane a connection, and what is under way on each.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;
use std::time::Duration;

use frontdesk_db as db;
use frontdesk_jobs::{Gathering, until};
use frontdesk_kernel::Id;
use frontdesk_platform::Means;
use tokio::sync::{mpsc, oneshot, watch};
use tokio::time::Instant;
use uuid::Uuid;

use super::claim::{self, Claimed};
use super::file::FILE_TIME_MAX;
use super::hand::{self, Outcome};
use super::pace::Pace;
use super::settle;
use crate::calls::CALL_TIME_MAX;
use crate::connections::{ConnectionId, Line};
use crate::outbox::{self, QUEUED};

/// Calls under way at a time, of one connection and in all.
const LANE_IN_FLIGHT_MAX: usize = 64;
const IN_FLIGHT_MAX: usize = 512;
/// How often the sender looks by itself for what is due; commits of this process wake it at once.
const LOOK_PERIOD: Duration = Duration::from_secs(1);
/// How often the sender looks for conversations that wait though nothing is in front of them.
const MEND_PERIOD: Duration = Duration::from_mins(1);
/// Outcomes settled in one transaction, and how long the first waits for company.
const SETTLE_MAX: usize = 64;
const SETTLE_WAIT: Duration = Duration::from_millis(2);
/// Calls under way get this long to end when the server stops: as long as the longest takes, and a second.
const FAREWELL: Duration = Duration::from_secs(CALL_TIME_MAX.as_secs() + FILE_TIME_MAX.as_secs() + 1);

/// Marks the id of one server.
enum Server {}

/// A handle to the running sender.
#[derive(Clone)]
pub struct Sender {
    notes: mpsc::UnboundedSender<Note>,
}

/// What is reported to the sender's task.
enum Note {
    Due(db::Result<Vec<ConnectionId>>),
    Claimed(ConnectionId, usize, db::Result<Claimed>),
    /// What waited for a connection that is gone has failed, and whether there may be more.
    GaveUp(ConnectionId, db::Result<bool>),
    /// A lane's pace allows more again.
    Rested(ConnectionId),
    Done(Arc<Outcome>),
    Settled(Vec<Arc<Outcome>>, db::Result<()>),
    Drain(oneshot::Sender<()>),
}

#[derive(Default)]
struct Lane {
    in_flight: usize,
    /// Claiming, or giving up what waits.
    busy: bool,
    /// There may be more due.
    dirty: bool,
    resting: bool,
    pace: Option<Pace>,
}

impl Sender {
    /// Starts the sender; it works until `stopped` says so.
    pub fn start(means: Means, stopped: watch::Receiver<bool>) -> (Self, tokio::task::JoinHandle<()>) {
        let (notes, inbox) = mpsc::unbounded_channel();
        let server: Id<Server> = means.ids.next((means.clock)());
        let desk = Desk {
            server: server.uuid(),
            means,
            notes: notes.clone(),
            lanes: HashMap::new(),
            in_flight: 0,
            outcomes: Gathering::new(SETTLE_MAX, SETTLE_WAIT),
            looking: false,
            look_again: false,
            mended_at: None,
            drains: Vec::new(),
            stopping: false,
        };
        let task = tokio::spawn(desk.work(inbox, stopped));
        (Self { notes }, task)
    }

    /// Returns once everything that is due now has been tried.
    pub async fn drain(&self) {
        let (done, drained) = oneshot::channel();
        if self.notes.send(Note::Drain(done)).is_ok() {
            let _ = drained.await;
        }
    }
}

struct Desk {
    server: Uuid,
    means: Means,
    notes: mpsc::UnboundedSender<Note>,
    lanes: HashMap<ConnectionId, Lane>,
    in_flight: usize,
    outcomes: Gathering<Arc<Outcome>>,
    looking: bool,
    look_again: bool,
    mended_at: Option<Instant>,
    drains: Vec<oneshot::Sender<()>>,
    stopping: bool,
}

impl Desk {
    async fn work(mut self, mut inbox: mpsc::UnboundedReceiver<Note>, mut stopped: watch::Receiver<bool>) {
        let marks = self.means.store.wakes().marks(QUEUED);
        let mut others = self.means.store.wakes().subscribe_elsewhere(QUEUED);
        let mut tick = tokio::time::interval(LOOK_PERIOD);
        tick.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
        let across = self.means.store.dialect() == db::Dialect::Postgres;
        loop {
            let settle_at = self.outcomes.due_at();
            tokio::select! {
                biased;
                _ = stopped.wait_for(|stopped| *stopped) => break,
                Some(note) = inbox.recv() => self.take(note),
                () = marks.wait() => self.marked(marks.take()),
                () = until(settle_at), if settle_at.is_some() => self.settle(),
                // Other servers tell that there is work, but not for whom.
                Ok(()) = others.changed(), if across && self.in_flight == 0 && !self.looking => self.look(),
                _ = tick.tick() => self.look(),
            }
        }
        self.farewell(inbox).await;
    }

    fn take(&mut self, note: Note) {
        match note {
            Note::Due(found) => self.found(found),
            Note::Claimed(connection, asked, claimed) => self.claimed(connection, asked, claimed),
            Note::GaveUp(connection, more) => self.gave_up(connection, more),
            Note::Rested(connection) => {
                self.lanes.entry(connection).or_default().resting = false;
                self.fill(connection);
            }
            Note::Done(outcome) => self.done(outcome),
            Note::Settled(batch, result) => self.settled(batch, result),
            Note::Drain(done) => {
                self.drains.push(done);
                self.look_again = true;
                self.look();
            }
        }
        self.check_drained();
    }

    fn marked(&mut self, connections: HashSet<Uuid>) {
        for connection in connections.into_iter().map(ConnectionId::from_uuid) {
            self.lanes.entry(connection).or_default().dirty = true;
            self.fill(connection);
        }
    }

    fn look(&mut self) {
        if self.looking {
            self.look_again = true;
            return;
        }
        self.looking = true;
        self.look_again = false;
        let mends = self.mended_at.is_none_or(|mended_at| mended_at.elapsed() >= MEND_PERIOD);
        if mends {
            self.mended_at = Some(Instant::now());
        }
        let (means, notes) = (self.means.clone(), self.notes.clone());
        tokio::spawn(async move {
            if mends && let Err(error) = means.store.write(outbox::mend).await {
                tracing::warn!(%error, "the sender cannot look for conversations that are stuck; it tries again in a minute");
            }
            loop {
                match settle::sweep(&means).await {
                    Ok(true) => {}
                    Ok(false) => break,
                    Err(error) => {
                        tracing::warn!(%error, "the sender cannot clear away what is in doubt");
                        break;
                    }
                }
            }
            let now = (means.clock)();
            let _ = notes.send(Note::Due(claim::due(&means.store, now).await));
        });
    }

    fn found(&mut self, found: db::Result<Vec<ConnectionId>>) {
        self.looking = false;
        match found {
            Ok(due) => self.marked(due.into_iter().map(|connection| connection.uuid()).collect()),
            Err(error) => tracing::warn!(%error, "the sender cannot look for what is due"),
        }
        if self.look_again {
            self.look();
        }
    }

    /// Claims what is due for a lane, as much as its pace and its bounds allow.
    fn fill(&mut self, connection: ConnectionId) {
        let now = Instant::now();
        let free = IN_FLIGHT_MAX.saturating_sub(self.in_flight);
        let draining = !self.drains.is_empty();
        let Some(lane) = self.lanes.get_mut(&connection) else { return };
        if self.stopping || !lane.dirty || lane.busy || lane.resting {
            return;
        }
        let room = LANE_IN_FLIGHT_MAX.saturating_sub(lane.in_flight).min(free);
        if room == 0 {
            return;
        }
        let pace = lane.pace.get_or_insert_with(|| Pace::new(now));
        let allowed = if draining { room } else { pace.room(now).min(room) };
        if allowed == 0 {
            let wait = pace.wait(now);
            self.rest(connection, wait);
            return;
        }
        lane.dirty = false;
        lane.busy = true;
        let (means, notes, server) = (self.means.clone(), self.notes.clone(), self.server);
        tokio::spawn(async move {
            let claimed = claim::claim(&means, server, connection, allowed).await;
            let _ = notes.send(Note::Claimed(connection, allowed, claimed));
        });
    }

    fn claimed(&mut self, connection: ConnectionId, asked: usize, claimed: db::Result<Claimed>) {
        let lane = self.lanes.entry(connection).or_default();
        lane.busy = false;
        match claimed {
            Ok(Claimed::Jobs(jobs)) => {
                lane.dirty |= jobs.len() == asked;
                lane.in_flight += jobs.len();
                self.in_flight += jobs.len();
                if let Some(pace) = &mut lane.pace {
                    pace.take(jobs.len());
                    if let Some(job) = jobs.first() {
                        pace.learn(&job.line, job.line.settings(&self.means.services.secrets).as_ref());
                    }
                }
                for job in jobs {
                    let (means, notes) = (self.means.clone(), self.notes.clone());
                    tokio::spawn(async move {
                        let _ = notes.send(Note::Done(Arc::new(hand::over(&means, job).await)));
                    });
                }
                self.fill(connection);
            }
            Ok(Claimed::Gone(line)) => self.give_up(connection, line),
            Ok(Claimed::Elsewhere) => {}
            Err(error) => {
                tracing::warn!(%error, "the sender cannot claim; it tries again");
                self.try_later(connection);
            }
        }
    }

    /// The store failed: the lane is filled again after a while. What waits there may be due much later, so nobody else
    /// would look.
    fn try_later(&mut self, connection: ConnectionId) {
        let lane = self.lanes.entry(connection).or_default();
        lane.dirty = true;
        self.rest(connection, LOOK_PERIOD);
    }

    fn rest(&mut self, connection: ConnectionId, time: Duration) {
        let lane = self.lanes.entry(connection).or_default();
        if std::mem::replace(&mut lane.resting, true) {
            return;
        }
        let notes = self.notes.clone();
        tokio::spawn(async move {
            tokio::time::sleep(time).await;
            let _ = notes.send(Note::Rested(connection));
        });
    }

    /// What waits for a connection that cannot send any more has failed, a batch at a time.
    fn give_up(&mut self, connection: ConnectionId, line: Option<Arc<Line>>) {
        self.lanes.entry(connection).or_default().busy = true;
        let (means, notes) = (self.means.clone(), self.notes.clone());
        tokio::spawn(async move {
            let more = settle::fail_waiting(&means, connection, line).await;
            let _ = notes.send(Note::GaveUp(connection, more));
        });
    }

    fn gave_up(&mut self, connection: ConnectionId, more: db::Result<bool>) {
        let lane = self.lanes.entry(connection).or_default();
        lane.busy = false;
        match more {
            Ok(more) => {
                lane.dirty |= more;
                self.fill(connection);
            }
            Err(error) => {
                tracing::warn!(%error, "the sender cannot give up what waits for a channel that is gone; it tries again");
                self.try_later(connection);
            }
        }
    }

    fn done(&mut self, outcome: Arc<Outcome>) {
        self.in_flight -= 1;
        if let Some(lane) = self.lanes.get_mut(&outcome.job.connection) {
            lane.in_flight -= 1;
            if outcome.slows()
                && let Some(pace) = &mut lane.pace
            {
                pace.slow_down(Instant::now());
            }
        }
        if self.outcomes.add(outcome, Instant::now()) {
            self.settle();
        }
    }

    /// Settles what has come in.
    fn settle(&mut self) {
        let Some(batch) = self.outcomes.begin() else { return };
        let (means, notes) = (self.means.clone(), self.notes.clone());
        tokio::spawn(async move {
            let result = settle::settle(&means, &batch).await;
            let _ = notes.send(Note::Settled(batch, result));
        });
    }

    fn settled(&mut self, batch: Vec<Arc<Outcome>>, result: db::Result<()>) {
        if let Err(error) = result {
            tracing::warn!(%error, "the sender cannot settle; it tries again");
            self.outcomes.failed(batch, Instant::now());
            return;
        }
        self.outcomes.written();
        self.settle();
        // What stood behind these in their conversations may go now.
        let connections: HashSet<Uuid> = batch.iter().map(|outcome| outcome.job.connection.uuid()).collect();
        self.marked(connections);
    }

    fn check_drained(&mut self) {
        let busy = self.in_flight > 0
            || self.looking
            || self.look_again
            || !self.outcomes.is_idle()
            || self.lanes.values().any(|lane| lane.busy || lane.dirty);
        if !busy {
            for drain in self.drains.drain(..) {
                let _ = drain.send(());
            }
        }
    }

    /// Lets calls under way end, settles them, and leaves the connections to others.
    async fn farewell(mut self, mut inbox: mpsc::UnboundedReceiver<Note>) {
        self.stopping = true;
        let end = Instant::now() + FAREWELL;
        while self.in_flight > 0 || !self.outcomes.is_idle() || self.lanes.values().any(|lane| lane.busy) {
            self.settle();
            match tokio::time::timeout_at(end, inbox.recv()).await {
                Ok(Some(note)) => self.take(note),
                Ok(None) | Err(_) => break,
            }
        }
        let connections = self.lanes.into_keys().collect();
        if let Err(error) = claim::give_up(&self.means.store, self.server, connections).await {
            tracing::warn!(%error, "the sender keeps charge of its connections until that runs out");
        }
    }
}
