//! Splits a text into the words by which memories are indexed.

use std::collections::BTreeSet;

/// Maximum characters that are kept of a word, and maximum words of one text.
const WORD_CHARS_MAX: usize = 40;
const WORDS_MAX: usize = 400;
/// No byte of UTF-8 is larger.
const AFTER_EVERY_BYTE: u8 = 0xff;

/// The distinct words of a text, in lower case. In languages that are written without spaces, each character is a
/// word.
pub(super) fn of(text: &str) -> BTreeSet<String> {
    let lower = text.to_lowercase();
    let mut words = BTreeSet::new();
    for word in lower.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()) {
        if word.chars().any(stands_alone) {
            words.extend(word.chars().map(String::from));
        } else {
            words.insert(word.chars().take(WORD_CHARS_MAX).collect());
        }
        if words.len() >= WORDS_MAX {
            break;
        }
    }
    words.into_iter().take(WORDS_MAX).collect()
}

/// Chinese and Japanese characters, and those of Thai, Lao, Khmer and Burmese.
fn stands_alone(c: char) -> bool {
    matches!(c, '\u{0e00}'..='\u{0eff}' | '\u{1000}'..='\u{109f}' | '\u{1780}'..='\u{17ff}' | '\u{3040}'..='\u{30ff}' | '\u{3400}'..='\u{9fff}')
}

/// The range of all words that begin with this one. The end is exclusive.
pub(super) fn beginning_with(word: &str) -> (Vec<u8>, Vec<u8>) {
    let from = word.as_bytes().to_vec();
    let mut to = from.clone();
    to.push(AFTER_EVERY_BYTE);
    (from, to)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str) -> Vec<String> {
        of(text).into_iter().collect()
    }

    #[test]
    fn words_are_lowered_and_kept_once() {
        assert_eq!(words("Prefers TEA, not tea-bags!"), ["bags", "not", "prefers", "tea"]);
        assert_eq!(words("Größe 42"), ["42", "größe"]);
        assert_eq!(words("お茶"), ["お", "茶"]);
        assert_eq!(words(" ... "), [""; 0]);
    }

    #[test]
    fn a_text_of_any_size_has_few_words() {
        let text = (0..5_000).map(|n| format!("w{n}")).collect::<Vec<_>>().join(" ");
        assert_eq!(of(&text).len(), WORDS_MAX);
        assert_eq!(words(&"x".repeat(9_000)), ["x".repeat(WORD_CHARS_MAX)]);
    }

    #[test]
    fn the_range_of_a_beginning_holds_its_words() {
        let (from, to) = beginning_with("te");
        for (word, inside) in [("te", true), ("tea", true), ("teé", true), ("tf", false), ("t", false)] {
            let word = word.as_bytes().to_vec();
            assert_eq!(from <= word && word < to, inside, "{word:?}");
        }
    }
}
