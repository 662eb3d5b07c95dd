//! Moments and days, as the API writes them.

use std::fmt;
use std::ops::{Add, Sub};
use std::str::FromStr;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

const DAY_SECONDS: i64 = 86_400;
const NANOS_PER_MILLI: u32 = 1_000_000;

/// A moment: UTC, RFC 3339 in JSON, such as `2026-01-31T09:30:00.000Z`.
///
/// It converts from and to [`SystemTime`], and so to the types of `jiff`, `chrono` and `time`.
///
/// ```
/// use std::time::{Duration, SystemTime};
/// use frontdesk::Timestamp;
///
/// let sent: Timestamp = "2026-01-31T10:30:00+01:00".parse()?;
/// assert_eq!((sent + Duration::from_millis(5)).to_string(), "2026-01-31T09:30:00.005Z");
/// assert!(SystemTime::from(sent) < SystemTime::from(Timestamp::now()));
/// # Ok::<(), frontdesk::ParseTimeError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Timestamp {
    seconds: i64,
    nanos: u32,
}

/// A text is no moment or no day.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ParseTimeError(&'static str);

impl fmt::Display for ParseTimeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0)
    }
}

impl std::error::Error for ParseTimeError {}

const NO_MOMENT: ParseTimeError =
    ParseTimeError("must be a moment of RFC 3339, such as 2026-01-31T09:30:00.000Z");
const NO_DAY: ParseTimeError = ParseTimeError("must be a day, such as 2026-01-31");

impl Timestamp {
    /// The present.
    pub fn now() -> Self {
        SystemTime::now().into()
    }

    /// The moment that is this many seconds after the beginning of 1970.
    pub const fn from_unix_seconds(seconds: i64) -> Self {
        Self { seconds, nanos: 0 }
    }

    /// The whole seconds since the beginning of 1970.
    pub const fn unix_seconds(self) -> i64 {
        self.seconds
    }

    /// The whole milliseconds since the beginning of 1970.
    pub const fn unix_millis(self) -> i64 {
        self.seconds * 1_000 + (self.nanos / NANOS_PER_MILLI) as i64
    }
}

impl From<SystemTime> for Timestamp {
    fn from(time: SystemTime) -> Self {
        match time.duration_since(UNIX_EPOCH) {
            Ok(after) => Self::from_unix_seconds(0) + after,
            Err(before) => Self::from_unix_seconds(0) - before.duration(),
        }
    }
}

impl From<Timestamp> for SystemTime {
    fn from(time: Timestamp) -> Self {
        let seconds = Duration::from_secs(time.seconds.unsigned_abs());
        let whole = if time.seconds < 0 { UNIX_EPOCH - seconds } else { UNIX_EPOCH + seconds };
        whole + Duration::from_nanos(time.nanos.into())
    }
}

impl Add<Duration> for Timestamp {
    type Output = Self;

    fn add(self, duration: Duration) -> Self {
        let nanos = self.nanos + duration.subsec_nanos();
        let carried = i64::from(nanos / 1_000_000_000);
        let seconds = i64::try_from(duration.as_secs()).unwrap_or(i64::MAX);
        Self {
            seconds: self.seconds.saturating_add(seconds).saturating_add(carried),
            nanos: nanos % 1_000_000_000,
        }
    }
}

impl Sub<Duration> for Timestamp {
    type Output = Self;

    fn sub(self, duration: Duration) -> Self {
        let seconds = i64::try_from(duration.as_secs()).unwrap_or(i64::MAX);
        let earlier = self.seconds.saturating_sub(seconds);
        match self.nanos.checked_sub(duration.subsec_nanos()) {
            Some(nanos) => Self { seconds: earlier, nanos },
            None => Self {
                seconds: earlier.saturating_sub(1),
                nanos: self.nanos + 1_000_000_000 - duration.subsec_nanos(),
            },
        }
    }
}

