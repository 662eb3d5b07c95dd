//! Completes bookings when their end has passed.
//!
//! Every worker polls once a second. A booking is completed in the transaction that writes its event, by the
//! server that locks it first.

use std::sync::Arc;
use std::time::Duration;

use frontdesk_crm::bookings;
use frontdesk_db::{self as db, Store};
use frontdesk_jobs::{Chore, Context, Worker};
use frontdesk_platform::events::Recorder;
use frontdesk_platform::{Clock, ServerContext};

const CHORE: Chore = Chore::every(Duration::from_secs(1), "bookings");

pub(super) fn start(server: &ServerContext, context: &Context) -> Worker {
    CHORE.start(context, server.clone(), async |server, _stopped| {
        complete(&server.store, &server.recorder, &server.clock).await
    })
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
