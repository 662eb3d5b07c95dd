//! How countries number their phones: calling codes, prefixes and lengths.
//!
//! The table holds lengths and first digits, not every block of numbers that a country gives out. So a number that is
//! refused cannot exist, and a number that is accepted may still be unused.

use std::sync::LazyLock;

use super::Country;
use crate::phone::{DIGITS_MIN, Phone, is_separator, without_trunk_zero};

const PLANS: &str = include_str!("plans.txt");
/// The prefix for abroad in most countries.
const ABROAD: &str = "00";
/// Longer than every number; the last bit of a set of lengths.
const LENGTH_MAX: usize = 31;
/// What spreadsheets and word processors put before a number to keep it a text.
const APOSTROPHES: &[char] = &['\'', '\u{2018}', '\u{2019}', '`', '\u{b4}'];

/// Why a text is not a phone number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum NotAPhoneHere {
    #[error("must be a phone number, such as +14155550123")]
    Shape,
    #[error("must be a phone number with its country code, such as +14155550123")]
    NoCountryCode,
    #[error("is too short for a phone number{}", of(*.0))]
    TooShort(Option<Country>),
    #[error("is too long for a phone number{}", of(*.0))]
    TooLong(Option<Country>),
    #[error("cannot be a phone number{}: no such number is given out", of(*.0))]
    Impossible(Option<Country>),
}

fn of(country: Option<Country>) -> String {
    country.map(|country| format!(" of {country}")).unwrap_or_default()
}

/// How a country, or a service that many countries share, numbers its phones.
struct Plan {
    country: &'static str,
    /// The digits after the plus sign.
    code: &'static str,
    /// Dialled before a number inside the country, the longest first.
    trunks: Vec<&'static str>,
    abroad: Option<&'static str>,
    numbers: Numbers,
    mobiles: Numbers,
    /// The length of local numbers, and what they lack.
    local: Option<(usize, &'static str)>,
}

/// The lengths and the first digits that numbers have. The bit `n` stands for `n`.
#[derive(Default)]
struct Numbers {
    lengths: u32,
    firsts: u32,
}

impl Numbers {
    fn read(lengths: &str, firsts: &str) -> Option<Self> {
        let mut numbers = Self::default();
        if lengths == "-" {
            return Some(numbers);
        }
        for span in lengths.split(',') {
            let (from, to) = span.split_once('-').unwrap_or((span, span));
            for length in from.parse::<u32>().ok()?..=to.parse().ok()? {
                numbers.lengths |= 1 << length;
            }
        }
        for digit in firsts.chars() {
            numbers.firsts |= 1 << digit.to_digit(10)?;
        }
        Some(numbers)
    }

    fn has_length(&self, length: usize) -> bool {
        length <= LENGTH_MAX && self.lengths & (1 << length) != 0
    }

    fn has(&self, digits: &str) -> bool {
        let first = digits.chars().next().and_then(|first| first.to_digit(10));
        self.has_length(digits.len()) && first.is_some_and(|first| self.firsts & (1 << first) != 0)
    }
}

static TABLE: LazyLock<Vec<Plan>> =
    LazyLock::new(|| PLANS.lines().filter(|line| !line.starts_with('#')).filter_map(Plan::read).collect());

impl Plan {
    fn read(line: &'static str) -> Option<Self> {
        let fields: Vec<&str> = line.split(' ').collect();
        let [country, code, trunks, abroad, lengths, firsts, mobile_lengths, mobile_firsts, local] =
            fields[..]
        else {
            return None;
        };
        let some = |field: &'static str| (field != "-").then_some(field);
        Some(Self {
            country,
            code,
            trunks: some(trunks).map(|trunks| trunks.split(',').collect()).unwrap_or_default(),
            abroad: some(abroad),
            numbers: Numbers::read(lengths, firsts)?,
            mobiles: Numbers::read(mobile_lengths, mobile_firsts)?,
            local: some(local)
                .and_then(|local| local.split_once(':'))
                .and_then(|(length, lacks)| Some((length.parse().ok()?, lacks))),
        })
    }

