//! Queries, normalised like the texts that they are compared with.

use frontdesk_platform::listing;

use crate::keys::keys;
use crate::text::{MARK, account_prefix, mark};
use crate::words;

/// Queries up to this long match only the beginnings of words.
const SHORT_CHARS_MAX: usize = 2;

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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::text;
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
