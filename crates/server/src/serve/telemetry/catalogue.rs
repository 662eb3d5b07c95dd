//! Every metric that a server shows: its name, its labels and its meaning. `docs/operating.md` has the same table.
//!
//! No label has a value that an account, a caller or a customer chooses, so their number is limited.

use metrics::{Unit, describe_counter, describe_gauge, describe_histogram};

pub(crate) struct Metric {
    pub(crate) name: &'static str,
    pub(crate) kind: MetricKind,
    /// Separated by commas.
    #[cfg_attr(not(test), expect(dead_code, reason = "the documentation is compared with it"))]
    pub(crate) labels: &'static str,
    pub(crate) help: &'static str,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum MetricKind {
    Counter,
    Gauge,
    Histogram,
}

impl MetricKind {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Counter => "counter",
            Self::Gauge => "gauge",
            Self::Histogram => "histogram",
        }
    }
}

pub(super) const QUEUE_JOBS: Metric = gauge(
    "frontdesk_queue_jobs",
    "kind",
    "Jobs that are due and wait, in the whole database, by kind; 10000 stands for more.",
);
pub(super) const QUEUE_OLDEST: Metric = gauge(
    "frontdesk_queue_oldest_seconds",
    "kind",
    "How long the oldest waiting job has been due, in the whole database, by kind.",
);

