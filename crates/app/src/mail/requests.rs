//! The worker that looks for the people who have asked for a new password.

use std::time::Duration;

use frontdesk_db as db;
use frontdesk_jobs::{Chore, Context, Worker};
use frontdesk_platform::ServerContext;
use frontdesk_platform::mails::requests::{REQUESTED, take};
use tokio::sync::watch;

const CHORE: Chore = Chore::every(Duration::from_secs(1), "password requests").woken_by(REQUESTED);

/// Starts the worker.
pub fn start_requests(server: &ServerContext, context: &Context) -> Worker {
    CHORE.start(context, server.clone(), look)
}

async fn look(server: ServerContext, stopped: watch::Receiver<bool>) -> db::Result<()> {
    loop {
        let (recorder, now) = (server.recorder.clone(), (server.clock)());
        let there_may_be_more = server.store.write(move |tx| take(tx, recorder.ids(), now)).await?;
        if !there_may_be_more || *stopped.borrow() {
            return Ok(());
        }
    }
}
