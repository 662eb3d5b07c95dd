//! The time at the beginning of a line, as phones write it in many languages. Pure.
//!
//! iPhones write `[31.12.23, 21:30:45] Ann: …`, Android phones `31/12/2023, 9:30 pm - Ann: …`. Which number is the day is not
//! in the line; [`DateOrder::of`] finds it from all lines.

use jiff::civil::DateTime;

/// The order of the numbers of a date.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum DateOrder {
    /// 31.12.2023
    Dmy,
    /// 12/31/2023
    Mdy,
    /// 2023-12-31
    Ymd,
}

/// A time as it is written: three numbers of a date, and the time of the day.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Stamp {
    date: [i32; 3],
    separator: char,
    hour: i8,
    minute: i8,
    second: i8,
}

/// Marks that do not show: directions of text, and a mark of the order of bytes.
const HIDDEN: &[char] = &['\u{200e}', '\u{200f}', '\u{202a}', '\u{202c}', '\u{feff}'];

/// Splits a line into its time and the rest; none if it begins with no time, so that it goes on the line before it.
pub(super) fn split(line: &str) -> Option<(Stamp, &str)> {
    let line = line.trim_start_matches(HIDDEN);
    if let Some(rest) = line.strip_prefix('[') {
        let (stamp, rest) = rest.split_once(']')?;
        return Some((Stamp::read(stamp)?, rest.trim_start().trim_start_matches(HIDDEN)));
    }
    // The dash is the first with spaces around it: a date may have dashes too.
    let (stamp, rest) = line.split_once(" - ")?;
    Some((Stamp::read(stamp)?, rest.trim_start_matches(HIDDEN)))
}

impl Stamp {
    fn read(text: &str) -> Option<Self> {
        const CHARS_MAX: usize = 40;
        if text.chars().count() > CHARS_MAX {
            return None;
        }
        let text = text.replace(['\u{a0}', '\u{202f}'], " ");
        let text = text.trim_matches(|c: char| HIDDEN.contains(&c) || c == ' ').to_lowercase();
        let (date, rest) = text.split_once([',', ' '])?;
        let separator = date.chars().find(|c| !c.is_ascii_digit())?;
        let numbers = numbers(date.trim_end_matches('.'), separator)?;
        let rest = rest.trim_start_matches([',', ' ']);
        // Such as "klo 21.30" or "um 21:30".
        let rest = rest.trim_start_matches(char::is_alphabetic).trim_start();
        let end = rest.find(|c: char| !(c.is_ascii_digit() || matches!(c, ':' | '.'))).unwrap_or(rest.len());
        let (clock, half) = rest.split_at(end);
        let clock = clock.trim_end_matches('.');
        let parts: Vec<i8> = clock.split([':', '.']).map(str::parse).collect::<Result<_, _>>().ok()?;
        let (hour, minute, second) = match parts[..] {
            [hour, minute] => (hour, minute, 0),
            [hour, minute, second] => (hour, minute, second),
            _ => return None,
        };
        let letters: String = half.chars().filter(|c| c.is_alphabetic()).collect();
        let hour = match letters.as_str() {
            "" | "uhr" | "h" => hour,
            "am" | "vorm" | "πμ" | "wb" => hour % 12,
            "pm" | "nachm" | "μμ" | "wm" => hour % 12 + 12,
            _ => return None,
        };
        let is_time = (0..24).contains(&hour) && (0..60).contains(&minute) && (0..60).contains(&second);
        is_time.then_some(Self { date: numbers, separator, hour, minute, second })
    }

    /// The time by an order of the date.
    pub(super) fn at(&self, order: DateOrder) -> Option<DateTime> {
        let [a, b, c] = self.date;
        let (year, month, day) = match order {
            DateOrder::Dmy => (c, b, a),
            DateOrder::Mdy => (c, a, b),
            DateOrder::Ymd => (a, b, c),
        };
        let year = if (0..100).contains(&year) { 2_000 + year } else { year };
        // WhatsApp is from 2009.
        if !(2_009..=2_100).contains(&year) {
            return None;
        }
        let (month, day) = (i8::try_from(month).ok()?, i8::try_from(day).ok()?);
        DateTime::new(i16::try_from(year).ok()?, month, day, self.hour, self.minute, self.second, 0).ok()
    }
}

fn numbers(date: &str, separator: char) -> Option<[i32; 3]> {
    if !matches!(separator, '/' | '.' | '-') {
        return None;
    }
    let parts: Vec<i32> =
        date.split(separator).map(|part| part.trim().parse().ok()).collect::<Option<_>>()?;
    <[i32; 3]>::try_from(parts).ok().filter(|parts| parts.iter().all(|part| *part >= 0))
}

