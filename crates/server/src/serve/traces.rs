//! Exports spans to a collector: OTLP over HTTP, in JSON.
//!
//! Spans come through a bounded queue and are sent in batches by one task. A collector that is slow or gone delays nothing:
//! the queue fills, and further spans are dropped and counted. What is queued when the server stops is sent, within a
//! limited time.

mod json;

use std::sync::OnceLock;
use std::time::{Duration, Instant};

use bytes::Bytes;
use frontdesk_outbound::{Client, Limits, Reach};
use frontdesk_trace::{self as trace, FinishedSpan, Tracer};
use http::header::{CONTENT_TYPE, RETRY_AFTER, USER_AGENT};
use http::{HeaderMap, HeaderValue, Method, StatusCode};
use tokio::sync::{mpsc, watch};
use tokio::task::JoinHandle;
use tokio::time::{sleep, timeout};

use crate::clock;
use crate::trace_config::TraceConfig;

/// Finished spans that wait to be sent, some kilobytes each at most.
const QUEUE_SPANS_MAX: usize = 4_096;
/// Spans of one request to the collector.
const BATCH_SPANS_MAX: usize = 512;
/// How long a batch waits for more spans.
const BATCH_WAIT: Duration = Duration::from_secs(1);
/// How often a batch is sent, and the pause before the second time, which doubles.
const TRIES_MAX: u32 = 5;
const PAUSE: Duration = Duration::from_secs(1);
const PAUSE_MAX: Duration = Duration::from_secs(30);
/// How long the rest may take when the server stops.
const FLUSH_TIME_MAX: Duration = Duration::from_secs(3);
/// The part of a response that is read.
const RESPONSE_BYTES_MAX: usize = 4 << 10;
/// How often failures are logged.
const WARNING_PERIOD: Duration = Duration::from_mins(1);

/// The running exporter.
pub(super) struct Exporter {
    stop: watch::Sender<bool>,
    task: JoinHandle<()>,
}

impl Exporter {
    /// Starts recording and exporting.
    pub(super) fn start(config: TraceConfig) -> Self {
        let (queue, spans) = mpsc::channel(QUEUE_SPANS_MAX);
        trace::install(Tracer { now, chance: rand::random, sampler: config.sampler, queue });
        tracing::info!(to = config.endpoint.host(), ratio = config.sampler.ratio, "traces are exported");
        let (stop, stopped) = watch::channel(false);
        let resource = json::resource(&config.service_name);
        let sender =
            SpanSender { client: Client::new(Reach::Anywhere), config, resource, stopped, warned: None };
        Self { stop, task: tokio::spawn(sender.work(spans)) }
    }

    /// Sends what is queued, and ends.
    pub(super) async fn end(mut self) {
        self.stop.send_replace(true);
        if timeout(FLUSH_TIME_MAX, &mut self.task).await.is_err() {
            tracing::warn!("not all spans could be exported before the server stopped");
            self.task.abort();
        }
    }
}

/// Unix time in nanoseconds, which never goes back.
fn now() -> u64 {
    static START: OnceLock<(Instant, u64)> = OnceLock::new();
    let (start, unix) = START.get_or_init(|| (Instant::now(), clock::now().millis() as u64 * 1_000_000));
    unix + start.elapsed().as_nanos() as u64
}

struct SpanSender {
    client: Client,
    config: TraceConfig,
    resource: serde_json::Value,
    stopped: watch::Receiver<bool>,
    /// When a failure was last logged.
    warned: Option<Instant>,
}

/// What became of a request to the collector.
enum Sent {
    Accepted,
    /// It may be sent again, after this time if the collector named one.
    Later(Option<Duration>, String),
    Refused(String),
}

impl SpanSender {
    async fn work(mut self, mut spans: mpsc::Receiver<FinishedSpan>) {
        let mut batch = Vec::with_capacity(BATCH_SPANS_MAX);
        while self.gather(&mut spans, &mut batch).await {
            self.export(&batch).await;
            batch.clear();
        }
        // The server stops. What is left is tried once.
        loop {
            while batch.len() < BATCH_SPANS_MAX
                && let Ok(span) = spans.try_recv()
            {
                batch.push(span);
            }
            if batch.is_empty() {
                return;
            }
            self.export(&batch).await;
            batch.clear();
        }
    }

