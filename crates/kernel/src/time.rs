//! A time with millisecond precision. The API prints exactly the stored value, so a printed value can be sent
//! back as a filter.

use std::fmt;
use std::ops::{Add, Sub};
use std::str::FromStr;
use std::time::Duration;

use serde::{Serialize, Serializer};

/// Milliseconds since 1970 in UTC.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Timestamp(i64);

const MINUTE_MILLIS: i64 = 60_000;

impl Timestamp {
    pub const fn from_millis(millis: i64) -> Self {
        Self(millis)
    }

    pub const fn millis(self) -> i64 {
        self.0
    }

    pub const fn seconds(self) -> i64 {
        self.0.div_euclid(1000)
    }

    /// The minute of this time, counted from 1970.
    pub const fn minute(self) -> i64 {
        self.0.div_euclid(MINUTE_MILLIS)
    }

    /// The beginning of a minute counted from 1970.
    pub const fn of_minute(minute: i64) -> Self {
        Self(minute * MINUTE_MILLIS)
    }

    pub const fn minus_days(self, days: i64) -> Self {
        Self(self.0 - days * 24 * 60 * MINUTE_MILLIS)
    }

    /// The beginning of this time's month, in a timezone such as `Europe/Berlin`; in UTC if there is no such
    /// timezone.
    pub fn month_start(self, timezone: &str) -> Self {
        let zone = jiff::tz::TimeZone::get(timezone).unwrap_or(jiff::tz::TimeZone::UTC);
        let moment = jiff::Timestamp::from_millisecond(self.0).unwrap_or(jiff::Timestamp::UNIX_EPOCH);
        let start = moment.to_zoned(zone).first_of_month().and_then(|day| day.start_of_day());
        start.map_or(self, |start| Self(start.timestamp().as_millisecond()))
    }

    pub const fn plus_days(self, days: i64) -> Self {
        self.minus_days(-days)
    }
}

impl Add<Duration> for Timestamp {
    type Output = Self;

    fn add(self, span: Duration) -> Self {
        Self(self.0.saturating_add(span.as_millis() as i64))
    }
}

impl Sub<Duration> for Timestamp {
    type Output = Self;

    fn sub(self, span: Duration) -> Self {
        Self(self.0.saturating_sub(span.as_millis() as i64))
    }
}

impl fmt::Display for Timestamp {
    /// RFC 3339 in UTC with milliseconds: `2026-01-31T09:30:00.000Z`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.text().as_str().ok_or(fmt::Error)?)
    }
}

/// The printed form. Pages have many of them, so it is written without a formatter.
struct Text([u8; 24]);

impl Text {
    fn as_str(&self) -> Option<&str> {
        std::str::from_utf8(&self.0).ok()
    }
}

impl Timestamp {
    fn text(self) -> Text {
        let millis = self.0.clamp(MILLIS_MIN, MILLIS_MAX);
        let (days, of_day) = (millis.div_euclid(DAY_MILLIS), millis.rem_euclid(DAY_MILLIS));
        let (year, month, day) = civil(days);
        let mut text = *b"0000-00-00T00:00:00.000Z";
        let mut put = |at: usize, width: usize, value: i64| {
            let mut rest = value;
            for slot in text[at..at + width].iter_mut().rev() {
                *slot = b'0' + (rest % 10) as u8;
                rest /= 10;
            }
        };
        put(0, 4, year);
        put(5, 2, month);
        put(8, 2, day);
        put(11, 2, of_day / 3_600_000);
        put(14, 2, of_day / MINUTE_MILLIS % 60);
        put(17, 2, of_day / 1000 % 60);
        put(20, 3, of_day % 1000);
        Text(text)
    }
}

const DAY_MILLIS: i64 = 24 * 60 * MINUTE_MILLIS;

