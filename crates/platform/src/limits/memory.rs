//! Counting in memory, for the one server that SQLite serves.
//!
//! Keys are cached with the version they were read at. The version is read from the database on every request, so
//! a change by another process counts from the next one.

use std::collections::HashMap;
use std::hash::Hash;
use std::net::IpAddr;
use std::sync::{Arc, Mutex, PoisonError};

use frontdesk_db::{self as db, Store};
use frontdesk_kernel::Timestamp;
use frontdesk_kernel::ids::ApiKeyId;
use frontdesk_kernel::key::KeyHash;

use super::{Admission, Ask, FAILURES_MAX};
use crate::keys::{self, KeyRecord};

/// Keys remembered; past that the memory begins anew.
const KEYS_CACHED_MAX: usize = 10_000;

#[derive(Default)]
pub(super) struct Counters {
    keys: Windows<ApiKeyId>,
    failures: Windows<IpAddr>,
    cache: Mutex<Cache>,
}

#[derive(Default)]
struct Cache {
    version: i64,
    records: HashMap<KeyHash, Arc<KeyRecord>>,
}

impl Counters {
    pub(super) async fn admit(&self, store: &Store, ask: Ask) -> db::Result<Admission> {
        let failed = self.failures.used(&ask.address, ask.now);
        if failed >= FAILURES_MAX {
            return Ok(Admission { failed, key: None, used: 0, taken: false });
        }
        let key = self.find(store, ask.hash).await?;
        let (used, taken) = match &key {
            Some(key) if key.is_good(ask.now) => self.keys.take(key.id, ask.units, key.budget, ask.now),
            _ => (0, false),
        };
        Ok(Admission { failed, key, used, taken })
    }

    pub(super) fn fail(&self, address: IpAddr, now: Timestamp) -> i64 {
        self.failures.take(address, 1, i64::MAX, now).0
    }

    pub(super) fn tidy(&self, now: Timestamp) {
        self.keys.tidy(now);
        self.failures.tidy(now);
    }

    async fn find(&self, store: &Store, hash: KeyHash) -> db::Result<Option<Arc<KeyRecord>>> {
        let version = store.glance(keys::version).await?;
        {
            let cache = self.cache.lock().unwrap_or_else(PoisonError::into_inner);
            if cache.version == version
                && let Some(record) = cache.records.get(&hash)
            {
                return Ok(Some(record.clone()));
            }
        }
        // Version and key are read from one snapshot, so a record is never filed under a version it is not of.
        let (version, record) =
            store.read(move |tx| db::Result::Ok((keys::version(tx)?, keys::find(tx, &hash)?))).await?;
        let record = record.map(Arc::new);
        let mut cache = self.cache.lock().unwrap_or_else(PoisonError::into_inner);
        if version > cache.version || cache.records.len() >= KEYS_CACHED_MAX {
            *cache = Cache { version, records: HashMap::new() };
        }
        if version == cache.version
            && let Some(record) = &record
        {
            cache.records.insert(hash, record.clone());
        }
        Ok(record)
    }
}

/// Counts per minute of whatever is counted.
struct Windows<K>(Mutex<HashMap<K, Window>>);

#[derive(Clone, Copy)]
struct Window {
    minute: i64,
    used: i64,
}

impl<K> Default for Windows<K> {
    fn default() -> Self {
        Self(Mutex::new(HashMap::new()))
    }
}

impl<K: Hash + Eq> Windows<K> {
    fn used(&self, key: &K, now: Timestamp) -> i64 {
        let windows = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        windows.get(key).filter(|window| window.minute == now.minute()).map_or(0, |window| window.used)
    }

    /// Takes the units if the budget allows; returns what is used then, and whether they were taken.
    fn take(&self, key: K, units: i64, budget: i64, now: Timestamp) -> (i64, bool) {
        let minute = now.minute();
        let mut windows = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let window = windows.entry(key).or_insert(Window { minute, used: 0 });
        if window.minute != minute {
            *window = Window { minute, used: 0 };
        }
        let fits = units <= budget - window.used;
        if fits {
            window.used += units;
        }
        (window.used, fits)
    }

    fn tidy(&self, now: Timestamp) {
        self.0
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .retain(|_, window| window.minute >= now.minute());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_dearer_call_takes_nothing_and_the_minute_refills_at_once() {
        let windows = Windows::default();
        let now = Timestamp::of_minute(100);
        assert_eq!(windows.take("k", 8, 10, now), (8, true));
        assert_eq!(windows.take("k", 5, 10, now), (8, false));
        assert_eq!(windows.take("k", 2, 10, now), (10, true));
        assert_eq!(windows.take("k", 1, 10, now), (10, false));
        assert_eq!(windows.take("k", 1, 10, Timestamp::of_minute(101)), (1, true));
        assert_eq!(windows.used(&"k", Timestamp::of_minute(102)), 0);
        windows.tidy(Timestamp::of_minute(102));
        assert!(windows.0.lock().unwrap().is_empty());
    }
}