impl DateOrder {
    /// The order in which all dates are possible and the fewest are before the one above them. None if that is not one.
    pub(super) fn of(stamps: &[Stamp]) -> Option<Self> {
        let steps_back = |order: Self| {
            let times: Vec<DateTime> = stamps.iter().map(|stamp| stamp.at(order)).collect::<Option<_>>()?;
            Some(times.windows(2).filter(|pair| pair[1] < pair[0]).count())
        };
        // A year that comes first has four digits.
        if stamps.iter().all(|stamp| stamp.date[0] > 1_000) {
            return steps_back(Self::Ymd).map(|_| Self::Ymd);
        }
        match (steps_back(Self::Dmy), steps_back(Self::Mdy)) {
            (Some(_), None) => Some(Self::Dmy),
            (None, Some(_)) => Some(Self::Mdy),
            (Some(dmy), Some(mdy)) if dmy < mdy => Some(Self::Dmy),
            (Some(dmy), Some(mdy)) if mdy < dmy => Some(Self::Mdy),
            // Nobody writes the month first with dots.
            (Some(_), Some(_)) if stamps.iter().all(|stamp| stamp.separator == '.') => Some(Self::Dmy),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn time(line: &str, order: DateOrder) -> Option<String> {
        Some(split(line)?.0.at(order)?.to_string())
    }

    #[test]
    fn times_are_read_as_phones_write_them() {
        use DateOrder::{Dmy, Mdy, Ymd};
        for (line, order, expected) in [
            ("[31.12.23, 21:30:45] Ann: x", Dmy, "2023-12-31T21:30:45"),
            ("\u{200e}[31/12/2023, 21:30:45] Ann: x", Dmy, "2023-12-31T21:30:45"),
            ("[12/31/23, 9:30:45\u{202f}PM] Ann: x", Mdy, "2023-12-31T21:30:45"),
            ("[2023-12-31, 9:30:45 AM] Ann: x", Ymd, "2023-12-31T09:30:45"),
            ("[31/12/2023 21:30:45] Ann: x", Dmy, "2023-12-31T21:30:45"),
            ("31.12.23, 21:30 - Ann: x", Dmy, "2023-12-31T21:30:00"),
            ("31/12/2023, 9:30 pm - Ann: x", Dmy, "2023-12-31T21:30:00"),
            ("12/31/23, 12:05 AM - Ann: x", Mdy, "2023-12-31T00:05:00"),
            ("12/31/23, 12:05 PM - Ann: x", Mdy, "2023-12-31T12:05:00"),
            ("31/12/23 9:30 p. m. - Ann: x", Dmy, "2023-12-31T21:30:00"),
            ("31/12/2023 21:30 - Ann: x", Dmy, "2023-12-31T21:30:00"),
            ("31.12.2023 klo 21.30 - Ann: x", Dmy, "2023-12-31T21:30:00"),
            ("31-12-2023 21:30 - Ann: x", Dmy, "2023-12-31T21:30:00"),
            ("2023/12/31, 21:30 - Ann: x", Ymd, "2023-12-31T21:30:00"),
            ("2023-12-31, 9:30 p.m. - Ann: x", Ymd, "2023-12-31T21:30:00"),
            ("31.12.23, 21:30 Uhr - Ann: x", Dmy, "2023-12-31T21:30:00"),
        ] {
            assert_eq!(time(line, order).as_deref(), Some(expected), "{line}");
        }
        for other in [
            "just text",
            "",
            "[not a time] Ann: x",
            "call me at 9:30 - thanks",
            "31.12.23 - nothing",
            "99/99, 21:30 - x",
            "[31.12.23, 25:30:45] Ann: x",
            "1 2 3 - x",
        ] {
            assert_eq!(time(other, Dmy), None, "{other}");
        }
    }

    #[test]
    fn the_order_of_the_date_is_found_from_all_lines() {
        let stamps = |lines: &[&str]| lines.iter().map(|line| split(line).unwrap().0).collect::<Vec<_>>();
        let of = |lines: &[&str]| DateOrder::of(&stamps(lines));
        assert_eq!(of(&["31/12/23, 21:30 - x"]), Some(DateOrder::Dmy));
        assert_eq!(of(&["1/2/23, 21:30 - x", "2/13/23, 21:30 - x"]), Some(DateOrder::Mdy));
        // The days go on, and the months would not.
        assert_eq!(
            of(&["11/01/23, 21:30 - x", "02/02/23, 21:30 - x", "03/03/23, 09:00 - x"]),
            Some(DateOrder::Dmy)
        );
        assert_eq!(of(&["1/2/23, 21:30 - x"]), None);
        assert_eq!(of(&["1.2.23, 21:30 - x"]), Some(DateOrder::Dmy));
        assert_eq!(of(&["2023-01-02, 21:30 - x"]), Some(DateOrder::Ymd));
        assert_eq!(of(&["13/13/23, 21:30 - x"]), None);
    }
}
