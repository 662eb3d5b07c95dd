//! The caller of a long read, who may stop waiting.

use std::sync::Arc;

use super::{Engine, Store};
use crate::Error;
use crate::postgres::{Kind, Work};
use crate::scans::ScanGuard;

/// The caller of a long read. When it is dropped, the read is interrupted unless it has finished.
pub(super) struct ScanCaller<'s> {
    pub(super) store: &'s Store,
    pub(super) guard: Arc<ScanGuard>,
}

impl Drop for ScanCaller<'_> {
    fn drop(&mut self) {
        let is_running = self.guard.let_go();
        if let Engine::Postgres { short, .. } = &self.store.shared.engine
            && is_running
        {
            let guard = self.guard.clone();
            // If the queue is full, the statement runs until its deadline.
            let _ = self.store.enqueue::<(), Error, _>(
                short,
                move |tx| guard.cancel(tx),
                |job| Work::new(Kind::Single, job),
            );
        }
    }
}
