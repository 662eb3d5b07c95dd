//! Runs replays of deliveries, a step at a time.
//!
//! Every worker takes part: a step locks its replay's row. A replay starts when it is accepted; polling finds
//! those that a server left unfinished.

use std::time::Duration;

use frontdesk_db as db;
use frontdesk_jobs::{Chore, Context, Worker};
use frontdesk_platform::{ServerContext, webhooks};
use tokio::sync::watch;

/// A short pause between steps, so that a large replay does not block other writes.
const STEP_PAUSE: Duration = Duration::from_millis(5);

const CHORE: Chore = Chore::every(Duration::from_secs(5), "replays").woken_by(webhooks::REPLAYED);

pub(super) fn start(server: &ServerContext, context: &Context) -> Worker {
    CHORE.start(context, server.clone(), advance_all)
}

async fn advance_all(server: ServerContext, stopped: watch::Receiver<bool>) -> db::Result<()> {
    let mut more = server.store.read(webhooks::any_replay).await?;
    while more && !*stopped.borrow() {
        let now = (server.clock)();
        more = server.store.write(move |tx| webhooks::advance_replay(tx, now)).await?;
        tokio::time::sleep(STEP_PAUSE).await;
    }
    Ok(())
}
