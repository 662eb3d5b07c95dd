//! The caller of a long read, who may stop waiting.

use std::sync::Arc;

use super::Store;
use super::pool::Kind;
use super::traced::SpanName;
use crate::row::only;
use crate::scans::{CANCEL, ScanGuard};

/// The caller of a long read. When it is dropped, the read is interrupted unless it has finished.
pub(super) struct ScanCaller<'s> {
    pub(super) store: &'s Store,
    pub(super) guard: Arc<ScanGuard>,
}

impl Drop for ScanCaller<'_> {
    fn drop(&mut self) {
        let is_running = self.guard.abandon();
        if is_running && self.store.is_shared() {
            let guard = self.guard.clone();
            let (job, _nobody_waits) = self.store.job(
                SpanName::Transaction,
                Box::new(move |tx| {
                    guard.cancel(|backend| tx.find(CANCEL, &[&backend], only::<bool>).map(drop)).is_ok()
                }),
            );
            // If the queue is full, the statement runs until its deadline.
            let _ = self.store.enqueue(Kind::Single, job);
        }
    }
}
