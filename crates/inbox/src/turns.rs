//! The turns of a worker that does what is due and then waits: until a commit wakes it, somebody wants to know that
//! nothing is due any more, or it is time to look again.

use std::time::Duration;

use frontdesk_db::{Store, Topic};
use tokio::sync::{mpsc, oneshot, watch};
use tokio::time::{Interval, MissedTickBehavior, interval};

/// Those who wait for the end of a turn.
#[derive(Clone)]
pub(crate) struct Drains(mpsc::UnboundedSender<oneshot::Sender<()>>);

impl Drains {
    /// Returns once everything that is due now has been tried.
    pub(crate) async fn drain(&self) {
        let (done, drained) = oneshot::channel();
        if self.0.send(done).is_ok() {
            let _ = drained.await;
        }
    }
}

pub(crate) struct Turns {
    pub(crate) stopped: watch::Receiver<bool>,
    asked: mpsc::UnboundedReceiver<oneshot::Sender<()>>,
    woken: watch::Receiver<u64>,
    tick: Interval,
}

/// One turn; whoever waits for its end is told when it is dropped.
pub(crate) struct Turn(Option<oneshot::Sender<()>>);

impl Drop for Turn {
    fn drop(&mut self) {
        if let Some(drained) = self.0.take() {
            let _ = drained.send(());
        }
    }
}

impl Turns {
    /// Turns that come with the topic's wake-ups and at least once a period, until `stopped` says so.
    pub(crate) fn new(
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

    /// The next turn; none when the server is to end.
    pub(crate) async fn next(&mut self) -> Option<Turn> {
        tokio::select! {
            _ = self.stopped.wait_for(|stopped| *stopped) => None,
            Some(drained) = self.asked.recv() => Some(Turn(Some(drained))),
            Ok(()) = self.woken.changed() => Some(Turn(None)),
            _ = self.tick.tick() => Some(Turn(None)),
        }
    }
}
