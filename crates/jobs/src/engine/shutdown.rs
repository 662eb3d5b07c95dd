//! Shuts an engine down: running jobs finish or are aborted, outcomes are settled, and the rest is released.

use std::time::Duration;

use frontdesk_db::{self as db, lease};
use tokio::sync::mpsc;
use tokio::time::{Instant, timeout_at};

use super::report::EngineEvent;
use super::{Engine, charge_of, until};
use crate::kind::Kind;
use crate::limits::Stop;

/// Maximum time to settle outcomes and to release aborted jobs.
const SETTLE_TIME_MAX: Duration = Duration::from_secs(5);

impl<K: Kind> Engine<K> {
    #[expect(clippy::disallowed_methods, reason = "a deadline, which is not stored")]
    pub(super) async fn shut_down(mut self, mut inbox: mpsc::UnboundedReceiver<EngineEvent<K>>) {
        self.mailbox.close();
        self.scheduler.stop();
        let time_max = match K::LIMITS.stop {
            Stop::Finish(time_max) => time_max,
            Stop::GiveBack => {
                self.flights.values().for_each(|flight| flight.task.abort());
                SETTLE_TIME_MAX
            }
        };
        let end = Instant::now() + time_max;
        loop {
            // Transactions that are still open may hand over jobs. These are released too.
            self.take_new_jobs(self.now());
            self.carry_out();
            if self.scheduler.is_at_rest() && self.giving_back == 0 {
                break;
            }
            let settle_at = self.scheduler.settle_at();
            let event = timeout_at(end, async {
                tokio::select! {
                    event = inbox.recv() => event,
                    () = until(settle_at) => None,
                }
            });
            match event.await {
                Ok(Some(event)) => self.take(event),
                Ok(None) => self.scheduler.settle(),
                Err(_) => break,
            }
        }
        self.report_counts();
        if let Err(error) = self.give_up_charge().await {
            tracing::warn!(kind = K::NAME, %error, "releasing the leases of lanes failed; they expire by themselves");
        }
    }

    /// Releases the leases on all lanes, so that other servers need not wait until they expire.
    async fn give_up_charge(&self) -> db::Result<()> {
        let store = &self.context.store;
        let mut lanes: Vec<K::Lane> = self.charges.keys().copied().collect();
        if lanes.is_empty() {
            return Ok(());
        }
        lanes.sort_unstable();
        let holder = self.holder;
        store
            .write(move |tx| {
                lanes.iter().try_for_each(|lane| lease::give_up(tx, &charge_of::<K>(*lane), holder))
            })
            .await
    }
}