/// All of them, in the order of the documentation.
pub(crate) const METRICS: &[Metric] = &[
    counter(
        "frontdesk_http_requests_total",
        "method, route, status",
        "Requests that were answered, by route.",
    ),
    histogram("frontdesk_http_request_seconds", "route", "Time to answer a request, by route."),
    gauge("frontdesk_http_connections", "", "Open connections."),
    counter(
        "frontdesk_http_connections_refused_total",
        "",
        "Connections that were refused, because too many were open.",
    ),
    counter(
        "frontdesk_http_bodies_refused_total",
        "",
        "Bodies that were refused, because too many were in memory.",
    ),
    gauge("frontdesk_event_streams", "", "Open event streams."),
    gauge("frontdesk_web_chat_streams", "", "Open streams of web chats."),
    counter(
        "frontdesk_refusals_total",
        "limit",
        "Requests and model calls that were refused, by the limit that was reached.",
    ),
    QUEUE_JOBS,
    QUEUE_OLDEST,
    counter("frontdesk_jobs_total", "kind, outcome", "Jobs of this server, by kind and outcome."),
    histogram("frontdesk_job_seconds", "kind", "Time that a job takes, by kind."),
    gauge("frontdesk_jobs_in_flight", "kind", "Jobs that this server carries out now, by kind."),
    counter("frontdesk_mails_total", "kind, outcome", "Tries to send a mail, by kind and outcome."),
    counter("frontdesk_mails_declined_total", "kind", "Mails that somebody declined by their link, by kind."),
    counter("frontdesk_file_calls_total", "place, call, outcome", "Calls for files outside the database."),
    histogram("frontdesk_file_call_duration_seconds", "place, call", "Time that a call for a file takes."),
    counter(
        "frontdesk_file_bytes_total",
        "place, direction",
        "Bytes of files that were read and written outside the database.",
    ),
    counter(
        "frontdesk_db_reads_total",
        "target",
        "Reads that may go to the read replica, by the database that answered them.",
    ),
    counter(
        "frontdesk_db_replica_refusals_total",
        "cause",
        "Reads that the read replica did not answer, by cause.",
    ),
    gauge("frontdesk_db_replica_used", "", "1 while reads go to the read replica."),
    gauge("frontdesk_db_replica_lag_seconds", "", "How far the read replica is behind."),
    counter("frontdesk_set_aside_total", "kind", "Work that kept failing and was set aside."),
    counter("frontdesk_task_panics_total", "task", "Panics of the server's tasks."),
    gauge(
        "frontdesk_task_failing",
        "task",
        "1 for a task that has panicked and has not run for 30 seconds since.",
    ),
    counter("frontdesk_webhook_attempts_total", "outcome", "Attempts to deliver a webhook, by outcome."),
    histogram("frontdesk_webhook_attempt_seconds", "", "Time that an attempt to deliver a webhook takes."),
    counter(
        "frontdesk_webhook_endpoints_disabled_total",
        "",
        "Webhook endpoints that were switched off because they kept failing.",
    ),
    counter(
        "frontdesk_webhooks_in_total",
        "channel, outcome",
        "Webhooks that channels have sent, by outcome.",
    ),
    counter("frontdesk_sends_total", "channel, outcome", "Calls that hand messages to channels, by outcome."),
    histogram("frontdesk_send_seconds", "", "Time that a call to a channel takes."),
    counter(
        "frontdesk_channels_disconnected_total",
        "cause",
        "Connections that were disconnected, by cause.",
    ),
    counter("frontdesk_push_notifications_total", "outcome", "Notifications to browsers, by outcome."),
    counter("frontdesk_model_calls_total", "outcome", "Calls of models in runs, by outcome."),
    counter(
        "frontdesk_ai_spend_microdollars_total",
        "model",
        "Cost of model calls, in millionths of a dollar. A model without a listed price is other.",
    ),
    counter(
        "frontdesk_ai_tokens_total",
        "model, direction",
        "Tokens of model calls. The direction is input or output.",
    ),
    gauge("frontdesk_store_queue_jobs", "queue", "Jobs that wait for the database in this server."),
    gauge(
        "frontdesk_store_queue_jobs_max",
        "queue",
        "Jobs that can wait for the database; further ones are refused.",
    ),
    histogram(
        "frontdesk_store_queue_wait_seconds",
        "",
        "Time that a job waits for the database before it runs.",
    ),
    counter(
        "frontdesk_store_refused_writes_total",
        "",
        "Changes that the database has refused, because it is read-only or its disk is full or fails.",
    ),
    counter(
        "frontdesk_db_round_trips_total",
        "",
        "Round trips to PostgreSQL: how often a connection has sent statements and waited for the response.",
    ),
    counter(
        "frontdesk_db_slow_statements_total",
        "",
        "Statements that took longer than FRONTDESK_SLOW_STATEMENT_MS.",
    ),
    counter(
        "frontdesk_cache_lookups_total",
        "cache, outcome",
        "Lookups in the caches of keys and of SQLite's readers. The outcome is hit or miss.",
    ),
    counter(
        "frontdesk_redis_lost_total",
        "",
        "Calls that Redis did not answer in time. SQL counts for a second after each.",
    ),
    gauge("frontdesk_disk_free_bytes", "", "Free space of the disk of a SQLite database."),
    gauge("frontdesk_disk_size_bytes", "", "Size of the disk of a SQLite database."),
    gauge("frontdesk_database_size_bytes", "", "Size of the file of a SQLite database."),
    counter("frontdesk_backups_total", "outcome", "Scheduled backups, by outcome."),
    gauge(
        "frontdesk_backup_last_success_timestamp_seconds",
        "",
        "When the last scheduled backup was taken, in Unix seconds.",
    ),
    gauge("frontdesk_backup_last_size_bytes", "", "Size of the last scheduled backup."),
    gauge("frontdesk_backup_last_duration_seconds", "", "Time that the last scheduled backup took."),
    counter("frontdesk_trace_spans_exported_total", "", "Spans that a collector has accepted."),
    counter(
        "frontdesk_trace_spans_dropped_total",
        "reason",
        "Spans that were dropped: the queue was full, or the collector did not accept them.",
    ),
    gauge("frontdesk_uptime_seconds", "", "Seconds since the server was started."),
    gauge("frontdesk_build_info", "version", "1, with the version of the program."),
    gauge("process_resident_memory_bytes", "", "Memory that the process holds."),
    gauge("process_start_time_seconds", "", "When the process was started, in Unix seconds."),
];

