//! Counts how often a request's key was in the cache of this server.

use metrics::Counter;

const LOOKUPS: &str = "frontdesk_cache_lookups_total";

pub(super) struct KeyLookups {
    hits: Counter,
    misses: Counter,
}

impl Default for KeyLookups {
    fn default() -> Self {
        let counter = |outcome| metrics::counter!(LOOKUPS, "cache" => "keys", "outcome" => outcome);
        Self { hits: counter("hit"), misses: counter("miss") }
    }
}

impl KeyLookups {
    pub(super) fn count(&self, is_hit: bool) {
        if is_hit { &self.hits } else { &self.misses }.increment(1);
    }
}
