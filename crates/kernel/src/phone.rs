//! Phone numbers, and their comparison.
//!
//! A number is stored as it was given, in E.164. Numbers are compared by their key: the digits, without the
//! extra mobile digit of Brazil and Argentina, because the same phone is written with and without it (`+55 11
//! 98765-4321` and `+55 11 8765-4321`; `+54 9 11 …` and `+54 11 …`).
//!
//! A number without a country code can only be read with a [`Country`](crate::Country).

use std::borrow::Cow;
use std::fmt;
use std::str::FromStr;

use serde::Serialize;

/// The longest number E.164 allows, and the shortest that a country gives out.
const DIGITS_MAX: usize = 15;
pub(crate) const DIGITS_MIN: usize = 7;

/// A number in E.164: a plus sign and 7 to 15 digits.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(transparent)]
pub struct Phone(String);

/// Country codes whose numbers keep their leading zero when they are called from abroad: Italy and the Vatican, San
/// Marino, Ivory Coast, Congo.
const KEEP_ZERO: &[&str] = &["39", "378", "225", "242"];
/// The longest country code.
const COUNTRY_CODE_DIGITS_MAX: usize = 3;

#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("must be a phone number with its country code, such as +14155550123")]
pub struct NotAPhone;

/// Any number of the characters that are ignored, as a regular expression.
macro_rules! separators {
    () => {
        r"[ \u00a0\u2011\u202f./()\-]*"
    };
}

impl Phone {
    /// The accepted forms of a number, as a regular expression of JSON Schema.
    pub const PATTERN: &str = concat!(
        r"^ *(\+?",
        separators!(),
        "|",
        separators!(),
        "0",
        separators!(),
        "0",
        separators!(),
        ")[1-9](",
        separators!(),
        "[0-9]){6,14}",
        separators!(),
        "$",
    );
    /// The printed form of a number.
    pub const PRINTED_PATTERN: &str = r"^\+[1-9][0-9]{6,14}$";

    pub fn as_str(&self) -> &str {
        &self.0
    }

    pub fn digits(&self) -> &str {
        &self.0[1..]
    }

    /// The form for comparisons.
    pub fn key(&self) -> String {
        key_of(self.digits())
    }
}

fn key_of(digits: &str) -> String {
    match digits.as_bytes() {
        // Brazil: 55, two digits of area, then 9 and the eight digits the number had before.
        [b'5', b'5', _, _, b'9', first, ..] if digits.len() == 13 && matches!(first, b'6'..=b'9') => {
            format!("{}{}", &digits[..4], &digits[5..])
        }
        // Argentina: 54, then 9 for a mobile called from abroad, then ten digits.
        [b'5', b'4', b'9', ..] if digits.len() == 13 => format!("54{}", &digits[3..]),
        _ => digits.to_owned(),
    }
}

impl FromStr for Phone {
    type Err = NotAPhone;

    /// Parses the usual forms of a number: spaces, dots, dashes, slashes and brackets are ignored, a leading `00` means a
    /// plus sign, and a zero in brackets after the country code is dropped: `+49 (0)151 …` is `+49151…`.
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        if is_printed(text) {
            return Ok(Self(text.to_owned()));
        }
        let text = &without_trunk_zero(text.trim());
        let mut digits = String::with_capacity(1 + DIGITS_MAX);
        digits.push('+');
        for (at, c) in text.chars().enumerate() {
            match c {
                '0'..='9' => digits.push(c),
                '+' if at == 0 => {}
                c if is_separator(c) => {}
                _ => return Err(NotAPhone),
            }
        }
        if !text.starts_with('+') && digits.starts_with("+00") {
            digits.replace_range(1..3, "");
        }
        let count = digits.len() - 1;
        if (DIGITS_MIN..=DIGITS_MAX).contains(&count) && !digits.starts_with("+0") {
            Ok(Self(digits))
        } else {
            Err(NotAPhone)
        }
    }
}

pub(crate) fn is_separator(c: char) -> bool {
    matches!(c, ' ' | '\u{a0}' | '\u{2011}' | '\u{202f}' | '-' | '.' | '/' | '(' | ')')
}

