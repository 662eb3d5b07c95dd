//! The lobby: what one server keeps in memory of its visitors. Who has a stream open, and who did how much lately.
//!
//! There are only so many seats. A visitor who opens one stream too many loses the oldest: that is most often one whose
//! page is gone and whose connection nobody has missed yet. Everybody is asked to leave when the server ends.

use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Mutex, PoisonError};

use tokio::sync::{oneshot, watch};

use super::limits::Limits;
use super::token::VisitorId;

/// Streams of a visitor at a time.
const STREAMS_PER_VISITOR_MAX: usize = 6;

/// What the server keeps of its visitors; clones share it. The server puts one into its services' wings.
#[derive(Clone)]
pub struct Lobby(Arc<Inner>);

struct Inner {
    streams_max: usize,
    limits: Limits,
    seats: Mutex<Seats>,
    closing: watch::Sender<bool>,
}

#[derive(Default)]
struct Seats {
    taken: usize,
    last: u64,
    /// A visitor's streams, the oldest first, each with the way to ask it to leave.
    of: HashMap<VisitorId, VecDeque<(u64, oneshot::Sender<()>)>>,
}

impl Default for Lobby {
    fn default() -> Self {
        Self::new(Self::STREAMS_MAX)
    }
}

impl Lobby {
    /// Streams of a server at a time, unless its host sets another number.
    pub const STREAMS_MAX: usize = 4_096;

    /// A lobby with seats for this many streams.
    pub fn new(streams_max: usize) -> Self {
        Self(Arc::new(Inner {
            streams_max,
            limits: Limits::default(),
            seats: Mutex::default(),
            closing: watch::Sender::default(),
        }))
    }

    /// Ends every stream, now and from now on: the server is about to end. Browsers come back by themselves, to
    /// whatever server answers then.
    pub fn close(&self) {
        self.0.closing.send_replace(true);
    }

    pub(super) fn limits(&self) -> &Limits {
        &self.0.limits
    }

    /// A seat for one more stream of a visitor. None when the house is full.
    pub(super) fn seat(&self, visitor: VisitorId) -> Option<Seat> {
        let mut seats = self.0.seats.lock().unwrap_or_else(PoisonError::into_inner);
        if seats.taken >= self.0.streams_max {
            return None;
        }
        seats.taken += 1;
        seats.last += 1;
        let (number, (ask, asked)) = (seats.last, oneshot::channel());
        let theirs = seats.of.entry(visitor).or_default();
        theirs.push_back((number, ask));
        if theirs.len() > STREAMS_PER_VISITOR_MAX
            && let Some((_, oldest)) = theirs.pop_front()
        {
            // One that has just left by itself needs no asking.
            let _ = oldest.send(());
        }
        metrics::gauge!("frontdesk_web_chat_streams").set(seats.taken as f64);
        Some(Seat { lobby: self.clone(), visitor, number, asked, closing: self.0.closing.subscribe() })
    }

    fn leave(&self, visitor: VisitorId, number: u64) {
        let mut seats = self.0.seats.lock().unwrap_or_else(PoisonError::into_inner);
        seats.taken -= 1;
        if let Some(theirs) = seats.of.get_mut(&visitor) {
            theirs.retain(|(known, _)| *known != number);
            if theirs.is_empty() {
                seats.of.remove(&visitor);
            }
        }
        metrics::gauge!("frontdesk_web_chat_streams").set(seats.taken as f64);
    }
}

/// The place of one stream, given back when it is dropped.
pub(super) struct Seat {
    lobby: Lobby,
    visitor: VisitorId,
    number: u64,
    asked: oneshot::Receiver<()>,
    closing: watch::Receiver<bool>,
}

/// Why a stream is asked to end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Farewell {
    /// The visitor opened another in its place.
    Replaced,
    /// The server ends.
    Closing,
}

impl Seat {
    /// Waits until the stream is asked to end. Not to be asked again after that.
    pub(super) async fn farewell(&mut self) -> Farewell {
        tokio::select! {
            _ = &mut self.asked => Farewell::Replaced,
            _ = self.closing.wait_for(|closing| *closing) => Farewell::Closing,
        }
    }
}

impl Drop for Seat {
    fn drop(&mut self) {
        self.lobby.leave(self.visitor, self.number);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use futures_util::FutureExt;
    use uuid::Uuid;

    fn visitor(number: u128) -> VisitorId {
        VisitorId::from_uuid(Uuid::from_u128(number))
    }

    fn taken(lobby: &Lobby) -> usize {
        lobby.0.seats.lock().unwrap().taken
    }

    #[test]
    fn one_stream_too_many_replaces_the_oldest() {
        let lobby = Lobby::default();
        let mut first = lobby.seat(visitor(1)).unwrap();
        let mut rest: Vec<Seat> =
            (1..STREAMS_PER_VISITOR_MAX).map(|_| lobby.seat(visitor(1)).unwrap()).collect();
        let _somebody_else = lobby.seat(visitor(2)).unwrap();
        assert_eq!(first.farewell().now_or_never(), None);
        rest.push(lobby.seat(visitor(1)).unwrap());
        assert_eq!(first.farewell().now_or_never(), Some(Farewell::Replaced));
        assert!(rest.iter_mut().all(|seat| seat.farewell().now_or_never().is_none()));
        drop((first, rest));
        assert_eq!(taken(&lobby), 1);
        assert!(!lobby.0.seats.lock().unwrap().of.contains_key(&visitor(1)));
    }

    #[test]
    fn a_full_house_takes_nobody_until_somebody_leaves() {
        let lobby = Lobby::default();
        let mut seats: Vec<Seat> =
            (0..Lobby::STREAMS_MAX).map(|number| lobby.seat(visitor(number as u128)).unwrap()).collect();
        assert!(lobby.seat(visitor(u128::MAX)).is_none());
        seats.pop();
        assert!(lobby.seat(visitor(u128::MAX)).is_some());
    }

    #[test]
    fn everybody_leaves_when_the_server_ends() {
        let lobby = Lobby::default();
        let mut before = lobby.seat(visitor(1)).unwrap();
        lobby.close();
        let mut after = lobby.seat(visitor(1)).unwrap();
        assert_eq!(before.farewell().now_or_never(), Some(Farewell::Closing));
        assert_eq!(after.farewell().now_or_never(), Some(Farewell::Closing));
    }
}
