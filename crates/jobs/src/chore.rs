//! Chores: work that has no rows to claim. A chore is one function. It runs when it is woken and once per period, until
//! no work is left. Servers that run the same chore at once lock the rows that they work on.

use std::sync::Arc;
use std::time::Duration;

use frontdesk_db::{self as db, Topic};
use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use tokio::sync::{oneshot, watch};
use tokio::time::{MissedTickBehavior, interval, sleep};

use crate::drain::{Asked, Context, Requests, Worker};
use crate::supervisor::TaskEnd;

/// A recurring task.
#[derive(Clone, Copy, Debug)]
pub struct Chore {
    /// The name in logs.
    name: &'static str,
    period: Duration,
    topic: Option<Topic>,
    wait: Duration,
}

type Run = Arc<dyn Fn() -> BoxFuture<'static, db::Result<()>> + Send + Sync>;

impl Chore {
    /// A task that runs once per period.
    pub const fn every(period: Duration, name: &'static str) -> Self {
        Self { name, period, topic: None, wait: Duration::ZERO }
    }

    /// It also runs when the topic is woken.
    pub const fn woken_by(self, topic: Topic) -> Self {
        Self { topic: Some(topic), ..self }
    }

    /// How long it waits for more work before it runs.
    pub const fn gathering_for(self, wait: Duration) -> Self {
        Self { wait, ..self }
    }

    /// Starts the task. `run` does all work that is due. A long run returns early when `stopped` becomes true, and reads
    /// the clock for each of its transactions, so that no change carries a time long before its commit.
    pub fn start<S, F>(
        self,
        context: &Context,
        state: S,
        run: impl Fn(S, watch::Receiver<bool>) -> F + Send + Sync + 'static,
    ) -> Worker
    where
        S: Clone + Send + Sync + 'static,
        F: Future<Output = db::Result<()>> + Send + 'static,
    {
        let (ours, stopped) = (context.clone(), context.stopped.clone());
        let run: Run = Arc::new(move || run(state.clone(), stopped.clone()).boxed());
        Worker::start(self.name, context, move |requests| work(self, run.clone(), ours.clone(), requests))
    }
}

async fn work(chore: Chore, run: Run, context: Context, mut requests: Requests) -> TaskEnd {
    let Asked { drains: asked, takeovers } = &mut *requests;
    let mut stopped = context.stopped.clone();
    let mut woken = chore.topic.map(|topic| context.store.wakes().subscribe(topic));
    let mut tick = interval(chore.period);
    tick.set_missed_tick_behavior(MissedTickBehavior::Delay);
    loop {
        let mut drained: Option<oneshot::Sender<()>> = None;
        tokio::select! {
            _ = stopped.wait_for(|stopped| *stopped) => return TaskEnd::Done,
            Some(asks) = asked.recv() => drained = Some(asks),
            // A chore claims nothing that could be released.
            Some((_dead, released)) = takeovers.recv() => {
                let _gone_is_fine = released.send(Ok(()));
                continue;
            }
            () = changed(woken.as_mut()) => {}
            _ = tick.tick() => {}
        }
        if drained.is_none() && !chore.wait.is_zero() {
            tokio::select! {
                _ = stopped.wait_for(|stopped| *stopped) => return TaskEnd::Done,
                Some(asks) = asked.recv() => drained = Some(asks),
                () = sleep(chore.wait) => {}
            }
        }
        if let Err(error) = run().await {
            let Chore { name, period, .. } = chore;
            tracing::warn!(chore = name, %error, "chore failed; retrying in {} s", period.as_secs_f32());
        }
        if let Some(drained) = drained {
            let _gone_is_fine = drained.send(());
        }
    }
}

/// Waits for a wake-up. Never returns when there is no topic.
async fn changed(woken: Option<&mut watch::Receiver<u64>>) {
    if let Some(woken) = woken
        && woken.changed().await.is_ok()
    {
        return;
    }
    std::future::pending::<()>().await;
}