    /// The number without the prefix inside the country, if there is such a number.
    fn significant<'d>(&self, digits: &'d str) -> Option<&'d str> {
        let mut stripped = self.trunks.iter().filter_map(|trunk| digits.strip_prefix(trunk));
        stripped.find(|rest| self.numbers.has(rest)).or_else(|| self.numbers.has(digits).then_some(digits))
    }

    /// The number without the calling code that somebody wrote without a plus sign. A number that could be both is taken
    /// for one inside the country, unless only the rest can be a mobile.
    fn without_code<'d>(&self, digits: &'d str) -> Option<&'d str> {
        let rest = digits.strip_prefix(self.code)?;
        let is_clear = !self.numbers.has(digits) || (self.mobiles.has(rest) && !self.mobiles.has(digits));
        (self.numbers.has(rest) && is_clear).then_some(rest)
    }

    /// A local number with what it lacks.
    fn completed(&self, digits: &str) -> Option<String> {
        let (length, lacks) = self.local?;
        Some(format!("{lacks}{digits}")).filter(|whole| digits.len() == length && self.numbers.has(whole))
    }

    /// A number written inside the country.
    fn national(&self, digits: &str) -> Result<Phone, NotAPhoneHere> {
        let trunked = self.trunks.iter().any(|trunk| digits.starts_with(trunk));
        let significant = match self.without_code(digits).filter(|_| !trunked) {
            Some(rest) => Some(rest.to_owned()),
            None => self
                .significant(digits)
                .map(ToOwned::to_owned)
                .or_else(|| self.without_code(digits).map(ToOwned::to_owned))
                .or_else(|| self.completed(digits))
                .or_else(|| self.argentine_mobile(digits)),
        };
        match significant {
            Some(significant) => self.phone(&significant),
            None => Err(self.fault(digits)),
        }
    }

    /// Argentines write 15 after the area code of a mobile, and nothing before it. From abroad it is a 9 before the area
    /// code instead.
    fn argentine_mobile(&self, digits: &str) -> Option<String> {
        const AREA_DIGITS: [usize; 3] = [2, 3, 4];
        const MARK: &str = "15";
        let whole = digits.strip_prefix('0').unwrap_or(digits);
        if self.country != "AR" || whole.len() != 12 || !whole.is_ascii() {
            return None;
        }
        // Only Buenos Aires has an area code of two digits.
        let areas = AREA_DIGITS.into_iter().filter(|area| (*area == 2) == whole.starts_with("11"));
        let mut marked = areas.filter(|area| whole[*area..].starts_with(MARK));
        let area = marked.next().filter(|_| marked.next().is_none())?;
        Some(format!("9{}{}", &whole[..area], &whole[area + MARK.len()..]))
    }

    fn phone(&self, significant: &str) -> Result<Phone, NotAPhoneHere> {
        let phone = format!("+{}{significant}", self.code).parse();
        phone.map_err(|_| self.fault(significant))
    }

    /// Why no number of this plan has these digits.
    fn fault(&self, digits: &str) -> NotAPhoneHere {
        let country = self.country.parse().ok();
        let trunk =
            self.trunks.iter().find(|trunk| digits.starts_with(**trunk)).map_or(0, |trunk| trunk.len());
        let lengths = [digits.len(), digits.len() - trunk].map(|length| length.min(LENGTH_MAX));
        if digits.len() + self.code.len() >= DIGITS_MIN
            && lengths.iter().any(|length| self.numbers.has_length(*length))
        {
            return NotAPhoneHere::Impossible(country);
        }
        match self.numbers.lengths {
            known if known >> lengths[1] == 0 => NotAPhoneHere::TooLong(country),
            known if known & ((1 << lengths[0]) - 1) == 0 => NotAPhoneHere::TooShort(country),
            _ if digits.len() + self.code.len() < DIGITS_MIN => NotAPhoneHere::TooShort(country),
            _ => NotAPhoneHere::Impossible(country),
        }
    }
}

pub(super) fn has(code: [u8; 2]) -> bool {
    TABLE.iter().any(|plan| plan.country.as_bytes() == code)
}

pub(super) fn read(country: Option<Country>, text: &str) -> Result<Phone, NotAPhoneHere> {
    let text = text.trim().trim_start_matches(APOSTROPHES).trim();
    let text = without_trunk_zero(text);
    let mut digits = String::new();
    for (at, c) in text.chars().enumerate() {
        match c {
            '0'..='9' => digits.push(c),
            '+' if at == 0 => {}
            // A dash of a word processor.
            '\u{2010}' | '\u{2012}' | '\u{2013}' | '\u{2212}' => {}
            c if is_separator(c) => {}
            _ => return Err(NotAPhoneHere::Shape),
        }
    }
    if digits.is_empty() {
        return Err(NotAPhoneHere::Shape);
    }
    let plan = country.and_then(|country| TABLE.iter().find(|plan| plan.country == country.as_str()));
    if text.starts_with('+') {
        return international(&digits);
    }
    if let Some(rest) = digits.strip_prefix(ABROAD) {
        return international(rest);
    }
    let Some(plan) = plan else {
        return if digits.starts_with('0') {
            Err(NotAPhoneHere::NoCountryCode)
        } else {
            international(&digits)
        };
    };
    let national = plan.national(&digits);
    let abroad = plan.abroad.and_then(|prefix| digits.strip_prefix(prefix)).map(international);
    match abroad {
        Some(Ok(phone)) if national.is_err() => Ok(phone),
        _ => national,
    }
}

