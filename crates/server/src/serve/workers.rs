//! The background workers.

use std::sync::Arc;

use frontdesk_agent::{Agent, start_answerer, start_runner, start_transcriber};
use frontdesk_app::mail::SmtpSettings;
use frontdesk_app::presence::Places;
use frontdesk_app::{mail, push};
use frontdesk_crm::contacts;
use frontdesk_db::{self as db, LeaseRange};
use frontdesk_inbox::{conversations, media, sender, start_eraser, templates};
use frontdesk_jobs::{Context, Drain, JobCounts, Supervisor, Takeover};
use frontdesk_kernel::Ids;
use frontdesk_platform::bulk::{self, BulkKind};
use frontdesk_platform::webhooks::courier;
use frontdesk_platform::{ServerContext, suspensions};
use futures_util::future::try_join_all;
use tokio::sync::watch;
use tokio::task::JoinHandle;

use super::backups::{self, Backups};
use super::{bookings, replays};

/// What can be changed for many rows at once.
const KINDS: &[BulkKind] = &[contacts::BULK_CHANGES, conversations::BULK_CHANGES];

/// Handles to the running workers.
#[derive(Clone)]
pub(super) struct Workers {
    drains: Vec<Drain>,
    takeovers: Vec<Takeover>,
}

impl Workers {
    /// Starts them all; they work until `stopped` becomes true.
    pub(super) fn start(
        server: &ServerContext,
        agent: Arc<Agent>,
        places: &Places,
        (backups, smtp): (&Backups, Option<SmtpSettings>),
        stopped: &watch::Receiver<bool>,
        (supervisor, counts): (&Supervisor, &JobCounts),
    ) -> (Self, Vec<JoinHandle<()>>) {
        let context = &Context {
            store: server.store.clone(),
            clock: server.clock.clone(),
            ids: Arc::new(Ids::new()),
            stopped: stopped.clone(),
            supervisor: supervisor.clone(),
            counts: counts.clone(),
        };
        // Earlier workers create jobs for later ones.
        let mut workers = vec![
            suspensions::start(&server.store, &server.suspensions, context),
            bookings::start(server, context),
            replays::start(server, context),
            conversations::start_snoozes(server, context),
            bulk::start(server, context, KINDS),
            media::start_fetcher(server, context),
            media::start_mover(server, context),
            media::start_remover(server, context),
            frontdesk_triggers::start(server, context),
            frontdesk_triggers::start_events(server, context),
            start_transcriber(agent.services.clone(), context),
            start_runner(agent.clone(), context),
            start_answerer(agent, context),
            frontdesk_broadcasts::start(server, context),
            frontdesk_broadcasts::start_counts(context),
            sender::start_mender(context),
            sender::start(server, context),
            templates::start_syncer(server, context),
            courier::start(server, context),
            push::start(server, places, context),
            mail::start_requests(server, context),
            frontdesk_search::contacts::start_indexer(context),
            frontdesk_search::messages::start_indexer(context),
            start_eraser(context),
            backups::start(backups, server, context),
        ];
        if let Some(smtp) = smtp {
            workers.push(mail::start(server, smtp, rand::random, places, context));
        }
        let (mut drains, mut takeovers, mut tasks) = (Vec::new(), Vec::new(), Vec::new());
        for worker in workers {
            drains.push(worker.drain);
            takeovers.push(worker.takeover);
            tasks.push(worker.task);
        }
        (Self { drains, takeovers }, tasks)
    }

    /// Returns once all due jobs have been tried, including those that workers create for later ones.
    pub(super) async fn drain(&self) {
        for drain in &self.drains {
            drain.wait().await;
        }
    }

    /// Releases what all jobs of a dead server had claimed, all kinds at a time.
    pub(super) async fn take_over(&self, dead: LeaseRange) -> db::Result<()> {
        try_join_all(self.takeovers.iter().map(|takeover| takeover.from(dead))).await?;
        Ok(())
    }
}
