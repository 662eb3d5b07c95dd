//! Which server holds a lease.
//!
//! A lease is a UUID. Its first half names the incarnation of the server that took it: one life of one process. So the
//! leases of a dead server are a range, and one statement a table releases them.

use std::sync::LazyLock;
use std::sync::atomic::{AtomicU64, Ordering};

use uuid::Uuid;

/// Where a UUID keeps its version, in its first half. Version 8 is free to use, and ids have version 7.
const VERSION_BITS: u64 = 0xF000;
const VERSION_8: u64 = 0x8000;
/// The variant of every UUID, in its second half.
const VARIANT: u64 = 1 << 63;

/// The incarnation of this process. A process has one at a time, however many stores it opens.
static CURRENT: LazyLock<AtomicU64> = LazyLock::new(|| AtomicU64::new(chosen()));
static TAKEN: AtomicU64 = AtomicU64::new(0);

#[expect(
    clippy::disallowed_methods,
    reason = "a name that no other process has; nothing depends on its value"
)]
fn chosen() -> u64 {
    (rand::random::<u64>() & !VERSION_BITS) | VERSION_8
}

/// A token for a new lease of this process. No two are the same.
pub fn new_lease() -> Uuid {
    let number = VARIANT | TAKEN.fetch_add(1, Ordering::Relaxed);
    Uuid::from_u64_pair(CURRENT.load(Ordering::Acquire), number)
}

/// One life of a server.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Incarnation(u64);

impl Incarnation {
    /// The one that this process has now.
    pub fn current() -> Self {
        Self(CURRENT.load(Ordering::Acquire))
    }

    /// The one that took a lease.
    pub fn of(lease: Uuid) -> Self {
        Self(lease.as_u64_pair().0)
    }

    /// Another one, for a server that was declared dead.
    pub(crate) fn another() -> Self {
        Self(chosen())
    }

    /// Gives it to this process. Leases that are taken from now on name it.
    pub(crate) fn begin(self) {
        CURRENT.store(self.0, Ordering::Release);
    }

    /// All leases that it can take.
    pub fn leases(self) -> LeaseRange {
        LeaseRange { first: Uuid::from_u64_pair(self.0, 0), last: Uuid::from_u64_pair(self.0, u64::MAX) }
    }
}

/// The leases of one server, or of all servers, or a single one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LeaseRange {
    pub first: Uuid,
    pub last: Uuid,
}

impl LeaseRange {
    pub const ALL: Self = Self { first: Uuid::nil(), last: Uuid::max() };

    pub fn only(lease: Uuid) -> Self {
        Self { first: lease, last: lease }
    }

    pub fn contains(&self, lease: Uuid) -> bool {
        (self.first..=self.last).contains(&lease)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_lease_is_new_and_in_the_range_of_its_server() {
        let (one, other) = (new_lease(), new_lease());
        assert_ne!(one, other);
        assert_eq!(one.get_version_num(), 8);
        for lease in [one, other] {
            let range = Incarnation::of(lease).leases();
            assert!(range.contains(lease) && LeaseRange::ALL.contains(lease));
            assert_eq!(Incarnation::of(range.first), Incarnation::of(lease));
        }
        let stranger = Incarnation(Incarnation::of(one).0 ^ 1);
        assert!(!stranger.leases().contains(one));
    }
}
