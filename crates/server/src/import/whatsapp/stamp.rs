//! The time at the beginning of a line, as phones write it in many languages. Pure.
//!
//! iPhones write `[31.12.23, 21:30:45] Ann: …`, Android phones `31/12/2023, 9:30 pm - Ann: …`. Which number is the day is not
//! in the line; [`DateOrder::of`] finds it from all lines.

use jiff::civil::DateTime;

use super::marker::Marker;

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
    /// Whether a word says the half of the day.
    pub(super) is_marked: bool,
}

/// What a line begins with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Beginning {
    Time(Stamp),
    /// A time with words beside it that are not known. They may say that it is after noon.
    Unknown(String),
}

/// Marks that do not show: directions of text, and a mark of the order of bytes.
pub(super) const HIDDEN: &[char] = &['\u{200e}', '\u{200f}', '\u{202a}', '\u{202c}', '\u{feff}'];
/// The digits of zero in the scripts in which phones write dates: Arabic, Persian, Hindi, Bengali.
const ZEROS: [char; 4] = ['\u{660}', '\u{6f0}', '\u{966}', '\u{9e6}'];
/// The words for year and month in Chinese, Japanese and Korean stand between the numbers of a date.
const SEPARATORS: &[char] = &['/', '.', '-', '年', '月', '년', '월'];
const DAYS: &[char] = &['.', '日', '일'];
/// Words beside a time are at most so many. More of them are a sentence.
const WORDS_MAX: usize = 2;
const WORDS_CHARS_MAX: usize = 20;

