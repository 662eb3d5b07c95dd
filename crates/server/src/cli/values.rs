//! Types of option values.

use std::fmt;
use std::str::FromStr;

use frontdesk_kernel::scope::{Scope, Scopes};
use frontdesk_kernel::{Id, Patch, Text, Timestamp};
use frontdesk_platform::Network;

const NAME_CHARS_MAX: usize = 200;
const REASON_CHARS_MAX: usize = 500;

pub(super) type Name = Text<NAME_CHARS_MAX>;
pub(super) type Reason = Text<REASON_CHARS_MAX>;

/// Reads an id.
pub(super) fn id<T: ?Sized>(text: &str) -> Result<Id<T>, String> {
    text.parse().map_err(|_| "must be an id such as 0192f0c4-7d3a-7bb0-9c4e-1f2a3b4c5d6e".to_owned())
}

/// Reads a list of at least one scope.
pub(super) fn scopes(text: &str) -> Result<Scopes, String> {
    match Scopes::parse(text) {
        Ok(scopes) if scopes.is_empty() => Err("a key needs at least one scope".to_owned()),
        Ok(scopes) => Ok(scopes),
        Err(error) => Err(format!("{error}; there are {}", Scopes::all().to_string().replace(',', ", "))),
    }
}

/// Every scope, for the help of a command.
pub(super) fn scopes_listed() -> String {
    let connections: Vec<String> =
        Scope::ALL.iter().map(|scope| format!("  {:<20} {}", scope.name(), scope.grants())).collect();
    format!("Scopes:\n{}", connections.join("\n"))
}

/// A value, or `none`, which clears a setting.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum OrNone<T> {
    None,
    Some(T),
}

impl<T: FromStr> FromStr for OrNone<T> {
    type Err = T::Err;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        if text == "none" { Ok(Self::None) } else { text.parse().map(Self::Some) }
    }
}

/// The change of a setting by an option that may be left out or `none`.
pub(super) fn patch<T, U>(given: Option<OrNone<T>>, value: impl FnOnce(T) -> U) -> Patch<U> {
    match given {
        None => Patch::Keep,
        Some(OrNone::None) => Patch::Clear,
        Some(OrNone::Some(given)) => Patch::Set(value(given)),
    }
}

/// A whole number of `MIN` or more.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct AtLeast<const MIN: i64>(pub(super) i64);

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct TooLittle(i64);

impl<const MIN: i64> FromStr for AtLeast<MIN> {
    type Err = TooLittle;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        text.parse().ok().filter(|number| *number >= MIN).map(Self).ok_or(TooLittle(MIN))
    }
}

impl fmt::Display for TooLittle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "must be a whole number of {} or more", self.0)
    }
}

impl std::error::Error for TooLittle {}

/// An amount in US dollars.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Usd(pub(super) f64);

#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("must be an amount in US dollars such as 25 or 9.50")]
pub(super) struct NotAnAmount;

impl FromStr for Usd {
    type Err = NotAnAmount;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let amount = text.parse().ok().filter(|amount: &f64| amount.is_finite() && *amount >= 0.0);
        amount.map(Self).ok_or(NotAnAmount)
    }
}

/// Names that are separated by commas.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Names(pub(super) Vec<String>);

#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("must be names separated by commas, such as gpt-5,gpt-5-mini")]
pub(super) struct NotNames;

impl FromStr for Names {
    type Err = NotNames;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let names: Vec<String> = text.split(',').map(|name| name.trim().to_owned()).collect();
        if names.iter().any(String::is_empty) { Err(NotNames) } else { Ok(Self(names)) }
    }
}

/// When a key expires: a time, or `never`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum End {
    Never,
    At(Timestamp),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("must be a time such as 2026-01-31T09:30:00Z, or never")]
pub(super) struct NotAnEnd;

impl FromStr for End {
    type Err = NotAnEnd;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        if text == "never" { Ok(Self::Never) } else { text.parse().map(Self::At).map_err(|_| NotAnEnd) }
    }
}

/// The networks of a repeated `--allow`; a single `none` empties the list. None if the option was not given.
pub(super) fn allowlist(given: &[OrNone<Network>]) -> Result<Option<Vec<Network>>, String> {
    if given == [OrNone::None] {
        return Ok(Some(Vec::new()));
    }
    let networks: Option<Vec<Network>> = given
        .iter()
        .map(|item| match item {
            OrNone::None => None,
            OrNone::Some(network) => Some(*network),
        })
        .collect();
    let networks = networks.ok_or("--allow none stands alone: it empties the list")?;
    Ok((!networks.is_empty()).then_some(networks))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn none_is_a_value_of_its_own() {
        let read = |text: &str| text.parse::<OrNone<AtLeast<1>>>();
        assert_eq!(read("none"), Ok(OrNone::None));
        assert_eq!(read("5"), Ok(OrNone::Some(AtLeast(5))));
        for wrong in ["0", "-5", "many", "", "1.5"] {
            assert_eq!(read(wrong), Err(TooLittle(1)), "{wrong}");
        }
        assert_eq!(patch(Some(OrNone::Some(AtLeast::<1>(5))), |limit| limit.0), Patch::Set(5));
        assert_eq!(patch(Some(OrNone::<i64>::None), |limit| limit), Patch::Clear);
        assert_eq!(patch(None::<OrNone<i64>>, |limit| limit), Patch::Keep);
    }

    #[test]
    fn amounts_are_finite_and_not_negative() {
        assert_eq!("9.50".parse(), Ok(Usd(9.5)));
        for wrong in ["-1", "inf", "NaN", "ten"] {
            assert_eq!(wrong.parse::<Usd>(), Err(NotAnAmount), "{wrong}");
        }
    }

    #[test]
    fn an_end_is_a_time_or_never() {
        assert_eq!("never".parse(), Ok(End::Never));
        assert!(matches!("2026-01-31".parse(), Ok(End::At(_))));
        assert_eq!("soon".parse::<End>(), Err(NotAnEnd));
    }

    #[test]
    fn scopes_that_do_not_exist_are_named_and_those_that_do_are_listed() {
        assert!(scopes("contacts:read, deals:read").is_ok());
        assert!(scopes(" , ").is_err());
        let said = scopes("contacts:admin").unwrap_err();
        assert!(said.contains("contacts:admin") && said.contains("contacts:write"), "{said}");
    }

    #[test]
    fn a_single_none_empties_an_allowlist() {
        let network: Network = "10.0.0.0/8".parse().unwrap();
        assert_eq!(allowlist(&[]), Ok(None));
        assert_eq!(allowlist(&[OrNone::None]), Ok(Some(Vec::new())));
        assert_eq!(allowlist(&[OrNone::Some(network)]), Ok(Some(vec![network])));
        assert!(allowlist(&[OrNone::Some(network), OrNone::None]).is_err());
    }
}
