//! Scheduled backups.
//!
//! One server at a time takes one, under a lease, which it renews while it works; that of a server that dies is released
//! within seconds. What became of the last one is a setting, from which every server knows when the next is due, and which
//! `/readyz`, the metrics and the doctor report. A backup that failed is tried again.

use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use frontdesk_db::{self as db, DatabaseUrl, lease};
use frontdesk_jobs::{Chore, Context, Worker};
use frontdesk_platform::ServerContext;
use tokio::sync::watch;
use uuid::Uuid;

use crate::backup::{self, BackupPlan, BackupState, Contents, Destination};
use crate::config::Config;
use crate::error::{Error, Result};

const CHORE: Chore = Chore::every(Duration::from_secs(20), "backups");
const LEASE: &str = "backup";
const LEASE_SPAN: Duration = Duration::from_mins(5);
const RENEW_PERIOD: Duration = Duration::from_mins(1);

/// What `/readyz` warns of.
#[derive(Clone, Debug, Default)]
pub(super) struct BackupWarning(Arc<Mutex<Option<String>>>);

impl BackupWarning {
    pub(super) fn get(&self) -> Option<String> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn set(&self, warning: Option<String>) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = warning;
    }
}

/// The plan of a server, and the database that it backs up.
#[derive(Clone)]
pub(super) struct Backups {
    plan: Option<BackupPlan>,
    database: DatabaseUrl,
    pub(super) warning: BackupWarning,
}

impl Backups {
    pub(super) fn of(config: &Config) -> Self {
        Self {
            plan: config.backups.clone(),
            database: config.database.clone(),
            warning: BackupWarning::default(),
        }
    }
}

/// Starts the worker. Without a plan it does nothing.
pub(super) fn start(backups: &Backups, server: &ServerContext, context: &Context) -> Worker {
    CHORE.start(context, (backups.clone(), server.clone()), async |(backups, server), stopped| match &backups
        .plan
    {
        Some(plan) => look(plan, &backups, &server, stopped).await,
        None => Ok(()),
    })
}

/// Takes a backup if one is due and no other server does.
async fn look(
    plan: &BackupPlan,
    backups: &Backups,
    server: &ServerContext,
    stopped: watch::Receiver<bool>,
) -> db::Result<()> {
    let state = server.store.read(BackupState::recall).await?;
    report(state.as_ref(), backups, server);
    let is_due =
        |state: Option<&BackupState>| state.is_none_or(|state| state.is_due(plan.every, (server.clock)()));
    let holder = db::new_lease();
    if !is_due(state.as_ref()) || !take_lease(server, holder).await? {
        return Ok(());
    }
    // Another server may have taken it in the meantime.
    let state = server.store.read(BackupState::recall).await?;
    if is_due(state.as_ref()) {
        let state = take(plan, backups, server, holder, state.unwrap_or_default(), stopped.clone()).await;
        if *stopped.borrow() && state.error.is_some() {
            // The next server begins it anew at once.
            return server.store.write(move |tx| lease::give_up(tx, LEASE, holder)).await;
        }
        report(Some(&state), backups, server);
        let remembered = state.clone();
        server.store.write(move |tx| remembered.remember(tx)).await?;
    }
    server.store.write(move |tx| lease::give_up(tx, LEASE, holder)).await
}

async fn take_lease(server: &ServerContext, holder: Uuid) -> db::Result<bool> {
    let now = (server.clock)();
    server.store.write(move |tx| lease::take(tx, LEASE, holder, now, LEASE_SPAN)).await
}

/// Takes a backup, stores it, and deletes the oldest ones. Returns what became of it.
async fn take(
    plan: &BackupPlan,
    backups: &Backups,
    server: &ServerContext,
    holder: Uuid,
    last: BackupState,
    stopped: watch::Receiver<bool>,
) -> BackupState {
    let (now, began) = ((server.clock)(), Instant::now());
    let name = Destination::name(now);
    let attempted = BackupState {
        every_millis: plan.every.as_millis() as i64,
        attempted_at_millis: now.millis(),
        ..last
    };
    let taken = attempt(plan, backups, server, holder, &name, stopped).await;
    let outcome = if taken.is_ok() { "done" } else { "failed" };
    metrics::counter!("frontdesk_backups_total", "outcome" => outcome).increment(1);
    match taken {
        Ok(bytes) => {
            tracing::info!(name, bytes, to = ?plan.to, "a backup was taken");
            BackupState {
                succeeded_at_millis: Some(now.millis()),
                name: Some(name),
                bytes,
                took_millis: began.elapsed().as_millis() as u64,
                error: None,
                ..attempted
            }
        }
        Err(error) => {
            tracing::error!(%error, to = ?plan.to, "no backup was taken; it is tried again");
            BackupState { error: Some(error.to_string()), ..attempted }
        }
    }
}

