//! Limits the concurrent tool reads of an account's runs.
//!
//! A search tool makes a long read, and the store refuses an account's long reads when too many of them wait.
//! Hundreds of runs reach the same tool at the same moment, so their reads wait here instead, which leaves room for
//! the account's API requests. Runs that answer customers have their own gate, because they must not wait for other
//! runs.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError, Weak};

use frontdesk_kernel::ids::AccountId;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// Maximum concurrent tool reads of one gate.
const READS_MAX: usize = 16;
/// Unused gates are removed once there are this many gates.
const GATES_MAX: usize = 1_024;

/// The key of a gate: the account, and whether its runs answer customers.
type Gate = (AccountId, bool);

/// Gates by key. Clones share them.
#[derive(Clone, Default)]
pub(super) struct ReadGates {
    gates: Arc<Mutex<HashMap<Gate, Weak<Semaphore>>>>,
}

impl ReadGates {
    /// Waits for room for a read. The read occupies it until the permit is dropped.
    pub(super) async fn enter(
        &self,
        account: AccountId,
        answers_customers: bool,
    ) -> Option<OwnedSemaphorePermit> {
        // No semaphore is ever closed, so this always returns a permit.
        self.gate((account, answers_customers)).acquire_owned().await.ok()
    }

    fn gate(&self, gate: Gate) -> Arc<Semaphore> {
        let mut gates = self.gates.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = gates.get(&gate).and_then(Weak::upgrade) {
            return known;
        }
        if gates.len() >= GATES_MAX {
            gates.retain(|_, gate| gate.strong_count() > 0);
        }
        let new = Arc::new(Semaphore::new(READS_MAX));
        gates.insert(gate, Arc::downgrade(&new));
        new
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use futures_util::FutureExt;
    use uuid::Uuid;

    fn account(number: u128) -> AccountId {
        AccountId::from_uuid(Uuid::from_u128(number))
    }

    #[test]
    fn a_full_gate_holds_back_only_its_own_runs() {
        let gates = ReadGates::default();
        let enter = |number, answers| gates.enter(account(number), answers).now_or_never().flatten();
        let mut permits: Vec<_> = (0..READS_MAX).map(|_| enter(1, false).expect("there is room")).collect();
        assert!(enter(1, false).is_none(), "it is full");
        assert!(enter(1, true).is_some() && enter(2, false).is_some());
        permits.pop();
        assert!(enter(1, false).is_some());
    }

    #[test]
    fn gates_that_nobody_uses_are_forgotten() {
        let gates = ReadGates::default();
        let used = gates.enter(account(0), false).now_or_never();
        for number in 1..=GATES_MAX as u128 {
            drop(gates.enter(account(number), false).now_or_never());
        }
        let known = gates.gates.lock().unwrap();
        assert!(known.len() < GATES_MAX && known.contains_key(&(account(0), false)));
        drop(used);
    }
}
