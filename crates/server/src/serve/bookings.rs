//! Completes bookings when their end has passed.
//!
//! Every worker polls once a second. A booking is completed in the transaction that writes its event, by the
//! server that locks it first.

use std::sync::Arc;
use std::time::Duration;

use frontdesk_crm::bookings;
use frontdesk_db::{self as db, Store};
use frontdesk_jobs::Chore;
use frontdesk_kernel::Timestamp;
use frontdesk_platform::events::Recorder;
use tokio::sync::watch;

pub(super) struct Bookings {
    pub(super) store: Store,
    pub(super) recorder: Arc<Recorder>,
}

impl Chore for Bookings {
    const NAME: &'static str = "bookings";
    const TOPIC: Option<db::Topic> = None;
    const PERIOD: Duration = Duration::from_secs(1);

    async fn run(&self, now: Timestamp, _stopped: &watch::Receiver<bool>) -> db::Result<()> {
        complete(&self.store, &self.recorder, now).await
    }
}

/// Completes every booking whose end has passed.
pub(super) async fn complete(store: &Store, recorder: &Arc<Recorder>, now: Timestamp) -> db::Result<()> {
    let mut more = store.read(move |tx| bookings::any_due(tx, now)).await?;
    while more {
        let recorder = recorder.clone();
        more = store.write(move |tx| bookings::complete_due(tx, now, &recorder)).await?;
    }
    Ok(())
}
