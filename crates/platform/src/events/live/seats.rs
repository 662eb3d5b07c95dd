//! The slots of open event streams: for a server, for each account, and for each key or session.

use std::collections::HashMap;
use std::hash::Hash;
use std::sync::{Arc, Mutex, PoisonError};

use frontdesk_kernel::ids::AccountId;
use frontdesk_web::{Failure, Result};
use uuid::Uuid;

/// Maximum open streams of one server. A server has 4,096 connections beside those of web chats by default, so a
/// quarter of them is left for requests.
const STREAMS_MAX: usize = 3_072;
/// Maximum open streams of one account on one server.
const STREAMS_PER_ACCOUNT_MAX: usize = 500;
/// Maximum open streams of one key or session on one server.
const STREAMS_PER_CALLER_MAX: usize = 20;
/// `Retry-After` if the server has no slot left.
const FULL_SECONDS: i64 = 30;
/// `Retry-After` if the caller or the account has none left. A stream that is closed is free at once.
const LIMIT_SECONDS: i64 = 5;

/// The slots of one server; clones share them.
#[derive(Clone, Debug, Default)]
pub(super) struct Seats(Arc<Mutex<Taken>>);

#[derive(Debug, Default)]
struct Taken {
    total: usize,
    by_account: HashMap<AccountId, usize>,
    by_caller: HashMap<Uuid, usize>,
}

impl Seats {
    /// How many streams are open.
    pub(super) fn taken(&self) -> usize {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).total
    }

    /// Takes a slot for a stream. The caller is a key or a session.
    pub(super) fn take(&self, account: AccountId, caller: Uuid) -> Result<Seat> {
        let mut taken = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if count(&taken.by_caller, &caller) >= STREAMS_PER_CALLER_MAX {
            return Err(over("key or session", STREAMS_PER_CALLER_MAX));
        }
        if count(&taken.by_account, &account) >= STREAMS_PER_ACCOUNT_MAX {
            return Err(over("account", STREAMS_PER_ACCOUNT_MAX));
        }
        if taken.total >= STREAMS_MAX {
            return Err(Failure::busy(FULL_SECONDS).of_limit("event_streams"));
        }
        taken.total += 1;
        *taken.by_account.entry(account).or_default() += 1;
        *taken.by_caller.entry(caller).or_default() += 1;
        report(&taken);
        Ok(Seat { seats: self.clone(), account, caller })
    }
}

fn count<K: Eq + Hash>(counts: &HashMap<K, usize>, key: &K) -> usize {
    counts.get(key).copied().unwrap_or(0)
}

fn leave<K: Eq + Hash>(counts: &mut HashMap<K, usize>, key: &K) {
    match counts.get_mut(key) {
        Some(taken) if *taken > 1 => *taken -= 1,
        _ => drop(counts.remove(key)),
    }
}

fn report(taken: &Taken) {
    metrics::gauge!("frontdesk_event_streams").set(taken.total as f64);
}

fn over(whose: &str, streams_max: usize) -> Failure {
    let message = format!(
        "This {whose} has {streams_max} event streams open, which is the most. Close one, then open another; one \
         stream carries every event of the account."
    );
    Failure::rate_limited(message, LIMIT_SECONDS).of_limit("event_streams")
}

/// A slot for an open stream, released when it is dropped.
#[derive(Debug)]
pub(super) struct Seat {
    seats: Seats,
    account: AccountId,
    caller: Uuid,
}

impl Drop for Seat {
    fn drop(&mut self) {
        let mut taken = self.seats.0.lock().unwrap_or_else(PoisonError::into_inner);
        taken.total -= 1;
        leave(&mut taken.by_account, &self.account);
        leave(&mut taken.by_caller, &self.caller);
        report(&taken);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn take(seats: &Seats, account: usize, caller: usize) -> Result<Seat> {
        let id = |number: usize| Uuid::from_u128(number as u128);
        seats.take(AccountId::from_uuid(id(account)), id(caller))
    }

    fn status(taken: Result<Seat>) -> u16 {
        taken.map_or_else(|failure| failure.status().as_u16(), |_| 200)
    }

    #[test]
    fn a_caller_an_account_and_a_server_have_their_limits() {
        let seats = Seats::default();
        let mut open: Vec<Seat> = (0..STREAMS_PER_CALLER_MAX).map(|_| take(&seats, 1, 1).unwrap()).collect();
        assert_eq!(status(take(&seats, 1, 1)), 429);
        let callers = STREAMS_PER_CALLER_MAX..STREAMS_PER_ACCOUNT_MAX;
        open.extend(callers.map(|n| take(&seats, 1, 2 + n / STREAMS_PER_CALLER_MAX).unwrap()));
        assert_eq!(status(take(&seats, 1, 1_000)), 429);
        let others = STREAMS_PER_ACCOUNT_MAX..STREAMS_MAX;
        open.extend(others.map(|n| take(&seats, 2 + n / STREAMS_PER_ACCOUNT_MAX, 10_000 + n).unwrap()));
        assert_eq!(status(take(&seats, 1_000, 100_000)), 503);
        drop(open.remove(0));
        assert_eq!(status(take(&seats, 1, 1)), 200);
        drop(open);
        let taken = seats.0.lock().unwrap();
        assert_eq!((taken.total, taken.by_account.len(), taken.by_caller.len()), (0, 0, 0));
    }
}
