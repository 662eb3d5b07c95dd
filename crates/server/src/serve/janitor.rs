//! The janitor deletes expired data.
//!
//! Every server deletes its own expired counters. Stored data is deleted by one server at a time, which holds
//! the lease. A failure is logged, and the next round follows all the same.

use std::sync::Arc;
use std::time::Duration;

use frontdesk_crm::contacts::search::{FILE, index};
use frontdesk_db::{self as db, Dialect, Store, lease};
use frontdesk_inbox::{media, messages};
use frontdesk_kernel::{Id, Timestamp};
use frontdesk_platform::sign_in::{failures, links, sessions};
use frontdesk_platform::{ServerContext, idempotency, webhooks};
use tokio::sync::watch;

use super::site::Site;
use crate::config::Role;

const LEASE: &str = "janitor";
const PERIOD: Duration = Duration::from_mins(1);
/// Longer than the period, so that a running holder keeps it and a dead one is soon replaced.
const LEASE_SPAN: Duration = Duration::from_secs(150);

/// Small merge steps of the search index per round: enough for ten thousand new contacts.
const SEARCH_STEPS: usize = 64;

/// Marks the id of a lease holder.
enum Holder {}

/// Runs until the server stops.
pub(super) async fn work(site: Arc<Site>, role: Role, mut stopped: watch::Receiver<bool>) {
    let (limits, server) = (&site.gate.limits, &site.server);
    let holder: Id<Holder> = server.recorder.next((server.clock)());
    loop {
        tokio::select! {
            () = tokio::time::sleep(PERIOD) => {}
            _ = stopped.wait_for(|stopped| *stopped) => break,
        }
        if let Err(error) = limits.tidy((server.clock)()).await {
            tracing::warn!(%error, "old counters were not deleted");
        }
        if role.works()
            && let Err(error) = clear(server, holder).await
        {
            tracing::warn!(%error, "expired rows were not deleted");
        }
    }
    if role.works() {
        let given_up = server.store.write(move |tx| lease::give_up(tx, LEASE, holder.uuid())).await;
        if let Err(error) = given_up {
            tracing::debug!(%error, "the janitor's lease was not released; it expires by itself");
        }
    }
}

async fn clear(server: &ServerContext, holder: Id<Holder>) -> db::Result<()> {
    let now = (server.clock)();
    let is_ours =
        server.store.write(move |tx| lease::take(tx, LEASE, holder.uuid(), now, LEASE_SPAN)).await?;
    if !is_ours {
        return Ok(());
    }
    clear_away(&server.store, now).await
}

/// Deletes expired data in small batches.
pub(super) async fn clear_away(store: &Store, now: Timestamp) -> db::Result<()> {
    while store.write(move |tx| idempotency::forget(tx, now)).await? {}
    while store.write(move |tx| messages::forget_early(tx, now)).await? {}
    while store.write(move |tx| media::forget_uploads(tx, now)).await? {}
    while store.write(move |tx| sessions::forget(tx, now)).await? {}
    while store.write(move |tx| links::forget(tx, now)).await? {}
    while store.write(move |tx| failures::forget(tx, now)).await? {}
    if store.dialect() == Dialect::Sqlite {
        for _ in 0..SEARCH_STEPS {
            store.write_side(&FILE, index::tidy).await?;
            store.write_side(&messages::search::FILE, messages::search::tidy).await?;
        }
    }
    for account in store.read(webhooks::accounts).await? {
        while store.write(move |tx| webhooks::purge(tx, account, now)).await? {}
    }
    Ok(())
}
