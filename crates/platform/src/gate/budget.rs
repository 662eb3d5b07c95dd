//! The rate-limit headers.

use frontdesk_kernel::Timestamp;
use http::{HeaderName, HeaderValue};

use crate::limits::{FAILURES_MAX, seconds_left};

/// The budget of a key or an address in this minute.
#[derive(Clone, Copy)]
pub struct Budget {
    pub(super) limit: i64,
    pub(super) used: i64,
    pub(super) now: Timestamp,
}

impl Budget {
    /// The budget of an address, before its key is known.
    pub fn of_address(failed: i64, now: Timestamp) -> Self {
        Self { limit: FAILURES_MAX, used: failed, now }
    }

    /// The budget of a session in this minute.
    pub fn of_session(limit: i64, used: i64, now: Timestamp) -> Self {
        Self { limit, used, now }
    }

    fn reset(self) -> i64 {
        Timestamp::of_minute(self.now.minute() + 1).seconds()
    }

    pub(super) fn seconds_left(self) -> i64 {
        seconds_left(self.now)
    }

    pub fn headers(self) -> [(HeaderName, HeaderValue); 3] {
        [
            (HeaderName::from_static("x-ratelimit-limit"), self.limit.into()),
            (HeaderName::from_static("x-ratelimit-remaining"), (self.limit - self.used).max(0).into()),
            (HeaderName::from_static("x-ratelimit-reset"), self.reset().into()),
        ]
    }
}
