//! Limits on the tool reads that an account's runs have under way.
//!
//! A tool that searches is a long read, and the store refuses an account's long reads when too many of them wait. Hundreds of
//! runs reach the same tool at the same moment, so their reads wait here instead, and the account's API requests find room.
//! Runs that answer customers have a gate of their own, because they must not wait for the others.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError, Weak};

use frontdesk_kernel::ids::AccountId;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// Tool reads that the runs of one gate have under way.
const READS_MAX: usize = 16;
/// Gates that are remembered before those that nobody uses are forgotten.
const GATES_MAX: usize = 1_024;

/// The runs that share a gate: those of an account that answer customers, or its others.
type Gate = (AccountId, bool);

/// Gates by their runs. Clones share them.
#[derive(Clone, Default)]
pub(super) struct ReadGates {
    gates: Arc<Mutex<HashMap<Gate, Weak<Semaphore>>>>,
}

impl ReadGates {
    /// Waits until there is room for a read, which lasts as long as the permit.
    pub(super) async fn enter(
        &self,
        account: AccountId,
        answers_customers: bool,
    ) -> Option<OwnedSemaphorePermit> {
        // No gate is ever closed, so there always is a permit.
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
