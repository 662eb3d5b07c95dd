//! The janitor deletes expired data.
//!
//! Every server deletes its own expired counters. Stored data is deleted by one server at a time, which holds
//! the lease. A failure is logged, and everything else is deleted all the same.

use std::sync::Arc;
use std::time::Duration;

use frontdesk_db::{self as db, lease};
use frontdesk_platform::ServerContext;
use tokio::sync::watch;
use uuid::Uuid;

use super::site::Site;
use crate::config::Role;
use crate::retention::{Retention, clear_away, report};

const LEASE: &str = "janitor";
const PERIOD: Duration = Duration::from_mins(1);
/// Longer than the period, so that a running holder keeps it and a dead one is soon replaced.
const LEASE_SPAN: Duration = Duration::from_secs(150);
/// Old data is looked for in every account, so this is done less often: in one round of so many.
const RETENTION_ROUNDS: u64 = 60;

/// Runs until the server stops.
pub(super) async fn work(
    site: Arc<Site>,
    role: Role,
    retention: Retention,
    mut stopped: watch::Receiver<bool>,
) {
    let (limits, server) = (&site.gate.limits, &site.server);
    // The lease names this server, so that another one has it at once if this one dies.
    let holder = db::new_lease();
    let mut rounds = 0_u64;
    loop {
        tokio::select! {
            () = tokio::time::sleep(PERIOD) => {}
            _ = stopped.wait_for(|stopped| *stopped) => break,
        }
        report("old counters", limits.tidy((server.clock)()).await);
        if role.works() {
            let retention = rounds.is_multiple_of(RETENTION_ROUNDS).then_some(retention);
            report("expired rows", clear(server, holder, retention).await);
            rounds += 1;
        }
    }
    if role.works() {
        let given_up = server.store.write(move |tx| lease::give_up(tx, LEASE, holder)).await;
        if let Err(error) = given_up {
            tracing::debug!(%error, "the janitor's lease was not released; it expires by itself");
        }
    }
}

async fn clear(server: &ServerContext, holder: Uuid, retention: Option<Retention>) -> db::Result<()> {
    let now = (server.clock)();
    let is_ours = server.store.write(move |tx| lease::take(tx, LEASE, holder, now, LEASE_SPAN)).await?;
    if is_ours {
        clear_away(&server.store, retention, now).await;
    }
    Ok(())
}
