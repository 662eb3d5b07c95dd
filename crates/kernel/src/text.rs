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
    /// What the characters must be, as a regular expression of JSON Schema: at least one that is not blank, and no NUL.
    pub const PATTERN: &str = r"^[^\u0000]*[^\s\u0000][^\u0000]*$";
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
        if trimmed.is_empty() {
            Err(NotAText::Blank)
        } else if text.contains('\0') {
            Err(NotAText::Nul)
        } else if text.chars().count() > MAX {
            Err(NotAText::TooLong { max: MAX })
        } else {
            Ok(Self(trimmed.to_owned()))
        }
    }
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
    fn limits_count_characters_as_they_are_sent() {
        assert_eq!(" ünï ".parse::<Text<5>>().unwrap().as_str(), "ünï");
        assert_eq!(" ünï ".parse::<Text<4>>(), Err(NotAText::TooLong { max: 4 }));
        assert_eq!(" \t ".parse::<Text<3>>(), Err(NotAText::Blank));
        assert_eq!("four".parse::<Text<3>>(), Err(NotAText::TooLong { max: 3 }));
        assert_eq!("a\0b".parse::<Text<3>>(), Err(NotAText::Nul));
    }
}
