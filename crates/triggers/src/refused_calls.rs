//! Calls of triggers' addresses that start no run and reach no transaction: those that are refused, and repetitions.
//!
//! A request only counts its call in memory. A task stores what was counted every [`STORE_PERIOD`]. Calls that are refused alike
//! within a minute are one row per server. So a flood costs one write per trigger, refusal and period, however many calls it has,
//! and refused calls delay no others. What a server has counted since the last period is lost if it is killed.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use frontdesk_agent::ids::TriggerId;
use frontdesk_db::{self as db, FOR_UPDATE, Tx};
use frontdesk_kernel::Timestamp;
use frontdesk_kernel::ids::AccountId;
use frontdesk_platform::ServerContext;
use frontdesk_web::Failure;
use http::StatusCode;
use tokio::sync::watch;

use crate::calls::{self, CallOutcome, CallRow, Received, TriggerCallId};
use crate::sql;

/// How often counted calls are stored.
const STORE_PERIOD: Duration = Duration::from_secs(2);
/// Maximum rows that a server counts. Further calls are not noted until there is room.
const ROWS_COUNTED_MAX: usize = 10_000;
/// Rows stored in one transaction.
const STORE_ROWS_MAX: usize = 200;

/// The reason of the response to a call of a disabled trigger.
pub(crate) const DISABLED: &str = "trigger_disabled";

/// The calls that this server has refused.
#[derive(Default)]
pub struct RefusedCalls {
    counted: Mutex<HashMap<Key, Counted>>,
}

/// Calls with the same key share a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Key {
    token_hash: [u8; 32],
    minute: i64,
    refusal: Refusal,
}

#[derive(Clone)]
struct Counted {
    id: TriggerCallId,
    count: i64,
    stored: i64,
    last_called_at: Timestamp,
    received: Received,
}

/// What the response to a refused call said.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Refusal {
    status: u16,
    /// None for the stored response to an earlier call.
    error: Option<&'static str>,
}

impl Refusal {
    /// The refusal that a response is. None if it was not a trigger's address, or not a call of it.
    pub(crate) fn of(failure: &Failure) -> Option<Self> {
        let status = failure.status();
        if matches!(status, StatusCode::NOT_FOUND | StatusCode::METHOD_NOT_ALLOWED) {
            return None;
        }
        let code = || failure.reason().unwrap_or_else(|| failure.code());
        Some(Self { status: status.as_u16(), error: (!failure.is_stored()).then(code) })
    }

    fn outcome(self) -> CallOutcome {
        match (self.status, self.error) {
            (409, Some(DISABLED)) => CallOutcome::Disabled,
            (_, None) | (409, Some(_)) => CallOutcome::Repeated,
            (413, _) => CallOutcome::TooLarge,
            (429, _) => CallOutcome::RateLimited,
            (400 | 422, _) => CallOutcome::Invalid,
            _ => CallOutcome::Failed,
        }
    }
}

impl RefusedCalls {
    /// Counts a refused call.
    pub(crate) fn note(
        &self,
        token_hash: [u8; 32],
        refusal: Refusal,
        received: Received,
        id: impl FnOnce() -> TriggerCallId,
        now: Timestamp,
    ) {
        let key = Key { token_hash, minute: now.minute(), refusal };
        let mut counted = self.lock();
        let has_room = counted.len() < ROWS_COUNTED_MAX;
        if let Some(known) = counted.get_mut(&key) {
            known.count += 1;
            known.last_called_at = now;
            known.received = received;
        } else if has_room {
            counted.insert(key, Counted { id: id(), count: 1, stored: 0, last_called_at: now, received });
        }
    }

