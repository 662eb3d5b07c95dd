//! `/readyz`: whether the server can handle requests, including writes.
//!
//! The server is ready while a small commit succeeds and no change was refused within the last few seconds. A
//! commit alone is not enough: a database on a full disk still accepts a change that fits into its allocated
//! space, and refuses the next one. Probes are shared, so that polling costs at most one commit per second.
//!
//! A server that drains is not ready, so that load balancers turn to others before it stops accepting connections.
//!
//! A task of the server that panicked is named in a warning until it has run for a while. A server with a task that keeps
//! panicking is not ready.

use std::time::{Duration, Instant};

use frontdesk_db::{self as db, Store};
use frontdesk_jobs::Supervisor;
use frontdesk_kernel::Timestamp;
use frontdesk_platform::holds;
use frontdesk_platform::limits::Limits;
use frontdesk_platform::settings;
use frontdesk_web::Reply;
use http::StatusCode;
use serde_json::{Value, json};
use tokio::sync::Mutex;

use super::backups::BackupWarning;
use super::phase::{Phase, Phases};
use crate::clock;

/// The row that is written.
const PROBE: &str = "readiness";
/// The deadline for the database.
const PROBE_TIME_MAX: Duration = Duration::from_secs(2);
/// How long an outcome is reused.
const PROBE_PERIOD: Duration = Duration::from_secs(1);
/// Panics of a task in a row that make a server not ready.
const TASK_FAILURES_MAX: u32 = 3;
/// A server that refused a change is not ready for this long.
const REFUSAL_PERIOD: Duration = Duration::from_secs(5);

pub(super) struct Readiness {
    store: Store,
    supervisor: Supervisor,
    backups: BackupWarning,
    phases: Phases,
    last: Mutex<Option<Probed>>,
}

/// The outcome of the last probe.
#[derive(Clone, Copy)]
struct Probed {
    at: Instant,
    /// The number of refused changes at the probe, and when it last rose.
    refusals: u64,
    refused_at: Option<Instant>,
    outcome: Result<(), Fault>,
}

/// Why a server is not ready.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Fault {
    Silent,
    Unwritable,
}

impl Fault {
    fn reason(self) -> &'static str {
        match self {
            Self::Silent => "the database does not answer",
            Self::Unwritable => {
                "the database refuses changes: its disk is full or failing, or it is read-only; run frontdesk doctor"
            }
        }
    }
}

impl Readiness {
    pub(super) fn new(
        store: &Store,
        supervisor: &Supervisor,
        backups: &BackupWarning,
        phases: &Phases,
    ) -> Self {
        Self {
            store: store.clone(),
            supervisor: supervisor.clone(),
            backups: backups.clone(),
            phases: phases.clone(),
            last: Mutex::new(None),
        }
    }

    /// Responds to `/readyz`. While Redis is unreachable PostgreSQL counts, so that is only a warning.
    pub(super) async fn respond(&self, limits: &Limits, now: Timestamp) -> Reply {
        if self.phases.current() != Phase::Serving {
            let reason = "the server is stopping; send requests to another one";
            let body = json!({ "status": "draining", "reason": reason });
            return Reply::new(StatusCode::SERVICE_UNAVAILABLE, body.to_string());
        }
        if let Err(fault) = self.check(now).await {
            let body = json!({ "status": "not ready", "reason": fault.reason() });
            return Reply::new(StatusCode::SERVICE_UNAVAILABLE, body.to_string());
        }
        let counters = matches!(tokio::time::timeout(PROBE_TIME_MAX, limits.check()).await, Ok(Ok(())));
        let held = tokio::time::timeout(PROBE_TIME_MAX, self.store.read(holds::find)).await;
        let held = held.ok().and_then(|read| read.ok().flatten()).map(|hold| hold.message());
        let unused = self.store.replica().and_then(|replica| replica.problem);
        let unused =
            unused.map(|why| format!("the read replica is not used: {why}; all reads go to the primary"));
        let notes: Vec<String> =
            held.into_iter().chain(self.backups.get()).chain(unused).chain(clock::warning()).collect();
        let (status, body) = report(&self.supervisor.failing(), counters, notes);
        Reply::new(status, body.to_string())
    }

