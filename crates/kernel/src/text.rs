//! Text with a limit.

use std::fmt;
use std::str::FromStr;

use serde::Serialize;

/// Text of 1 to `MAX` characters, without blanks around it and without NUL, which PostgreSQL cannot hold.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
#[serde(transparent)]
pub struct Text<const MAX: usize>(String);

#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum NotAText {
    #[error("must not be blank")]
    Blank,
    #[error("must have at most {max} characters")]
    TooLong { max: usize },
    #[error("must not contain the NUL character")]
    Nul,
}

impl<const MAX: usize> Text<MAX> {
    /// The allowed characters, as a regular expression of JSON Schema: at least one that is not blank, and no
    /// NUL.
    pub const PATTERN: &str = r"^[^\u0000]*[^\s\u0000-\u001f\u007f-\u009f\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f\u2800\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb][^\u0000]*$";
    /// The same for a text that may also be blank.
    pub const PATTERN_OR_BLANK: &str = r"^[^\u0000]*$";

    pub fn as_str(&self) -> &str {
        &self.0
    }

    pub fn into_string(self) -> String {
        self.0
    }
}

impl<const MAX: usize> FromStr for Text<MAX> {
    type Err = NotAText;

    /// The limit counts the text as it was sent, so that the documented `maxLength` is exact.
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let trimmed = text.trim();
        if text.contains('\0') {
            Err(NotAText::Nul)
        } else if is_blank(trimmed) {
            Err(NotAText::Blank)
        } else if text.chars().count() > MAX {
            Err(NotAText::TooLong { max: MAX })
        } else {
            Ok(Self(trimmed.to_owned()))
        }
    }
}

/// Characters of a text that decide its place in a sorted list.
const SORTED_CHARS: usize = 60;

/// The key by which texts are sorted, byte by byte: ASCII letters without their case, and frequent letters with marks as
/// dictionaries in German sort them. Keys are stored, so a change of this function needs a migration.
pub fn sort_key(text: &str) -> String {
    let plain = text.chars().flat_map(|letter| {
        let (first, second) = match letter {
            'Ä' | 'ä' | 'Á' | 'á' | 'Å' | 'å' => ('a', None),
            'Ö' | 'ö' | 'Ó' | 'ó' | 'Ø' | 'ø' => ('o', None),
            'Ü' | 'ü' => ('u', None),
            'É' | 'é' | 'È' | 'è' => ('e', None),
            'ç' => ('c', None),
            'ß' => ('s', Some('s')),
            other => (other.to_ascii_lowercase(), None),
        };
        [Some(first), second].into_iter().flatten()
    });
    plain.take(SORTED_CHARS).collect()
}

/// Whether the text shows nothing: it is empty, or all blanks, controls and invisible characters. NUL is not
/// blank: it is always rejected.
pub fn is_blank(text: &str) -> bool {
    text.chars().all(is_invisible)
}

/// Whether a character is invisible: white space, a control, or one that Unicode says to ignore if it is not
/// supported (zero-width, direction marks, variation selectors, fillers, tags).
fn is_invisible(c: char) -> bool {
    c.is_whitespace()
        || (c.is_control() && c != '\0')
        || matches!(
            c,
            '\u{ad}'
                | '\u{34f}'
                | '\u{61c}'
                | '\u{115f}'..='\u{1160}'
                | '\u{17b4}'..='\u{17b5}'
                | '\u{180b}'..='\u{180f}'
                | '\u{200b}'..='\u{200f}'
                | '\u{202a}'..='\u{202e}'
                | '\u{2060}'..='\u{206f}'
                | '\u{2800}'
                | '\u{3164}'
                | '\u{fe00}'..='\u{fe0f}'
                | '\u{feff}'
                | '\u{ffa0}'
                | '\u{fff0}'..='\u{fffb}'
                | '\u{1bca0}'..='\u{1bca3}'
                | '\u{1d173}'..='\u{1d17a}'
                | '\u{e0000}'..='\u{e0fff}'
        )
}

impl<const MAX: usize> fmt::Display for Text<MAX> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_sort_key_has_neither_case_nor_frequent_marks_and_ends_after_sixty_characters() {
        let names = ["Zoë", "ärger", "Straße", "Öl", "anna", "Anna B", "Ødegård", "Çelik"];
        let keys = names.map(sort_key);
        assert_eq!(keys, ["zoë", "arger", "strasse", "ol", "anna", "anna b", "odegard", "Çelik"]);
        assert_eq!(sort_key(&"ß".repeat(40)), "s".repeat(60));
        assert_eq!(sort_key(""), "");
    }

    #[test]
    fn limits_count_characters_as_they_are_sent() {
        assert_eq!(" ünï ".parse::<Text<5>>().unwrap().as_str(), "ünï");
        assert_eq!(" ünï ".parse::<Text<4>>(), Err(NotAText::TooLong { max: 4 }));
        assert_eq!(" \t ".parse::<Text<3>>(), Err(NotAText::Blank));
        assert_eq!("four".parse::<Text<3>>(), Err(NotAText::TooLong { max: 3 }));
        assert_eq!("a\0b".parse::<Text<3>>(), Err(NotAText::Nul));
        assert!(is_blank("\u{200b}\u{7}") && !is_blank("\0"));
    }

    #[test]
    fn text_that_shows_nothing_is_blank() {
        for blank in [
            "",
            "\u{200b}",
            " \u{200b}\u{feff} ",
            "\u{2060}",
            "\u{7}",
            "\u{ad}",
            "\u{3164}",
            "\u{e0041}",
            "\u{2800}",
        ] {
            assert_eq!(blank.parse::<Text<9>>(), Err(NotAText::Blank), "{blank:?}");
        }
        // Characters that join or direct visible ones stay.
        for seen in ["a\u{200b}", "\u{1f468}\u{200d}\u{1f469}", "\u{202e}abc", "न\u{200d}", "."] {
            assert_eq!(seen.parse::<Text<9>>().unwrap().as_str(), seen);
        }
    }
}
