//! The turns of a worker that does what is due and then waits: until a commit wakes it, somebody wants to know that
//! nothing is due any more, or it is time to look again.

use std::time::Duration;

use frontdesk_db::{Store, Topic};
use tokio::sync::{mpsc, oneshot, watch};
use tokio::time::{Interval, MissedTickBehavior, interval, sleep};

/// Those who wait for the end of a turn.
#[derive(Clone)]
pub struct Drains(mpsc::UnboundedSender<oneshot::Sender<()>>);

impl Drains {
    /// Returns once everything that is due now has been tried.
    pub async fn drain(&self) {
        let (done, drained) = oneshot::channel();
        if self.0.send(done).is_ok() {
            let _ = drained.await;
        }
    }
}

/// Whose turn it is, and when.
pub struct Turns {
    pub stopped: watch::Receiver<bool>,
    asked: mpsc::UnboundedReceiver<oneshot::Sender<()>>,
    woken: watch::Receiver<u64>,
    tick: Interval,
}

/// One turn; whoever waits for its end is told when it is dropped.
pub struct Turn(Option<oneshot::Sender<()>>);

impl Turn {
    /// Whether somebody waits for its end.
    pub fn is_awaited(&self) -> bool {
        self.0.is_some()
    }
}

impl Drop for Turn {
    fn drop(&mut self) {
        if let Some(drained) = self.0.take() {
            let _ = drained.send(());
        }
    }
}

impl Turns {
    /// Turns that come with the topic's wake-ups and at least once a period, until `stopped` says so.
    pub fn new(
        store: &Store,
        topic: Topic,
        period: Duration,
        stopped: watch::Receiver<bool>,
    ) -> (Drains, Self) {
        let (drains, asked) = mpsc::unbounded_channel();
        let mut tick = interval(period);
        tick.set_missed_tick_behavior(MissedTickBehavior::Delay);
        (Drains(drains), Self { stopped, asked, woken: store.wakes().subscribe(topic), tick })
    }

    /// Waits a while for more to do, unless somebody waits for the turn's end or the server is to end.
    pub async fn gather(&mut self, turn: &mut Turn, span: Duration) {
        if turn.0.is_none() {
            tokio::select! {
                _ = self.stopped.wait_for(|stopped| *stopped) => {}
                Some(drained) = self.asked.recv() => turn.0 = Some(drained),
                () = sleep(span) => {}
            }
        }
    }

    /// The next turn; none when the server is to end.
    pub async fn next(&mut self) -> Option<Turn> {
        tokio::select! {
            _ = self.stopped.wait_for(|stopped| *stopped) => None,
            Some(drained) = self.asked.recv() => Some(Turn(Some(drained))),
            Ok(()) = self.woken.changed() => Some(Turn(None)),
            _ = self.tick.tick() => Some(Turn(None)),
        }
    }
}
