//! Counters in memory, for the single server of SQLite.
//!
//! Keys are cached with the version they were read at. The version is compared with the database's on every
//! request, so a change by another process applies to the next request.

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::{Arc, Mutex, PoisonError};

use frontdesk_db::{self as db, Store};
use frontdesk_kernel::Timestamp;
use frontdesk_kernel::ids::ApiKeyId;
use frontdesk_kernel::key::KeyHash;

use super::lookups::KeyLookups;
use super::per_minute::{PerMinute, Usage};
use super::{Admission, AdmissionRequest, FAILURES_MAX};
use crate::auth_version;
use crate::keys::{self, KeyRecord};

/// Cached keys. When there are more, the cache is emptied.
const KEYS_CACHED_MAX: usize = 10_000;

pub(super) struct Counters {
    keys: PerMinute<ApiKeyId>,
    failures: PerMinute<IpAddr>,
    cache: Mutex<Cache>,
    lookups: KeyLookups,
}

impl Default for Counters {
    /// Budgets are exact, so every key and every address is counted.
    fn default() -> Self {
        Self {
            keys: PerMinute::new(usize::MAX),
            failures: PerMinute::new(usize::MAX),
            cache: Mutex::default(),
            lookups: KeyLookups::default(),
        }
    }
}

#[derive(Default)]
struct Cache {
    version: i64,
    records: HashMap<KeyHash, Arc<KeyRecord>>,
}

impl Counters {
    pub(super) async fn admit(&self, store: &Store, ask: AdmissionRequest) -> db::Result<Admission> {
        let failed = self.failures.used(&ask.address, ask.now);
        if failed >= FAILURES_MAX {
            return Ok(Admission { failed, key: None, used: 0, taken: false });
        }
        let key = self.find(store, ask.hash).await?;
        let Usage { used, taken } = match &key {
            Some(key) if key.is_good(ask.now) => self.keys.take(key.id, ask.units, key.budget, ask.now),
            _ => Usage { used: 0, taken: false },
        };
        Ok(Admission { failed, key, used, taken })
    }

    pub(super) fn fail(&self, address: IpAddr, now: Timestamp) -> i64 {
        self.failures.take(address, 1, i64::MAX, now).used
    }

    pub(super) fn tidy(&self, now: Timestamp) {
        self.keys.tidy(now);
        self.failures.tidy(now);
    }

    async fn find(&self, store: &Store, hash: KeyHash) -> db::Result<Option<Arc<KeyRecord>>> {
        let version = store.read_single(auth_version::version).await?;
        {
            let cache = self.cache.lock().unwrap_or_else(PoisonError::into_inner);
            if cache.version == version
                && let Some(record) = cache.records.get(&hash)
            {
                self.lookups.count(true);
                return Ok(Some(record.clone()));
            }
        }
        self.lookups.count(false);
        // Version and key are read from one snapshot, so a record is never cached under a wrong version.
        let (version, record) = store
            .read(move |tx| db::Result::Ok((auth_version::version(tx)?, keys::find(tx, &hash)?)))
            .await?;
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
