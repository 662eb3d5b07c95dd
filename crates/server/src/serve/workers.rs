//! The workers: everything that happens by itself.

use std::sync::Arc;

use frontdesk_agent::{Agent, start_runner};
use frontdesk_crm::contacts::search;
use frontdesk_inbox::{media, sender, start_eraser, templates};
use frontdesk_jobs::{Context, Drain, keep_up};
use frontdesk_kernel::Ids;
use frontdesk_platform::Means;
use frontdesk_platform::webhooks::courier;
use tokio::sync::watch;
use tokio::task::JoinHandle;

use super::bookings::Bookings;
use super::replays::Replays;

/// Handles to the running workers.
pub(super) struct Workers(Vec<Drain>);

impl Workers {
    /// Starts them all; they work until `stopped` becomes true.
    pub(super) fn start(
        means: &Means,
        agent: Agent,
        stopped: &watch::Receiver<bool>,
    ) -> (Self, Vec<JoinHandle<()>>) {
        let (store, ids) = (means.store.clone(), means.ids.clone());
        let context = &Context {
            store: store.clone(),
            clock: means.clock.clone(),
            ids: Arc::new(Ids::new()),
            stopped: stopped.clone(),
        };
        // Earlier ones make work for later ones.
        let workers = [
            keep_up(Bookings { store: store.clone(), ids }, context),
            keep_up(Replays { store }, context),
            media::start_fetcher(means, context),
            start_runner(agent, context),
            frontdesk_broadcasts::start(means, context),
            frontdesk_broadcasts::start_folder(means, context),
            sender::start_mender(context),
            sender::start(means, context),
            templates::start_syncer(means, context),
            courier::start(means, context),
            search::start_indexer(context),
            start_eraser(context),
        ];
        let (drains, tasks) = workers.into_iter().map(|worker| (worker.drain, worker.task)).unzip();
        (Self(drains), tasks)
    }

    /// Returns once everything that is due now has been tried, including what workers make due for later ones.
    pub(super) async fn drain(&self) {
        for drain in &self.0 {
            drain.wait().await;
        }
    }
}
