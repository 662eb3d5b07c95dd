//! Opaque page cursors: the last row of a page, sealed to the list it came from.
//!
//! A cursor opens only under the seal it was made with. An altered cursor, or one of another list, account or
//! set of filters, does not open.

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use uuid::Uuid;

use crate::mac::Mac;
use crate::time::Timestamp;

const ID_BYTES: usize = 16;
const MOMENT_BYTES: usize = 8;
const TAG_BYTES: usize = 16;
/// Between id and key, so that a place with a key is longer than any other kind of place.
const KEY_MARK: [u8; 16] = *b"sorted by a key\0";

/// One list of one account with one set of filters.
#[derive(Clone)]
pub struct Seal(Mac);

impl Seal {
    /// `list`, `account` and `filters` may contain any text: their lengths are included, so that they cannot
    /// be confused.
    pub fn new(key: &[u8; 32], list: &str, account: Uuid, filters: &[(&str, &str)]) -> Self {
        let mut mac = Mac::new(key);
        let mut measured = |text: &str| {
            mac.update(&(text.len() as u64).to_be_bytes());
            mac.update(text.as_bytes());
        };
        measured(list);
        for (name, value) in filters {
            measured(name);
            measured(value);
        }
        mac.update(account.as_bytes());
        Self(mac)
    }

    pub fn close(&self, last: Uuid) -> String {
        let mut bytes = [0; ID_BYTES + TAG_BYTES];
        bytes[..ID_BYTES].copy_from_slice(last.as_bytes());
        bytes[ID_BYTES..].copy_from_slice(&self.of(last).tag::<TAG_BYTES>());
        URL_SAFE_NO_PAD.encode(bytes)
    }

    pub fn open(&self, cursor: &str) -> Option<Uuid> {
        let bytes = URL_SAFE_NO_PAD.decode(cursor).ok()?;
        let (id, tag) = bytes.split_at_checked(ID_BYTES)?;
        let last = Uuid::from_slice(id).ok()?;
        self.of(last).is_tag::<TAG_BYTES>(tag).then_some(last)
    }

    /// Seals the last row of a page that is ordered by a moment, then by id.
    pub fn close_at(&self, moment: Timestamp, last: Uuid) -> String {
        let place = [&moment.millis().to_be_bytes()[..], last.as_bytes()].concat();
        let tag = self.0.clone().chain(&place).tag::<TAG_BYTES>();
        URL_SAFE_NO_PAD.encode([&place[..], &tag].concat())
    }

    /// Opens what [`Self::close_at`] sealed.
    pub fn open_at(&self, cursor: &str) -> Option<(Timestamp, Uuid)> {
        let bytes = URL_SAFE_NO_PAD.decode(cursor).ok()?;
        let (place, tag) = bytes.split_at_checked(MOMENT_BYTES + ID_BYTES)?;
        if !self.0.clone().chain(place).is_tag::<TAG_BYTES>(tag) {
            return None;
        }
        let (moment, id) = place.split_at(MOMENT_BYTES);
        let moment = Timestamp::from_millis(i64::from_be_bytes(moment.try_into().ok()?));
        Some((moment, Uuid::from_slice(id).ok()?))
    }

    /// Seals the last row of a page that is ordered by a text, then by id.
    pub fn close_key(&self, key: &str, last: Uuid) -> String {
        let place = [last.as_bytes(), &KEY_MARK[..], key.as_bytes()].concat();
        let tag = self.0.clone().chain(&place).tag::<TAG_BYTES>();
        URL_SAFE_NO_PAD.encode([&place[..], &tag].concat())
    }

