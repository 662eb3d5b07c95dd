//! What `q` looks in, the same on both engines.
//!
//! A contact's name, phone, email and company are written into one text: lower case, a field to a line, and a mark
//! before each character that begins a word. A query is written the same way, so finding it is finding a part of that
//! text. Short queries keep the mark before their first character: they match the beginnings of words only.
//!
//! PostgreSQL looks with a trigram index on the text itself. SQLite's full-text index is fed the text's trigrams as
//! words, each with the account's number before it, so that one account's search never walks another's contacts; a
//! phrase of consecutive trigrams is a part of the text.

use std::collections::BTreeSet;

/// Stands before a character that begins a word. No field holds it: control characters become spaces.
const MARK: char = '\u{1}';
const FIELD_END: char = '\n';
/// Queries up to this long match only the beginnings of words.
const SHORT_CHARS_MAX: usize = 2;
const GRAM_CHARS: usize = 3;

/// The text of a contact.
pub fn text(fields: [Option<&str>; 4]) -> String {
    let mut text = String::new();
    for field in fields.into_iter().flatten() {
        mark(field, &mut text);
        text.push(FIELD_END);
    }
    text
}

/// A query, ready to be looked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Needle(String);

impl Needle {
    /// None when nothing is left of the query.
    pub fn new(query: &str) -> Option<Self> {
        let query = query.trim();
        let mut marked = String::new();
        mark(query, &mut marked);
        let short = query.chars().count() <= SHORT_CHARS_MAX;
        let needle = if short { marked } else { marked.trim_start_matches(MARK).to_owned() };
        (!needle.is_empty()).then_some(Self(needle))
    }

    /// The pattern for LIKE with `\` as escape.
    pub fn pattern(&self) -> String {
        let mut pattern = String::from("%");
        for c in self.0.chars() {
            if matches!(c, '%' | '_' | '\\') {
                pattern.push('\\');
            }
            pattern.push(c);
        }
        pattern.push('%');
        pattern
    }

    /// The query for SQLite's full-text index.
    pub fn phrase(&self, account_num: i64) -> String {
        let letters: Vec<char> = self.0.chars().map(letter).collect();
        let mut words = Words::new(account_num);
        if letters.len() < GRAM_CHARS {
            words.add(&letters);
            return format!("starts : \"{}\"", words.text);
        }
        letters.windows(GRAM_CHARS).for_each(|gram| words.add(gram));
        format!("grams : \"{}\"", words.text)
    }
}

/// The words that SQLite's full-text index is fed: every trigram in order, and the first letter of every word.
pub fn words(text: &str, account_num: i64) -> (String, String) {
    let letters: Vec<char> = text.chars().map(letter).collect();
    let (mut grams, mut starts) = (Words::new(account_num), Words::new(account_num));
    grams.text.reserve(letters.len() * 12);
    letters.windows(GRAM_CHARS).for_each(|gram| grams.add(gram));
    let begins: BTreeSet<&[char]> = letters.windows(2).filter(|pair| pair[0] == letter(MARK)).collect();
    for begin in begins {
        starts.add(begin);
    }
    (grams.text, starts.text)
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

/// A character that the index takes as part of a word: other ASCII moves to a private range.
fn letter(c: char) -> char {
    const MOVED: u32 = 0xE000;
    match c {
        c if c.is_ascii_alphanumeric() => c,
        c if c.is_ascii() => char::from_u32(MOVED + u32::from(c)).unwrap_or('\u{FFFD}'),
        '\u{E000}'..='\u{E07F}' => '\u{FFFD}',
        c => c,
    }
}

/// Words of the index with blanks between them, each with the account's number before it.
struct Words {
    number: String,
    text: String,
}

impl Words {
    fn new(account_num: i64) -> Self {
        // A letter that no hexadecimal digit is follows, so that number and letters cannot run together.
        Self { number: format!("{account_num:x}z"), text: String::new() }
    }

    fn add(&mut self, letters: &[char]) {
        if !self.text.is_empty() {
            self.text.push(' ');
        }
        self.text.push_str(&self.number);
        self.text.extend(letters);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// What both engines do, spelled out.
    fn found(text: &str, query: &str) -> bool {
        Needle::new(query).is_some_and(|needle| text.contains(&needle.0))
    }

    /// What SQLite's index does with words and phrases.
    fn found_by_words(text: &str, query: &str) -> bool {
        let Some(needle) = Needle::new(query) else { return false };
        let (grams, starts) = words(text, 7);
        let phrase = needle.phrase(7);
        let (column, quoted) = phrase.split_once(" : ").unwrap();
        let wanted: Vec<&str> = quoted.trim_matches('"').split(' ').collect();
        let indexed: Vec<&str> =
            if column == "grams" { &grams } else { &starts }.split_whitespace().collect();
        indexed.windows(wanted.len()).any(|window| window == wanted)
    }

    #[test]
    fn any_part_is_found_whatever_its_case() {
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
            assert!(found_by_words(&text, hit), "{hit}");
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
            assert!(found_by_words(&text, hit), "{hit}");
        }
        for miss in ["nn", "ee", "11", "n", "ie", "oe", "om"] {
            assert!(!found(&text, miss), "{miss}");
            assert!(!found_by_words(&text, miss), "{miss}");
        }
    }

    #[test]
    fn wildcards_are_letters() {
        assert_eq!(Needle::new("100%_\\").unwrap().pattern(), "%100\\%\\_\\\\%");
    }

    proptest! {
        #[test]
        fn both_ways_of_looking_agree(name in "[a-cÄß .@\u{1}-\u{3}]{0,12}", email in "[a-c.@]{0,8}", query in "[a-cÄß .@]{0,5}") {
            let text = text([Some(&name), None, Some(&email), None]);
            prop_assert_eq!(found(&text, &query), found_by_words(&text, &query));
        }

        #[test]
        fn a_part_of_a_field_is_found(name in "\\PC{3,20}", start in 0_usize..10, length in 3_usize..10) {
            let part: String = name.chars().skip(start).take(length).collect();
            prop_assume!(part.trim().chars().count() >= 3 && part.trim() == part);
            // Lower case may depend on the letters around, as with a final sigma; here letter by letter it does not.
            prop_assert!(found(&text([Some(&name), None, None, None]), &part));
        }
    }
}
