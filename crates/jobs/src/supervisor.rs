//! Keeps the server's tasks running. A task that panics is started again after a pause, which grows while it keeps
//! failing, and is reported in the log, in the metrics and by `/readyz`.

use std::collections::BTreeMap;
use std::panic::AssertUnwindSafe;
use std::pin::pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use frontdesk_db as db;
use futures_util::FutureExt;
use tokio::sync::watch;
use tokio::time::sleep;

/// The pause before a task that panicked starts again. It doubles with each failure in a row.
const PAUSE_MIN: Duration = Duration::from_millis(if cfg!(test) { 20 } else { 1_000 });
const PAUSE_MAX: Duration = Duration::from_mins(1);
/// A task that has run for this long no longer counts as failing.
const STEADY_TIME: Duration = Duration::from_millis(if cfg!(test) { 200 } else { 30_000 });

/// The result of a future, or [`db::Error::Panicked`].
pub async fn catch_panic<T>(work: impl Future<Output = db::Result<T>>) -> db::Result<T> {
    AssertUnwindSafe(work).catch_unwind().await.unwrap_or(Err(db::Error::Panicked))
}

/// How a task ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TaskEnd {
    /// The server stops, or the task has nothing left to do.
    Done,
    /// The task cannot go on, for instance because a task that it had started panicked.
    Broken,
}

/// The tasks of a server that fail. Clones share them.
#[derive(Clone, Debug, Default)]
pub struct Supervisor(Arc<Mutex<BTreeMap<&'static str, u32>>>);

impl Supervisor {
    /// Runs a task until it is done or the server stops. `start` makes the task's future, again after every panic.
    pub async fn keep_running<F>(
        &self,
        name: &'static str,
        mut stopped: watch::Receiver<bool>,
        mut start: impl FnMut() -> F,
    ) where
        F: Future<Output = TaskEnd>,
    {
        loop {
            if self.run(name, start()).await == TaskEnd::Done {
                return;
            }
            let failures = self.failed(name);
            let pause = pause(failures);
            tracing::error!(task = name, failures, "task panicked; restarting in {} ms", pause.as_millis());
            tokio::select! {
                () = sleep(pause) => {}
                _ = stopped.wait_for(|stopped| *stopped) => return,
            }
        }
    }

    /// The tasks that panicked and have not run for a while since, with the number of failures in a row.
    pub fn failing(&self) -> Vec<(&'static str, u32)> {
        self.lock().iter().map(|(name, failures)| (*name, *failures)).collect()
    }

    /// Runs a task once. After a while it counts as steady.
    async fn run(&self, name: &'static str, task: impl Future<Output = TaskEnd>) -> TaskEnd {
        let mut task = pin!(AssertUnwindSafe(task).catch_unwind());
        let ended = tokio::select! {
            ended = &mut task => ended,
            () = sleep(STEADY_TIME) => {
                self.recovered(name);
                task.await
            }
        };
        ended.unwrap_or(TaskEnd::Broken)
    }

    fn failed(&self, name: &'static str) -> u32 {
        metrics::counter!("frontdesk_task_panics_total", "task" => name).increment(1);
        metrics::gauge!("frontdesk_task_failing", "task" => name).set(1.0);
        let mut failing = self.lock();
        let failures = failing.entry(name).or_default();
        *failures = failures.saturating_add(1);
        *failures
    }

    fn recovered(&self, name: &'static str) {
        if self.lock().remove(name).is_some() {
            metrics::gauge!("frontdesk_task_failing", "task" => name).set(0.0);
            tracing::info!(task = name, "task recovered from a panic");
        }
    }

    fn lock(&self) -> MutexGuard<'_, BTreeMap<&'static str, u32>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn pause(failures: u32) -> Duration {
    PAUSE_MAX.min(PAUSE_MIN * (1 << failures.saturating_sub(1).min(16)))
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicU32, Ordering};

    use super::*;

    #[test]
    fn the_pause_grows_up_to_a_limit() {
        let pauses = [1, 2, 3, 6].map(pause);
        assert_eq!(pauses, [1, 2, 4, 32].map(|times| PAUSE_MIN * times));
        assert_eq!([17, 1_000, u32::MAX].map(pause), [PAUSE_MAX; 3]);
    }

    #[tokio::test]
    async fn a_task_that_panics_starts_again_and_is_reported_until_it_is_steady() {
        let (supervisor, runs) = (Supervisor::default(), Arc::new(AtomicU32::new(0)));
        let (stop, stopped) = watch::channel(false);
        let (ours, count) = (supervisor.clone(), runs.clone());
        let task = tokio::spawn(async move {
            let until = stopped.clone();
            let start = || {
                let (run, mut stopped) = (count.fetch_add(1, Ordering::SeqCst), until.clone());
                async move {
                    match run {
                        0 => panic!("the first run fails"),
                        1 => TaskEnd::Broken,
                        _ => {
                            let _ = stopped.wait_for(|stopped| *stopped).await;
                            TaskEnd::Done
                        }
                    }
                }
            };
            ours.keep_running("toy", stopped, start).await;
        });
        while runs.load(Ordering::SeqCst) < 3 {
            sleep(PAUSE_MIN / 10).await;
        }
        assert_eq!(supervisor.failing(), [("toy", 2)], "it has run for a short time only");
        while !supervisor.failing().is_empty() {
            sleep(PAUSE_MIN / 10).await;
        }
        assert_eq!(runs.load(Ordering::SeqCst), 3);
        stop.send(true).unwrap();
        task.await.unwrap();
    }

    #[tokio::test]
    async fn a_server_that_stops_does_not_wait_for_a_task_that_keeps_failing() {
        let supervisor = Supervisor::default();
        let (stop, stopped) = watch::channel(false);
        let ours = supervisor.clone();
        let task = tokio::spawn(async move {
            ours.keep_running("toy", stopped, || async { TaskEnd::Broken }).await;
        });
        while supervisor.failing().is_empty() {
            sleep(PAUSE_MIN / 10).await;
        }
        stop.send(true).unwrap();
        task.await.unwrap();
    }
}
