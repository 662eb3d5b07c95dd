//! When an assistant answers customers.

use frontdesk_kernel::Timestamp;
use frontdesk_platform::hours::Hours;
use frontdesk_web::{Problems, choice, input, resource};
use serde::{Deserialize, Deserializer};
use serde_json::{Map, Value};

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

/// Whether an assistant with this schedule answers now. A business without hours is always open.
pub fn is_open(schedule: &Schedule, business: Option<&Hours>, timezone: &str, now: Timestamp) -> bool {
    let is_inside = |hours: &Hours| hours.is_open(timezone, now);
    match schedule.mode {
        ScheduleMode::Always => true,
        ScheduleMode::CustomHours => schedule.hours.as_ref().is_some_and(is_inside),
        ScheduleMode::OutsideBusinessHours => business.is_some_and(|hours| !is_inside(hours)),
    }
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
    use serde_json::json;

    fn hours(value: &Value) -> Option<Hours> {
        Hours::of_account(Some(value))
    }

    fn moment(text: &str) -> Timestamp {
        text.parse().unwrap()
    }

    #[test]
    fn custom_hours_are_in_the_accounts_timezone() {
        let schedule = Schedule {
            mode: ScheduleMode::CustomHours,
            hours: hours(&json!({ "mon": [["09:00", "17:00"]] })),
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
        let business = hours(&json!({ "mon": [["09:00", "17:00"]] })).unwrap();
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
            hours: hours(&json!({ "sun": [["02:00", "03:00"]] })),
        };
        let open = |time| is_open(&schedule, None, "Europe/Berlin", moment(time));
        // On 29 March 2026 the clock jumps from 02:00 to 03:00; on 25 October 02:00 to 03:00 happens twice.
        assert!(!open("2026-03-29T00:59:00Z") && !open("2026-03-29T01:00:00Z"));
        assert!(
            open("2026-10-25T00:30:00Z") && open("2026-10-25T01:30:00Z") && !open("2026-10-25T02:00:00Z")
        );
    }
}
