//! The words in SQLite's full-text index, and its queries.
//!
//! A word is a trigram of a contact's text, the beginning of one of its words, or one of its keys, with the
//! account's number as prefix, so that one account's search never reads another's contacts. Four consecutive
//! digits replace the trigram of their first three. The index stores no positions: the caller checks that the
//! trigrams of a query are adjacent in the contact's text.

use crate::keys::Plain;
use crate::text::{FIELD_END, MARK, account_prefix};

const GRAM: usize = 3;
/// The most keys in a query: one already finds few contacts.
const KEYS_ASKED_MAX: usize = 3;
/// The most trigrams in a query. Every word is looked up in each segment of the index; with fewer words, more
/// contacts must be checked.
const GRAMS_ASKED_MAX: usize = 5;

/// The words of a text, separated by spaces.
pub fn words(text: &str, account_num: i64) -> String {
    let fields: Vec<(Vec<char>, Plain)> =
        text.split(FIELD_END).map(|field| (field.chars().collect(), Plain::new(field))).collect();
    let mut all = Vec::with_capacity(text.len());
    for (letters, plain) in &fields {
        all.extend((0..letters.len()).filter_map(|at| gram(letters, at)));
        all.extend(letters.windows(2).filter(|pair| pair[0] == MARK));
        all.extend(plain.joints());
    }
    all.sort_unstable();
    all.dedup();
    let prefix = account_prefix(account_num);
    let mut words = String::with_capacity(all.len() * (prefix.len() + 6));
    for word in all {
        if !words.is_empty() {
            words.push(' ');
        }
        words.push_str(&prefix);
        words.extend(word.iter().copied().map(letter));
    }
    words
}

/// The index query for a needle: words of every text that contains the needle.
pub(super) fn query(needle: &str, account_num: i64) -> String {
    let (letters, plain): (Vec<char>, Plain) = (needle.chars().collect(), Plain::new(needle));
    let end = letters.len();
    let of = |wanted: &dyn Fn(&[char]) -> bool| -> Vec<&[char]> {
        // The characters after the needle's last three digits are unknown.
        let known = |at: &usize| at + GRAM < end || !letters[*at..].iter().all(char::is_ascii_digit);
        (0..end).filter(known).filter_map(|at| gram(&letters, at)).filter(|gram| wanted(gram)).collect()
    };
    let mut keys: Vec<&[char]> = plain.joints().collect();
    keys.extend(of(&|gram| gram.len() > GRAM));
    let asked = if keys.is_empty() {
        let mut grams = of(&|_| true);
        if let [.., MARK, _] = letters[..] {
            grams.push(&letters[end - 2..]);
        }
        spread(grams, GRAMS_ASKED_MAX)
    } else {
        spread(keys, KEYS_ASKED_MAX)
    };
    let prefix = account_prefix(account_num);
    let quoted = |word: &[char], after: &str| {
        let word: String = word.iter().copied().map(letter).collect();
        format!("\"{prefix}{word}\"{after}")
    };
    if asked.is_empty() {
        // Three digits, with any continuation.
        return quoted(&letters, " *");
    }
    let asked: Vec<String> = asked.into_iter().map(|word| quoted(word, "")).collect();
    asked.join(" AND ")
}

/// The trigram at a position. One with a mark in its middle adds nothing to its neighbours.
fn gram(letters: &[char], at: usize) -> Option<&[char]> {
    let three = letters.get(at..at + GRAM).filter(|three| three[1] != MARK)?;
    let four = letters.get(at..=at + GRAM).filter(|four| four.iter().all(char::is_ascii_digit));
    Some(four.unwrap_or(three))
}

/// A selection of at most this many, including the first and the last.
fn spread<T: Copy>(all: Vec<T>, max: usize) -> Vec<T> {
    if all.len() <= max { all } else { (0..max).map(|at| all[at * (all.len() - 1) / (max - 1)]).collect() }
}

/// A character that the index accepts in a word: other ASCII moves to a private range.
fn letter(c: char) -> char {
    const MOVED: u32 = 0xE000;
    match c {
        c if c.is_ascii_alphanumeric() => c,
        c if c.is_ascii() => char::from_u32(MOVED + u32::from(c)).unwrap_or('\u{FFFD}'),
        '\u{E000}'..='\u{E07F}' => '\u{FFFD}',
        c => c,
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::super::{Needle, text};
    use super::*;
    use proptest::prelude::*;

    /// A model of the index's matching.
    fn finds(text: &str, query: &str) -> bool {
        let Some(needle) = Needle::new(query) else { return false };
        let words = words(text, 7);
        let has: BTreeSet<&str> = words.split(' ').collect();
        needle.words(7).split(" AND ").all(|asked| match asked.strip_suffix(" *") {
            None => has.contains(asked.trim_matches('"')),
            Some(beginning) => has.iter().any(|word| word.starts_with(beginning.trim_matches('"'))),
        })
    }

    fn asked(query: &str) -> String {
        let asked = Needle::new(query).unwrap().words(7);
        let shown = |c: char| match c {
            '\u{E001}' => '^',
            '\u{E000}'..='\u{E07F}' => char::from_u32(u32::from(c) - 0xE000).unwrap(),
            c => c,
        };
        asked.replace("7z", "").replace('"', "").chars().map(shown).collect()
    }

    #[test]
    fn few_words_are_asked_for_and_keys_before_others() {
        assert_eq!(asked("maria"), "mar AND ari AND ria");
        assert_eq!(asked("Quackenbush"), "qua AND ack AND ken AND nbu AND ush");
        assert_eq!(asked("Katarina Kaplan"), "ina kap");
        assert_eq!(asked("987654"), "9876 AND 8765 AND 7654");
        assert_eq!(asked("987"), "987 *");
        assert_eq!(asked("a98"), "a98");
        assert_eq!(asked("da"), "^da");
        assert_eq!(asked("d"), "^d");
        assert_eq!(asked("q m"), "q ^ AND ^m");
    }

    #[test]
    fn digits_in_a_row_stand_for_their_first_three() {
        let words = words(&text([None, Some("+12345"), None, None]), 7);
        let words: Vec<&str> = words.split(' ').filter(|word| word.is_ascii()).collect();
        assert_eq!(words, ["7z1234", "7z2345", "7z345"]);
    }

    proptest! {
        #[test]
        fn every_part_of_a_text_is_found(
            name in "[a-cÄß12 .@\u{1}-\u{3}]{0,12}", email in "[a-c123.@]{0,8}", query in "[a-cÄß123 .@]{0,7}",
        ) {
            let text = text([Some(&name), None, Some(&email), None]);
            if Needle::new(&query).is_some_and(|needle| needle.is_in(&text)) {
                prop_assert!(finds(&text, &query), "{:?} in {:?}", query, text);
            }
        }

        #[test]
        fn every_query_asks_for_something(query in "\\PC{1,12}") {
            if let Some(needle) = Needle::new(&query) {
                let asked = needle.words(7);
                prop_assert!(asked.matches('"').count() >= 2 && asked.len() > "\"7z\"".len());
            }
        }
    }
}
