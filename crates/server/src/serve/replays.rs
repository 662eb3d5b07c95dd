//! Runs replays of deliveries, a step at a time.
//!
//! Every worker takes part: a step locks its replay's row. A replay starts when it is accepted; polling finds
//! those that a server left unfinished.

use std::time::Duration;

use frontdesk_db::{self as db, Store};
use frontdesk_jobs::Chore;
use frontdesk_kernel::Timestamp;
use frontdesk_platform::{Clock, webhooks};
use tokio::sync::watch;

/// A short pause between steps, so that a large replay does not block other writes.
const STEP_PAUSE: Duration = Duration::from_millis(5);

pub(super) struct Replays {
    pub(super) store: Store,
    pub(super) clock: Clock,
}

impl Chore for Replays {
    const NAME: &'static str = "replays";
    const TOPIC: Option<db::Topic> = Some(webhooks::REPLAYED);
    const PERIOD: Duration = Duration::from_secs(5);

    async fn run(&self, _now: Timestamp, stopped: &watch::Receiver<bool>) -> db::Result<()> {
        let mut more = self.store.read(webhooks::any_replay).await?;
        while more && !*stopped.borrow() {
            let now = (self.clock)();
            more = self.store.write(move |tx| webhooks::advance_replay(tx, now)).await?;
            tokio::time::sleep(STEP_PAUSE).await;
        }
        Ok(())
    }
}
