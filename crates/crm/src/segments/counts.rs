//! Counts of segments.
//!
//! A segment is counted on request. A slow count is cached for a multiple of the time it took, so counting
//! uses only part of one thread, and a list that timed out continues when it is requested again. Fast counts,
//! which are those of all but very large accounts, are never cached.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use frontdesk_kernel::Timestamp;
use frontdesk_kernel::ids::AccountId;
use frontdesk_platform::Caller;
use frontdesk_web::{Failure, Result};

use super::{Segment, SegmentError, SegmentId};

/// Faster counts are not cached.
const QUICK_MAX: Duration = Duration::from_millis(100);
/// A count is cached for this many times as long as it took.
const CACHE_TIME_FACTOR: u32 = 20;
const COUNTS_CACHED_MAX: usize = 10_000;
/// The time limit for counting in a request. It is less than the deadline of a request.
const COUNTING_TIME_MAX: Duration = Duration::from_secs(15);
/// `Retry-After` for a list that was not counted in time.
const RETRY_SECONDS: i64 = 1;

/// The cached counts; clones share them. The routes of segments hold one.
#[derive(Clone, Default)]
pub(super) struct Counts(Arc<Mutex<HashMap<(AccountId, SegmentId), CachedCount>>>);

struct CachedCount {
    count: i64,
    /// The version of the segment that was counted.
    updated_at: Timestamp,
    until: Instant,
}

/// Fills in the counts, each by a separate read, so that other reads can run in between.
#[expect(clippy::disallowed_methods, reason = "measures how long it takes")]
pub(super) async fn fill(counts: &Counts, caller: &Caller, segments: &mut [Segment]) -> Result<()> {
    let started = Instant::now();
    for segment in segments {
        if let Some(count) = counts.cached(caller.by.account, segment) {
            segment.contact_count = count;
            continue;
        }
        if started.elapsed() > COUNTING_TIME_MAX {
            let message = "The segments of this account are still being counted. Send the request again: it \
                           continues from the counts made so far.";
            return Err(Failure::not_yet(message, RETRY_SECONDS));
        }
        let began = Instant::now();
        segment.contact_count = count(caller, segment.clone()).await?;
        counts.cache(caller.by.account, segment, began.elapsed());
    }
    Ok(())
}

/// Counts a segment now.
pub(super) async fn count(caller: &Caller, segment: Segment) -> Result<i64> {
    let counted =
        caller.scan(move |tx, by| super::count(tx, by.account, &segment, by.now).map_err(SegmentError::from));
    counted.await
}

impl Counts {
    #[expect(clippy::disallowed_methods, reason = "the age of a cached count, which is not stored")]
    fn cached(&self, account: AccountId, segment: &Segment) -> Option<i64> {
        let cached = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let cached = cached.get(&(account, segment.id))?;
        (cached.updated_at == segment.updated_at && Instant::now() < cached.until).then_some(cached.count)
    }

    #[expect(clippy::disallowed_methods, reason = "the age of a cached count, which is not stored")]
    fn cache(&self, account: AccountId, segment: &Segment, took: Duration) {
        if took <= QUICK_MAX {
            return;
        }
        let now = Instant::now();
        let mut cached = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if cached.len() >= COUNTS_CACHED_MAX {
            cached.retain(|_, cached| now < cached.until);
        }
        if cached.len() >= COUNTS_CACHED_MAX {
            cached.clear();
        }
        let until = now + took * CACHE_TIME_FACTOR;
        let (count, updated_at) = (segment.contact_count, segment.updated_at);
        cached.insert((account, segment.id), CachedCount { count, updated_at, until });
    }
}

#[cfg(test)]
mod tests {
    use frontdesk_kernel::Ids;

    use super::*;
    use crate::segments::Match;

    fn segment(ids: &Ids, updated_at: i64) -> Segment {
        let id: SegmentId = ids.next(Timestamp::from_millis(1));
        Segment {
            id,
            name: "Large".into(),
            r#match: Match::All,
            rules: Vec::new(),
            contact_count: 7,
            created_at: id.created_at(),
            updated_at: Timestamp::from_millis(updated_at),
        }
    }

    #[test]
    fn only_a_count_that_took_long_is_kept_and_only_for_the_same_rules() {
        let (ids, counts) = (Ids::default(), Counts::default());
        let account: AccountId = ids.next(Timestamp::from_millis(1));
        let mut segment = segment(&ids, 5);
        counts.cache(account, &segment, QUICK_MAX);
        assert_eq!(counts.cached(account, &segment), None);
        counts.cache(account, &segment, Duration::from_secs(2));
        assert_eq!(counts.cached(account, &segment), Some(7));
        segment.updated_at = Timestamp::from_millis(6);
        assert_eq!(counts.cached(account, &segment), None);
    }
}
