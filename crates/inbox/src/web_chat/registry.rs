//! The web-chat visitors of one server, in memory: their open streams and their counts.
//!
//! The number of streams is limited, per server and per address. A visitor who opens one stream too many
//! loses the oldest one, whose page is usually closed. All streams are closed when the server stops.

use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Mutex, PoisonError};

use frontdesk_kernel::ids::AccountId;
use tokio::sync::{OwnedSemaphorePermit, Semaphore, oneshot, watch};

use super::limits::{LimitKey, Limits};
use super::token::VisitorId;
use super::typing_members::TypingMembers;
use crate::conversations::ConversationId;

/// Maximum concurrent streams of a visitor.
const STREAMS_PER_VISITOR_MAX: usize = 6;
/// Maximum files that arrive at a time. Each is in memory, within the budget of all bodies without a key.
const FILES_AT_ONCE_MAX: usize = 4;

/// Maximum concurrent streams.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StreamLimits {
    /// Per server.
    pub total_max: usize,
    /// Per address. An IPv6 /64 network counts as one address.
    pub per_address_max: usize,
}

impl Default for StreamLimits {
    fn default() -> Self {
        // An office of sixteen, each with a few pages open, shares one address.
        Self { total_max: 4_096, per_address_max: 64 }
    }
}

/// Why a stream is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum NoSlot {
    /// The server has too many streams.
    Full,
    /// The visitor's address has too many streams.
    AddressFull,
}

/// The registry; clones share it.
#[derive(Clone)]
pub struct VisitorRegistry(Arc<Inner>);

struct Inner {
    streams: StreamLimits,
    limits: Limits,
    slots: Mutex<Slots>,
    files: Arc<Semaphore>,
    typing: TypingMembers,
    closing: watch::Sender<bool>,
}

#[derive(Default)]
struct Slots {
    taken: usize,
    last: u64,
    /// Used slots of each address.
    at: HashMap<LimitKey, usize>,
    /// A visitor's streams, oldest first, each with a channel to close it.
    of: HashMap<VisitorId, VecDeque<(u64, oneshot::Sender<()>)>>,
}

impl Default for VisitorRegistry {
    fn default() -> Self {
        Self::new(StreamLimits::default())
    }
}

impl VisitorRegistry {
    /// A registry with slots for this many streams.
    pub fn new(streams: StreamLimits) -> Self {
        Self(Arc::new(Inner {
            streams,
            limits: Limits::default(),
            slots: Mutex::default(),
            files: Arc::new(Semaphore::new(FILES_AT_ONCE_MAX)),
            typing: TypingMembers::default(),
            closing: watch::Sender::default(),
        }))
    }

    /// Closes every stream, now and from now on, because the server stops. Browsers reconnect to another
    /// server by themselves.
    pub fn close(&self) {
        self.0.closing.send_replace(true);
    }

    /// How many streams are open.
    pub fn open_streams(&self) -> usize {
        self.0.slots.lock().unwrap_or_else(PoisonError::into_inner).taken
    }

    /// Tells the visitor of a conversation whether a member is typing.
    pub fn set_typing(&self, account: AccountId, conversation: ConversationId, is_typing: bool) {
        self.0.typing.set(account, conversation, is_typing);
    }

    pub(super) fn typing(&self) -> &TypingMembers {
        &self.0.typing
    }

    /// Takes a slot for a file that arrives; none if there is no room.
    pub(super) fn file_slot(&self) -> Option<OwnedSemaphorePermit> {
        self.0.files.clone().try_acquire_owned().ok()
    }

    pub(super) fn limits(&self) -> &Limits {
        &self.0.limits
    }

    /// Takes a slot for a stream of a visitor at an address.
    pub(super) fn slot(&self, visitor: VisitorId, address: LimitKey) -> Result<StreamSlot, NoSlot> {
        let mut slots = self.0.slots.lock().unwrap_or_else(PoisonError::into_inner);
        let at_address = slots.at.get(&address).copied().unwrap_or(0);
        if at_address >= self.0.streams.per_address_max {
            return Err(NoSlot::AddressFull);
        }
        if slots.taken >= self.0.streams.total_max {
            return Err(NoSlot::Full);
        }
        slots.at.insert(address, at_address + 1);
        slots.taken += 1;
        slots.last += 1;
        let (number, (ask, asked)) = (slots.last, oneshot::channel());
        let theirs = slots.of.entry(visitor).or_default();
        theirs.push_back((number, ask));
        if theirs.len() > STREAMS_PER_VISITOR_MAX
            && let Some((_, oldest)) = theirs.pop_front()
        {
            // The stream may have ended already.
            let _ = oldest.send(());
        }
        metrics::gauge!("frontdesk_web_chat_streams").set(slots.taken as f64);
        Ok(StreamSlot {
            registry: self.clone(),
            visitor,
            address,
            number,
            asked,
            closing: self.0.closing.subscribe(),
        })
    }

