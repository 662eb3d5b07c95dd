//! The address of a server under test.

use std::sync::{Arc, PoisonError, RwLock};

/// Where a server listens. It changes when the server is started again, and its clients follow.
#[derive(Clone, Debug, Default)]
pub(crate) struct Base(Arc<RwLock<String>>);

impl Base {
    pub(crate) fn get(&self) -> String {
        self.0.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    pub(crate) fn set(&self, url: String) {
        *self.0.write().unwrap_or_else(PoisonError::into_inner) = url;
    }
}
