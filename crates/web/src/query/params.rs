//! Single values of a query.

use std::fmt::Display;
use std::str::FromStr;

use frontdesk_kernel::text::NotAText;
use frontdesk_kernel::{Date, Email, Id, Phone, Text, Timestamp};
use serde_json::Value;

use super::Param;
use crate::describe::Describe;
use crate::input::Input;
use crate::schema::Components;

impl<const MAX: usize> Param for Text<MAX> {
    fn parse(text: &str) -> Result<Self, String> {
        parsed(text)
    }

    fn limit(text: &str) -> Result<(), String> {
        match text.parse::<Self>() {
            Err(wrong @ NotAText::TooLong { .. }) => Err(wrong.to_string()),
            _ => Ok(()),
        }
    }

    fn schema(components: &mut Components) -> Value {
        <Self as Input>::schema(components)
    }
}

macro_rules! param {
    ($kind:ty, $parse:expr $(, $($generics:tt)+)?) => {
        impl$(<$($generics)+>)? Param for $kind {
            fn parse(text: &str) -> Result<Self, String> {
                $parse(text)
            }

            fn schema(components: &mut Components) -> Value {
                <Self as Describe>::schema(components)
            }
        }
    };
}

param!(Id<T>, |text: &str| text.parse().map_err(|_| "must be a UUID".to_owned()), T: ?Sized);
param!(Date, parsed);
param!(bool, |text: &str| text.parse().map_err(|_| "must be true or false".to_owned()));
param!(i64, |text: &str| text.parse().map_err(|_| "must be a whole number".to_owned()));
// A plus sign that was not encoded arrives as a space: a phone number needs none, no address has a space, and
// in a date-time the last space can only be the sign of its offset.
impl Param for Phone {
    fn parse(text: &str) -> Result<Self, String> {
        parsed(text)
    }

    fn schema(components: &mut Components) -> Value {
        <Self as Input>::schema(components)
    }
}

param!(Email, |text: &str| parsed(&text.replace(' ', "+")));
param!(Timestamp, |text: &str| parsed(text).or_else(|wrong| match text.rsplit_once(' ') {
    Some((moment, offset)) => parsed(&format!("{moment}+{offset}")),
    None => Err(wrong),
}));

/// The parsed value, or the parser's message.
fn parsed<T: FromStr<Err: Display>>(text: &str) -> Result<T, String> {
    text.parse().map_err(|wrong: T::Err| wrong.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plus_signs_that_became_spaces_are_understood() {
        let noon: Timestamp = "2026-01-31T12:00:00Z".parse().unwrap();
        for same in ["2026-01-31T14:00:00+02:00", "2026-01-31T14:00:00 02:00", "2026-01-31 14:00:00 02:00"] {
            assert_eq!(Timestamp::parse(same), Ok(noon), "{same}");
        }
        assert_eq!(Phone::parse(" 5511987654321").unwrap().as_str(), "+5511987654321");
        assert_eq!(Email::parse("ann x@example.com").unwrap().as_str(), "ann+x@example.com");
    }
}
