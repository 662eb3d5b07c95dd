//! The movable clock, to test schedules, retries and retention in seconds. Off by default.
//!
//! The offset is stored in the database, so a restart does not turn time back, and other servers follow it.

use std::sync::Arc;

use frontdesk_db::{self as db, Store};
use frontdesk_platform::events::Recorder;
use frontdesk_platform::settings;
use frontdesk_web::{
    Failure, FieldPath, Input, Problems, Reply, Result, Within, data_bytes, input, resource,
};
use http::StatusCode;
use tokio::sync::watch;

use super::bookings;
use super::workers::Workers;
use crate::clock::MovableClock;
use crate::retention::{self, Retention};

const OFFSET: &str = "sandbox_clock_offset_millis";
const MOVED: db::Topic = "clock";
/// The most that one call moves the clock: ten years.
const ADVANCE_SECONDS_MAX: i64 = 10 * 366 * 24 * 60 * 60;

input! {
    /// How far to move the clock.
    pub(super) struct Advance {
        /// Seconds; time does not run backwards.
        pub(super) advance_seconds: Within<0, ADVANCE_SECONDS_MAX>,
    }
}

resource! {
    /// The reading of the clock.
    pub(super) struct ClockReading {
        pub(super) now: frontdesk_kernel::Timestamp,
    }
}

/// The state of the movable clock.
pub(super) struct SandboxClock {
    store: Store,
    clock: MovableClock,
    recorder: Arc<Recorder>,
    workers: Option<Workers>,
    retention: Retention,
}

impl SandboxClock {
    pub(super) fn new(
        store: Store,
        clock: MovableClock,
        recorder: Arc<Recorder>,
        workers: Option<Workers>,
        retention: Retention,
    ) -> Self {
        Self { store, clock, recorder, workers, retention }
    }

    /// Moves the clock and responds when all work that has become due is done.
    pub(super) async fn advance(&self, body: &[u8]) -> Result<Reply> {
        let value = serde_json::from_slice(body)
            .map_err(|_| Failure::bad_request("Send JSON such as {\"advance_seconds\": 60}."))?;
        let mut problems = Problems::new();
        let advance = Advance::read(Some(&value), &mut FieldPath::root(), &mut problems)
            .ok_or_else(|| Failure::validation(problems))?;
        let millis = advance.advance_seconds.0 * 1000;
        let offset = self
            .store
            .write(move |tx| move_by(tx, millis))
            .await
            .map_err(|error| frontdesk_platform::store_failure(&error))?;
        self.clock.set_offset(offset);
        // Completed bookings write events, so they come before the courier.
        bookings::complete(&self.store, &self.recorder, &self.clock.reader())
            .await
            .map_err(|error| frontdesk_platform::store_failure(&error))?;
        if let Some(workers) = &self.workers {
            workers.drain().await;
        }
        retention::clear_away(&self.store, Some(self.retention), self.clock.now()).await;
        Ok(Reply::new(StatusCode::OK, data_bytes(&ClockReading { now: self.clock.now() })))
    }
}

fn move_by(tx: &mut db::Tx<'_>, millis: i64) -> db::Result<i64> {
    let offset = read_offset(tx)? + millis;
    settings::put(tx, OFFSET, &offset.to_string())?;
    tx.wake(MOVED);
    Ok(offset)
}

fn read_offset(tx: &mut db::ReadTx<'_>) -> db::Result<i64> {
    Ok(settings::get(tx, OFFSET)?.and_then(|text| text.parse().ok()).unwrap_or(0))
}

/// Restores the stored offset.
pub(super) async fn restore(store: &Store, clock: &MovableClock) -> db::Result<()> {
    clock.set_offset(store.read(read_offset).await?);
    Ok(())
}

/// Follows the clock when another server moves it.
pub(super) async fn follow(store: Store, clock: MovableClock, mut stopped: watch::Receiver<bool>) {
    let mut moved = store.wakes().subscribe(MOVED);
    loop {
        tokio::select! {
            changed = moved.changed() => if changed.is_err() { return },
            _ = stopped.wait_for(|stopped| *stopped) => return,
        }
        if let Err(error) = restore(&store, &clock).await {
            tracing::warn!(%error, "the moved clock could not be read");
        }
    }
}
