//! How busy this server is, for `frontdesk servers`.

use std::collections::VecDeque;
use std::net::SocketAddr;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use frontdesk_inbox::web_chat::VisitorRegistry;
use frontdesk_jobs::JobCounts;
use frontdesk_platform::events::live::Live;
use frontdesk_platform::servers::{Load, Report};

use super::phase::{Phase, Phases};
use crate::clock;

/// The period over which requests are counted.
const PERIOD: Duration = Duration::from_mins(1);
/// What load balancers and monitors ask, which is no load.
const PROBES: [&str; 3] = ["/healthz", "/readyz", "/metrics"];

/// What a running server knows about itself; clones share it.
#[derive(Clone)]
pub(super) struct ServerLoad {
    pub(super) phases: Phases,
    pub(super) requests: Arc<RequestCount>,
    address: SocketAddr,
    counts: JobCounts,
    live: Live,
    registry: VisitorRegistry,
    recent: Arc<Mutex<RecentRequests>>,
}

impl ServerLoad {
    pub(super) fn new(
        address: SocketAddr,
        counts: &JobCounts,
        live: &Live,
        registry: &VisitorRegistry,
    ) -> Self {
        Self {
            phases: Phases::new(),
            requests: Arc::default(),
            address,
            counts: counts.clone(),
            live: live.clone(),
            registry: registry.clone(),
            recent: Arc::default(),
        }
    }

    /// The report with what changes.
    pub(super) fn report(&self, fixed: &Report) -> Report {
        let jobs = self.counts.all();
        let requests_last_minute = {
            let mut recent = self.recent.lock().unwrap_or_else(PoisonError::into_inner);
            recent.sample(&self.requests, Instant::now())
        };
        Report {
            address: self.address.to_string(),
            is_draining: self.phases.current() != Phase::Serving,
            clock_ahead_ms: clock::ahead_millis(),
            load: Load {
                requests_last_minute,
                jobs_at_work: jobs.values().map(|count| count.running).sum(),
                connections: self.phases.connections(),
                streams: self.live.open_streams() + self.registry.open_streams(),
            },
            leases: jobs.into_iter().map(|(kind, count)| (kind.to_owned(), count.claimed)).collect(),
            ..fixed.clone()
        }
    }
}

/// Counts the requests of this server.
#[derive(Default)]
pub(super) struct RequestCount(AtomicU64);

impl RequestCount {
    pub(super) fn count(&self, path: &str) {
        if !PROBES.contains(&path) {
            self.0.fetch_add(1, Ordering::Relaxed);
        }
    }

    fn total(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }
}

/// How many requests came in the last minute, by samples of their count.
#[derive(Default)]
struct RecentRequests(VecDeque<(Instant, u64)>);

impl RecentRequests {
    /// Adds a sample. Returns the requests of the last minute, or since the first sample.
    fn sample(&mut self, count: &RequestCount, at: Instant) -> u64 {
        let total = count.total();
        self.0.push_back((at, total));
        // The oldest sample that is kept is the last one before the period.
        while self.0.get(1).is_some_and(|(sampled, _)| at.duration_since(*sampled) >= PERIOD) {
            self.0.pop_front();
        }
        self.0.front().map_or(0, |(_, before)| total - before)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_last_minute_counts_and_probes_do_not() {
        let (count, start) = (RequestCount::default(), Instant::now());
        let mut recent = RecentRequests::default();
        let at = |seconds| start + Duration::from_secs(seconds);
        assert_eq!(recent.sample(&count, at(0)), 0);
        for path in ["/api/v1/me", "/app", "/readyz", "/healthz", "/metrics"] {
            count.count(path);
        }
        assert_eq!(recent.sample(&count, at(30)), 2);
        count.count("/api/v1/me");
        assert_eq!(recent.sample(&count, at(60)), 3);
        assert_eq!(recent.sample(&count, at(90)), 1);
        assert_eq!(recent.sample(&count, at(121)), 0);
    }
}
