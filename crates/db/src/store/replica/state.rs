//! Whether the replica is used.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// 1 while reads go to the replica.
const USED: &str = "frontdesk_db_replica_used";
/// How far the replica is behind.
const LAG: &str = "frontdesk_db_replica_lag_seconds";

/// The state of a read replica.
#[derive(Clone, Debug, PartialEq)]
pub struct ReplicaReport {
    /// Why it is not used; none if it is.
    pub problem: Option<String>,
    pub lag_seconds: f64,
}

/// Why the replica did not answer a read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Cause {
    /// It is not used at present; the report says why.
    Unused,
    /// The primary does not know the account's position, because it has just crashed or was promoted.
    UnknownPosition,
    /// Too many reads wait for it.
    Busy,
    /// It does not have the account's last change yet.
    Behind,
    /// It follows another primary, or has not come to the current epoch yet.
    OtherEpoch,
    /// It was promoted.
    NotStandby,
    /// It could not be reached, or the connection broke.
    Unreachable,
    /// A statement failed, for example because it was in the way of what the replica replays.
    Failed,
}

impl Cause {
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Unused => "unused",
            Self::UnknownPosition => "unknown_position",
            Self::Busy => "busy",
            Self::Behind => "behind",
            Self::OtherEpoch => "other_epoch",
            Self::NotStandby => "not_standby",
            Self::Unreachable => "unreachable",
            Self::Failed => "failed",
        }
    }
}

/// What the threads of the replica share.
pub(super) struct ReplicaState {
    /// Reads go there only while this is set, and wait for it only so long.
    is_usable: Arc<AtomicBool>,
    shared: Mutex<Shared>,
    /// The watcher must look again, or stop.
    wakes_watcher: Condvar,
}

struct Shared {
    report: ReplicaReport,
    /// The primary's epoch.
    epoch: Option<String>,
    look_again: bool,
    is_stopped: bool,
}

impl Default for ReplicaState {
    fn default() -> Self {
        let report = ReplicaReport { problem: Some("it was not reached yet".to_owned()), lag_seconds: 0.0 };
        let shared = Shared { report, epoch: None, look_again: false, is_stopped: false };
        Self { is_usable: Arc::default(), shared: Mutex::new(shared), wakes_watcher: Condvar::new() }
    }
}

impl ReplicaState {
    pub(super) fn is_usable(&self) -> bool {
        self.is_usable.load(Ordering::Acquire)
    }

    /// What connections look at while they wait for a response.
    pub(super) fn usable_flag(&self) -> Arc<AtomicBool> {
        self.is_usable.clone()
    }

    pub(super) fn report(&self) -> ReplicaReport {
        self.shared().report.clone()
    }

    pub(super) fn epoch(&self) -> Option<String> {
        self.shared().epoch.clone()
    }

    pub(super) fn set_epoch(&self, epoch: &str) {
        let mut shared = self.shared();
        if shared.epoch.as_deref() != Some(epoch) {
            shared.epoch = Some(epoch.to_owned());
        }
    }

    /// A read failed there: no other one goes there before the watcher has looked.
    pub(super) fn suspect(&self) {
        self.is_usable.store(false, Ordering::Release);
        self.shared().look_again = true;
        self.wakes_watcher.notify_one();
    }

    /// Sets what the watcher found.
    pub(super) fn set(&self, report: ReplicaReport) {
        let is_used = report.problem.is_none();
        metrics::gauge!(USED).set(f64::from(u8::from(is_used)));
        metrics::gauge!(LAG).set(report.lag_seconds);
        let before = std::mem::replace(&mut self.shared().report, report.clone());
        match (&before.problem, &report.problem) {
            (was, Some(why)) if was.as_ref() != Some(why) => {
                tracing::warn!("the read replica is not used: {why}. All reads go to the primary");
            }
            (Some(_), None) => tracing::info!("reads go to the read replica"),
            _ => {}
        }
        self.is_usable.store(is_used, Ordering::Release);
    }

    pub(super) fn stop(&self) {
        self.shared().is_stopped = true;
        self.wakes_watcher.notify_one();
    }

    /// Waits until the watcher should look again. False when it must stop.
    pub(super) fn wait(&self, period: Duration) -> bool {
        let waiting = |shared: &mut Shared| !shared.look_again && !shared.is_stopped;
        let waited = self.wakes_watcher.wait_timeout_while(self.shared(), period, waiting);
        let (mut shared, _) = waited.unwrap_or_else(PoisonError::into_inner);
        shared.look_again = false;
        !shared.is_stopped
    }

    fn shared(&self) -> MutexGuard<'_, Shared> {
        self.shared.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
