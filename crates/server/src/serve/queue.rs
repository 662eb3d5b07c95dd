//! Measures the queues of deliveries and of mails for the metrics.

use std::time::Duration;

use frontdesk_db::Store;
use frontdesk_platform::{Clock, mails, webhooks};
use tokio::sync::watch;

const PERIOD: Duration = Duration::from_secs(10);

/// Measures until the server stops.
pub(super) async fn watch(store: Store, clock: Clock, mut stopped: watch::Receiver<bool>) {
    loop {
        match store.scan(webhooks::queue).await {
            Ok(queue) => {
                let waited = queue.oldest_due_at.map_or(0, |due| (clock().millis() - due.millis()).max(0));
                metrics::gauge!("frontdesk_webhook_queue_depth").set(queue.depth as f64);
                metrics::gauge!("frontdesk_webhook_queue_oldest_seconds").set(waited as f64 / 1000.0);
            }
            Err(error) => tracing::debug!(%error, "the queue was not measured"),
        }
        match store.scan(mails::depth).await {
            Ok(depth) => metrics::gauge!("frontdesk_mails_queued").set(depth as f64),
            Err(error) => tracing::debug!(%error, "the queue of mails was not measured"),
        }
        tokio::select! {
            () = tokio::time::sleep(PERIOD) => {}
            _ = stopped.wait_for(|stopped| *stopped) => return,
        }
    }
}
