//! A day of the calendar, in no time zone.

use std::fmt;
use std::str::FromStr;

use serde::{Serialize, Serializer};

/// A day: `2026-01-31`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Date(jiff::civil::Date);

#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("must be a date such as 2026-01-31")]
pub struct NotADate;

impl FromStr for Date {
    type Err = NotADate;

    fn from_str(text: &str) -> Result<Self, NotADate> {
        let text = text.trim();
        let shaped = text.len() == "2026-01-31".len() && text.as_bytes()[4] == b'-';
        let date: jiff::civil::Date = text.parse().map_err(|_| NotADate)?;
        if shaped && date.year() > 0 { Ok(Self(date)) } else { Err(NotADate) }
    }
}

impl fmt::Display for Date {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl Serialize for Date {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_date_is_a_day_that_exists() {
        for right in ["2026-01-31", "2024-02-29", "0001-01-01", "9999-12-31"] {
            assert_eq!(right.parse::<Date>().unwrap().to_string(), right);
        }
        for wrong in [
            "",
            "2026-02-29",
            "2026-1-31",
            "31.01.2026",
            "2026-01-31T09:30:00Z",
            "20260131",
            "0000-01-01",
            "tomorrow",
        ] {
            assert_eq!(wrong.parse::<Date>(), Err(NotADate), "{wrong}");
        }
    }
}
