//! Timelines: which of several hosts that accept writes was promoted last.
//!
//! A promotion begins a timeline with a higher number. A primary that comes back after its standby was promoted is on the
//! lower one, and what is written there is lost. So this process remembers the newest timeline that it has seen among the
//! hosts of a URL, and uses no connection to an older one.
//!
//! This does not replace fencing: a server that cannot reach the new primary cannot know of it.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, LazyLock, Mutex, PoisonError};

/// The number of a timeline. 0 is not known.
pub(super) type Timeline = u32;

/// The newest timeline of each list of hosts.
static NEWEST: LazyLock<Mutex<HashMap<String, Arc<AtomicU32>>>> = LazyLock::new(Mutex::default);

/// The newest timeline that was seen among some hosts.
#[derive(Clone)]
pub(super) struct Newest(Arc<AtomicU32>);

impl Newest {
    pub(super) fn of(hosts: &str) -> Self {
        let mut newest = NEWEST.lock().unwrap_or_else(PoisonError::into_inner);
        Self(newest.entry(hosts.to_owned()).or_default().clone())
    }

    /// None before any was seen.
    pub(super) fn get(&self) -> Option<Timeline> {
        Some(self.0.load(Ordering::Acquire)).filter(|timeline| *timeline > 0)
    }

    pub(super) fn note(&self, timeline: Timeline) {
        self.0.fetch_max(timeline, Ordering::AcqRel);
    }

    /// Whether a newer timeline is known. One that is not known is never old.
    pub(super) fn is_older(&self, timeline: Timeline) -> bool {
        timeline > 0 && self.get().is_some_and(|newest| timeline < newest)
    }
}

/// Reads the first part of the name of a file of the write-ahead log. 0 for anything else.
pub(super) fn parse(text: &str) -> Timeline {
    u32::from_str_radix(text, 16).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_timeline_is_older_once_a_newer_one_was_seen() {
        let (here, there) = (Newest::of("one,two/test"), Newest::of("one,two/test"));
        assert_eq!((parse("0000000A"), parse("off")), (10, 0));
        assert!(!here.is_older(1));
        there.note(2);
        there.note(1);
        assert!(here.is_older(1) && !here.is_older(2) && !here.is_older(3));
        assert!(!here.is_older(0), "a server that does not tell is believed");
        assert!(!Newest::of("others/test").is_older(1));
    }
}
