//! Carries out replays of deliveries, a step at a time.
//!
//! Every server that works takes part: a step locks its replay's row. A replay is taken up when it is accepted, and what
//! a server left undone is found by looking from time to time.

use std::time::Duration;

use frontdesk_db::{self as db, Store};
use frontdesk_kernel::Timestamp;
use frontdesk_platform::{Means, webhooks};
use tokio::sync::watch;

const LOOK_PERIOD: Duration = Duration::from_secs(5);
/// A short rest between steps, so that a large replay leaves room for changes.
const STEP_PAUSE: Duration = Duration::from_millis(5);

/// Works until the server ends.
pub(super) async fn work(means: Means, mut stopped: watch::Receiver<bool>) {
    let mut accepted = means.store.wakes().subscribe(webhooks::REPLAYED);
    loop {
        tokio::select! {
            () = tokio::time::sleep(LOOK_PERIOD) => {}
            _ = accepted.changed() => {}
            _ = stopped.wait_for(|stopped| *stopped) => return,
        }
        let stop = stopped.clone();
        if let Err(error) = carry_out(&means.store, (means.clock)(), || *stop.borrow()).await {
            tracing::warn!(%error, "a replay of deliveries was interrupted; it goes on in a moment");
        }
    }
}

/// Carries out every replay that was accepted, unless it is told to stop.
pub(super) async fn carry_out(
    store: &Store,
    now: Timestamp,
    is_stopped: impl Fn() -> bool,
) -> db::Result<()> {
    let mut more = store.read(webhooks::any_replay).await?;
    while more && !is_stopped() {
        more = store.write(move |tx| webhooks::advance_replay(tx, now)).await?;
        tokio::time::sleep(STEP_PAUSE).await;
    }
    Ok(())
}