/// Splits a line into its time and the rest; none if it begins with no time, so that it goes on the line before it.
pub(super) fn split(line: &str) -> Option<(Beginning, &str)> {
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
    fn read(text: &str) -> Option<Beginning> {
        const BYTES_MAX: usize = 160;
        const CHARS_MAX: usize = 48;
        if text.len() > BYTES_MAX || text.chars().count() > CHARS_MAX {
            return None;
        }
        let text: String = text.chars().filter(|c| !HIDDEN.contains(c)).map(plain).collect();
        let text = text.trim().to_lowercase();
        let (date, separator, rest) = date_of(&text)?;
        let clock = rest.find(|c: char| c.is_ascii_digit())?;
        let (before, rest) = rest.split_at(clock);
        let end = rest.find(|c: char| !(c.is_ascii_digit() || matches!(c, ':' | '.'))).unwrap_or(rest.len());
        let (clock, after) = rest.split_at(end);
        let parts: Vec<i8> =
            clock.trim_end_matches('.').split([':', '.']).map(str::parse).collect::<Result<_, _>>().ok()?;
        let (hour, minute, second) = match parts[..] {
            [hour, minute] => (hour, minute, 0),
            [hour, minute, second] => (hour, minute, second),
            _ => return None,
        };
        if !((0..24).contains(&hour) && (0..60).contains(&minute) && (0..60).contains(&second)) {
            return None;
        }
        let marker = match (Marker::of(before), Marker::of(after)) {
            (Some(Marker::None), Some(marker)) | (Some(marker), Some(Marker::None)) => Some(marker),
            _ => None,
        };
        if let Some(marker) = marker
            && let Some(hour) = marker.hour(hour)
        {
            let is_marked = marker != Marker::None;
            return Some(Beginning::Time(Self { date, separator, hour, minute, second, is_marked }));
        }
        let words = [before, after].join(" ");
        let words = words.trim_matches(|c: char| c.is_whitespace() || matches!(c, ',' | '،'));
        let is_short = words.split_whitespace().count() <= WORDS_MAX
            && words.chars().count() <= WORDS_CHARS_MAX
            && words.chars().any(char::is_alphabetic);
        is_short.then(|| Beginning::Unknown(words.split_whitespace().collect::<Vec<_>>().join(" ")))
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

/// A character as the parser reads it: a digit of another script as a usual one, a space of any width as one.
fn plain(c: char) -> char {
    if matches!(c, '\u{a0}' | '\u{202f}') {
        return ' ';
    }
    let digit =
        ZEROS.iter().find_map(|zero| (c as u32).checked_sub(*zero as u32).filter(|value| *value < 10));
    digit.and_then(|digit| char::from_digit(digit, 10)).unwrap_or(c)
}

/// Reads the date at the beginning: its numbers, what is between them, and what follows. Spaces may follow what is between
/// them, as in "31. 12. 2023".
fn date_of(text: &str) -> Option<([i32; 3], char, &str)> {
    let (first, rest) = number_of(text)?;
    let separator = rest.chars().next().filter(|c| SEPARATORS.contains(c))?;
    let (second, rest) = number_of(rest.strip_prefix(SEPARATORS)?.trim_start())?;
    let (third, rest) = number_of(rest.strip_prefix(SEPARATORS)?.trim_start())?;
    let rest = rest.strip_prefix(DAYS).unwrap_or(rest);
    let is_end = rest.starts_with([' ', ',', '،']);
    is_end.then_some(([first, second, third], separator, rest))
}

fn number_of(text: &str) -> Option<(i32, &str)> {
    const DIGITS_MAX: usize = 4;
    let end = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    let (digits, rest) = text.split_at(end);
    if digits.len() > DIGITS_MAX {
        return None;
    }
    Some((digits.parse().ok()?, rest))
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
        match split(line)?.0 {
            Beginning::Time(stamp) => Some(stamp.at(order)?.to_string()),
            Beginning::Unknown(words) => panic!("{words:?} is not known in {line}"),
        }
    }

    fn stamp(line: &str) -> Stamp {
        match split(line) {
            Some((Beginning::Time(stamp), _)) => stamp,
            other => panic!("{other:?} of {line}"),
        }
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
            ("31.12.23 г., 21:30 ч. - Ann: x", Dmy, "2023-12-31T21:30:00"),
            ("31. 12. 2023 21:30 - Ann: x", Dmy, "2023-12-31T21:30:00"),
            ("31. 12. 2023. 21:30 - Ann: x", Dmy, "2023-12-31T21:30:00"),
            ("[2023. 12. 31. 21:30:45] Ann: x", Ymd, "2023-12-31T21:30:45"),
            ("31/12/2023 à 21:30 - Ann: x", Dmy, "2023-12-31T21:30:00"),
            ("31/12/2023 às 21:30 - Ann: x", Dmy, "2023-12-31T21:30:00"),
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
    fn the_half_of_the_day_stands_before_the_time_in_many_languages() {
        use DateOrder::{Dmy, Ymd};
        for (line, order, expected) in [
            ("2023/12/31 下午9:30 - 安: x", Ymd, "2023-12-31T21:30:00"),
            ("2023/12/31 上午9:30 - 安: x", Ymd, "2023-12-31T09:30:00"),
            ("2023/12/31 下午12:30 - 安: x", Ymd, "2023-12-31T12:30:00"),
            ("2023/12/31 上午12:30 - 安: x", Ymd, "2023-12-31T00:30:00"),
            ("2023/12/31 晚上9:30 - 安: x", Ymd, "2023-12-31T21:30:00"),
            ("2023/12/31 凌晨1:30 - 安: x", Ymd, "2023-12-31T01:30:00"),
            ("2023/12/31 中午12:30 - 安: x", Ymd, "2023-12-31T12:30:00"),
            ("[2023/12/31 下午9:30:45] 安: x", Ymd, "2023-12-31T21:30:45"),
            ("2023年12月31日 下午9:30 - 安: x", Ymd, "2023-12-31T21:30:00"),
            ("2023/12/31 午後9:30 - 安: x", Ymd, "2023-12-31T21:30:00"),
            ("2023/12/31, 午前9:30 - 安: x", Ymd, "2023-12-31T09:30:00"),
            ("[2023. 12. 31. 오후 9:30:45] Ann: x", Ymd, "2023-12-31T21:30:45"),
            ("2023. 12. 31. 오전 9:30 - Ann: x", Ymd, "2023-12-31T09:30:00"),
            ("2023년 12월 31일 오후 9:30 - Ann: x", Ymd, "2023-12-31T21:30:00"),
            ("31.12.2023 ÖS 9:30 - Ann: x", Dmy, "2023-12-31T21:30:00"),
            ("31.12.2023 ÖÖ 9:30 - Ann: x", Dmy, "2023-12-31T09:30:00"),
            ("2023. 12. 31. du. 9:30 - Ann: x", Ymd, "2023-12-31T21:30:00"),
            ("31/12/23 PTG 9:30 - Ann: x", Dmy, "2023-12-31T21:30:00"),
            ("31/12/23, PM 9:30 - Ann: x", Dmy, "2023-12-31T21:30:00"),
        ] {
            assert_eq!(time(line, order).as_deref(), Some(expected), "{line}");
        }
    }

    #[test]
    fn the_half_of_the_day_stands_after_the_time_in_many_languages() {
        for (line, expected) in [
            ("31/12/2023, 9:30 μ.μ. - Ann: x", "2023-12-31T21:30:00"),
            ("31/12/23 9:30 CH - Ann: x", "2023-12-31T21:30:00"),
            ("31/12/23 9:30 SA - Ann: x", "2023-12-31T09:30:00"),
            ("31.12.2023, 9:30 odp. - Ann: x", "2023-12-31T21:30:00"),
            ("31.12.2023 9.30 ip. - Ann: x", "2023-12-31T21:30:00"),
            ("31/12/2023, 9:30 da tarde - Ann: x", "2023-12-31T21:30:00"),
            ("31.12.2023, 9:30 אחה״צ - Ann: x", "2023-12-31T21:30:00"),
            ("31\u{200f}/12\u{200f}/2023, 9:30 م - Ann: x", "2023-12-31T21:30:00"),
            ("٣١\u{200f}/١٢\u{200f}/٢٠٢٣، ٩:٣٠ ص - Ann: x", "2023-12-31T09:30:00"),
        ] {
            assert_eq!(time(line, DateOrder::Dmy).as_deref(), Some(expected), "{line}");
        }
    }

    #[test]
    fn a_word_beside_the_time_that_is_not_known_is_not_guessed() {
        for (line, words) in [
            ("31/12/2023 blorp 9:30 - Ann: x", "blorp"),
            ("31/12/2023, 9:30 blorp - Ann: x", "blorp"),
            ("[31/12/2023 blorp 9:30:45] Ann: x", "blorp"),
            // Twice, and with an hour that no such clock shows.
            ("31/12/2023 PM 9:30 AM - Ann: x", "pm am"),
            ("31/12/2023, 21:30 PM - Ann: x", "pm"),
            ("2023/12/31 晚上12:30 - 安: x", "晚上"),
        ] {
            let unknown = Beginning::Unknown(words.to_owned());
            assert_eq!(split(line).map(|(beginning, _)| beginning), Some(unknown), "{line}");
        }
        // A sentence is no time.
        assert_eq!(split("31/12/2023 we all meet at 9:30 - Ann: x"), None);
    }

    #[test]
    fn the_order_of_the_date_is_found_from_all_lines() {
        let stamps = |lines: &[&str]| lines.iter().map(|line| stamp(line)).collect::<Vec<_>>();
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