/// The Gregorian year, month and day of a day counted from 1970. Years start in March, so that the leap day
/// is the last of its year, in cycles of 400.
fn civil(days: i64) -> (i64, i64, i64) {
    const CYCLE_DAYS: i64 = 146_097;
    /// From the first of March of the year 0.
    const EPOCH_DAYS: i64 = 719_468;
    let (cycle, of_cycle) =
        ((days + EPOCH_DAYS).div_euclid(CYCLE_DAYS), (days + EPOCH_DAYS).rem_euclid(CYCLE_DAYS));
    let year = (of_cycle - of_cycle / 1_460 + of_cycle / 36_524 - of_cycle / (CYCLE_DAYS - 1)) / 365;
    let of_year = of_cycle - (365 * year + year / 4 - year / 100);
    let from_march = (5 * of_year + 2) / 153;
    let day = of_year - (153 * from_march + 2) / 5 + 1;
    let month = if from_march < 10 { from_march + 3 } else { from_march - 9 };
    (cycle * 400 + year + i64::from(month <= 2), month, day)
}

/// Why a text is not a time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("must be a date-time such as 2026-01-31T09:30:00Z")]
pub struct NotATimestamp;

/// Years that every engine and every client can hold.
const MILLIS_MIN: i64 = -62_135_596_800_000;
const MILLIS_MAX: i64 = 253_402_300_799_999;

impl FromStr for Timestamp {
    type Err = NotATimestamp;

    /// Parses an RFC 3339 date-time with any offset, or a date, which means its beginning in UTC.
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let millis = if let Ok(date) = text.parse::<jiff::civil::Date>()
            && text.len() == "2026-01-31".len()
        {
            date.to_zoned(jiff::tz::TimeZone::UTC).map_err(|_| NotATimestamp)?.timestamp().as_millisecond()
        } else {
            text.parse::<jiff::Timestamp>().map_err(|_| NotATimestamp)?.as_millisecond()
        };
        if (MILLIS_MIN..=MILLIS_MAX).contains(&millis) { Ok(Self(millis)) } else { Err(NotATimestamp) }
    }
}

impl Serialize for Timestamp {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.text().as_str().unwrap_or_default())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_month_begins_at_midnight_of_its_timezone() {
        let start =
            |moment: &str, zone: &str| moment.parse::<Timestamp>().unwrap().month_start(zone).to_string();
        assert_eq!(start("2026-03-15T12:00:00Z", "UTC"), "2026-03-01T00:00:00.000Z");
        // It is April there already.
        assert_eq!(start("2026-03-31T23:00:00Z", "Europe/Berlin"), "2026-03-31T22:00:00.000Z");
        assert_eq!(start("2026-03-01T03:00:00Z", "America/New_York"), "2026-02-01T05:00:00.000Z");
        assert_eq!(start("2026-03-15T12:00:00Z", "Nowhere/Land"), "2026-03-01T00:00:00.000Z");
    }

    #[test]
    fn offsets_and_dates_are_understood() {
        let noon: Timestamp = "2026-01-31T12:00:00Z".parse().unwrap();
        assert_eq!("2026-01-31T14:00:00+02:00".parse(), Ok(noon));
        assert_eq!("2026-01-31".parse::<Timestamp>().unwrap().to_string(), "2026-01-31T00:00:00.000Z");
        for wrong in
            ["", "yesterday", "2026-13-01", "2026-01-31T12:00:00", "2026-01-31T25:00:00Z", "1769860800"]
        {
            assert_eq!(wrong.parse::<Timestamp>(), Err(NotATimestamp), "{wrong}");
        }
    }

    proptest! {
        #[test]
        fn a_printed_time_parses_to_itself(millis in MILLIS_MIN..=MILLIS_MAX) {
            let moment = Timestamp::from_millis(millis);
            prop_assert_eq!(moment.to_string().parse::<Timestamp>().unwrap(), moment);
            let judge = jiff::Timestamp::from_millisecond(millis).unwrap();
            prop_assert_eq!(moment.to_string(), format!("{judge:.3}"));
        }
    }
}
