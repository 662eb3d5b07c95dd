//! What a store observes of its own work: how long jobs wait, and which statements are slow.

use std::time::Duration;

use crate::slow::SlowLog;

/// How long a job waits in the store's queue before it runs.
const QUEUE_SECONDS: &str = "frontdesk_store_queue_wait_seconds";

pub(crate) struct Watch {
    queue_seconds: metrics::Histogram,
    pub(crate) slow: Option<SlowLog>,
    /// Whether there is a read replica, for which the positions of changed accounts are recorded.
    pub(crate) records_positions: bool,
}

impl Watch {
    pub(crate) fn new(slow: Option<SlowLog>, records_positions: bool) -> Self {
        Self { queue_seconds: metrics::histogram!(QUEUE_SECONDS), slow, records_positions }
    }

    pub(crate) fn waited(&self, time: Duration) {
        self.queue_seconds.record(time.as_secs_f64());
    }
}
