//! Chores: work that has no rows to claim. A chore runs when it is woken and once per period, until no work is left.
//! Servers that run the same chore at once lock the rows that they work on.

use std::sync::Arc;
use std::time::Duration;

use frontdesk_db::{self as db, Topic};
use frontdesk_kernel::Timestamp;
use tokio::sync::{oneshot, watch};
use tokio::time::{MissedTickBehavior, interval, sleep};

use crate::drain::{Asked, Requests, Worker};
use crate::{Context, TaskEnd};

/// A recurring task.
pub trait Chore: Send + Sync + 'static {
    /// The name in logs.
    const NAME: &'static str;
    /// The topic that wakes it, if any.
    const TOPIC: Option<Topic>;
    /// How often it runs without being woken.
    const PERIOD: Duration;
    /// How long it waits for more work after it is woken.
    const PATIENCE: Duration = Duration::ZERO;

    /// Does all work that is due by `now`. A long run returns early when `stopped` becomes true, and reads the clock
    /// again for each of its transactions, so that no change carries a time long before its commit.
    fn run(
        &self,
        now: Timestamp,
        stopped: &watch::Receiver<bool>,
    ) -> impl Future<Output = db::Result<()>> + Send;
}

/// Starts a chore.
pub fn keep_up<C: Chore>(chore: C, context: &Context) -> Worker {
    let (chore, ours) = (Arc::new(chore), context.clone());
    Worker::start(C::NAME, context, move |requests| work(chore.clone(), ours.clone(), requests))
}

async fn work<C: Chore>(chore: Arc<C>, context: Context, mut requests: Requests) -> TaskEnd {
    let Asked { drains: asked, takeovers } = &mut *requests;
    let mut stopped = context.stopped.clone();
    let mut woken = C::TOPIC.map(|topic| context.store.wakes().subscribe(topic));
    let mut tick = interval(C::PERIOD);
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
        if drained.is_none() && !C::PATIENCE.is_zero() {
            tokio::select! {
                _ = stopped.wait_for(|stopped| *stopped) => return TaskEnd::Done,
                Some(asks) = asked.recv() => drained = Some(asks),
                () = sleep(C::PATIENCE) => {}
            }
        }
        if let Err(error) = chore.run((context.clock)(), &context.stopped).await {
            tracing::warn!(chore = C::NAME, %error, "a chore failed and will be retried");
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
