//! Hours by weekday: when a business is open, when messages may be sent, and when an assistant answers.

mod opening;

use std::collections::BTreeMap;

use frontdesk_kernel::Timestamp;
use frontdesk_web::{Components, Describe, FieldPath, Input, Problems, input};
use jiff::civil::Weekday;
use jiff::tz::TimeZone;
use serde::Deserialize;
use serde_json::{Value, json};

pub use opening::next_open;

const DAYS: [&str; 7] = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"];
/// Maximum spans of one day.
const SPANS_MAX: usize = 24;

/// Spans by weekday, each as `["09:00", "17:30"]`. A span ends at 24:00 at the latest.
#[derive(Clone, Debug, Default, PartialEq, Eq, serde::Serialize, Deserialize)]
#[serde(transparent)]
pub struct Hours(BTreeMap<String, Vec<(String, String)>>);

impl Hours {
    /// Parses the business hours of an account. Returns None when they cannot be parsed.
    pub fn of_account(hours: Option<&Value>) -> Option<Self> {
        hours.and_then(|hours| serde_json::from_value(hours.clone()).ok())
    }

    /// Whether the hours are open now, in a timezone such as `Europe/Berlin`.
    pub fn is_open(&self, timezone: &str, now: Timestamp) -> bool {
        let zone = TimeZone::get(timezone).unwrap_or(TimeZone::UTC);
        let moment = jiff::Timestamp::from_millisecond(now.millis());
        moment.is_ok_and(|moment| self.is_open_at(moment, &zone))
    }

    /// Whether the hours are open at a moment.
    fn is_open_at(&self, moment: jiff::Timestamp, zone: &TimeZone) -> bool {
        let local = zone.to_datetime(moment);
        let minute = u16::from(local.hour().unsigned_abs()) * 60 + u16::from(local.minute().unsigned_abs());
        self.spans(local.date().weekday()).any(|(open, close)| (open..close).contains(&minute))
    }

    /// The spans of a day, in minutes since midnight.
    fn spans(&self, day: Weekday) -> impl Iterator<Item = (u16, u16)> {
        let day = DAYS[usize::from(day.to_monday_zero_offset().unsigned_abs())];
        let spans = self.0.get(day).into_iter().flatten();
        spans.filter_map(|(open, close)| Some((minutes(open)?, minutes(close)?)))
    }
}

/// Minutes since midnight of `HH:MM`, up to 24:00.
fn minutes(time: &str) -> Option<u16> {
    let (hour, minute) = time.split_once(':')?;
    let are_digits = |part: &str| part.len() == 2 && part.bytes().all(|digit| digit.is_ascii_digit());
    if !are_digits(hour) || !are_digits(minute) {
        return None;
    }
    let (hour, minute): (u16, u16) = (hour.parse().ok()?, minute.parse().ok()?);
    (minute < 60 && (hour < 24 || (hour == 24 && minute == 0))).then_some(hour * 60 + minute)
}

impl Describe for Hours {
    fn schema(_: &mut Components) -> Value {
        let span = json!({ "type": "array", "items": { "type": "string", "pattern": "^[0-2][0-9]:[0-5][0-9]$" }, "minItems": 2, "maxItems": 2 });
        json!({
            "type": "object",
            "propertyNames": { "enum": DAYS },
            "additionalProperties": { "type": "array", "items": span, "maxItems": SPANS_MAX },
            "examples": [{ "mon": [["09:00", "12:30"], ["13:30", "18:00"]] }],
        })
    }
}

impl Input for Hours {
    fn schema(components: &mut Components) -> Value {
        <Self as Describe>::schema(components)
    }

    fn read(value: Option<&Value>, at: &mut FieldPath, problems: &mut Problems) -> Option<Self> {
        let days = input::object(value, at, problems)?;
        let before = problems.len();
        let mut hours = BTreeMap::new();
        for (day, spans) in days {
            at.field(day, |at| {
                if !DAYS.contains(&day.as_str()) {
                    problems.at(at, "must be keyed by a weekday: mon, tue, wed, thu, fri, sat or sun");
                } else if let Some(spans) = read_spans(spans, at, problems) {
                    hours.insert(day.clone(), spans);
                }
            });
        }
        (problems.len() == before).then_some(Self(hours))
    }
}

fn read_spans(spans: &Value, at: &mut FieldPath, problems: &mut Problems) -> Option<Vec<(String, String)>> {
    let Some(spans) = spans.as_array().filter(|spans| spans.len() <= SPANS_MAX) else {
        problems
            .at(at, format!("must be a list of at most {SPANS_MAX} spans such as [\"09:00\", \"17:30\"]"));
        return None;
    };
    let mut read = Vec::with_capacity(spans.len());
    for (index, span) in spans.iter().enumerate() {
        let times = span.as_array().map(|times| times.iter().filter_map(Value::as_str).collect::<Vec<_>>());
        let pair = match times.as_deref() {
            Some(&[open, close]) => Some((open, close)),
            _ => None,
        };
        match pair.filter(|(open, close)| minutes(open).zip(minutes(close)).is_some_and(|(a, b)| a < b)) {
            Some((open, close)) => read.push((open.to_owned(), close.to_owned())),
            None => at.index(index, |at| {
                problems
                    .at(at, "must be two times as HH:MM, the earlier first, such as [\"09:00\", \"17:30\"]");
            }),
        }
    }
    (read.len() == spans.len()).then_some(read)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hours(value: Value) -> Result<Hours, Vec<String>> {
        let mut problems = Problems::new();
        let read = Hours::read(Some(&value), &mut FieldPath::root(), &mut problems);
        read.ok_or_else(|| problems.iter().map(|(path, _)| path.to_owned()).collect())
    }

    #[test]
    fn everything_wrong_with_hours_is_told_at_its_path() {
        assert!(hours(json!({ "mon": [["09:00", "12:00"], ["13:00", "24:00"]], "sun": [] })).is_ok());
        let wrong =
            json!({ "monday": [], "tue": [["9:00", "12:00"], ["13:00", "12:00"], "x"], "wed": "all day" });
        assert_eq!(hours(wrong).unwrap_err(), ["monday", "tue.0", "tue.1", "tue.2", "wed"]);
    }
}
