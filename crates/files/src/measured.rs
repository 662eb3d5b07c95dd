//! Metrics of calls: how many, how they ended, how long they took, and the bytes.

use frontdesk_outbound::timed;

use crate::error::{FileError, Result};
use crate::place::PlaceKind;

/// Does a call and counts it.
pub(crate) async fn call<T>(
    place: PlaceKind,
    name: &'static str,
    work: impl Future<Output = Result<T>>,
) -> Result<T> {
    let (done, took) = timed(work).await;
    let outcome = match &done {
        Ok(_) => "ok",
        Err(FileError::Missing) => "missing",
        Err(FileError::Damaged(_)) => "damaged",
        Err(FileError::Unavailable(_)) => "failed",
    };
    let place = place.name();
    metrics::counter!("frontdesk_file_calls_total", "place" => place, "call" => name, "outcome" => outcome)
        .increment(1);
    metrics::histogram!("frontdesk_file_call_duration_seconds", "place" => place, "call" => name)
        .record(took.as_secs_f64());
    done
}

pub(crate) fn bytes(place: PlaceKind, direction: &'static str, bytes: usize) {
    metrics::counter!("frontdesk_file_bytes_total", "place" => place.name(), "direction" => direction)
        .increment(bytes as u64);
}
