//! One open stream: it takes what the task for all streams passes on, and reads the database itself when it is behind.

use bytes::Bytes;
use frontdesk_kernel::ids::AccountId;
use tokio::sync::{broadcast, watch};
use tokio::time::{Instant, sleep, sleep_until};

use super::seats::Seat;
use super::{
    BATCH_ROWS_MAX, Batch, CHECK_PERIOD, Item, Listener, Live, PAUSE, PING, PING_PERIOD, Standing, StillGood,
    Told, closed,
};
use crate::events::order::EventPosition;

/// One stream and its position.
pub(super) struct Feed {
    pub(super) live: Live,
    pub(super) account: AccountId,
    pub(super) listener: Listener,
    pub(super) items: broadcast::Receiver<Item>,
    pub(super) place: EventPosition,
    /// Whether it has to read the database itself.
    pub(super) is_behind: bool,
    pub(super) first: Option<Bytes>,
    pub(super) closing: watch::Receiver<bool>,
    pub(super) still_good: StillGood,
    pub(super) ping: Instant,
    pub(super) check: Instant,
    /// Changes when members, keys or accounts have changed.
    pub(super) rights: watch::Receiver<i64>,
    pub(super) _seat: Seat,
}

impl Feed {
    /// Whether the caller may still listen. Applies their current rights.
    #[expect(clippy::disallowed_methods, reason = "sets the time of the next check")]
    async fn may_go_on(&mut self) -> bool {
        self.rights.mark_unchanged();
        self.check = Instant::now() + CHECK_PERIOD;
        match (self.still_good)().await {
            Standing::Listens(listener) => self.listener = listener,
            Standing::Ended => return false,
            Standing::Unknown => {}
        }
        true
    }

    #[expect(clippy::disallowed_methods, reason = "sets the times of pings and checks")]
    pub(super) async fn next(&mut self) -> Option<Bytes> {
        if let Some(first) = self.first.take() {
            return Some(first);
        }
        loop {
            while self.is_behind && !*self.closing.borrow() {
                // A stream that is behind for long must not keep old rights.
                if (self.rights.has_changed().unwrap_or(false) || self.check <= Instant::now())
                    && !self.may_go_on().await
                {
                    return None;
                }
                if let Some(bytes) = self.catch_up().await {
                    return Some(bytes);
                }
            }
            tokio::select! {
                biased;
                () = closed(&mut self.closing) => return None,
                Ok(()) = self.rights.changed() => {
                    if !self.may_go_on().await {
                        return None;
                    }
                }
                () = sleep_until(self.check) => {
                    if !self.may_go_on().await {
                        return None;
                    }
                }
                () = sleep_until(self.ping) => {
                    self.ping = Instant::now() + PING_PERIOD;
                    return Some(Bytes::from_static(PING));
                }
                item = self.items.recv() => match item {
                    Ok(Item::Events(batch)) => {
                        if let Some(bytes) = self.take(&batch) {
                            return Some(bytes);
                        }
                    }
                    Ok(Item::Notice(scope, bytes)) => {
                        if self.listener.hears(scope) {
                            return Some(bytes);
                        }
                    }
                    Err(broadcast::error::RecvError::Lagged(_)) => self.is_behind = true,
                    Err(broadcast::error::RecvError::Closed) => return None,
                },
            }
        }
    }

    /// Reads from the database. None if there is nothing to send now.
    async fn catch_up(&mut self) -> Option<Bytes> {
        match self.live.read(self.account, self.place).await {
            Ok(events) => {
                self.is_behind = events.len() as i64 == BATCH_ROWS_MAX;
                self.show(&events)
            }
            Err(error) => {
                tracing::warn!(%error, "a stream could not read events");
                sleep(PAUSE).await;
                None
            }
        }
    }

    /// Takes the events after its own position, or notes that events are missing in between.
    fn take(&mut self, batch: &Batch) -> Option<Bytes> {
        if batch.after > self.place {
            self.is_behind = true;
            return None;
        }
        if batch.through <= self.place {
            return None;
        }
        self.show(&batch.events)
    }

    fn show(&mut self, events: &[Told]) -> Option<Bytes> {
        let mut text = String::new();
        for event in events.iter().filter(|event| event.place > self.place) {
            if !self.listener.may_see(event.scope) {
                continue;
            }
            if let Some(row) = event.row.as_deref().filter(|_| self.listener.sees_rows()) {
                text.push_str(row);
            }
            text.push_str(&event.text);
        }
        self.place = events.last().map_or(self.place, |last| last.place.max(self.place));
        (!text.is_empty()).then(|| Bytes::from(text))
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use frontdesk_db::{self as db, Store};

    use super::super::BATCHES_KEPT;
    use super::*;

    #[tokio::test]
    #[expect(clippy::disallowed_methods, reason = "sets the times of pings and checks")]
    async fn a_listener_gets_an_event_that_was_written_before_the_task_for_all_streams_looked() {
        const ADD: &str =
            "INSERT INTO events (account_id, id, event_type, data, position) VALUES ($1, $1, 'a.b', '{}', 1)";
        let database = frontdesk_testdb::TestDatabase::sqlite();
        let store = Store::open(&db::Options::new(database.url().parse().unwrap())).unwrap();
        let account = AccountId::from_uuid(uuid::Uuid::from_u128(7));
        let live = Live::new(store.clone(), |_, _, events| Ok(vec![None; events.len()]));
        let (sender, items) = broadcast::channel(BATCHES_KEPT);
        let later = Instant::now() + Duration::from_hours(1);
        let mut feed = Feed {
            live: live.clone(),
            account,
            listener: Listener::Key,
            items,
            // It has read the database already, when there was no event.
            place: EventPosition::BEGINNING,
            is_behind: false,
            first: None,
            closing: live.closing(),
            still_good: Box::new(|| Box::pin(async { Standing::Listens(Listener::Key) })),
            ping: later,
            check: later,
            rights: live.0.rights.subscribe(),
            _seat: live.0.seats.take(account, uuid::Uuid::nil()).unwrap(),
        };
        store.write(move |tx| tx.execute(ADD, &[&account])?.exactly(1)).await.unwrap();
        tokio::spawn(live.clone().read_for_all(account, sender));
        let sent =
            tokio::time::timeout(Duration::from_secs(20), feed.next()).await.expect("the event is sent");
        assert!(String::from_utf8_lossy(&sent.unwrap()).contains("event: a.b"));
    }
}