    fn leave(&self, visitor: VisitorId, address: LimitKey, number: u64) {
        let mut slots = self.0.slots.lock().unwrap_or_else(PoisonError::into_inner);
        slots.taken -= 1;
        match slots.at.get_mut(&address) {
            Some(taken) if *taken > 1 => *taken -= 1,
            _ => drop(slots.at.remove(&address)),
        }
        if let Some(theirs) = slots.of.get_mut(&visitor) {
            theirs.retain(|(known, _)| *known != number);
            if theirs.is_empty() {
                slots.of.remove(&visitor);
            }
        }
        metrics::gauge!("frontdesk_web_chat_streams").set(slots.taken as f64);
    }
}

/// The slot of one stream, released when it is dropped.
pub(super) struct StreamSlot {
    registry: VisitorRegistry,
    visitor: VisitorId,
    address: LimitKey,
    number: u64,
    asked: oneshot::Receiver<()>,
    closing: watch::Receiver<bool>,
}

/// Why a stream is closed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum CloseReason {
    /// The visitor opened another stream instead.
    Replaced,
    /// The server stops.
    Closing,
}

impl StreamSlot {
    /// Waits until the stream is to be closed. Must not be called again after that.
    pub(super) async fn closed(&mut self) -> CloseReason {
        tokio::select! {
            _ = &mut self.asked => CloseReason::Replaced,
            _ = self.closing.wait_for(|closing| *closing) => CloseReason::Closing,
        }
    }
}

impl Drop for StreamSlot {
    fn drop(&mut self) {
        self.registry.leave(self.visitor, self.address, self.number);
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

    /// A separate address for the visitor.
    fn home(number: u128) -> LimitKey {
        LimitKey::at(Some(IpAddr::V6((number << 64).into())))
    }

    fn slot(registry: &VisitorRegistry, number: u128) -> Result<StreamSlot, NoSlot> {
        registry.slot(visitor(number), home(number))
    }

    fn taken(registry: &VisitorRegistry) -> usize {
        registry.0.slots.lock().unwrap().taken
    }

    #[test]
    fn one_stream_too_many_replaces_the_oldest() {
        let registry = VisitorRegistry::default();
        let mut first = slot(&registry, 1).unwrap();
        let mut rest: Vec<StreamSlot> =
            (1..STREAMS_PER_VISITOR_MAX).map(|_| slot(&registry, 1).unwrap()).collect();
        let _somebody_else = slot(&registry, 2).unwrap();
        assert_eq!(first.closed().now_or_never(), None);
        rest.push(slot(&registry, 1).unwrap());
        assert_eq!(first.closed().now_or_never(), Some(CloseReason::Replaced));
        assert!(rest.iter_mut().all(|slot| slot.closed().now_or_never().is_none()));
        drop((first, rest));
        assert_eq!(taken(&registry), 1);
        assert!(!registry.0.slots.lock().unwrap().of.contains_key(&visitor(1)));
    }

    #[test]
    fn a_full_house_takes_nobody_until_somebody_leaves() {
        let registry = VisitorRegistry::default();
        let total = StreamLimits::default().total_max as u128;
        let mut slots: Vec<StreamSlot> = (1..=total).map(|number| slot(&registry, number).unwrap()).collect();
        assert_eq!(slot(&registry, total + 1).err(), Some(NoSlot::Full));
        slots.pop();
        assert!(slot(&registry, total + 1).is_ok());
    }

    #[test]
    fn an_address_takes_only_its_share_of_the_seats() {
        let registry = VisitorRegistry::default();
        let share = StreamLimits::default().per_address_max;
        let at = |text: &str| LimitKey::at(Some(text.parse().unwrap()));
        // Different visitors, at addresses of one network.
        let mut slots: Vec<StreamSlot> = (0..share)
            .map(|number| {
                registry.slot(visitor(number as u128), at(&format!("2001:db8::{number:x}"))).unwrap()
            })
            .collect();
        let one_more = || registry.slot(visitor(9_999), at("2001:db8::ffff"));
        assert_eq!(one_more().err(), Some(NoSlot::AddressFull));
        assert!(registry.slot(visitor(9_999), at("2001:db8:0:1::1")).is_ok());
        assert!(registry.slot(visitor(9_999), at("203.0.113.7")).is_ok());
        slots.pop();
        slots.push(one_more().unwrap());
        assert_eq!(one_more().err(), Some(NoSlot::AddressFull));
        drop(slots);
        assert!(registry.0.slots.lock().unwrap().at.is_empty());
    }

    #[test]
    fn everybody_leaves_when_the_server_ends() {
        let registry = VisitorRegistry::default();
        let mut before = slot(&registry, 1).unwrap();
        registry.close();
        let mut after = slot(&registry, 1).unwrap();
        assert_eq!(before.closed().now_or_never(), Some(CloseReason::Closing));
        assert_eq!(after.closed().now_or_never(), Some(CloseReason::Closing));
    }
}