/// With milliseconds, as the API writes it.
impl fmt::Display for Timestamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let day = Date::from_days(self.seconds.div_euclid(DAY_SECONDS));
        let second = self.seconds.rem_euclid(DAY_SECONDS);
        let (hour, minute, second) = (second / 3_600, second / 60 % 60, second % 60);
        write!(f, "{day}T{hour:02}:{minute:02}:{second:02}.{:03}Z", self.nanos / NANOS_PER_MILLI)
    }
}

impl FromStr for Timestamp {
    type Err = ParseTimeError;

    fn from_str(text: &str) -> Result<Self, ParseTimeError> {
        read_moment(text).ok_or(NO_MOMENT)
    }
}

fn read_moment(text: &str) -> Option<Timestamp> {
    let day: Date = text.get(..10)?.parse().ok()?;
    let rest = text.get(10..)?.strip_prefix(['T', 't', ' '])?;
    let (hour, minute, second) =
        (digits(rest.get(..2)?)?, digits(rest.get(3..5)?)?, digits(rest.get(6..8)?)?);
    let separators = (rest.get(2..3)?, rest.get(5..6)?);
    if separators != (":", ":") || hour > 23 || minute > 59 || second > 60 {
        return None;
    }
    let rest = rest.get(8..)?;
    let (fraction, zone) = match rest.strip_prefix('.') {
        Some(rest) => rest.split_at(rest.find(|c: char| !c.is_ascii_digit())?),
        None => ("0", rest),
    };
    let nanos = digits(format!("{fraction:0<9}").get(..9)?)?;
    let offset = read_offset(zone)?;
    let seconds = day.days() * DAY_SECONDS + i64::from(hour * 3_600 + minute * 60 + second) - offset;
    (!fraction.is_empty()).then_some(Timestamp { seconds, nanos })
}

/// Seconds east of Greenwich.
fn read_offset(zone: &str) -> Option<i64> {
    if zone == "Z" || zone == "z" {
        return Some(0);
    }
    let (sign, zone) = match zone.split_at_checked(1)? {
        ("+", zone) => (1, zone),
        ("-", zone) => (-1, zone),
        _ => return None,
    };
    let (hours, minutes) = zone.split_once(':')?;
    let (hours, minutes) = (digits(hours)?, digits(minutes)?);
    (zone.len() == 5 && hours < 24 && minutes < 60).then(|| sign * i64::from(hours * 3_600 + minutes * 60))
}

fn digits(text: &str) -> Option<u32> {
    text.bytes().all(|byte| byte.is_ascii_digit()).then(|| text.parse().ok())?
}

/// A day, such as `2026-01-31`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Date {
    year: i32,
    month: u8,
    day: u8,
}

impl Date {
    /// The day, unless there is none: `Date::new(2026, 2, 30)` is `None`.
    pub fn new(year: i32, month: u8, day: u8) -> Option<Self> {
        let date = Self { year, month, day };
        let is_day = (0..=9_999).contains(&year)
            && (1..=12).contains(&month)
            && (1..=31).contains(&day)
            && Self::from_days(date.days()) == date;
        is_day.then_some(date)
    }

    /// The year.
    pub const fn year(self) -> i32 {
        self.year
    }

    /// The month, from 1.
    pub const fn month(self) -> u8 {
        self.month
    }

    /// The day of the month, from 1.
    pub const fn day(self) -> u8 {
        self.day
    }

    /// Days since the beginning of 1970. A year is counted from March, so that the day of a leap year is its last one.
    fn days(self) -> i64 {
        let year = i64::from(self.year) - i64::from(self.month <= 2);
        let month = (i64::from(self.month) + 9) % 12;
        let day_of_year = (153 * month + 2) / 5 + i64::from(self.day) - 1;
        let (era, year_of_era) = (year.div_euclid(400), year.rem_euclid(400));
        era * 146_097 + year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year - 719_468
    }

    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "the remainders are small")]
    fn from_days(days: i64) -> Self {
        let days = days + 719_468;
        let (era, day_of_era) = (days.div_euclid(146_097), days.rem_euclid(146_097));
        let year_of_era =
            (day_of_era - day_of_era / 1_460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
        let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
        let month = (5 * day_of_year + 2) / 153;
        let day = (day_of_year - (153 * month + 2) / 5 + 1) as u8;
        let month = (if month < 10 { month + 3 } else { month - 9 }) as u8;
        let year = era * 400 + year_of_era + i64::from(month <= 2);
        Self { year: year as i32, month, day }
    }
}

