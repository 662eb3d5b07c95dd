//! The days that a report is about.

use frontdesk_kernel::Date;
use frontdesk_web::{Failure, Problems, Result};

use super::budget::Period;

/// The first and the last day that a caller asks for.
#[derive(Clone, Debug, Default)]
pub struct DayRange {
    from: Option<String>,
    to: Option<String>,
}

impl DayRange {
    /// Refuses a range that ends before it begins.
    pub fn read(from: Option<Date>, to: Option<Date>) -> Result<Self> {
        let (from, to) = (from.map(|day| day.to_string()), to.map(|day| day.to_string()));
        match (&from, &to) {
            (Some(first), Some(last)) if first > last => {
                Err(Failure::validation(Problems::one("to", "must not be before from")))
            }
            _ => Ok(Self { from, to }),
        }
    }

    /// The first and the last day. Without `from` and `to`, this month until today. Without `from`, a range that ends
    /// before this month starts on the first day of the month that it ends in.
    pub fn resolve(&self, today: &Period) -> (String, String) {
        let to = self.to.clone().unwrap_or_else(|| today.day.clone());
        let first = today.first_day();
        let from = match &self.from {
            Some(from) => from.clone(),
            None if to < first => format!("{}-01", &to[..7]),
            None => first,
        };
        (from, to)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn range(from: Option<&str>, to: Option<&str>) -> (String, String) {
        let day = |text: &str| text.parse().unwrap();
        let today = Period { month: "2026-03".into(), day: "2026-03-15".into() };
        DayRange::read(from.map(day), to.map(day)).unwrap().resolve(&today)
    }

    #[test]
    fn what_is_left_out_is_this_month() {
        let days = |from: &str, to: &str| (from.to_owned(), to.to_owned());
        assert_eq!(range(None, None), days("2026-03-01", "2026-03-15"));
        assert_eq!(range(None, Some("2026-02-10")), days("2026-02-01", "2026-02-10"));
        assert_eq!(range(Some("2026-01-05"), None), days("2026-01-05", "2026-03-15"));
        let wrong = DayRange::read("2026-02-02".parse().ok(), "2026-02-01".parse().ok());
        assert!(wrong.is_err());
    }
}
