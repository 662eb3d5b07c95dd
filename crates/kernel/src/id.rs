//! Typed ids: UUIDv7 values that contain the time when their row was created.
//!
//! An id is made from one reading of the clock, and the row's `created_at` is that reading. So
//! ordering by id is ordering by `created_at` with the id as tiebreak, and no table needs a second
//! column or index to be listed newest first.

use std::cmp::Ordering;
use std::fmt;
use std::hash::{Hash, Hasher};
use std::marker::PhantomData;
use std::str::FromStr;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering as Atomic};

use rand::{Rng, SeedableRng};
use serde::{Serialize, Serializer};
use uuid::Uuid;

use crate::time::Timestamp;

/// The id of a `T`. The type only keeps ids of different nouns apart.
pub struct Id<T: ?Sized> {
    uuid: Uuid,
    noun: PhantomData<fn() -> T>,
}

impl<T: ?Sized> Id<T> {
    pub const fn from_uuid(uuid: Uuid) -> Self {
        Self { uuid, noun: PhantomData }
    }

    pub const fn uuid(&self) -> Uuid {
        self.uuid
    }

    /// The time when the row of this id was created.
    pub fn created_at(&self) -> Timestamp {
        Timestamp::from_millis((self.uuid.as_u128() >> 80) as i64)
    }

    /// The smallest id of a row that was created at `moment`.
    pub fn first_at(moment: Timestamp) -> Self {
        let millis = moment.millis().max(0) as u128;
        Self::from_uuid(Uuid::from_u128((millis << 80) | (0x7 << 76) | (0x2 << 62)))
    }

    /// The largest id at a position in the order of creation.
    pub fn last_of(sequence: i64) -> Self {
        let place = sequence.max(0) as u128;
        let (millis, counter) = (place >> COUNTER_BITS, place & u128::from(COUNTER_MAX));
        Self::from_uuid(Uuid::from_u128(
            (millis << 80) | (0x7 << 76) | (counter << 64) | (0xBFFF_FFFF_FFFF_FFFF),
        ))
    }

    /// The id of a row that another system made at a time, in microseconds since 1970. It is the same whenever it is made
    /// again. Of one moment, ids are in the order of `number`, then of `part`. `origin` keeps apart what different systems
    /// number alike.
    pub fn imported(micros: i64, number: u64, part: u8, origin: u64) -> Self {
        let micros = micros.max(0) as u128;
        let (millis, rest) = ((micros / 1_000) & ((1 << 48) - 1), micros % 1_000);
        let number = u128::from(number) & ((1 << NUMBER_BITS) - 1);
        let origin = u128::from(origin) & ((1 << ORIGIN_BITS) - 1);
        let place = (number << (PART_BITS + ORIGIN_BITS)) | (u128::from(part) << ORIGIN_BITS) | origin;
        // A counter of 4,096 has room for the microseconds of a millisecond.
        Self::from_uuid(Uuid::from_u128(
            (millis << 80) | (0x7 << 76) | ((rest * 4) << 64) | (0x2 << 62) | place,
        ))
    }

    /// The id's position in the order of creation: its clock reading and counter, without its random part.
    pub fn sequence(&self) -> i64 {
        let bits = self.uuid.as_u128();
        let millis = (bits >> 80) as u64;
        let counter = (bits >> 64) as u64 & COUNTER_MAX;
        ((millis << COUNTER_BITS) | counter) as i64
    }
}

/// The parts of an imported id's last 62 bits.
const NUMBER_BITS: u32 = 34;
const PART_BITS: u32 = 8;
const ORIGIN_BITS: u32 = 20;
const COUNTER_BITS: u32 = 12;
const COUNTER_MAX: u64 = (1 << COUNTER_BITS) - 1;

/// Makes ids, each greater than the one before, from clock readings that its callers pass in.
pub struct Ids {
    /// Milliseconds and counter of the last id, as one number: a full counter carries into the next millisecond.
    last: AtomicU64,
    random: Mutex<rand::rngs::StdRng>,
    is_ordered: bool,
}

impl Ids {
    #[expect(clippy::disallowed_methods, reason = "seeds the ids of a process; tests seed their own")]
    pub fn new() -> Self {
        Self { last: AtomicU64::new(0), random: Mutex::new(rand::make_rng()), is_ordered: true }
    }

    /// Makes ids of rows that are older than others: each has the time that it is asked for, whatever came before, and a
    /// random place within it.
    pub fn of_the_past() -> Self {
        Self { is_ordered: false, ..Self::new() }
    }

    /// A source whose ids are the same in every run, for tests.
    pub fn seeded(seed: u64) -> Self {
        Self {
            last: AtomicU64::new(0),
            random: Mutex::new(rand::rngs::StdRng::seed_from_u64(seed)),
            is_ordered: true,
        }
    }

    pub fn next<T: ?Sized>(&self, now: Timestamp) -> Id<T> {
        let reading = (now.millis().max(0) as u64) << COUNTER_BITS;
        let step = |last: u64| reading.max(last + 1);
        let mut source = self.random.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        let place = if self.is_ordered {
            let last = self.last.fetch_update(Atomic::Relaxed, Atomic::Relaxed, |last| Some(step(last)));
            step(last.unwrap_or_default())
        } else {
            reading | (source.next_u64() & COUNTER_MAX)
        };
        let random = source.next_u64() >> 2;
        let bits = (u128::from(place >> COUNTER_BITS) << 80)
            | (0x7 << 76)
            | (u128::from(place & COUNTER_MAX) << 64)
            | (0x2 << 62)
            | u128::from(random);
        Id::from_uuid(Uuid::from_u128(bits))
    }
}

