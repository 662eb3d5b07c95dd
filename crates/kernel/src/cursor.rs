//! Opaque page cursors: the last id of a page, sealed to the list it came from.
//!
//! A cursor opens only under the seal it was made with, so one that was altered, or that is used
//! with other filters, on another list or by another account, is simply no cursor.

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use uuid::Uuid;

use crate::mac::Mac;

const ID_BYTES: usize = 16;
const TAG_BYTES: usize = 16;

/// One list as one account sees it under one set of filters.
#[derive(Clone)]
pub struct Seal(Mac);

impl Seal {
    /// `list`, `account` and `filters` may hold any text: each is measured, so none can pose as another.
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
        }
    }
}
