//! The janitor deletes expired data.
//!
//! Every server deletes its own expired counters. Stored data is deleted by one server at a time, which holds
//! the lease. A failure is logged, and everything else is deleted all the same.

use std::sync::Arc;
use std::time::Duration;

use frontdesk_db::{self as db, Store, Tx, lease};
use frontdesk_inbox::{media, messages};
use frontdesk_kernel::{Id, Timestamp};
use frontdesk_platform::sign_in::{failures, links, sessions};
use frontdesk_platform::{ServerContext, idempotency, webhooks};
use tokio::sync::watch;

use super::retention::Retention;
use super::site::Site;
use crate::config::Role;

const LEASE: &str = "janitor";
const PERIOD: Duration = Duration::from_mins(1);
/// Longer than the period, so that a running holder keeps it and a dead one is soon replaced.
const LEASE_SPAN: Duration = Duration::from_secs(150);
/// Old data is looked for in every account, so this is done less often: in one round of so many.
const RETENTION_ROUNDS: u64 = 60;

/// Small merge steps of the search index per round: enough for ten thousand new contacts.
const SEARCH_STEPS: usize = 64;

/// Deletes a batch of expired rows. True if there may be more.
type Forget = fn(&mut Tx<'_>, Timestamp) -> db::Result<bool>;

/// What is deleted in every round, by name.
const EXPIRED: &[(&str, Forget)] = &[
    ("responses of idempotent requests", idempotency::forget),
    ("early reports", messages::forget_early),
    ("uploads", media::forget_uploads),
    ("sessions", sessions::forget),
    ("links", links::forget),
    ("failed sign-ins", failures::forget),
];

/// Marks the id of a lease holder.
enum Holder {}

/// Runs until the server stops.
pub(super) async fn work(
    site: Arc<Site>,
    role: Role,
    retention: Retention,
    mut stopped: watch::Receiver<bool>,
) {
    let (limits, server) = (&site.gate.limits, &site.server);
    let holder: Id<Holder> = server.recorder.next((server.clock)());
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
        let given_up = server.store.write(move |tx| lease::give_up(tx, LEASE, holder.uuid())).await;
        if let Err(error) = given_up {
            tracing::debug!(%error, "the janitor's lease was not released; it expires by itself");
        }
    }
}

fn report(what: &str, outcome: db::Result<()>) {
    if let Err(error) = outcome {
        tracing::warn!(what, %error, "expired data was not deleted; the next round tries again");
    }
}

async fn clear(server: &ServerContext, holder: Id<Holder>, retention: Option<Retention>) -> db::Result<()> {
    let now = (server.clock)();
    let is_ours =
        server.store.write(move |tx| lease::take(tx, LEASE, holder.uuid(), now, LEASE_SPAN)).await?;
    if is_ours {
        clear_away(&server.store, retention, now).await;
    }
    Ok(())
}

/// Deletes expired data in small batches.
pub(super) async fn clear_away(store: &Store, retention: Option<Retention>, now: Timestamp) {
    for (what, forget) in EXPIRED {
        report(what, forget_all(store, *forget, now).await);
    }
    report("parts of the search index", merge_search(store).await);
    report("events and deliveries", purge_events(store, now).await);
    if let Some(retention) = retention {
        report("old data", retention.apply(store, now).await);
    }
}

async fn forget_all(store: &Store, forget: Forget, now: Timestamp) -> db::Result<()> {
    while store.write(move |tx| forget(tx, now)).await? {}
    Ok(())
}

async fn merge_search(store: &Store) -> db::Result<()> {
    for _ in 0..SEARCH_STEPS {
        frontdesk_search::tidy(store).await?;
    }
    Ok(())
}

async fn purge_events(store: &Store, now: Timestamp) -> db::Result<()> {
    for account in store.read(webhooks::accounts).await? {
        while store.write(move |tx| webhooks::purge(tx, account, now)).await? {}
    }
    Ok(())
}