    async fn check(&self, now: Timestamp) -> Result<(), Fault> {
        // Callers that arrive during a probe wait for its outcome.
        let mut last = self.last.lock().await;
        if let Some(last) = &*last
            && last.at.elapsed() < PROBE_PERIOD
        {
            return last.outcome;
        }
        let probed = tokio::time::timeout(PROBE_TIME_MAX, probe(&self.store, now)).await;
        let probed = match probed {
            Ok(Ok(())) => Ok(()),
            Ok(Err(error)) if error.refuses_writes() => Err(Fault::Unwritable),
            Ok(Err(_)) | Err(_) => Err(Fault::Silent),
        };
        let found = judge(*last, probed, self.store.refusals(), Instant::now());
        *last = Some(found);
        found.outcome
    }
}

/// The response of a server whose database works.
fn report(failing: &[(&'static str, u32)], counters: bool, notes: Vec<String>) -> (StatusCode, Value) {
    if let Some((task, failures)) = failing.iter().find(|(_, failures)| *failures >= TASK_FAILURES_MAX) {
        let reason = format!("the task {task:?} has panicked {failures} times in a row; the log says where");
        return (StatusCode::SERVICE_UNAVAILABLE, json!({ "status": "not ready", "reason": reason }));
    }
    let mut warnings = Vec::new();
    if !counters {
        warnings.push("Redis does not answer; PostgreSQL counts instead".to_owned());
    }
    warnings.extend(
        failing
            .iter()
            .map(|(task, _)| format!("the task {task:?} panicked and was started again; the log says where")),
    );
    warnings.extend(notes);
    let body = if warnings.is_empty() {
        json!({ "status": "ready" })
    } else {
        json!({ "status": "ready", "warning": warnings.join("; ") })
    };
    (StatusCode::OK, body)
}

fn judge(last: Option<Probed>, probed: Result<(), Fault>, refusals: u64, at: Instant) -> Probed {
    let before = last.map_or(0, |last| last.refusals);
    let refused_at = if refusals > before { Some(at) } else { last.and_then(|last| last.refused_at) };
    let recently = refused_at.is_some_and(|refused| at - refused < REFUSAL_PERIOD);
    let outcome = probed.and(if recently { Err(Fault::Unwritable) } else { Ok(()) });
    Probed { at, refusals, refused_at, outcome }
}

/// Commits a change. The text differs every time, because SQLite writes nothing for an unchanged row.
async fn probe(store: &Store, now: Timestamp) -> db::Result<()> {
    store.write(move |tx| settings::put(tx, PROBE, &now.to_string())).await
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_refused_change_keeps_a_server_from_being_ready_for_a_while() {
        let start = Instant::now();
        let after = |seconds| start + Duration::from_secs(seconds);
        let first = judge(None, Ok(()), 0, start);
        assert_eq!(first.outcome, Ok(()));
        let refused = judge(Some(first), Ok(()), 3, after(1));
        assert_eq!(refused.outcome, Err(Fault::Unwritable));
        let soon = judge(Some(refused), Ok(()), 3, after(4));
        assert_eq!(soon.outcome, Err(Fault::Unwritable));
        let later = judge(Some(soon), Ok(()), 3, after(6));
        assert_eq!(later.outcome, Ok(()));
        assert_eq!(judge(Some(later), Ok(()), 4, after(7)).outcome, Err(Fault::Unwritable));
    }

    #[test]
    fn a_task_that_panicked_is_a_warning_and_one_that_keeps_panicking_is_a_fault() {
        assert_eq!(report(&[], true, Vec::new()), (StatusCode::OK, json!({ "status": "ready" })));
        let (status, body) = report(&[("sender", 1)], false, Vec::new());
        assert_eq!(status, StatusCode::OK);
        let warning = body["warning"].as_str().unwrap();
        assert!(warning.contains("sender") && warning.contains("Redis"), "{warning}");
        let (status, body) = report(&[("janitor", 1), ("sender", TASK_FAILURES_MAX)], true, Vec::new());
        assert_eq!((status, &body["status"]), (StatusCode::SERVICE_UNAVAILABLE, &json!("not ready")));
        assert!(body["reason"].as_str().unwrap().contains("sender"));
    }

    #[test]
    fn the_result_of_a_probe_counts_at_once() {
        let now = Instant::now();
        for fault in [Fault::Silent, Fault::Unwritable] {
            assert_eq!(judge(None, Err(fault), 0, now).outcome, Err(fault));
        }
    }
}
