//! Metrics: collected in this process, rendered on request.

mod catalogue;
mod gauges;
mod queues;

use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

use frontdesk_db::{DatabaseUrl, Store};
use frontdesk_platform::Clock;
use metrics_exporter_prometheus::{PrometheusBuilder, PrometheusHandle};
use tokio::sync::watch;

use crate::clock;
use crate::error::{Error, Result};

pub(crate) use catalogue::METRICS;
use gauges::Gauges;
use queues::Queues;
pub(crate) use queues::{QueueSize, read as read_queues};

/// Bounds of the histograms, in seconds.
const BUCKETS: &[f64] =
    &[0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0];
/// How often recorded values are aggregated, so that they do not grow between requests.
const UPKEEP_PERIOD: Duration = Duration::from_secs(5);

pub(super) struct Telemetry {
    handle: PrometheusHandle,
    started: Instant,
    /// What is read of the store when the metrics are shown.
    store: OnceLock<(Gauges, Queues)>,
}

impl Telemetry {
    /// Starts collecting, for the whole process.
    pub(super) fn install() -> Result<Self> {
        let handle = PrometheusBuilder::new()
            .set_buckets(BUCKETS)
            .and_then(PrometheusBuilder::install_recorder)
            .map_err(|error| Error::Invalid(format!("metrics cannot be gathered: {error}")))?;
        catalogue::describe();
        metrics::gauge!("frontdesk_build_info", "version" => env!("CARGO_PKG_VERSION")).set(1.0);
        metrics::gauge!("process_start_time_seconds").set(clock::now().seconds() as f64);
        Ok(Self { handle, started: Instant::now(), store: OnceLock::new() })
    }

    /// Shows the store's metrics too.
    pub(super) fn watch(&self, store: &Store, database: &DatabaseUrl, clock: Clock) {
        let watched = (Gauges::new(store.clone(), database), Queues::new(store.clone(), clock));
        let _the_first_store_stays = self.store.set(watched);
    }

    /// All metrics, in Prometheus's text format.
    pub(super) async fn render(&self) -> String {
        metrics::gauge!("frontdesk_uptime_seconds").set(self.started.elapsed().as_secs_f64());
        if let Some(bytes) =
            std::fs::read_to_string("/proc/self/status").ok().as_deref().and_then(resident_bytes)
        {
            metrics::gauge!("process_resident_memory_bytes").set(bytes as f64);
        }
        let Some((gauges, queues)) = self.store.get() else { return self.handle.render() };
        gauges.set();
        let queues = queues.lines().await;
        self.handle.render() + &queues
    }

    /// Aggregates recorded values until the server stops.
    pub(super) async fn keep_up(self: Arc<Self>, mut stopped: watch::Receiver<bool>) {
        loop {
            tokio::select! {
                () = tokio::time::sleep(UPKEEP_PERIOD) => self.handle.run_upkeep(),
                _ = stopped.wait_for(|stopped| *stopped) => return,
            }
        }
    }
}

/// Reads `VmRSS:     12345 kB`, which needs no knowledge of the size of a page.
fn resident_bytes(status: &str) -> Option<u64> {
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
    let kibibytes: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kibibytes << 10)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn resident_memory_is_parsed_from_proc_status() {
        assert_eq!(resident_bytes("Name:\tx\nVmRSS:\t    2048 kB\nThreads:\t1\n"), Some(2 << 20));
        assert_eq!(resident_bytes("Name:\tx\n"), None);
        assert_eq!(resident_bytes("VmRSS:\tmany\n"), None);
    }
}
