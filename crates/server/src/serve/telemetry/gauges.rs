//! Gauges that are read when the metrics are: the store's queues, and the disk of a SQLite database.

use std::path::PathBuf;

use frontdesk_db::{DatabaseUrl, QueueLength, Store};

pub(super) struct Gauges {
    store: Store,
    /// SQLite's file.
    file: Option<PathBuf>,
}

impl Gauges {
    pub(super) fn new(store: Store, database: &DatabaseUrl) -> Self {
        let file = match database {
            DatabaseUrl::Sqlite(path) => Some(path.clone()),
            DatabaseUrl::Postgres(_) => None,
        };
        Self { store, file }
    }

    pub(super) fn set(&self) {
        for QueueLength { name, jobs, jobs_max } in self.store.queues() {
            metrics::gauge!("frontdesk_store_queue_jobs", "queue" => name).set(jobs as f64);
            metrics::gauge!("frontdesk_store_queue_jobs_max", "queue" => name).set(jobs_max as f64);
        }
        metrics::counter!("frontdesk_store_refused_writes_total").absolute(self.store.refusals());
        let Some(file) = &self.file else { return };
        if let Ok(file) = std::fs::metadata(file) {
            metrics::gauge!("frontdesk_database_size_bytes").set(file.len() as f64);
        }
        if let Ok(disk) = rustix::fs::statvfs(file) {
            metrics::gauge!("frontdesk_disk_free_bytes").set((disk.f_bavail * disk.f_frsize) as f64);
            metrics::gauge!("frontdesk_disk_size_bytes").set((disk.f_blocks * disk.f_frsize) as f64);
        }
    }
}
