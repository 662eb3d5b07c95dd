//! Completes bookings when their end has passed.
//!
//! Every server that works looks by itself, once a second. A booking is completed in the transaction that tells of it, by
//! whichever server comes first.

use std::sync::Arc;
use std::time::Duration;

use frontdesk_crm::bookings;
use frontdesk_db::{self as db, Store};
use frontdesk_kernel::Timestamp;
use frontdesk_platform::Means;
use frontdesk_platform::events::Recorder;
use tokio::sync::watch;

const LOOK_PERIOD: Duration = Duration::from_secs(1);

/// Works until the server ends.
pub(super) async fn work(means: Means, mut stopped: watch::Receiver<bool>) {
    loop {
        tokio::select! {
            () = tokio::time::sleep(LOOK_PERIOD) => {}
            _ = stopped.wait_for(|stopped| *stopped) => return,
        }
        if let Err(error) = complete(&means.store, &means.ids, (means.clock)()).await {
            tracing::warn!(%error, "bookings that are over were not completed");
        }
    }
}

/// Completes every booking that is over by now.
pub(super) async fn complete(store: &Store, ids: &Arc<Recorder>, now: Timestamp) -> db::Result<()> {
    let mut more = store.read(move |tx| bookings::any_due(tx, now)).await?;
    while more {
        let ids = ids.clone();
        more = store.write(move |tx| bookings::complete_due(tx, now, &ids)).await?;
    }
    Ok(())
}