/// Gives every metric its description.
pub(super) fn describe() {
    for Metric { name, kind, help, .. } in METRICS {
        let unit = if name.ends_with("_seconds") {
            Unit::Seconds
        } else if name.ends_with("_bytes") {
            Unit::Bytes
        } else {
            Unit::Count
        };
        match kind {
            MetricKind::Counter => describe_counter!(*name, unit, *help),
            MetricKind::Gauge => describe_gauge!(*name, unit, *help),
            MetricKind::Histogram => describe_histogram!(*name, unit, *help),
        }
    }
}

const fn counter(name: &'static str, labels: &'static str, help: &'static str) -> Metric {
    Metric { name, kind: MetricKind::Counter, labels, help }
}

const fn gauge(name: &'static str, labels: &'static str, help: &'static str) -> Metric {
    Metric { name, kind: MetricKind::Gauge, labels, help }
}

const fn histogram(name: &'static str, labels: &'static str, help: &'static str) -> Metric {
    Metric { name, kind: MetricKind::Histogram, labels, help }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;
    use std::fs;
    use std::path::{Path, PathBuf};

    fn repository() -> PathBuf {
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
    }

    fn names() -> BTreeSet<&'static str> {
        METRICS.iter().map(|metric| metric.name).collect()
    }

    #[test]
    fn names_end_with_their_units_as_prometheus_asks() {
        assert_eq!(names().len(), METRICS.len(), "a name is listed twice");
        for Metric { name, kind, help, .. } in METRICS {
            assert_eq!(*kind == MetricKind::Counter, name.ends_with("_total"), "{name}");
            assert!(*kind != MetricKind::Histogram || name.ends_with("_seconds"), "{name}");
            assert!(!name.contains("milli") && !name.ends_with("_ms"), "{name} is not in base units");
            assert!(help.ends_with('.') && help.len() > 15, "{name}: {help}");
        }
    }

    #[test]
    fn the_documentation_has_a_row_for_every_metric_and_no_other() {
        let page = fs::read_to_string(repository().join("docs/operating.md")).unwrap();
        let rows: Vec<&str> = page
            .lines()
            .filter(|line| line.starts_with("| `frontdesk_") || line.starts_with("| `process_"))
            .collect();
        let wanted: Vec<String> = METRICS
            .iter()
            .map(|Metric { name, kind, labels, help }| {
                format!("| `{name}` | {} | {labels} | {help} |", kind.name())
            })
            .collect();
        assert_eq!(rows, wanted);
    }

    /// Every name in the sources that looks like a metric's.
    #[test]
    fn every_metric_of_the_sources_is_described() {
        let mut used = BTreeSet::new();
        for file in sources(&repository().join("crates")) {
            let text = fs::read_to_string(&file).unwrap();
            let code = text.split("#[cfg(test)]").next().unwrap_or_default();
            for quoted in code.split('"').skip(1).step_by(2) {
                let is_name = quoted.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'_');
                let known =
                    ["_total", "_seconds", "_bytes", "_jobs", "_streams", "_connections", "_in_flight"];
                if is_name
                    && quoted.starts_with("frontdesk_")
                    && known.iter().any(|end| quoted.ends_with(end))
                {
                    used.insert(quoted.to_owned());
                }
            }
        }
        let names: BTreeSet<String> = names().into_iter().map(str::to_owned).collect();
        assert!(used.len() > 30, "{used:?}");
        assert_eq!(used.difference(&names).collect::<Vec<_>>(), Vec::<&String>::new(), "describe them here");
    }

    fn sources(directory: &Path) -> Vec<PathBuf> {
        let mut found = Vec::new();
        for entry in fs::read_dir(directory).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                found.extend(sources(&path));
            } else if path.extension().is_some_and(|kind| kind == "rs") {
                found.push(path);
            }
        }
        found
    }
}