/// The text without the zero in brackets that people write after a country code. It is dialled only inside the country.
pub(crate) fn without_trunk_zero(text: &str) -> Cow<'_, str> {
    let Some((before, after)) = text.split_once("(0)") else { return text.into() };
    let digits: String = before.chars().filter(|c| !is_separator(*c)).collect();
    let code = digits.strip_prefix('+').or_else(|| digits.strip_prefix("00")).unwrap_or(&digits);
    let is_code = (1..=COUNTRY_CODE_DIGITS_MAX).contains(&code.len())
        && !code.starts_with('0')
        && code.bytes().all(|c| c.is_ascii_digit());
    if is_code && !KEEP_ZERO.contains(&code) { format!("{before}{after}").into() } else { text.into() }
}

/// Whether a number has the form in which we print and store it.
fn is_printed(text: &str) -> bool {
    let digits = text.strip_prefix('+').unwrap_or_default().as_bytes();
    (DIGITS_MIN..=DIGITS_MAX).contains(&digits.len())
        && digits[0] != b'0'
        && digits.iter().all(u8::is_ascii_digit)
}

impl fmt::Display for Phone {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn phone(text: &str) -> Phone {
        text.parse().unwrap()
    }

    #[test]
    fn ways_of_writing_one_number_are_one_number() {
        for same in
            ["+14155550123", "14155550123", "+1 (415) 555-0123", "001 415.555.0123", " +1 415 555 0123 "]
        {
            assert_eq!(phone(same).as_str(), "+14155550123", "{same}");
        }
    }

    #[test]
    fn the_zero_in_brackets_after_a_country_code_is_dropped() {
        for same in ["+49 (0)151 0000489", "+49(0)1510000489", "0049 (0) 151 0000489", "49 (0)151-0000489"] {
            assert_eq!(phone(same).as_str(), "+491510000489", "{same}");
        }
        assert_eq!(phone("+44 (0)20 7946 0958").as_str(), "+442079460958");
        // It is part of the number in Italy, and elsewhere after the country code.
        assert_eq!(phone("+39 (0)6 1234 5678").as_str(), "+390612345678");
        assert_eq!(phone("+49 151 (0)000489").as_str(), "+491510000489");
        assert_eq!("(0)151 0000489".parse::<Phone>(), Err(NotAPhone));
    }

    #[test]
    fn text_that_is_not_a_number_is_refused() {
        for wrong in [
            "",
            "+",
            "abc",
            "12345",
            "+1234567890123456",
            "+1415555o123",
            "1+4155550123",
            "+0155550123",
            "+1-415-555-0123 ext 5",
        ] {
            assert_eq!(wrong.parse::<Phone>(), Err(NotAPhone), "{wrong}");
        }
    }

    #[test]
    fn brazilian_and_argentine_mobiles_match_with_and_without_the_nine() {
        assert_eq!(phone("+5511987654321").key(), phone("+551187654321").key());
        assert_eq!(phone("+5491123456789").key(), phone("+541123456789").key());
        assert_ne!(phone("+5511987654321").key(), phone("+5511987654322").key());
        // Eight digits that begin with 2 to 5 are a landline: a 9 before them is part of another number.
        assert_eq!(phone("+5511932654321").key(), "5511932654321");
        assert_eq!(phone("+551132654321").key(), "551132654321");
        // The nine belongs to the number in every other country.
        assert_eq!(phone("+4915112345678").key(), "4915112345678");
    }

    proptest! {
        #[test]
        fn a_number_reads_back_and_its_key_is_stable(text in r"\+?[0-9 ()./-]{0,22}") {
            if let Ok(number) = text.parse::<Phone>() {
                prop_assert_eq!(&phone(number.as_str()), &number);
                prop_assert_eq!(phone(&format!("+{}", number.key())).key(), number.key());
            }
        }

        #[test]
        fn no_text_makes_it_fall_over(text: String) {
            let _ = text.parse::<Phone>();
        }
    }
}