async fn attempt(
    plan: &BackupPlan,
    backups: &Backups,
    server: &ServerContext,
    holder: Uuid,
    name: &str,
    stopped: watch::Receiver<bool>,
) -> Result<u64> {
    let file = plan.to.file(name, &backups.database)?;
    let work = async {
        let bytes = write(plan, backups, server, file.path.clone()).await?;
        plan.to.store(&file, name).await?;
        Ok::<u64, Error>(bytes)
    };
    let bytes = tokio::select! {
        bytes = work => bytes?,
        lost = keep_lease(server, holder, stopped) => return Err(lost),
    };
    // The new backup is there, whatever becomes of the old ones.
    match plan.to.keep_newest(plan.keep).await {
        Ok(0) => {}
        Ok(deleted) => tracing::info!(deleted, "old backups were deleted"),
        Err(error) => tracing::warn!(%error, "old backups were not deleted; the next backup tries again"),
    }
    Ok(bytes)
}

/// Writes the file on a thread that may block. If this is dropped, the thread stops, and the file is gone.
async fn write(plan: &BackupPlan, backups: &Backups, server: &ServerContext, file: PathBuf) -> Result<u64> {
    struct CancelOnDrop(Arc<AtomicBool>);
    impl Drop for CancelOnDrop {
        fn drop(&mut self) {
            self.0.store(true, Ordering::Relaxed);
        }
    }
    let (database, now) = (backups.database.clone(), (server.clock)());
    let (secret_key, with_media, places) =
        (plan.with_secret_key, plan.with_media, server.services.files.clone());
    let is_cancelled = Arc::new(AtomicBool::new(false));
    let _cancels = CancelOnDrop(is_cancelled.clone());
    let written = tokio::task::spawn_blocking(move || {
        let contents = Contents { secret_key, files: with_media.then_some(&*places) };
        backup::write(&database, &file, contents, now, &is_cancelled, &mut |_| {})
    });
    match written.await {
        Ok(written) => {
            let summary = written?;
            if summary.outside.damaged_files > 0 {
                let damaged = &summary.outside.damaged;
                tracing::error!(
                    ?damaged,
                    "the backup lacks files that are lost or damaged; restore them from an older one"
                );
            }
            Ok(summary.bytes)
        }
        Err(_) => Err(Error::Invalid("the backup panicked; the log says where".to_owned())),
    }
}

/// Renews the lease, and returns when it is lost or the server stops.
async fn keep_lease(server: &ServerContext, holder: Uuid, mut stopped: watch::Receiver<bool>) -> Error {
    loop {
        tokio::select! {
            () = tokio::time::sleep(RENEW_PERIOD) => {}
            _ = stopped.wait_for(|stopped| *stopped) => {
                return Error::Invalid("the server was stopped during the backup".to_owned());
            }
        }
        if let Ok(false) = take_lease(server, holder).await {
            return Error::Invalid("another server has begun to take backups".to_owned());
        }
    }
}

/// Tells what became of the last backup.
fn report(state: Option<&BackupState>, backups: &Backups, server: &ServerContext) {
    let Some(state) = state else { return };
    if let Some(at) = state.succeeded_at_millis {
        metrics::gauge!("frontdesk_backup_last_success_timestamp_seconds").set(at as f64 / 1000.0);
        metrics::gauge!("frontdesk_backup_last_size_bytes").set(state.bytes as f64);
        metrics::gauge!("frontdesk_backup_last_duration_seconds").set(state.took_millis as f64 / 1000.0);
    }
    backups.warning.set(state.problem((server.clock)()));
}