    /// Waits for spans, and a little longer for more. False when the server stops.
    async fn gather(
        &mut self,
        spans: &mut mpsc::Receiver<FinishedSpan>,
        batch: &mut Vec<FinishedSpan>,
    ) -> bool {
        tokio::select! {
            _ = self.stopped.wait_for(|stopped| *stopped) => return false,
            _ = spans.recv_many(batch, BATCH_SPANS_MAX) => {}
        }
        let more = sleep(BATCH_WAIT);
        tokio::pin!(more);
        while batch.len() < BATCH_SPANS_MAX {
            let room = BATCH_SPANS_MAX - batch.len();
            tokio::select! {
                _ = self.stopped.wait_for(|stopped| *stopped) => return false,
                () = &mut more => break,
                _ = spans.recv_many(batch, room) => {}
            }
        }
        true
    }

    /// Sends a batch, again after a temporary failure.
    async fn export(&mut self, batch: &[FinishedSpan]) {
        let body = Bytes::from(json::request(&self.resource, batch));
        let mut tries = 1;
        let why = loop {
            match self.send(body.clone()).await {
                Sent::Accepted => {
                    metrics::counter!("frontdesk_trace_spans_exported_total").increment(batch.len() as u64);
                    return;
                }
                Sent::Refused(why) => break why,
                Sent::Later(_, why) if tries == TRIES_MAX => break why,
                Sent::Later(wanted, why) => {
                    let pause = wanted.unwrap_or(PAUSE * (1 << (tries - 1))).min(PAUSE_MAX);
                    tries += 1;
                    tokio::select! {
                        _ = self.stopped.wait_for(|stopped| *stopped) => break why,
                        () = sleep(pause) => {}
                    }
                }
            }
        };
        metrics::counter!("frontdesk_trace_spans_dropped_total", "reason" => "not_accepted")
            .increment(batch.len() as u64);
        if self.warned.is_none_or(|at| at.elapsed() >= WARNING_PERIOD) {
            self.warned = Some(Instant::now());
            tracing::warn!(
                spans = batch.len(),
                why,
                "spans could not be exported; see OTEL_EXPORTER_OTLP_ENDPOINT"
            );
        }
    }

    async fn send(&self, body: Bytes) -> Sent {
        let mut headers = self.config.headers.clone();
        headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
        headers
            .insert(USER_AGENT, HeaderValue::from_static(concat!("Frontdesk/", env!("CARGO_PKG_VERSION"))));
        let limits = Limits { time_max: self.config.time_max, body_bytes_max: RESPONSE_BYTES_MAX };
        let endpoint = self.config.endpoint.clone();
        match self.client.send(Method::POST, endpoint, headers, body, limits).await {
            Ok(response) if response.status.is_success() => Sent::Accepted,
            Ok(response) => {
                let why = format!("the collector answered {}", response.status.as_u16());
                if is_temporary(response.status) {
                    Sent::Later(retry_after(&response.headers), why)
                } else {
                    Sent::Refused(why)
                }
            }
            Err(error) => Sent::Later(None, error.to_string()),
        }
    }
}

/// The statuses after which OTLP sends again.
fn is_temporary(status: StatusCode) -> bool {
    matches!(
        status,
        StatusCode::TOO_MANY_REQUESTS
            | StatusCode::BAD_GATEWAY
            | StatusCode::SERVICE_UNAVAILABLE
            | StatusCode::GATEWAY_TIMEOUT
    )
}

/// Seconds; a date is not read.
fn retry_after(headers: &HeaderMap) -> Option<Duration> {
    headers.get(RETRY_AFTER)?.to_str().ok()?.trim().parse().ok().map(Duration::from_secs)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_temporary_failures_are_retried() {
        for status in [429, 502, 503, 504] {
            assert!(is_temporary(StatusCode::from_u16(status).unwrap()), "{status}");
        }
        for status in [400, 401, 404, 413, 500, 301] {
            assert!(!is_temporary(StatusCode::from_u16(status).unwrap()), "{status}");
        }
    }

    #[test]
    fn the_clock_of_spans_does_not_go_back() {
        let times: Vec<u64> = (0..100).map(|_| now()).collect();
        assert!(times.is_sorted() && times[0] > 1_700_000_000_000_000_000);
    }
}
