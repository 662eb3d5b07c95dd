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
use frontdesk_platform::{Clock, ServerContext};
use tokio::sync::watch;

pub(super) struct Bookings(pub(super) ServerContext);

impl Chore for Bookings {
    const NAME: &'static str = "bookings";
    const TOPIC: Option<db::Topic> = None;
    const PERIOD: Duration = Duration::from_secs(1);

    async fn run(&self, _now: Timestamp, _stopped: &watch::Receiver<bool>) -> db::Result<()> {
        complete(&self.0.store, &self.0.recorder, &self.0.clock).await
    }
}

/// Completes every booking whose end has passed, in batches. Each batch has a time of its own.
pub(super) async fn complete(store: &Store, recorder: &Arc<Recorder>, clock: &Clock) -> db::Result<()> {
    let now = clock();
    let mut more = store.read(move |tx| bookings::any_due(tx, now)).await?;
    while more {
        let (recorder, now) = (recorder.clone(), clock());
        more = store.write(move |tx| bookings::complete_due(tx, now, &recorder)).await?;
    }
    Ok(())
}