    /// Opens what [`Self::close_key`] sealed.
    pub fn open_key(&self, cursor: &str) -> Option<(String, Uuid)> {
        let bytes = URL_SAFE_NO_PAD.decode(cursor).ok()?;
        let (place, tag) = bytes.split_at_checked(bytes.len().checked_sub(TAG_BYTES)?)?;
        if !self.0.clone().chain(place).is_tag::<TAG_BYTES>(tag) {
            return None;
        }
        let (id, rest) = place.split_at_checked(ID_BYTES)?;
        let key = rest.strip_prefix(&KEY_MARK)?;
        Some((String::from_utf8(key.to_vec()).ok()?, Uuid::from_slice(id).ok()?))
    }

    fn of(&self, last: Uuid) -> Mac {
        self.0.clone().chain(last.as_bytes())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn seal(list: &str, account: u128, filters: &[(&str, &str)]) -> Seal {
        Seal::new(&[9; 32], list, Uuid::from_u128(account), filters)
    }

    #[test]
    fn a_cursor_is_bound_to_list_account_and_filters() {
        let last = Uuid::from_u128(42);
        let cursor = seal("/contacts", 1, &[("q", "ann")]).close(last);
        assert_eq!(seal("/contacts", 1, &[("q", "ann")]).open(&cursor), Some(last));
        for other in [
            seal("/events", 1, &[("q", "ann")]),
            seal("/contacts", 2, &[("q", "ann")]),
            seal("/contacts", 1, &[]),
            seal("/contacts", 1, &[("q", "anna")]),
            seal("/contacts", 1, &[("qa", "nn")]),
        ] {
            assert_eq!(other.open(&cursor), None);
        }
    }

    proptest! {
        #[test]
        fn every_id_survives_the_round_trip(id: u128) {
            let seal = seal("/contacts", 1, &[]);
            prop_assert_eq!(seal.open(&seal.close(Uuid::from_u128(id))), Some(Uuid::from_u128(id)));
        }

        #[test]
        fn every_moment_survives_the_round_trip(id: u128, millis in 0_i64..4_000_000_000_000) {
            let (seal, other) = (seal("/inbox", 1, &[]), seal("/inbox", 2, &[]));
            let (id, moment) = (Uuid::from_u128(id), Timestamp::from_millis(millis));
            let cursor = seal.close_at(moment, id);
            prop_assert_eq!(seal.open_at(&cursor), Some((moment, id)));
            prop_assert_eq!(other.open_at(&cursor), None);
            // Neither kind of cursor is taken for the other.
            prop_assert_eq!(seal.open(&cursor), None);
            prop_assert_eq!(seal.open_at(&seal.close(id)), None);
        }

        #[test]
        fn every_key_survives_the_round_trip(id: u128, key: String) {
            let (seal, other) = (seal("/contacts", 1, &[]), seal("/contacts", 2, &[]));
            let id = Uuid::from_u128(id);
            let cursor = seal.close_key(&key, id);
            prop_assert_eq!(seal.open_key(&cursor), Some((key, id)));
            prop_assert_eq!(other.open_key(&cursor), None);
            // No kind of cursor is taken for another.
            prop_assert_eq!((seal.open(&cursor), seal.open_at(&cursor)), (None, None));
            prop_assert_eq!(seal.open_key(&seal.close(id)), None);
            prop_assert_eq!(seal.open_key(&seal.close_at(Timestamp::from_millis(7), id)), None);
        }

        #[test]
        fn any_change_of_a_character_breaks_it(id: u128, at in 0_usize..43, to in "[A-Za-z0-9_-]") {
            let seal = seal("/contacts", 1, &[]);
            let cursor = seal.close(Uuid::from_u128(id));
            let mut altered = cursor.clone();
            altered.replace_range(at..=at, &to);
            prop_assume!(altered != cursor);
            prop_assert_eq!(seal.open(&altered), None);
        }

        #[test]
        fn no_text_makes_it_fall_over(text: String) {
            let _ = seal("/contacts", 1, &[]).open(&text);
            let _ = seal("/contacts", 1, &[]).open_at(&text);
            let _ = seal("/contacts", 1, &[]).open_key(&text);
        }
    }
}
