//! Countries, and phone numbers as people of a country write them.
//!
//! People write `0151 0000482`, `(415) 555-0123` or `+49 (0)151 0000482`. With the country that such a number belongs to,
//! [`Country::read_phone`] makes one E.164 number of all of them, and refuses numbers that cannot exist.

mod plans;

use std::fmt;
use std::str::FromStr;

use serde::{Serialize, Serializer};

use crate::phone::Phone;

pub use plans::NotAPhoneHere;

/// Time zones and the country that IANA's zone.tab names for each.
const ZONES: &str = include_str!("country/zones.txt");

/// A country that has phone numbers, by its code of ISO 3166 such as `DE`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Country([u8; 2]);

#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("must be the code of a country with two letters, such as DE")]
pub struct NotACountry;

impl Country {
    /// The form of a code, as a regular expression of JSON Schema.
    pub const PATTERN: &str = "^[A-Za-z]{2}$";

    pub fn as_str(&self) -> &str {
        str::from_utf8(&self.0).unwrap_or_default()
    }

    /// The country of a time zone such as `Europe/Berlin`. None for UTC and other zones of no country.
    pub fn of_timezone(zone: &str) -> Option<Self> {
        let mut zones = ZONES.lines().filter_map(|line| line.split_once(' '));
        zones.find(|(name, _)| name.eq_ignore_ascii_case(zone))?.1.parse().ok()
    }

    /// Reads a number as people write it. Without a country it must have its country code. A leading apostrophe, which
    /// spreadsheets put before text, is dropped.
    pub fn read_phone(country: Option<Self>, text: &str) -> Result<Phone, NotAPhoneHere> {
        plans::read(country, text)
    }
}

impl FromStr for Country {
    type Err = NotACountry;

    fn from_str(text: &str) -> Result<Self, NotACountry> {
        let letters = text.trim().to_ascii_uppercase();
        let code = letters.as_bytes().try_into().map_err(|_| NotACountry)?;
        if plans::has(code) { Ok(Self(code)) } else { Err(NotACountry) }
    }
}

impl fmt::Display for Country {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl Serialize for Country {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.as_str())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_country_is_a_known_code_in_any_case() {
        assert_eq!("de".parse::<Country>().unwrap().as_str(), "DE");
        for wrong in ["", "D", "DEU", "XX", "ZZ", "49", "дe", "00"] {
            assert_eq!(wrong.parse::<Country>(), Err(NotACountry), "{wrong}");
        }
    }

    #[test]
    fn a_time_zone_of_one_country_names_it() {
        let country = |zone| Country::of_timezone(zone).map(|country| country.to_string());
        assert_eq!(country("Europe/Berlin").as_deref(), Some("DE"));
        assert_eq!(country("america/new_york").as_deref(), Some("US"));
        for none in ["UTC", "Etc/GMT+1", "#", "", "Europe", "Mars/Olympus"] {
            assert_eq!(country(none), None, "{none}");
        }
    }

    #[test]
    fn every_country_of_a_time_zone_is_known_unless_nobody_lives_there() {
        let unknown =
            |line: &&str| line.split_once(' ').is_some_and(|(_, code)| code.parse::<Country>().is_err());
        let unknown: Vec<&str> = ZONES.lines().skip(1).filter(unknown).collect();
        assert!(
            unknown.iter().all(|line| ["AQ", "GS", "PN", "TF", "UM"].contains(&&line[line.len() - 2..])),
            "{unknown:?}"
        );
    }
}
