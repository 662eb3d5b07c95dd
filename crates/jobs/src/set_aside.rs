//! Work that keeps failing for a reason of its own is set aside, so that it neither blocks its kind nor fails forever.

use std::fmt::Display;

use frontdesk_db as db;

/// How often work may fail in a row for a reason of its own ([`db::Error::is_lasting`]) before it is set aside.
pub const FAULTS_MAX: i64 = 5;

/// Reports work that was set aside, in the log and in the metrics.
pub fn set_aside(kind: &'static str, work: impl Display, error: &db::Error) {
    tracing::error!(kind, %work, %error, "work failed {FAULTS_MAX} times and was set aside; report this with the log");
    metrics::counter!("frontdesk_set_aside_total", "kind" => kind).increment(1);
}
