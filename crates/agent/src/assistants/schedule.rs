//! When an assistant answers customers.

use std::collections::BTreeMap;

use frontdesk_kernel::Timestamp;
use frontdesk_web::{Components, Describe, FieldPath, Input, Problems, choice, input, resource};
use jiff::civil::Weekday;
use jiff::tz::TimeZone;
use serde::{Deserialize, Deserializer};
use serde_json::{Map, Value, json};

const DAYS: [&str; 7] = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"];
/// Maximum spans of one day.
const SPANS_MAX: usize = 24;

choice! {
    /// `always` is any hour, `custom_hours` only inside `hours`, `outside_business_hours` only when the business is closed.
    pub enum ScheduleMode {
        Always => "always",
        CustomHours => "custom_hours",
        OutsideBusinessHours => "outside_business_hours",
    }
}

impl<'de> Deserialize<'de> for ScheduleMode {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(serde::de::Error::custom)
    }
}

resource! {
    /// When an assistant answers customers, in the account's timezone.
    #[derive(PartialEq, Deserialize)]
    pub struct Schedule {
        pub mode: ScheduleMode,
        /// Only for `custom_hours`: a weekday (`mon` to `sun`) and its spans. A day that is missing is closed.
        pub hours: Option<Hours>,
    }
}

impl Default for Schedule {
    fn default() -> Self {
        Self { mode: ScheduleMode::Always, hours: None }
    }
}

/// Spans by weekday, each as `["09:00", "17:30"]`. A span ends at 24:00 at the latest.
#[derive(Clone, Debug, Default, PartialEq, Eq, serde::Serialize, Deserialize)]
#[serde(transparent)]
pub struct Hours(BTreeMap<String, Vec<(String, String)>>);

impl Hours {
    /// Parses the business hours of an account. Returns None when they cannot be parsed.
    pub fn of_account(hours: Option<&Value>) -> Option<Self> {
        hours.and_then(|hours| serde_json::from_value(hours.clone()).ok())
    }

    /// Whether the hours are open at a moment.
    pub(super) fn is_open_at(&self, moment: jiff::Timestamp, zone: &TimeZone) -> bool {
        let local = zone.to_datetime(moment);
        let minute = u16::from(local.hour().unsigned_abs()) * 60 + u16::from(local.minute().unsigned_abs());
        self.spans(local.date().weekday()).any(|(open, close)| (open..close).contains(&minute))
    }

    /// The spans of a day, in minutes since midnight.
    pub(super) fn spans(&self, day: Weekday) -> impl Iterator<Item = (u16, u16)> {
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

/// Whether an assistant with this schedule answers now. A business without hours is always open.
pub fn is_open(schedule: &Schedule, business: Option<&Hours>, timezone: &str, now: Timestamp) -> bool {
    let is_inside = |hours: &Hours| {
        let zone = TimeZone::get(timezone).unwrap_or(TimeZone::UTC);
        let moment = jiff::Timestamp::from_millisecond(now.millis());
        moment.is_ok_and(|moment| hours.is_open_at(moment, &zone))
    };
    match schedule.mode {
        ScheduleMode::Always => true,
        ScheduleMode::CustomHours => schedule.hours.as_ref().is_some_and(is_inside),
        ScheduleMode::OutsideBusinessHours => business.is_some_and(|hours| !is_inside(hours)),
    }
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

input! {
    /// When an assistant answers customers.
    pub struct ScheduleInput {
        pub mode: ScheduleMode,
        /// Required for `custom_hours`, and only for that.
        pub hours: Option<Hours>,
    }
    shape = hours_fit_the_mode;
}

fn hours_fit_the_mode(schedule: &Map<String, Value>, problems: &mut Problems) {
    let is_custom = schedule.get("mode").and_then(Value::as_str) == Some(ScheduleMode::CustomHours.as_str());
    let has_hours = schedule.get("hours").is_some_and(|hours| !hours.is_null());
    match (is_custom, has_hours) {
        (true, false) => problems.add("hours", "is required for custom_hours"),
        (false, true) => problems.add("hours", "must be left out unless mode is custom_hours"),
        _ => {}
    }
}

impl From<ScheduleInput> for Schedule {
    fn from(input: ScheduleInput) -> Self {
        Self { mode: input.mode, hours: input.hours }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hours(value: Value) -> Result<Hours, Vec<String>> {
        let mut problems = Problems::new();
        let read = Hours::read(Some(&value), &mut FieldPath::root(), &mut problems);
        read.ok_or_else(|| problems.iter().map(|(path, _)| path.to_owned()).collect())
    }

    fn moment(text: &str) -> Timestamp {
        text.parse().unwrap()
    }

    #[test]
    fn everything_wrong_with_hours_is_told_at_its_path() {
        assert!(hours(json!({ "mon": [["09:00", "12:00"], ["13:00", "24:00"]], "sun": [] })).is_ok());
        let wrong =
            json!({ "monday": [], "tue": [["9:00", "12:00"], ["13:00", "12:00"], "x"], "wed": "all day" });
        assert_eq!(hours(wrong).unwrap_err(), ["monday", "tue.0", "tue.1", "tue.2", "wed"]);
    }

    #[test]
    fn custom_hours_are_in_the_accounts_timezone() {
        let schedule = Schedule {
            mode: ScheduleMode::CustomHours,
            hours: hours(json!({ "mon": [["09:00", "17:00"]] })).ok(),
        };
        // 2026-06-01 is a Monday. Kolkata is five and a half hours ahead of UTC.
        for (time, open) in [
            ("2026-06-01T03:29:59Z", false),
            ("2026-06-01T03:30:00Z", true),
            ("2026-06-01T11:29:59Z", true),
            ("2026-06-01T11:30:00Z", false),
            ("2026-06-02T05:00:00Z", false),
        ] {
            assert_eq!(is_open(&schedule, None, "Asia/Kolkata", moment(time)), open, "{time}");
        }
    }

    #[test]
    fn outside_business_hours_needs_a_business_that_closes() {
        let schedule = Schedule { mode: ScheduleMode::OutsideBusinessHours, hours: None };
        let business = hours(json!({ "mon": [["09:00", "17:00"]] })).unwrap();
        let open = |business, time| is_open(&schedule, business, "Europe/Berlin", moment(time));
        assert!(!open(None, "2026-06-01T22:00:00Z"), "a business without hours never closes");
        assert!(!open(Some(&business), "2026-06-01T07:00:00Z"));
        assert!(open(Some(&business), "2026-06-01T15:00:00Z"));
        assert!(open(Some(&business), "2026-06-02T09:00:00Z"));
    }

    #[test]
    fn an_hour_that_a_clock_change_skips_or_repeats_is_judged_by_the_clock_on_the_wall() {
        let schedule = Schedule {
            mode: ScheduleMode::CustomHours,
            hours: hours(json!({ "sun": [["02:00", "03:00"]] })).ok(),
        };
        let open = |time| is_open(&schedule, None, "Europe/Berlin", moment(time));
        // On 29 March 2026 the clock jumps from 02:00 to 03:00; on 25 October 02:00 to 03:00 happens twice.
        assert!(!open("2026-03-29T00:59:00Z") && !open("2026-03-29T01:00:00Z"));
        assert!(
            open("2026-10-25T00:30:00Z") && open("2026-10-25T01:30:00Z") && !open("2026-10-25T02:00:00Z")
        );
    }
}
