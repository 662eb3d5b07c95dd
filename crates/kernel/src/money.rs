//! Amounts of money, stored exactly.
//!
//! An amount is a decimal number with at most twelve digits before the point and four after it, fifteen in
//! all. A JSON number represents that many digits exactly, so the value that is given is the value that is
//! stored and returned, without floating-point noise. It is never negative. Its currency is a separate field.

use std::fmt;
use std::str::FromStr;

use serde::{Serialize, Serializer};

const WHOLE_DIGITS_MAX: usize = 12;
const DECIMALS_MAX: usize = 4;
/// The digits that every double-precision number represents exactly.
const DIGITS_MAX: usize = 15;
/// The unit of an amount: ten-thousandths.
const PARTS: i64 = 10_i64.pow(DECIMALS_MAX as u32);

/// An amount, counted in ten-thousandths.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Money(i64);

#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum NotMoney {
    #[error("must be a number")]
    Shape,
    #[error("must not be negative")]
    Negative,
    #[error(
        "must have at most {WHOLE_DIGITS_MAX} digits before the point, {DECIMALS_MAX} after it, and {DIGITS_MAX} in all"
    )]
    TooLong,
}

impl Money {
    /// From ten-thousandths, as they are stored. None if it is not a valid amount.
    pub const fn from_parts(parts: i64) -> Option<Self> {
        if parts < 0 { None } else { Some(Self(parts)) }
    }

    /// The amount in ten-thousandths.
    pub const fn parts(self) -> i64 {
        self.0
    }

    /// Reads a JSON number.
    pub fn from_number(number: f64) -> Result<Self, NotMoney> {
        // The shortest text that reads back as the same number, which is how it was written.
        if number.is_finite() { number.to_string().parse() } else { Err(NotMoney::Shape) }
    }
}

impl FromStr for Money {
    type Err = NotMoney;

    /// Parses a plain decimal number: `1000000.5`. Leading and trailing zeros do not count.
    fn from_str(text: &str) -> Result<Self, NotMoney> {
        let (negative, digits) = text.strip_prefix('-').map_or((false, text), |digits| (true, digits));
        let (whole, decimals) = digits.split_once('.').unwrap_or((digits, "0"));
        let is_number = |part: &str| !part.is_empty() && part.bytes().all(|digit| digit.is_ascii_digit());
        if !is_number(whole) || !is_number(decimals) {
            return Err(NotMoney::Shape);
        }
        let (whole, decimals) = (whole.trim_start_matches('0'), decimals.trim_end_matches('0'));
        if negative && !(whole.is_empty() && decimals.is_empty()) {
            return Err(NotMoney::Negative);
        }
        if whole.len() > WHOLE_DIGITS_MAX
            || decimals.len() > DECIMALS_MAX
            || whole.len() + decimals.len() > DIGITS_MAX
        {
            return Err(NotMoney::TooLong);
        }
        let parts = format!("{whole}{decimals:0<DECIMALS_MAX$}").parse();
        parts.map(Self).map_err(|_| NotMoney::Shape)
    }
}

impl fmt::Display for Money {
    /// The shortest form: `19.99`, `1000000.5`, `7`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (whole, rest) = (self.0 / PARTS, self.0 % PARTS);
        if rest == 0 {
            return write!(f, "{whole}");
        }
        let decimals = format!("{rest:0DECIMALS_MAX$}");
        write!(f, "{whole}.{}", decimals.trim_end_matches('0'))
    }
}

impl Serialize for Money {
    /// A JSON number. The nearest number to fifteen digits prints as those digits.
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if self.0 % PARTS == 0 {
            return serializer.serialize_i64(self.0 / PARTS);
        }
        let nearest = self.to_string().parse::<f64>().map_err(serde::ser::Error::custom)?;
        serializer.serialize_f64(nearest)
    }
}

/// An ISO 4217 currency code: three capital letters.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(transparent)]
pub struct Currency(String);

#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("must be a currency of three capital letters, such as USD")]
pub struct NotACurrency;

impl Currency {
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl FromStr for Currency {
    type Err = NotACurrency;

    fn from_str(text: &str) -> Result<Self, NotACurrency> {
        let text = text.trim();
        let fits = text.len() == 3 && text.bytes().all(|letter| letter.is_ascii_uppercase());
        if fits { Ok(Self(text.to_owned())) } else { Err(NotACurrency) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn money(text: &str) -> Money {
        text.parse().unwrap_or_else(|wrong| panic!("{text} {wrong}"))
    }

    #[test]
    fn an_amount_is_printed_as_it_was_given() {
        for (given, shown) in [
            ("19.99", "19.99"),
            ("1000000.5", "1000000.5"),
            ("0", "0"),
            ("-0.0", "0"),
            ("007.10", "7.1"),
            ("0.0001", "0.0001"),
            ("999999999999", "999999999999"),
            ("999999999999.999", "999999999999.999"),
            ("99999999999.9999", "99999999999.9999"),
            ("1.50000000", "1.5"),
        ] {
            assert_eq!(money(given).to_string(), shown, "{given}");
            assert_eq!(serde_json::to_string(&money(given)).unwrap(), shown, "{given}");
        }
    }

    #[test]
    fn a_malformed_amount_is_refused_with_the_reason() {
        for (wrong, why) in [
            ("", NotMoney::Shape),
            (".5", NotMoney::Shape),
            ("5.", NotMoney::Shape),
            ("1e3", NotMoney::Shape),
            ("1,5", NotMoney::Shape),
            ("ten", NotMoney::Shape),
            ("-1", NotMoney::Negative),
            ("-0.0001", NotMoney::Negative),
            ("0.00001", NotMoney::TooLong),
            ("1000000000000", NotMoney::TooLong),
            ("999999999999.9999", NotMoney::TooLong),
        ] {
            assert_eq!(wrong.parse::<Money>(), Err(why), "{wrong}");
        }
        assert_eq!(Money::from_number(f64::NAN), Err(NotMoney::Shape));
        assert_eq!(Money::from_number(1e300), Err(NotMoney::TooLong));
        assert_eq!(Money::from_number(0.1 + 0.2), Err(NotMoney::TooLong));
        assert_eq!(Money::from_parts(-1), None);
    }

    #[test]
    fn a_currency_is_three_capital_letters() {
        assert_eq!(" EUR ".parse::<Currency>().unwrap().as_str(), "EUR");
        for wrong in ["", "eur", "EURO", "EU", "E1R", "€"] {
            assert_eq!(wrong.parse::<Currency>(), Err(NotACurrency), "{wrong}");
        }
    }

    proptest! {
        /// Fifteen digits, wherever the point stands, go through JSON and come back as they were.
        #[test]
        fn an_amount_survives_json(digits in 0_i64..1_000_000_000_000_000, decimals in 3_u32..=4) {
            let parts = digits * 10_i64.pow(4 - decimals);
            let amount = Money::from_parts(parts).unwrap();
            let written = serde_json::to_string(&amount).unwrap();
            prop_assert_eq!(&written, &amount.to_string());
            let read: f64 = serde_json::from_str(&written).unwrap();
            prop_assert_eq!(Money::from_number(read), Ok(amount));
            prop_assert_eq!(written.parse::<Money>(), Ok(amount));
        }

        #[test]
        fn no_text_makes_it_fall_over(text: String) {
            let _ = text.parse::<Money>();
        }
    }
}
