//! An email address. Only its form is checked, not whether it exists.

use std::fmt;
use std::str::FromStr;

use serde::Serialize;

pub const EMAIL_CHARS_MAX: usize = 254;

/// An address as it was written. Two addresses belong to the same person if their keys are equal.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(transparent)]
pub struct Email(String);

#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("must be an email address such as ann@example.com")]
pub struct NotAnEmail;

/// Characters that no address has, written for a character class.
macro_rules! barred {
    () => {
        r#"\s\u0000-\u001f\u007f-\u009f<>()\[\],;:\\"@"#
    };
}

/// A word that neither begins nor ends with certain characters.
macro_rules! word {
    ($edge:literal) => {
        concat!("[^", barred!(), $edge, "]([^", barred!(), "]*[^", barred!(), $edge, "])?")
    };
}

/// A label of a domain: no dot inside, no hyphen at its edges.
macro_rules! label {
    () => {
        concat!("[^", barred!(), r".\-]([^", barred!(), ".]*[^", barred!(), r".\-])?")
    };
}

impl Email {
    /// The form of an address, as a regular expression of JSON Schema.
    pub const PATTERN: &str = concat!("^", word!("."), "@", label!(), r"(\.", label!(), ")+$");

    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The form for comparisons.
    pub fn key(&self) -> String {
        self.0.to_lowercase()
    }
}

impl FromStr for Email {
    type Err = NotAnEmail;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let text = text.trim();
        let (local, domain) = text.rsplit_once('@').ok_or(NotAnEmail)?;
        let clean = !text.chars().any(|c| c.is_whitespace() || c.is_control() || "<>()[],;:\\\"".contains(c));
        let local_fits =
            !local.is_empty() && !local.contains('@') && !local.starts_with('.') && !local.ends_with('.');
        let domain_fits = domain.contains('.')
            && domain
                .split('.')
                .all(|label| !label.is_empty() && !label.starts_with('-') && !label.ends_with('-'));
        if clean && local_fits && domain_fits && text.chars().count() <= EMAIL_CHARS_MAX {
            Ok(Self(text.to_owned()))
        } else {
            Err(NotAnEmail)
        }
    }
}

impl fmt::Display for Email {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shapes_are_told_apart() {
        for right in ["ann@example.com", " ann.lee+x@sub.example.co ", "ü@exämple.de"] {
            assert!(right.parse::<Email>().is_ok(), "{right}");
        }
        for wrong in [
            "",
            "ann",
            "ann@",
            "@example.com",
            "ann@example",
            "a b@example.com",
            "a@b@example.com",
            "ann@.com",
            "ann@-x.com",
            "<a@example.com>",
        ] {
            assert_eq!(wrong.parse::<Email>(), Err(NotAnEmail), "{wrong}");
        }
    }
}
