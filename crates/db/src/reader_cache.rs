//! Values that a SQLite reader caches until the database changes.

use std::any::{Any, TypeId};
use std::collections::HashMap;
use std::sync::Arc;

use uuid::Uuid;

/// Changes with every commit of another connection, in this process or another. It is part of the snapshot.
pub(crate) const VERSION: &str = "PRAGMA data_version";

/// Values that one connection caches. When there are more, the cache is emptied.
const VALUES_MAX: usize = 256;

/// Counts how often values were looked up, by whether they were there.
const LOOKUPS: &str = "frontdesk_cache_lookups_total";

/// Values by their type and key, all from one version of the database.
pub(crate) struct ReaderCache {
    version: i64,
    values: HashMap<(TypeId, Uuid), Arc<dyn Any + Send + Sync>>,
    hits: metrics::Counter,
    misses: metrics::Counter,
}

impl Default for ReaderCache {
    fn default() -> Self {
        let counter = |outcome| metrics::counter!(LOOKUPS, "cache" => "reader", "outcome" => outcome);
        Self { version: 0, values: HashMap::new(), hits: counter("hit"), misses: counter("miss") }
    }
}

impl ReaderCache {
    /// Sets the version of the database. Values of another version are dropped.
    pub(crate) fn set_version(&mut self, version: i64) {
        if self.version != version {
            self.values.clear();
            self.version = version;
        }
    }

    /// A value of this version.
    pub(crate) fn find<T: Any + Send + Sync>(&self, of: Uuid) -> Option<Arc<T>> {
        let found = self.values.get(&(TypeId::of::<T>(), of)).and_then(|value| value.clone().downcast().ok());
        if found.is_some() { &self.hits } else { &self.misses }.increment(1);
        found
    }

    /// Stores a value of this version.
    pub(crate) fn put<T: Any + Send + Sync>(&mut self, of: Uuid, value: Arc<T>) {
        if self.values.len() >= VALUES_MAX {
            self.values.clear();
        }
        self.values.insert((TypeId::of::<T>(), of), value);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_told_apart_and_bounded() {
        let (mut kept, of) = (ReaderCache::default(), Uuid::from_u128(1));
        kept.put(of, Arc::new(1_i64));
        kept.put(of, Arc::new("text"));
        assert_eq!(kept.find::<i64>(of).as_deref(), Some(&1));
        assert_eq!(kept.find::<&str>(of).as_deref(), Some(&"text"));
        assert_eq!(kept.find::<i64>(Uuid::from_u128(2)), None);
        for n in 0..1_000 {
            kept.put(Uuid::from_u128(n), Arc::new(n));
            assert!(kept.values.len() <= VALUES_MAX);
        }
        kept.set_version(0);
        assert!(kept.find::<u128>(Uuid::from_u128(999)).is_some());
        kept.set_version(1);
        assert_eq!(kept.find::<u128>(Uuid::from_u128(999)), None, "of another version");
        assert!(kept.values.is_empty());
    }
}
