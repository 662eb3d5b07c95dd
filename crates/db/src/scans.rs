//! Long reads: limits on their number, per account and overall, and on their time.
//!
//! A long read waits for a slot. One account has at most half of the slots, so another account's read always
//! finds one, and slots are granted in the order of arrival. A read is interrupted in the middle of its
//! statement at its deadline, or when its caller disconnects.

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use uuid::Uuid;

use crate::error::{Error, Result};

/// How long a long read waits for a slot before it is refused.
const WAIT_MAX: Duration = Duration::from_secs(10);
/// Maximum long reads that wait for a slot or have one: of all accounts, and of one.
const SCANS_PENDING_MAX: usize = 512;
const ACCOUNT_SCANS_PENDING_MAX: usize = 128;

/// Cancels the statement that a backend runs.
pub(crate) const CANCEL: &str = "SELECT pg_cancel_backend($1::bigint::int)";
/// The number of the session's backend.
pub(crate) const BACKEND: &str = "SELECT pg_backend_pid()::bigint";

/// The slots of long reads.
pub(crate) struct Scans {
    slots: Arc<Semaphore>,
    pending: Arc<Semaphore>,
    account_slots: usize,
    accounts: Arc<Accounts>,
}

#[derive(Default)]
struct Accounts(Mutex<HashMap<Uuid, Queued>>);

/// The long reads of one account.
struct Queued {
    slots: Arc<Semaphore>,
    pending: usize,
}

/// A slot, until it is dropped.
pub(crate) struct Slot {
    _running: OwnedSemaphorePermit,
    _pending: OwnedSemaphorePermit,
    _account: Option<AccountSlot>,
}

struct AccountSlot {
    permit: Option<OwnedSemaphorePermit>,
    account: Uuid,
    accounts: Arc<Accounts>,
}

impl Scans {
    pub(crate) fn new(slots: usize) -> Self {
        Self {
            slots: Arc::new(Semaphore::new(slots)),
            pending: Arc::new(Semaphore::new(SCANS_PENDING_MAX)),
            account_slots: (slots / 2).max(1),
            accounts: Arc::default(),
        }
    }

    /// Waits for a slot: first for one of the account's, if the read belongs to an account, then for any.
    pub(crate) async fn slot(&self, account: Option<Uuid>) -> Result<Slot> {
        let pending = self.pending.clone().try_acquire_owned().map_err(|_| Error::Busy)?;
        let granted = async {
            let account = match account {
                Some(account) => Some(self.accounts.slot(account, self.account_slots).await?),
                None => None,
            };
            let slot = self.slots.clone().acquire_owned().await.map_err(|_| Error::Closed)?;
            Ok(Slot { _running: slot, _pending: pending, _account: account })
        };
        tokio::time::timeout(WAIT_MAX, granted).await.unwrap_or(Err(Error::Busy))
    }
}

impl Accounts {
    async fn slot(self: &Arc<Self>, account: Uuid, slots: usize) -> Result<AccountSlot> {
        let semaphore = {
            let mut queued = self.queued();
            let queued = queued
                .entry(account)
                .or_insert_with(|| Queued { slots: Arc::new(Semaphore::new(slots)), pending: 0 });
            if queued.pending == ACCOUNT_SCANS_PENDING_MAX {
                return Err(Error::Busy);
            }
            queued.pending += 1;
            queued.slots.clone()
        };
        // It counts as pending from here on, also if this future is dropped while it waits.
        let mut slot = AccountSlot { permit: None, account, accounts: self.clone() };
        slot.permit = Some(semaphore.acquire_owned().await.map_err(|_| Error::Closed)?);
        Ok(slot)
    }

    fn queued(&self) -> MutexGuard<'_, HashMap<Uuid, Queued>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for AccountSlot {
    fn drop(&mut self) {
        drop(self.permit.take());
        let mut accounts = self.accounts.queued();
        if let Some(queued) = accounts.get_mut(&self.account) {
            queued.pending -= 1;
            if queued.pending == 0 {
                accounts.remove(&self.account);
            }
        }
    }
}

/// Holds the slot of a long read and ends the read early: at its deadline, or when its caller disconnects.
pub(crate) struct ScanGuard {
    deadline: Option<Instant>,
    is_abandoned: AtomicBool,
    backend: Mutex<Backend>,
    _slot: Slot,
}

/// The PostgreSQL backend that runs the read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Backend {
    None,
    Running(i64),
    /// Its statement was cancelled.
    Cancelled,
}

impl ScanGuard {
    #[expect(clippy::disallowed_methods, reason = "a deadline, which is not stored")]
    pub(crate) fn new(slot: Slot, time_max: Option<Duration>) -> Self {
        Self {
            deadline: time_max.map(|time| Instant::now() + time),
            is_abandoned: AtomicBool::new(false),
            backend: Mutex::new(Backend::None),
            _slot: slot,
        }
    }

    /// Whether the read must stop.
    pub(crate) fn is_over(&self) -> bool {
        self.is_abandoned.load(Ordering::Acquire) || self.left().is_some_and(|left| left.is_zero())
    }

    pub(crate) fn check(&self) -> Result<()> {
        if self.is_over() { Err(Error::TooLong) } else { Ok(()) }
    }

    /// The remaining time, if there is a deadline.
    #[expect(clippy::disallowed_methods, reason = "a deadline, which is not stored")]
    pub(crate) fn left(&self) -> Option<Duration> {
        self.deadline.map(|deadline| deadline.saturating_duration_since(Instant::now()))
    }

    /// The caller has disconnected. True if a backend runs the read and must be cancelled.
    pub(crate) fn abandon(&self) -> bool {
        self.is_abandoned.store(true, Ordering::Release);
        matches!(*self.backend(), Backend::Running(_))
    }

    /// A backend is about to run the read.
    pub(crate) fn enter(&self, backend: i64) -> Result<()> {
        // The caller checks the backend after it sets its flag, so one of the two sees the other.
        let mut running = self.backend();
        self.check()?;
        *running = Backend::Running(backend);
        Ok(())
    }

    /// The backend has finished the read. False if it was sent a cancellation, which may still arrive, so its
    /// session must not be used again.
    pub(crate) fn leave(&self) -> bool {
        let mut running = self.backend();
        std::mem::replace(&mut *running, Backend::None) != Backend::Cancelled
    }

    /// Calls `cancel` with the backend that runs the read. The lock is held meanwhile, so the backend cannot start other
    /// work before the cancellation.
    pub(crate) fn cancel(&self, cancel: impl FnOnce(i64) -> Result<()>) -> Result<()> {
        let mut running = self.backend();
        let Backend::Running(backend) = *running else { return Ok(()) };
        *running = Backend::Cancelled;
        cancel(backend)
    }

    fn backend(&self) -> MutexGuard<'_, Backend> {
        self.backend.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
