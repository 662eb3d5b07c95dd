//! The backlogs of all kinds of jobs, read when the metrics are.
//!
//! Each is one statement that reads no more than some index entries. What was read is shown for some seconds, so that
//! several scrapers cost no more than one. While the database does not respond, the metrics are left out.

use std::fmt::Write;
use std::time::{Duration, Instant};

use frontdesk_db::{self as db, Store};
use frontdesk_jobs::Backlog;
use frontdesk_platform::Clock;
use tokio::sync::Mutex;

use super::catalogue::{Metric, QUEUE_JOBS, QUEUE_OLDEST};
use crate::routes;

/// How long backlogs are shown before they are read again.
const FRESH_TIME: Duration = Duration::from_secs(5);
/// How long reading them may take: scrapers give up after ten seconds.
const READ_TIME_MAX: Duration = Duration::from_secs(4);

pub(super) struct Queues {
    store: Store,
    clock: Clock,
    backlogs: Vec<Backlog>,
    /// The lines, and when they were read. One scraper reads, and others wait for it.
    shown: Mutex<Option<(Instant, String)>>,
}

impl Queues {
    pub(super) fn new(store: Store, clock: Clock) -> Self {
        Self { store, clock, backlogs: routes::backlogs(), shown: Mutex::default() }
    }

    /// The metrics in Prometheus's text format.
    pub(super) async fn lines(&self) -> String {
        let mut shown = self.shown.lock().await;
        if let Some((at, lines)) = &*shown
            && at.elapsed() < FRESH_TIME
        {
            return lines.clone();
        }
        let lines =
            match tokio::time::timeout(READ_TIME_MAX, read(&self.store, &self.backlogs, &self.clock)).await {
                Ok(Ok(sizes)) => render(&sizes),
                Ok(Err(error)) => {
                    tracing::debug!(%error, "the queues were not measured");
                    String::new()
                }
                Err(_) => {
                    tracing::debug!("the queues were not measured in time");
                    String::new()
                }
            };
        *shown = Some((Instant::now(), lines.clone()));
        lines
    }
}

/// The size of a backlog.
pub(crate) struct QueueSize {
    pub(crate) kind: &'static str,
    pub(crate) waiting: i64,
    pub(crate) oldest_seconds: f64,
}

/// Reads the sizes of backlogs.
pub(crate) async fn read(store: &Store, backlogs: &[Backlog], clock: &Clock) -> db::Result<Vec<QueueSize>> {
    let (backlogs, now) = (backlogs.to_vec(), clock());
    let sizes = store.scan(move |tx| {
        tx.plan_by_index()?;
        let sizes = backlogs.iter().map(|backlog| {
            let size = backlog.read(tx, now)?;
            let waited = size.oldest_due_at.map_or(0, |due| now.millis() - due.millis());
            Ok(QueueSize {
                kind: backlog.kind,
                waiting: size.waiting,
                oldest_seconds: waited.max(0) as f64 / 1000.0,
            })
        });
        sizes.collect::<db::Result<Vec<_>>>()
    });
    sizes.await
}

fn render(sizes: &[QueueSize]) -> String {
    let mut text = String::new();
    let mut family = |Metric { name, kind, help, .. }: Metric, value: fn(&QueueSize) -> f64| {
        let _ = writeln!(text, "# HELP {name} {help}\n# TYPE {name} {}", kind.name());
        for size in sizes {
            let _ = writeln!(text, "{name}{{kind=\"{}\"}} {}", size.kind, value(size));
        }
        text.push('\n');
    };
    family(QUEUE_JOBS, |size| size.waiting as f64);
    family(QUEUE_OLDEST, |size| size.oldest_seconds);
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn backlogs_are_rendered_as_prometheus_reads_them() {
        let text = render(&[QueueSize { kind: "push courier", waiting: 3, oldest_seconds: 1.5 }]);
        assert!(
            text.contains(
                "# TYPE frontdesk_queue_jobs gauge\nfrontdesk_queue_jobs{kind=\"push courier\"} 3\n"
            ),
            "{text}"
        );
        assert!(text.contains("frontdesk_queue_oldest_seconds{kind=\"push courier\"} 1.5\n"), "{text}");
    }
}
