//! The text that `q` searches, the same on both engines.
//!
//! The searched fields of a row, such as a contact's name, phone, email and company, are joined into one text: lowercase, one field per line, and a
//! mark before each character that begins a word. A query is normalised the same way, and matches if it is
//! part of that text. A short query keeps the mark before its first character, so it matches only the
//! beginnings of words..

use frontdesk_platform::listing;

use crate::keys::keys;
use crate::words;

/// Precedes a character that begins a word. No field contains it: control characters become spaces.
pub(crate) const MARK: char = '\u{1}';
pub(crate) const FIELD_END: char = '\n';
/// Queries up to this long match only the beginnings of words.
const SHORT_CHARS_MAX: usize = 2;

/// The text of a row's fields.
pub fn text(fields: [Option<&str>; 4]) -> String {
    let mut text = String::new();
    for field in fields.into_iter().flatten() {
        mark(field, &mut text);
        text.push(FIELD_END);
    }
    text
}

/// A normalised query.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Needle(String);

impl Needle {
    /// None if nothing is left of the query.
    pub fn new(query: &str) -> Option<Self> {
        let query = query.trim();
        let mut marked = String::new();
        mark(query, &mut marked);
        let short = query.chars().count() <= SHORT_CHARS_MAX;
        let needle = if short { marked } else { marked.trim_start_matches(MARK).to_owned() };
        (!needle.is_empty()).then_some(Self(needle))
    }

    /// Whether a text contains it.
    pub fn is_in(&self, text: &str) -> bool {
        text.contains(&self.0)
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The pattern for LIKE with `\` as escape.
    pub fn pattern(&self) -> String {
        listing::pattern(&self.0)
    }

    /// The keys of every text that contains it; none if there are none.
    pub fn keys(&self, account_num: i64) -> Option<String> {
        Some(keys(&self.0, &account_prefix(account_num))).filter(|keys| !keys.is_empty())
    }

    /// The query for SQLite's full-text index: it finds every text that contains the needle, and a few
    /// others.
    pub fn words(&self, account_num: i64) -> String {
        words::query(&self.0, account_num)
    }
}

fn mark(field: &str, out: &mut String) {
    let mut previous: Option<char> = None;
    for c in field.chars().flat_map(char::to_lowercase) {
        let c = if c.is_control() { ' ' } else { c };
        let begins = match previous {
            None => true,
            Some(before) => before.is_whitespace() || (c.is_alphanumeric() && !before.is_alphanumeric()),
        };
        if begins && !c.is_whitespace() {
            out.push(MARK);
        }
        out.push(c);
        previous = Some(c);
    }
}

/// The prefix of every word and key of an account. It ends in a letter that is not a hexadecimal digit, so
/// that number and text cannot run together.
pub fn account_prefix(account_num: i64) -> String {
    format!("{account_num:x}z")
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn found(text: &str, query: &str) -> bool {
        Needle::new(query).is_some_and(|needle| needle.is_in(text))
    }

    #[test]
    fn any_part_matches_regardless_of_case() {
        let text = text([
            Some("Ann-Marie Lee"),
            Some("+5511987654321"),
            Some("ann.lee@acme.com"),
            Some("ACME GmbH"),
        ]);
        for hit in
            ["ann", "MARIE", "e le", "nn-ma", "87654", "+55", "lee@acme", "acme.com", "gmbh", "n-Marie Lee"]
        {
            assert!(found(&text, hit), "{hit}");
        }
        for miss in ["bob", "annmarie", "lee acme", "4321ann", "gmbh\n"] {
            assert_eq!(found(&text, miss), miss.trim() == "gmbh", "{miss}");
        }
    }

    #[test]
    fn one_or_two_characters_match_beginnings_of_words_only() {
        let text = text([Some("Ann-Marie Lee"), Some("+5511987654321"), Some("zoe@acme.com"), None]);
        for hit in ["a", "an", "m", "Ma", "le", "55", "+5", "+", "zo", "ac", "co"] {
            assert!(found(&text, hit), "{hit}");
        }
        for miss in ["nn", "ee", "11", "n", "ie", "oe", "om"] {
            assert!(!found(&text, miss), "{miss}");
        }
    }

    #[test]
    fn wildcards_are_letters() {
        assert_eq!(Needle::new("100%_\\").unwrap().pattern(), "%100\\%\\_\\\\%");
    }

    proptest! {
        #[test]
        fn a_part_of_a_field_is_found(name in "\\PC{3,20}", start in 0_usize..10, length in 3_usize..10) {
            let part: String = name.chars().skip(start).take(length).collect();
            prop_assume!(part.trim().chars().count() >= 3 && part.trim() == part);
            // Lowercase may depend on the neighbouring letters, as with a final sigma; letter by letter it
            // does not.
            prop_assert!(found(&text([Some(&name), None, None, None]), &part));
        }
    }
}
