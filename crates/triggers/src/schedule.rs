//! When a recurring trigger fires next. Pure.
//!
//! A day has one due time: the minute at which the wall clock first reaches `send_time` on that day. So a time that a clock
//! change repeats fires once, at its first occurrence, and a time that a clock change skips fires at the first minute after
//! the gap.

use std::fmt;
use std::str::FromStr;

use frontdesk_kernel::Timestamp;
use jiff::civil::Date;
use jiff::tz::{AmbiguousOffset, TimeZone};

/// Maximum days to check before giving up: more than the longest time between two monthly due times.
const DAYS_MAX: usize = 64;

/// A time of day, as `HH:MM`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct TimeOfDay {
    hour: i8,
    minute: i8,
}

/// The error for text that is not a time of day.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("must be a time of day as HH:MM, from 00:00 to 23:59")]
pub struct NotATimeOfDay;

impl TimeOfDay {
    /// The pattern of a valid time of day.
    pub const PATTERN: &str = "^([01][0-9]|2[0-3]):[0-5][0-9]$";
}

impl FromStr for TimeOfDay {
    type Err = NotATimeOfDay;

    fn from_str(text: &str) -> Result<Self, NotATimeOfDay> {
        let (hour, minute) = text.split_once(':').ok_or(NotATimeOfDay)?;
        let number = |part: &str, max: i8| {
            let is_two_digits = part.len() == 2 && part.bytes().all(|digit| digit.is_ascii_digit());
            let number: i8 = part.parse().map_err(|_| NotATimeOfDay)?;
            if is_two_digits && number <= max { Ok(number) } else { Err(NotATimeOfDay) }
        };
        Ok(Self { hour: number(hour, 23)?, minute: number(minute, 59)? })
    }
}

impl fmt::Display for TimeOfDay {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:02}:{:02}", self.hour, self.minute)
    }
}

/// The days on which a trigger fires.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Days {
    Every,
    /// Days after Sunday: 0 is Sunday, 6 is Saturday.
    OfWeek(i64),
    /// 1 to 31. In a shorter month it is the last day.
    OfMonth(i64),
}

impl Days {
    fn has(self, date: Date) -> bool {
        match self {
            Self::Every => true,
            Self::OfWeek(day) => i64::from(date.weekday().to_sunday_zero_offset()) == day,
            Self::OfMonth(day) => i64::from(date.day()) == day.min(i64::from(date.days_in_month())),
        }
    }
}

/// A schedule: a time of day on some days.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Recurrence {
    pub days: Days,
    pub at: TimeOfDay,
}

impl Recurrence {
    /// The first due time after a moment, in a timezone such as `Europe/Berlin`, or in UTC if the timezone is unknown.
    pub fn next_after(&self, moment: Timestamp, timezone: &str) -> Option<Timestamp> {
        let zone = TimeZone::get(timezone).unwrap_or(TimeZone::UTC);
        let after = jiff::Timestamp::from_millisecond(moment.millis()).ok()?;
        // A clock change at midnight can take the wall clock back to the day before.
        let mut date = zone.to_datetime(after).date().yesterday().ok()?;
        for _ in 0..DAYS_MAX {
            if self.days.has(date) {
                let due = due_on(date, self.at, &zone)?;
                if due > after {
                    return Some(Timestamp::from_millis(due.as_millisecond()));
                }
            }
            date = date.tomorrow().ok()?;
        }
        None
    }
}

/// The moment at which the wall clock first reaches a time on a day, or skips it.
fn due_on(date: Date, at: TimeOfDay, zone: &TimeZone) -> Option<jiff::Timestamp> {
    let ambiguous = zone.to_ambiguous_timestamp(date.at(at.hour, at.minute, 0, 0));
    let is_skipped = matches!(ambiguous.offset(), AmbiguousOffset::Gap { .. });
    let earlier = ambiguous.earlier().ok()?;
    if is_skipped {
        // Read with the offset after the gap, the time lies before the clock change.
        return zone.following(earlier).next().map(|change| change.timestamp());
    }
    Some(earlier)
}

#[cfg(test)]
mod tests;
