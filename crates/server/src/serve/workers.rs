//! The workers: everything that happens by itself.

use frontdesk_crm::contacts::search::Indexer;
use frontdesk_inbox::Eraser;
use frontdesk_inbox::media::Fetcher;
use frontdesk_inbox::sender::Sender;
use frontdesk_inbox::templates::Syncer;
use frontdesk_platform::Means;
use frontdesk_platform::webhooks::courier::Courier;
use tokio::sync::watch;
use tokio::task::JoinHandle;

/// Handles to the running workers.
pub(super) struct Workers {
    sender: Sender,
    fetcher: Fetcher,
    syncer: Syncer,
    courier: Courier,
    indexer: Indexer,
    eraser: Eraser,
}

impl Workers {
    /// Starts them all; they work until `stopped` says so.
    pub(super) fn start(means: &Means, stopped: &watch::Receiver<bool>) -> (Self, Vec<JoinHandle<()>>) {
        let (sender, sending) = Sender::start(means.clone(), stopped.clone());
        let (fetcher, fetching) = Fetcher::start(means.clone(), stopped.clone());
        let (syncer, syncing) = Syncer::start(means.clone(), stopped.clone());
        let (courier, delivering) = Courier::start(means.clone(), stopped.clone());
        let (indexer, indexing) = Indexer::start(means.clone(), stopped.clone());
        let (eraser, erasing) = Eraser::start(means.clone(), stopped.clone());
        let tasks = vec![sending, fetching, syncing, delivering, indexing, erasing];
        (Self { sender, fetcher, syncer, courier, indexer, eraser }, tasks)
    }

    /// Returns once everything that is due now has been tried. What the first make due for the last is waited for too.
    pub(super) async fn drain(&self) {
        self.sender.drain().await;
        self.fetcher.drain().await;
        self.syncer.drain().await;
        self.courier.drain().await;
        self.indexer.drain().await;
        self.eraser.drain().await;
    }
}
