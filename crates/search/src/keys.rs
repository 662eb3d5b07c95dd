//! Search keys: parts of a text that few contacts share.
//!
//! A full name is rare although its parts are common, and so are six digits from the middle of a phone
//! number. Their keys are rare too: four consecutive digits, and the characters around the space between two
//! words. A text that contains a query has all of the query's keys.

use std::collections::BTreeSet;

use crate::text::{FIELD_END, MARK};

/// The prefix of the keys of a contact that is being written; the statement replaces it by the account's
/// number. No key contains it.
pub const KEY_PREFIX: &str = "\u{1}";

const DIGITS: usize = 4;
/// A joint is the space between two words, with this many characters before and after it.
const JOINT_BEFORE: usize = 3;
const JOINT_AFTER: usize = 3;

/// The keys of a text or a query, each with the prefix, one per line.
pub fn keys(text: &str, prefix: &str) -> String {
    let mut lines = String::new();
    for field in text.split(FIELD_END).map(Plain::new) {
        for key in field.digits().chain(field.joints()).collect::<BTreeSet<_>>() {
            if !lines.is_empty() {
                lines.push('\n');
            }
            lines.push_str(prefix);
            lines.extend(key);
        }
    }
    lines
}

/// A field without its marks, and the marks' positions.
pub(super) struct Plain {
    letters: Vec<char>,
    begins: Vec<usize>,
}

impl Plain {
    pub(super) fn new(field: &str) -> Self {
        let (mut letters, mut begins) = (Vec::with_capacity(field.len()), Vec::new());
        for c in field.chars() {
            if c == MARK { begins.push(letters.len()) } else { letters.push(c) }
        }
        Self { letters, begins }
    }

    fn digits(&self) -> impl Iterator<Item = &[char]> {
        self.letters.windows(DIGITS).filter(|window| window.iter().all(char::is_ascii_digit))
    }

    pub(super) fn joints(&self) -> impl Iterator<Item = &[char]> {
        self.begins.iter().filter_map(|begin| {
            let blank = begin.checked_sub(1).filter(|blank| self.letters[*blank] == ' ')?;
            self.letters.get(blank.checked_sub(JOINT_BEFORE)?..begin + JOINT_AFTER)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Needle, account_prefix, text};
    use super::*;
    use proptest::prelude::*;

    fn keys_of(query: &str) -> Vec<String> {
        let needle = Needle::new(query).unwrap();
        keys(needle.as_str(), &account_prefix(26)).lines().map(str::to_owned).collect()
    }

    #[test]
    fn joints_and_digits_are_keys() {
        assert_eq!(keys_of("Katarina Kaplan"), ["1azina kap"]);
        assert_eq!(keys_of("Ana de la Cruz"), ["1az de la ", "1az la cru", "1azana de "]);
        assert_eq!(keys_of("987654"), ["1az7654", "1az8765", "1az9876"]);
        for few in ["Kaplan", "na kap", "ina ka", "katarina.kaplan", "987", "a 98b76"] {
            assert_eq!(keys_of(few), Vec::<String>::new(), "{few}");
        }
    }

    #[test]
    fn no_key_holds_the_prefix_that_is_replaced() {
        let text = text([Some("Ana \u{1} de la\u{1} Cruz 12345"), None, None, None]);
        let keys = keys(&text, KEY_PREFIX);
        assert!(!keys.is_empty());
        for key in keys.lines() {
            assert_eq!(key.matches(KEY_PREFIX).count(), 1, "{key:?}");
            assert!(key.starts_with(KEY_PREFIX), "{key:?}");
        }
    }

    proptest! {
        #[test]
        fn a_text_has_the_keys_of_what_it_holds(name in "[ab12 .]{0,14}", email in "[a1.@]{0,8}", query in "[ab12 .]{1,9}") {
            let text = text([Some(&name), None, Some(&email), None]);
            let Some(needle) = Needle::new(&query) else { return Ok(()) };
            if needle.is_in(&text) {
                let (has, wanted) = (keys(&text, "7z"), keys(needle.as_str(), "7z"));
                let has: BTreeSet<&str> = has.lines().collect();
                prop_assert!(wanted.lines().all(|key| has.contains(key)), "{:?} of {:?}", wanted, has);
            }
        }
    }
}