impl Default for Ids {
    fn default() -> Self {
        Self::new()
    }
}

impl<T: ?Sized> Clone for Id<T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T: ?Sized> Copy for Id<T> {}

impl<T: ?Sized> PartialEq for Id<T> {
    fn eq(&self, other: &Self) -> bool {
        self.uuid == other.uuid
    }
}

impl<T: ?Sized> Eq for Id<T> {}

impl<T: ?Sized> Hash for Id<T> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.uuid.hash(state);
    }
}

impl<T: ?Sized> PartialOrd for Id<T> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl<T: ?Sized> Ord for Id<T> {
    fn cmp(&self, other: &Self) -> Ordering {
        // The order of the bytes; two numbers are compared without a call.
        self.uuid.as_u128().cmp(&other.uuid.as_u128())
    }
}

impl<T: ?Sized> fmt::Display for Id<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.uuid.fmt(f)
    }
}

impl<T: ?Sized> fmt::Debug for Id<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.uuid.fmt(f)
    }
}

impl<T: ?Sized> FromStr for Id<T> {
    type Err = uuid::Error;

    /// Reads the form that ids are printed in: 36 characters with hyphens.
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        text.parse::<uuid::fmt::Hyphenated>().map(|id| Self::from_uuid(id.into_uuid()))
    }
}

impl<T: ?Sized> Serialize for Id<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut buffer = [0; uuid::fmt::Hyphenated::LENGTH];
        serializer.serialize_str(self.uuid.hyphenated().encode_lower(&mut buffer))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    enum Thing {}

    #[test]
    fn an_id_carries_the_reading_it_was_made_from() {
        let now = Timestamp::from_millis(1_700_000_000_123);
        let id: Id<Thing> = Ids::seeded(1).next(now);
        assert_eq!(id.created_at(), now);
        assert_eq!(id.uuid().get_version_num(), 7);
        assert_eq!(id.uuid().get_variant(), uuid::Variant::RFC4122);
    }

    #[test]
    fn only_the_printed_form_is_an_id() {
        let printed = "01890a5d-ac96-774b-bcce-b302099a8057";
        assert_eq!(printed.parse::<Id<Thing>>().unwrap().to_string(), printed);
        for other in [
            "01890a5dac96774bbcceb302099a8057",
            "{01890a5d-ac96-774b-bcce-b302099a8057}",
            "urn:uuid:01890a5d-ac96-774b-bcce-b302099a8057",
        ] {
            assert!(other.parse::<Id<Thing>>().is_err(), "{other}");
        }
    }

    #[test]
    fn a_full_counter_carries_into_the_next_millisecond() {
        let now = Timestamp::from_millis(1_700_000_000_123);
        let ids = Ids::seeded(1);
        let made: Vec<Id<Thing>> = (0..10_000).map(|_| ids.next(now)).collect();
        assert!(made.windows(2).all(|pair| pair[0] < pair[1] && pair[0].sequence() < pair[1].sequence()));
        assert_eq!(made[9_999].created_at().millis(), now.millis() + 2);
    }

    #[test]
    fn ids_of_the_past_have_the_time_that_was_asked_for() {
        let ids = Ids::of_the_past();
        let at = |millis| ids.next::<Thing>(Timestamp::from_millis(millis));
        let (late, early, same) = (at(2_000), at(1_000), at(1_000));
        assert!(early < late && early != same);
        assert_eq!((early.created_at().millis(), same.created_at().millis()), (1_000, 1_000));
    }

    #[test]
    fn an_imported_id_is_made_again_and_is_in_the_order_of_the_source() {
        let id = |micros, number, part| Id::<Thing>::imported(micros, number, part, 77);
        let made =
            [id(1_000_001, 9, 0), id(1_000_002, 4_095, 0), id(1_000_002, 4_096, 0), id(1_000_002, 4_096, 1)];
        assert!(made.is_sorted() && made[0] == id(1_000_001, 9, 0));
        assert_eq!(made[0].created_at().millis(), 1_000);
        assert_ne!(id(1, 1, 1), Id::imported(1, 1, 1, 78));
        for wild in [id(i64::MIN, u64::MAX, u8::MAX), id(i64::MAX, u64::MAX, u8::MAX)] {
            assert_eq!(
                (wild.uuid().get_version_num(), wild.uuid().get_variant()),
                (7, uuid::Variant::RFC4122)
            );
        }
    }

    proptest! {
        #[test]
        fn ids_rise_even_when_the_clock_falls(readings in proptest::collection::vec(0_i64..4_000_000_000_000, 2..50)) {
            let ids = Ids::seeded(7);
            let made: Vec<Id<Thing>> = readings.iter().map(|ms| ids.next(Timestamp::from_millis(*ms))).collect();
            prop_assert!(made.windows(2).all(|pair| pair[0] < pair[1]));
        }

        #[test]
        fn the_first_id_of_a_moment_bounds_all_of_it(ms in 0_i64..4_000_000_000_000) {
            let now = Timestamp::from_millis(ms);
            let id: Id<Thing> = Ids::seeded(3).next(now);
            prop_assert!(Id::first_at(now) <= id);
            prop_assert!(id < Id::first_at(Timestamp::from_millis(ms + 1)));
        }

        #[test]
        fn the_last_id_of_a_place_lies_between_it_and_the_next(ms in 0_i64..4_000_000_000_000) {
            let (now, ids) = (Timestamp::from_millis(ms), Ids::seeded(3));
            let (id, next): (Id<Thing>, Id<Thing>) = (ids.next(now), ids.next(now));
            let last = Id::last_of(id.sequence());
            prop_assert!(id <= last && last < next && last.sequence() == id.sequence());
        }
    }
}
