//! The lobby: what one server keeps in memory of its visitors. Who has a stream open, and who did how much lately.
//!
//! There are only so many seats, and one address gets only some of them. A visitor who opens one stream too many loses
//! the oldest: that is most often one whose page is gone and whose connection nobody has missed yet. Everybody is asked
//! to leave when the server ends.

use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Mutex, PoisonError};

use tokio::sync::{oneshot, watch};

use super::limits::{Limits, Who};
use super::token::VisitorId;

/// Streams of a visitor at a time.
const STREAMS_PER_VISITOR_MAX: usize = 6;

/// How many streams may be open at a time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Streams {
    /// On this server.
    pub total_max: usize,
    /// From one address. An IPv6 network of 64 bits counts as one address.
    pub per_address_max: usize,
}

impl Default for Streams {
    fn default() -> Self {
        // An office of sixteen, each with a few pages open, shares one address.
        Self { total_max: 4_096, per_address_max: 64 }
    }
}

/// Why a stream gets no seat.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum NoSeat {
    /// The server has no more seats.
    Full,
    /// The visitor's address has no more seats.
    AddressFull,
}

/// What the server keeps of its visitors; clones share it.
#[derive(Clone)]
pub struct Lobby(Arc<Inner>);

struct Inner {
    streams: Streams,
    limits: Limits,
    seats: Mutex<Seats>,
    closing: watch::Sender<bool>,
}

#[derive(Default)]
struct Seats {
    taken: usize,
    last: u64,
    /// Seats taken from each address.
    at: HashMap<Who, usize>,
    /// A visitor's streams, the oldest first, each with the way to ask it to leave.
    of: HashMap<VisitorId, VecDeque<(u64, oneshot::Sender<()>)>>,
}

impl Default for Lobby {
    fn default() -> Self {
        Self::new(Streams::default())
    }
}

impl Lobby {
    /// A lobby with seats for this many streams.
    pub fn new(streams: Streams) -> Self {
        Self(Arc::new(Inner {
            streams,
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

    /// A seat for one more stream of a visitor at an address.
    pub(super) fn seat(&self, visitor: VisitorId, address: Who) -> Result<Seat, NoSeat> {
        let mut seats = self.0.seats.lock().unwrap_or_else(PoisonError::into_inner);
        let at_address = seats.at.get(&address).copied().unwrap_or(0);
        if at_address >= self.0.streams.per_address_max {
            return Err(NoSeat::AddressFull);
        }
        if seats.taken >= self.0.streams.total_max {
            return Err(NoSeat::Full);
        }
        seats.at.insert(address, at_address + 1);
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
        Ok(Seat { lobby: self.clone(), visitor, address, number, asked, closing: self.0.closing.subscribe() })
    }

    fn leave(&self, visitor: VisitorId, address: Who, number: u64) {
        let mut seats = self.0.seats.lock().unwrap_or_else(PoisonError::into_inner);
        seats.taken -= 1;
        match seats.at.get_mut(&address) {
            Some(taken) if *taken > 1 => *taken -= 1,
            _ => drop(seats.at.remove(&address)),
        }
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
    address: Who,
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
        self.lobby.leave(self.visitor, self.address, self.number);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use futures_util::FutureExt;
    use std::net::IpAddr;
    use uuid::Uuid;

    fn visitor(number: u128) -> VisitorId {
        VisitorId::from_uuid(Uuid::from_u128(number))
    }

    /// An address of the visitor's own.
    fn home(number: u128) -> Who {
        Who::at(Some(IpAddr::V6((number << 64).into())))
    }

    fn seat(lobby: &Lobby, number: u128) -> Result<Seat, NoSeat> {
        lobby.seat(visitor(number), home(number))
    }

    fn taken(lobby: &Lobby) -> usize {
        lobby.0.seats.lock().unwrap().taken
    }

    #[test]
    fn one_stream_too_many_replaces_the_oldest() {
        let lobby = Lobby::default();
        let mut first = seat(&lobby, 1).unwrap();
        let mut rest: Vec<Seat> = (1..STREAMS_PER_VISITOR_MAX).map(|_| seat(&lobby, 1).unwrap()).collect();
        let _somebody_else = seat(&lobby, 2).unwrap();
        assert_eq!(first.farewell().now_or_never(), None);
        rest.push(seat(&lobby, 1).unwrap());
        assert_eq!(first.farewell().now_or_never(), Some(Farewell::Replaced));
        assert!(rest.iter_mut().all(|seat| seat.farewell().now_or_never().is_none()));
        drop((first, rest));
        assert_eq!(taken(&lobby), 1);
        assert!(!lobby.0.seats.lock().unwrap().of.contains_key(&visitor(1)));
    }

    #[test]
    fn a_full_house_takes_nobody_until_somebody_leaves() {
        let lobby = Lobby::default();
        let total = Streams::default().total_max as u128;
        let mut seats: Vec<Seat> = (1..=total).map(|number| seat(&lobby, number).unwrap()).collect();
        assert_eq!(seat(&lobby, total + 1).err(), Some(NoSeat::Full));
        seats.pop();
        assert!(seat(&lobby, total + 1).is_ok());
    }

    #[test]
    fn an_address_takes_only_its_share_of_the_seats() {
        let lobby = Lobby::default();
        let share = Streams::default().per_address_max;
        let at = |text: &str| Who::at(Some(text.parse().unwrap()));
        // Visitors of their own, at addresses of one network.
        let mut seats: Vec<Seat> = (0..share)
            .map(|number| lobby.seat(visitor(number as u128), at(&format!("2001:db8::{number:x}"))).unwrap())
            .collect();
        let one_more = || lobby.seat(visitor(9_999), at("2001:db8::ffff"));
        assert_eq!(one_more().err(), Some(NoSeat::AddressFull));
        assert!(lobby.seat(visitor(9_999), at("2001:db8:0:1::1")).is_ok());
        assert!(lobby.seat(visitor(9_999), at("203.0.113.7")).is_ok());
        seats.pop();
        seats.push(one_more().unwrap());
        assert_eq!(one_more().err(), Some(NoSeat::AddressFull));
        drop(seats);
        assert!(lobby.0.seats.lock().unwrap().at.is_empty());
    }

    #[test]
    fn everybody_leaves_when_the_server_ends() {
        let lobby = Lobby::default();
        let mut before = seat(&lobby, 1).unwrap();
        lobby.close();
        let mut after = seat(&lobby, 1).unwrap();
        assert_eq!(before.farewell().now_or_never(), Some(Farewell::Closing));
        assert_eq!(after.farewell().now_or_never(), Some(Farewell::Closing));
    }
}
