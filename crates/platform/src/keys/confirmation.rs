//! A read confirms the cached key of its request: it compares the key's version with the database's, in its own snapshot.
//! That saves the request a statement and a snapshot of their own.

use std::sync::atomic::{AtomicU8, Ordering};

use frontdesk_db::{self as db, ReadTx};
use uuid::Uuid;

use super::version;

const OPEN: u8 = 0;
const CURRENT: u8 = 1;
const STALE: u8 = 2;

/// The version that a key was cached at, and whether it is still the database's.
#[derive(Debug)]
pub(crate) struct Confirmation {
    version: i64,
    state: AtomicU8,
}

/// The database's version of keys, as readers cache it.
struct Version(i64);

impl Confirmation {
    pub(crate) fn of(version: i64) -> Self {
        Self { version, state: AtomicU8::new(OPEN) }
    }

    /// Compares the versions. A key that was stale once stays stale.
    pub(crate) fn compare(&self, tx: &mut ReadTx<'_>) -> db::Result<()> {
        let Version(current) = *tx.keep(Uuid::nil(), |tx| version(tx).map(Version))?;
        let state = if current == self.version { CURRENT } else { STALE };
        self.state.fetch_max(state, Ordering::AcqRel);
        Ok(())
    }

    /// Whether the key is current. None if no read has compared the versions.
    pub(crate) fn is_current(&self) -> Option<bool> {
        match self.state.load(Ordering::Acquire) {
            OPEN => None,
            state => Some(state == CURRENT),
        }
    }
}