/// A number that begins with a calling code.
fn international(digits: &str) -> Result<Phone, NotAPhoneHere> {
    let mut fault = NotAPhoneHere::NoCountryCode;
    // Several countries may share a calling code.
    for plan in TABLE.iter() {
        let Some(rest) = digits.strip_prefix(plan.code) else { continue };
        match plan.significant(rest) {
            Some(significant) => return plan.phone(significant),
            None => fault = plan.fault(rest),
        }
    }
    Err(match fault {
        NotAPhoneHere::TooShort(_) => NotAPhoneHere::TooShort(None),
        NotAPhoneHere::TooLong(_) => NotAPhoneHere::TooLong(None),
        NotAPhoneHere::Impossible(_) => NotAPhoneHere::Impossible(None),
        other => other,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const EXAMPLES: &str = include_str!("examples.txt");

    fn read_in(country: &str, text: &str) -> Result<String, String> {
        let country = (!country.is_empty()).then(|| country.parse().unwrap());
        read(country, text).map(|phone| phone.to_string()).map_err(|wrong| wrong.to_string())
    }

    #[test]
    fn every_line_of_the_table_is_read() {
        assert_eq!(TABLE.len(), PLANS.lines().filter(|line| !line.starts_with('#')).count());
    }

    #[test]
    fn the_example_of_every_country_is_read_as_libphonenumber_reads_it() {
        let mut wrong = Vec::new();
        for line in EXAMPLES.lines().skip(1) {
            let [country, written, number] = line.split('\t').collect::<Vec<_>>()[..] else {
                panic!("{line}")
            };
            let read = read_in(country, written);
            if read.as_deref() != Ok(number) {
                wrong.push(format!("{line}: {read:?}"));
            }
        }
        assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    }

    #[test]
    fn a_number_with_its_country_code_is_read_as_it_is() {
        for line in EXAMPLES.lines().skip(1) {
            let number = line.rsplit('\t').next().unwrap();
            assert_eq!(read_in("", number).as_deref(), Ok(number), "{line}");
        }
        assert_eq!(read_in("", "+4901510000489").as_deref(), Ok("+491510000489"));
    }

    #[test]
    fn a_number_is_read_as_people_write_it() {
        for (country, written, number) in [
            ("DE", "1510000482", "+491510000482"),
            ("DE", "0151 0000482", "+491510000482"),
            ("DE", "'01510000482", "+491510000482"),
            ("DE", "\u{2019}+49 151 0000482", "+491510000482"),
            ("DE", "+49 (0)151 0000489", "+491510000489"),
            ("DE", "+49 0151 0000489", "+491510000489"),
            ("DE", "0049 151/0000489", "+491510000489"),
            ("DE", "0151 \u{2013} 0000489", "+491510000489"),
            ("DE", "4915112345678", "+4915112345678"),
            ("DE", "+1 (415) 555-0123", "+14155550123"),
            ("US", "(415) 555-0123", "+14155550123"),
            ("US", "1-415-555-0123", "+14155550123"),
            ("US", "011 49 151 0000482", "+491510000482"),
            ("GB", "+44 (0)20 7946 0958", "+442079460958"),
            ("IT", "06 1234 5678", "+390612345678"),
            ("AR", "011 15-2345-6789", "+5491123456789"),
            ("", "14155550123", "+14155550123"),
            ("", "+49 (0)151 0000489", "+491510000489"),
        ] {
            assert_eq!(read_in(country, written).as_deref(), Ok(number), "{country} {written}");
        }
    }

    #[test]
    fn a_number_that_cannot_exist_is_refused() {
        for (country, written, wrong) in [
            ("DE", "12", "is too short for a phone number of DE"),
            ("DE", "+49 89 1", "is too short for a phone number"),
            ("DE", "0151 0000482 0000482 0000482", "is too long for a phone number of DE"),
            ("US", "555-0123", "is too short for a phone number of US"),
            ("US", "(115) 555-0123", "cannot be a phone number of US: no such number is given out"),
            ("DE", "call me", "must be a phone number, such as +14155550123"),
            ("DE", "0151 0000482 ext 5", "must be a phone number, such as +14155550123"),
            ("DE", "", "must be a phone number, such as +14155550123"),
            ("", "1510000482", "is too short for a phone number"),
            ("", "0151 0000482", "must be a phone number with its country code, such as +14155550123"),
            ("", "+999 1234567", "must be a phone number with its country code, such as +14155550123"),
        ] {
            assert_eq!(read_in(country, written), Err(wrong.to_owned()), "{country} {written}");
        }
    }

    proptest! {
        #[test]
        fn a_number_that_was_read_reads_back_as_itself(text in r"'?\+?[0-9 ()./-]{0,22}", plan in 0..200_usize) {
            let country: Option<Country> = TABLE[plan].country.parse().ok();
            if let Ok(phone) = read(country, &text) {
                prop_assert_eq!(read(country, phone.as_str()), Ok(phone.clone()));
                prop_assert_eq!(read(None, phone.as_str()), Ok(phone));
            }
        }

        #[test]
        fn no_text_makes_it_fall_over(text: String) {
            let _ = read("AR".parse().ok(), &text);
        }
    }
}
