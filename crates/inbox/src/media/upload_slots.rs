//! The slots of running uploads, for a server and for each account. Each holds a few chunks in memory.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use frontdesk_kernel::ids::AccountId;
use frontdesk_web::{Failure, Result};

/// Maximum running uploads of one server.
const UPLOADS_MAX: usize = 64;
/// Maximum running uploads of one account on one server.
const UPLOADS_PER_ACCOUNT_MAX: usize = 10;
/// `Retry-After` if there is no slot left.
const FULL_SECONDS: i64 = 5;

/// The slots of one server; clones share them.
#[derive(Clone, Debug, Default)]
pub(super) struct UploadSlots(Arc<Mutex<Taken>>);

#[derive(Debug, Default)]
struct Taken {
    total: usize,
    by_account: HashMap<AccountId, usize>,
}

impl UploadSlots {
    pub(super) fn take(&self, account: AccountId) -> Result<UploadSlot> {
        let mut taken = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let of_account = taken.by_account.get(&account).copied().unwrap_or(0);
        if of_account >= UPLOADS_PER_ACCOUNT_MAX {
            let message = format!(
                "{UPLOADS_PER_ACCOUNT_MAX} files of this account are being uploaded, which is the most. Wait until one \
                 is done, then send this one again."
            );
            return Err(Failure::rate_limited(message, FULL_SECONDS).of_limit("uploads"));
        }
        if taken.total >= UPLOADS_MAX {
            return Err(Failure::busy(FULL_SECONDS).of_limit("uploads"));
        }
        taken.total += 1;
        taken.by_account.insert(account, of_account + 1);
        Ok(UploadSlot { slots: self.clone(), account })
    }
}

/// The slot of one upload, released when it is dropped.
#[derive(Debug)]
pub(super) struct UploadSlot {
    slots: UploadSlots,
    account: AccountId,
}

impl Drop for UploadSlot {
    fn drop(&mut self) {
        let mut taken = self.slots.0.lock().unwrap_or_else(PoisonError::into_inner);
        taken.total -= 1;
        match taken.by_account.get_mut(&self.account) {
            Some(count) if *count > 1 => *count -= 1,
            _ => drop(taken.by_account.remove(&self.account)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use uuid::Uuid;

    fn take(slots: &UploadSlots, account: usize) -> Result<UploadSlot> {
        slots.take(AccountId::from_uuid(Uuid::from_u128(account as u128)))
    }

    #[test]
    fn an_account_and_a_server_have_their_limits() {
        let slots = UploadSlots::default();
        let mut open: Vec<_> = (0..UPLOADS_PER_ACCOUNT_MAX).map(|_| take(&slots, 0).unwrap()).collect();
        assert_eq!(take(&slots, 0).unwrap_err().status(), 429);
        open.extend((UPLOADS_PER_ACCOUNT_MAX..UPLOADS_MAX).map(|n| take(&slots, n).unwrap()));
        assert_eq!(take(&slots, 1_000).unwrap_err().status(), 503);
        drop(open.remove(0));
        take(&slots, 0).unwrap();
        drop(open);
        let taken = slots.0.lock().unwrap();
        assert_eq!((taken.total, taken.by_account.len()), (0, 0));
    }
}
