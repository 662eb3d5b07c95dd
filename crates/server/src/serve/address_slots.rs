//! A limit on the open connections of one address, so that no single client can take all of them.
//!
//! A trusted proxy speaks for many clients and has no such limit. Neither has this machine, where a proxy that was not
//! declared may run, unless the operator set the limit explicitly.

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::{Arc, Mutex, PoisonError};

use frontdesk_platform::{Proxies, client_network};

use crate::config::AddressLimit;

/// The connections of each address; clones share them.
#[derive(Clone)]
pub(super) struct AddressSlots(Arc<Inner>);

struct Inner {
    limit: AddressLimit,
    proxies: Proxies,
    taken: Mutex<HashMap<IpAddr, usize>>,
}

impl AddressSlots {
    pub(super) fn new(limit: AddressLimit, proxies: Proxies) -> Self {
        Self(Arc::new(Inner { limit, proxies, taken: Mutex::default() }))
    }

    /// Takes a slot for a connection; none if the address has too many.
    pub(super) fn take(&self, peer: IpAddr) -> Option<AddressSlot> {
        let peer = peer.to_canonical();
        let is_local = peer.is_loopback() && !self.0.limit.is_explicit;
        if is_local || self.0.proxies.trusts(peer) {
            return Some(AddressSlot(None));
        }
        let address = client_network(peer);
        let mut taken = self.0.taken.lock().unwrap_or_else(PoisonError::into_inner);
        let count = taken.entry(address).or_default();
        if *count >= self.0.limit.connections_max {
            return None;
        }
        *count += 1;
        Some(AddressSlot(Some((self.clone(), address))))
    }
}

/// A slot, released when it is dropped.
pub(super) struct AddressSlot(Option<(AddressSlots, IpAddr)>);

impl Drop for AddressSlot {
    fn drop(&mut self) {
        let Some((slots, address)) = &self.0 else { return };
        let mut taken = slots.0.taken.lock().unwrap_or_else(PoisonError::into_inner);
        match taken.get_mut(address) {
            Some(count) if *count > 1 => *count -= 1,
            _ => drop(taken.remove(address)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use frontdesk_platform::Network;

    fn slots(connections_max: usize, is_explicit: bool) -> AddressSlots {
        let proxies = Proxies::new(Network::parse_list("10.0.0.0/8").unwrap());
        AddressSlots::new(AddressLimit { connections_max, is_explicit }, proxies)
    }

    fn take(slots: &AddressSlots, peer: &str) -> Option<AddressSlot> {
        slots.take(peer.parse().unwrap())
    }

    #[test]
    fn an_address_has_its_limit_and_a_network_counts_as_one() {
        let slots = slots(2, false);
        let first = take(&slots, "2001:db8::1").unwrap();
        let second = take(&slots, "2001:db8::2").unwrap();
        assert!(take(&slots, "2001:db8::3").is_none());
        let elsewhere = take(&slots, "2001:db8:0:1::3").unwrap();
        drop(first);
        let third = take(&slots, "2001:db8::3").unwrap();
        drop((third, second, elsewhere));
        assert!(slots.0.taken.lock().unwrap().is_empty());
    }

    #[test]
    fn proxies_have_no_limit_and_this_machine_only_an_explicit_one() {
        for peer in ["10.1.2.3", "127.0.0.1", "::1"] {
            let slots = slots(1, false);
            let open: Vec<_> = (0..9).map(|_| take(&slots, peer)).collect();
            assert!(open.iter().all(Option::is_some), "{peer}");
        }
        let slots = slots(1, true);
        let _first = take(&slots, "127.0.0.1").unwrap();
        assert!(take(&slots, "::ffff:127.0.0.1").is_none());
        assert!(take(&slots, "10.1.2.3").is_some());
    }
}
