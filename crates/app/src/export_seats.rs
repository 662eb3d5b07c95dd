//! The slots of downloads: how many exports one server makes at a time.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use frontdesk_kernel::ids::AccountId;
use frontdesk_web::{Failure, Result};

/// Maximum downloads of one account on one server.
const EXPORTS_PER_ACCOUNT_MAX: usize = 1;
/// Maximum downloads of one server.
const EXPORTS_MAX: usize = 8;
/// `Retry-After` if there is no slot.
const FULL_SECONDS: i64 = 30;

/// The slots of one server; clones share them.
#[derive(Clone, Default)]
pub(crate) struct Seats(Arc<Mutex<HashMap<AccountId, usize>>>);

impl Seats {
    /// Takes a slot, which is free again when the seat is dropped.
    pub(crate) fn take(&self, account: AccountId) -> Result<Seat> {
        let mut taken = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if taken.get(&account).is_some_and(|count| *count >= EXPORTS_PER_ACCOUNT_MAX) {
            return Err(Failure::rate_limited(
                "An export of this account is being downloaded already. Wait until it is complete, or cancel it in the browser \
                 that downloads it, then try again.",
                FULL_SECONDS,
            )
            .of_limit("exports"));
        }
        if taken.values().sum::<usize>() >= EXPORTS_MAX {
            return Err(Failure::busy(FULL_SECONDS).of_limit("exports"));
        }
        *taken.entry(account).or_default() += 1;
        Ok(Seat { seats: self.clone(), account })
    }

    /// Whether an export of the account is being downloaded.
    pub(crate) fn is_taken(&self, account: AccountId) -> bool {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).contains_key(&account)
    }
}

/// A slot of a download.
pub(crate) struct Seat {
    seats: Seats,
    account: AccountId,
}

impl Drop for Seat {
    fn drop(&mut self) {
        let mut taken = self.seats.0.lock().unwrap_or_else(PoisonError::into_inner);
        match taken.get_mut(&self.account) {
            Some(count) if *count > 1 => *count -= 1,
            _ => drop(taken.remove(&self.account)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use uuid::Uuid;

    #[test]
    fn an_account_has_one_slot_and_a_server_a_few() {
        let seats = Seats::default();
        let account = |number: u128| AccountId::from_uuid(Uuid::from_u128(number));
        let status = |taken: Result<Seat>| taken.map_or_else(|failure| failure.status().as_u16(), |_| 200);
        let mut open = vec![seats.take(account(0)).unwrap()];
        assert!(seats.is_taken(account(0)) && !seats.is_taken(account(1)));
        assert_eq!(status(seats.take(account(0))), 429);
        open.extend((1..EXPORTS_MAX as u128).map(|n| seats.take(account(n)).unwrap()));
        assert_eq!(status(seats.take(account(100))), 503);
        drop(open.remove(0));
        assert!(!seats.is_taken(account(0)));
        assert_eq!(status(seats.take(account(100))), 200);
    }
}