    /// Stores counted calls until the server stops.
    pub async fn keep_up(&self, server: &ServerContext, mut stopped: watch::Receiver<bool>) {
        loop {
            let is_last = tokio::select! {
                () = tokio::time::sleep(STORE_PERIOD) => false,
                _ = stopped.wait_for(|stopped| *stopped) => true,
            };
            for batch in self.fresh().chunks(STORE_ROWS_MAX) {
                let rows = batch.to_vec();
                match server.store.write(move |tx| store(tx, &rows)).await {
                    Ok(()) => self.mark_stored(batch),
                    Err(error) => {
                        tracing::debug!(%error, "refused calls of triggers were not stored; retrying");
                        break;
                    }
                }
            }
            if is_last {
                return;
            }
            self.drop_past((server.clock)());
        }
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<Key, Counted>> {
        self.counted.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn fresh(&self) -> Vec<(Key, Counted)> {
        let counted = self.lock();
        let fresh = counted.iter().filter(|(_, known)| known.count > known.stored);
        fresh.map(|(key, known)| (*key, known.clone())).collect()
    }

    fn mark_stored(&self, stored: &[(Key, Counted)]) {
        let mut counted = self.lock();
        for (key, written) in stored {
            if let Some(known) = counted.get_mut(key) {
                known.stored = written.count;
            }
        }
    }

    /// Drops stored rows to which no further call is added.
    fn drop_past(&self, now: Timestamp) {
        self.lock().retain(|key, known| key.minute == now.minute() || known.count > known.stored);
    }
}

/// Stores rows of triggers that still have the token. It locks the triggers in the order of their keys, so that servers never
/// deadlock.
fn store(tx: &mut Tx<'_>, rows: &[(Key, Counted)]) -> db::Result<()> {
    let hashes: Vec<Vec<u8>> = rows.iter().map(|(key, _)| key.token_hash.to_vec()).collect();
    let tokens: Vec<[&dyn db::Param; 1]> = hashes.iter().map(|hash| [hash as &dyn db::Param]).collect();
    let found =
        tx.find_each(sql::BY_TOKEN, &tokens, |row| Ok((row.next::<AccountId>()?, row.next::<TriggerId>()?)))?;
    let mut called: Vec<_> = found
        .into_iter()
        .zip(rows.iter().zip(&hashes))
        .filter_map(|(found, (row, hash))| found.map(|(account, trigger)| (account, trigger, hash, row)))
        .collect();
    called.sort_by_key(|(account, trigger, _, (_, counted))| (*account, *trigger, counted.id));
    for (account, trigger, hash, (key, counted)) in called {
        let lock: &[&dyn db::Param] = &[&account, &trigger, hash];
        if tx.find_locked(sql::HAS_TOKEN, FOR_UPDATE, lock, db::only::<TriggerId>)?.is_none() {
            continue;
        }
        let call = CallRow {
            id: counted.id,
            outcome: key.refusal.outcome(),
            status_code: i64::from(key.refusal.status),
            error: key.refusal.error,
            run: None,
            contact: None,
            count: counted.count,
            last_called_at: counted.last_called_at,
            received: counted.received.clone(),
        };
        calls::store(tx, account, trigger, call)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use frontdesk_kernel::Ids;
    use frontdesk_web::Reply;

    use super::*;

    const MINUTE_MILLIS: i64 = 60_000;

    fn received() -> Received {
        let mut received = Received::nothing();
        received.read(b"{ no json", "token");
        received
    }

    fn limited() -> Refusal {
        Refusal::of(&Failure::rate_limited("Wait.", 7)).unwrap()
    }

    #[test]
    fn responses_are_told_apart() {
        let outcome = |failure: &Failure| Refusal::of(failure).map(Refusal::outcome);
        let stored = Failure::stored(Reply::new(StatusCode::ACCEPTED, "{}"));
        for (failure, wanted) in [
            (stored, CallOutcome::Repeated),
            (Failure::conflict("In flight."), CallOutcome::Repeated),
            (Failure::conflict("Disabled.").because(DISABLED), CallOutcome::Disabled),
            (Failure::rate_limited("Wait.", 7), CallOutcome::RateLimited),
            (Failure::bad_request("No JSON."), CallOutcome::Invalid),
            (Failure::unprocessable("idempotency_key_reused", "Used."), CallOutcome::Invalid),
            (Failure::too_large(7), CallOutcome::TooLarge),
            (Failure::internal(), CallOutcome::Failed),
            (Failure::busy(1), CallOutcome::Failed),
        ] {
            assert_eq!(outcome(&failure), Some(wanted), "{failure}");
        }
        for elsewhere in [Failure::not_found("Nothing."), Failure::method_not_allowed("POST")] {
            assert_eq!(outcome(&elsewhere), None, "{elsewhere}");
        }
    }

    #[test]
    fn calls_that_are_refused_alike_within_a_minute_are_one_row() {
        let (calls, ids) = (RefusedCalls::default(), Ids::seeded(7));
        let invalid = Refusal::of(&Failure::bad_request("No JSON.")).unwrap();
        let note = |token: u8, refusal, millis| {
            let now = Timestamp::from_millis(millis);
            calls.note([token; 32], refusal, received(), || ids.next(now), now);
        };
        for call in 0..5_000 {
            note(1, limited(), MINUTE_MILLIS + call);
        }
        let counts = || {
            let mut counts: Vec<_> = calls.fresh().iter().map(|(_, known)| known.count).collect();
            counts.sort_unstable();
            counts
        };
        assert_eq!(counts(), [5_000]);
        // Another refusal, another address and another minute have rows of their own.
        note(1, invalid, MINUTE_MILLIS);
        note(2, limited(), MINUTE_MILLIS);
        note(1, limited(), 2 * MINUTE_MILLIS);
        assert_eq!(counts(), [1, 1, 1, 5_000]);
    }

    #[test]
    fn a_call_that_comes_while_others_are_stored_is_not_lost() {
        let (calls, ids) = (RefusedCalls::default(), Ids::seeded(7));
        let now = Timestamp::from_millis(MINUTE_MILLIS);
        let note = || calls.note([1; 32], limited(), received(), || ids.next(now), now);
        note();
        let first = calls.fresh();
        note();
        calls.mark_stored(&first);
        let second = calls.fresh();
        assert_eq!((second.len(), second[0].1.count), (1, 2));
        // The same row, so storing it again adds nothing twice.
        assert_eq!(second[0].1.id, first[0].1.id);
        calls.mark_stored(&second);
        assert!(calls.fresh().is_empty());
        // Its memory is freed when the minute is over.
        calls.drop_past(now);
        assert_eq!(calls.lock().len(), 1);
        calls.drop_past(Timestamp::from_millis(2 * MINUTE_MILLIS));
        assert_eq!(calls.lock().len(), 0);
    }

    #[test]
    fn memory_is_bounded() {
        let (calls, ids) = (RefusedCalls::default(), Ids::seeded(7));
        let now = Timestamp::from_millis(MINUTE_MILLIS);
        for token in 0..ROWS_COUNTED_MAX + 7 {
            let mut hash = [0; 32];
            hash[..8].copy_from_slice(&token.to_be_bytes());
            calls.note(hash, limited(), received(), || ids.next(now), now);
        }
        assert_eq!(calls.lock().len(), ROWS_COUNTED_MAX);
    }
}
