//! When keys were last used, to the minute.
//!
//! A request only notes its key in memory. A task stores what was noted, so a key's row changes at most once a minute,
//! however often the key is used. What a server has noted in its last seconds is lost if it is killed.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use frontdesk_db::{self as db, Store};
use frontdesk_kernel::Timestamp;
use frontdesk_kernel::ids::{AccountId, ApiKeyId};
use tokio::sync::watch;

use super::sql::TOUCH;

const MINUTE_MILLIS: i64 = 60_000;
/// How often noted uses are stored.
const STORE_PERIOD: Duration = Duration::from_secs(2);
/// Maximum keys that are noted.
const KEYS_MAX: usize = 100_000;

/// The uses of keys that this server has seen.
#[derive(Default)]
pub struct KeyUses {
    noted: Mutex<HashMap<ApiKeyId, Use>>,
}

struct Use {
    account: AccountId,
    minute: i64,
    is_stored: bool,
}

/// A use to store.
type Noted = (AccountId, ApiKeyId, Timestamp);

impl KeyUses {
    /// Notes that a key is used.
    pub(crate) fn note(&self, account: AccountId, key: ApiKeyId, now: Timestamp) {
        let minute = now.millis().div_euclid(MINUTE_MILLIS);
        let mut noted = self.lock();
        let has_room = noted.len() < KEYS_MAX;
        match noted.get_mut(&key) {
            Some(known) if known.minute >= minute => {}
            Some(known) => *known = Use { account, minute, is_stored: false },
            None if has_room => {
                noted.insert(key, Use { account, minute, is_stored: false });
            }
            None => {}
        }
    }

    /// Stores noted uses until the server stops.
    pub async fn keep_up(&self, store: Store, mut stopped: watch::Receiver<bool>) {
        loop {
            let is_last = tokio::select! {
                () = tokio::time::sleep(STORE_PERIOD) => false,
                _ = stopped.wait_for(|stopped| *stopped) => true,
            };
            let fresh = self.fresh();
            if !fresh.is_empty() {
                let rows = fresh.clone();
                match store.write(move |tx| store_uses(tx, &rows)).await {
                    Ok(()) => self.mark_stored(&fresh),
                    Err(error) => tracing::debug!(%error, "the last uses of keys were not stored; retrying"),
                }
            }
            if is_last {
                return;
            }
        }
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<ApiKeyId, Use>> {
        self.noted.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn fresh(&self) -> Vec<Noted> {
        let noted = self.lock();
        let fresh = noted.iter().filter(|(_, known)| !known.is_stored);
        fresh
            .map(|(key, known)| (known.account, *key, Timestamp::from_millis(known.minute * MINUTE_MILLIS)))
            .collect()
    }

    fn mark_stored(&self, stored: &[Noted]) {
        let mut noted = self.lock();
        for (_, key, at) in stored {
            if let Some(known) = noted.get_mut(key)
                && known.minute * MINUTE_MILLIS == at.millis()
            {
                known.is_stored = true;
            }
        }
    }
}

fn store_uses(tx: &mut db::Tx<'_>, uses: &[Noted]) -> db::Result<()> {
    let rows: Vec<[&dyn db::Param; 3]> =
        uses.iter().map(|(account, key, at)| [account as &dyn db::Param, key, at]).collect();
    // Another server may have stored a later use, and the key may be gone.
    let _any_number_is_fine = tx.execute_each(TOUCH, &rows)?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use uuid::Uuid;

    use super::*;

    #[test]
    fn a_key_is_stored_once_a_minute() {
        let uses = KeyUses::default();
        let (account, key) = (AccountId::from_uuid(Uuid::nil()), ApiKeyId::from_uuid(Uuid::from_u128(7)));
        let note = |millis: i64| uses.note(account, key, Timestamp::from_millis(millis));
        note(60_001);
        note(119_999);
        let first = uses.fresh();
        assert_eq!(first, [(account, key, Timestamp::from_millis(60_000))]);
        uses.mark_stored(&first);
        note(90_000);
        assert_eq!(uses.fresh(), []);
        note(120_000);
        // A use that comes while the one before is stored is not lost.
        uses.mark_stored(&first);
        assert_eq!(uses.fresh(), [(account, key, Timestamp::from_millis(120_000))]);
    }
}
