//! The tasks that run beside requests. One that panics is started again.

use std::sync::Arc;

use frontdesk_agent::Agent;
use frontdesk_app::mail::SmtpSettings;
use frontdesk_app::presence::Places;
use frontdesk_db::Store;
use frontdesk_jobs::{JobCounts, Supervisor, TaskEnd};
use frontdesk_platform::{ServerContext, mails};
use tokio::sync::watch;
use tokio::task::JoinHandle;

use super::backups::Backups;
use super::heartbeat;
use super::workers::Workers;
use crate::error::Result;

/// The running tasks.
pub(super) struct Background {
    pub(super) supervisor: Supervisor,
    pub(super) counts: JobCounts,
    /// Workers stop first, when the server begins to drain: their jobs go to other servers at once.
    stop_workers: watch::Sender<bool>,
    stop: watch::Sender<bool>,
    tasks: Vec<JoinHandle<()>>,
    /// The heartbeat ends last: jobs end under leases of this server.
    stop_heartbeat: watch::Sender<bool>,
    heartbeat: Option<JoinHandle<()>>,
}

impl Background {
    pub(super) fn new() -> Self {
        Self {
            supervisor: Supervisor::default(),
            counts: JobCounts::default(),
            stop_workers: watch::Sender::new(false),
            stop: watch::Sender::new(false),
            tasks: Vec::new(),
            stop_heartbeat: watch::Sender::new(false),
            heartbeat: None,
        }
    }

    /// Starts a task, which ends when the receiver that it gets becomes true. It is started again if it panics.
    pub(super) fn start<F>(
        &mut self,
        name: &'static str,
        work: impl Fn(watch::Receiver<bool>) -> F + Send + Sync + 'static,
    ) where
        F: Future<Output = ()> + Send + 'static,
    {
        self.tasks.push(start(&self.supervisor, self.stop.subscribe(), name, work));
    }

    /// Starts the workers and the heartbeat of this server.
    pub(super) async fn start_workers(
        &mut self,
        server: &ServerContext,
        agent: Arc<Agent>,
        places: &Places,
        sending: (&Backups, Option<SmtpSettings>),
    ) -> Result<Workers> {
        heartbeat::join(&server.store).await?;
        let sends_mails = sending.1.is_some();
        server.store.write(move |tx| mails::set_up(tx, sends_mails)).await?;
        let stopped = self.stop_workers.subscribe();
        let (workers, running) =
            Workers::start(server, agent, places, sending, &stopped, (&self.supervisor, &self.counts));
        self.tasks.extend(running);
        let (store, others) = (server.store.clone(), workers.clone());
        let stopping = self.stop_workers.subscribe();
        let beat =
            move |stopped| heartbeat::keep_up(store.clone(), others.clone(), stopping.clone(), stopped);
        let stopped = self.stop_heartbeat.subscribe();
        self.heartbeat = Some(start(&self.supervisor, stopped, "heartbeat", beat));
        Ok(workers)
    }

    /// Stops the workers when it is called, and waits for nothing.
    pub(super) fn worker_stop(&self) -> impl FnOnce() + use<> {
        let stop = self.stop_workers.clone();
        move || {
            stop.send_replace(true);
        }
    }

    /// Stops all tasks, and waits for them.
    pub(super) async fn end(&mut self) {
        self.stop_workers.send_replace(true);
        self.stop.send_replace(true);
        for task in &mut self.tasks {
            let _panicked_is_reported = task.await;
        }
        self.stop_heartbeat.send_replace(true);
        if let Some(heartbeat) = &mut self.heartbeat {
            let _panicked_is_reported = heartbeat.await;
        }
    }

    /// Ends without waiting for the tasks. Other servers take over at once what this one holds.
    pub(super) async fn abandon(self, store: &Store) {
        if let Some(heartbeat) = &self.heartbeat {
            heartbeat.abort();
            if store.is_shared() {
                heartbeat::leave(store).await;
            }
        }
    }
}

fn start<F>(
    supervisor: &Supervisor,
    stopped: watch::Receiver<bool>,
    name: &'static str,
    work: impl Fn(watch::Receiver<bool>) -> F + Send + Sync + 'static,
) -> JoinHandle<()>
where
    F: Future<Output = ()> + Send + 'static,
{
    let supervisor = supervisor.clone();
    tokio::spawn(async move {
        let start = || {
            let running = work(stopped.clone());
            async move {
                running.await;
                TaskEnd::Done
            }
        };
        supervisor.keep_running(name, stopped.clone(), start).await;
    })
}