impl fmt::Display for Date {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:04}-{:02}-{:02}", self.year, self.month, self.day)
    }
}

impl FromStr for Date {
    type Err = ParseTimeError;

    fn from_str(text: &str) -> Result<Self, ParseTimeError> {
        let read = || {
            let (year, rest) = text.split_once('-')?;
            let (month, day) = rest.split_once('-')?;
            if (year.len(), month.len(), day.len()) != (4, 2, 2) {
                return None;
            }
            let day = u8::try_from(digits(day)?).ok()?;
            Self::new(i32::try_from(digits(year)?).ok()?, u8::try_from(digits(month)?).ok()?, day)
        };
        read().ok_or(NO_DAY)
    }
}

macro_rules! text_in_json {
    ($($name:ident),+) => {
        $(
            impl Serialize for $name {
                fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                    serializer.collect_str(self)
                }
            }

            impl<'de> Deserialize<'de> for $name {
                fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                    String::deserialize(deserializer)?.parse().map_err(de::Error::custom)
                }
            }
        )+
    };
}

text_in_json!(Timestamp, Date);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_moment_is_written_as_it_was_read() {
        for text in [
            "2026-01-31T09:30:00.000Z",
            "2024-02-29T23:59:59.999Z",
            "1970-01-01T00:00:00.000Z",
            "1969-12-31T23:59:59.001Z",
            "2000-03-01T00:00:00.120Z",
        ] {
            let moment: Timestamp = text.parse().unwrap();
            assert_eq!(moment.to_string(), text);
            assert_eq!(Timestamp::from(SystemTime::from(moment)), moment);
        }
    }

    #[test]
    fn offsets_and_fractions_are_understood() {
        for (text, meant) in [
            ("2026-01-31T10:30:00+01:00", "2026-01-31T09:30:00.000Z"),
            ("2026-01-31t04:00:00.5-05:30", "2026-01-31T09:30:00.500Z"),
            ("2026-01-31 09:30:00.123456789Z", "2026-01-31T09:30:00.123Z"),
        ] {
            assert_eq!(text.parse::<Timestamp>().unwrap().to_string(), meant);
        }
    }

    #[test]
    fn what_is_no_moment_is_refused() {
        for text in [
            "",
            "2026-01-31",
            "2026-02-30T00:00:00Z",
            "2026-01-31T24:00:00Z",
            "2026-01-31T09:30:00",
            "2026-01-31T09:30:00.Z",
            "2026-01-31T09:30:00+0100",
            "2026-01-31T09:30:00é",
            "+026-01-31T09:30:00Z",
            "2026-01-31T+9:30:00Z",
        ] {
            assert_eq!(text.parse::<Timestamp>(), Err(NO_MOMENT), "{text}");
        }
    }

    #[test]
    fn every_day_of_four_centuries_reads_back() {
        for days in -719_000..146_097 * 2 {
            let date = Date::from_days(days);
            assert_eq!(date.days(), days);
        }
        assert_eq!(Date::new(2026, 2, 29), None);
        assert_eq!("2024-02-29".parse(), Ok(Date { year: 2024, month: 2, day: 29 }));
        assert_eq!("2024-2-29".parse::<Date>(), Err(NO_DAY));
    }

    #[test]
    fn durations_are_added_and_taken_away_across_seconds() {
        let moment: Timestamp = "2026-01-31T09:30:00.700Z".parse().unwrap();
        let later = moment + Duration::from_millis(1_400);
        assert_eq!(later.to_string(), "2026-01-31T09:30:02.100Z");
        assert_eq!(later - Duration::from_millis(1_400), moment);
        assert_eq!(later.unix_millis() - moment.unix_millis(), 1_400);
    }
}
