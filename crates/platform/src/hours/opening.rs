//! Finds the next time that hours open. Pure.

use frontdesk_kernel::Timestamp;
use jiff::ToSpan;
use jiff::tz::TimeZone;

use super::Hours;

/// Hours repeat every week, and a clock change moves them by a day at most.
const DAYS_MAX: i32 = 9;

/// The first moment from now on at which hours are open, in a timezone such as `Europe/Berlin`. None if they never open.
pub fn next_open(hours: &Hours, timezone: &str, now: Timestamp) -> Option<Timestamp> {
    let zone = TimeZone::get(timezone).unwrap_or(TimeZone::UTC);
    let from = jiff::Timestamp::from_millisecond(now.millis()).ok()?;
    if hours.is_open_at(from, &zone) {
        return Some(now);
    }
    // Hours open when a span begins, or when a clock change jumps into a span.
    let until = from.checked_add((24 * i64::from(DAYS_MAX)).hours()).ok()?;
    let changes = zone.following(from).map(|change| change.timestamp());
    let mut moments: Vec<jiff::Timestamp> = changes.take_while(|change| *change <= until).collect();
    let mut date = zone.to_datetime(from).date().yesterday().ok()?;
    for _ in 0..=DAYS_MAX {
        for (open, _) in hours.spans(date.weekday()) {
            let wall = date.at(0, 0, 0, 0).checked_add(i64::from(open).minutes()).ok()?;
            let opening = zone.to_ambiguous_timestamp(wall);
            moments.extend([opening.earlier(), opening.later()].into_iter().flatten());
        }
        date = date.tomorrow().ok()?;
    }
    let opens =
        moments.into_iter().filter(|moment| *moment > from && hours.is_open_at(*moment, &zone)).min()?;
    Some(Timestamp::from_millis(opens.as_millisecond()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use serde_json::{Value, json};

    fn hours(value: &Value) -> Hours {
        Hours::of_account(Some(value)).unwrap()
    }

    fn moment(text: &str) -> Timestamp {
        text.parse().unwrap()
    }

    #[test]
    fn hours_open_at_their_next_span() {
        let hours =
            hours(&json!({ "mon": [["09:00", "12:00"], ["13:00", "18:00"]], "fri": [["09:00", "12:00"]] }));
        // 2026-06-01 is a Monday.
        for (now, opens) in [
            ("2026-06-01T06:59:00Z", "2026-06-01T07:00:00Z"),
            ("2026-06-01T07:30:12Z", "2026-06-01T07:30:12Z"),
            ("2026-06-01T10:00:00Z", "2026-06-01T11:00:00Z"),
            ("2026-06-01T16:00:00Z", "2026-06-05T07:00:00Z"),
            ("2026-06-05T10:00:00Z", "2026-06-08T07:00:00Z"),
        ] {
            assert_eq!(next_open(&hours, "Europe/Berlin", moment(now)), Some(moment(opens)), "{now}");
        }
    }

    #[test]
    fn hours_without_spans_never_open() {
        for never in [json!({}), json!({ "mon": [] })] {
            assert_eq!(next_open(&hours(&never), "UTC", moment("2026-06-01T00:00:00Z")), None);
        }
    }

    #[test]
    fn an_opening_that_a_clock_change_skips_is_after_the_gap() {
        // Berlin skips 02:00 to 03:00 on 29 March 2026, a Sunday.
        let now = moment("2026-03-29T00:00:00Z");
        let open = |hours_of_day: Value| next_open(&hours(&hours_of_day), "Europe/Berlin", now);
        assert_eq!(open(json!({ "sun": [["02:30", "05:00"]] })), Some(moment("2026-03-29T01:00:00Z")));
        assert_eq!(open(json!({ "sun": [["02:15", "02:45"]] })), Some(moment("2026-04-05T00:15:00Z")));
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 48, ..ProptestConfig::default() })]

        #[test]
        fn the_next_opening_is_the_first_open_minute(
            zone in proptest::sample::select(&["Europe/Berlin", "Australia/Lord_Howe", "America/Santiago", "Asia/Kolkata"][..]),
            day in proptest::sample::select(&["mon", "sun"][..]),
            (open, length) in (0_u16..1_200, 1_u16..240),
            near in -4_000_i64..4_000,
        ) {
            let text = |minutes: u16| format!("{:02}:{:02}", minutes / 60, minutes % 60);
            let given = hours(&json!({ day: [[text(open), text(open + length)]], "wed": [["03:00", "03:01"]] }));
            let tz = TimeZone::get(zone).unwrap();
            let start: jiff::Timestamp = "2026-03-01T00:00:00Z".parse().unwrap();
            let change = tz.following(start).next().map_or(start, |change| change.timestamp());
            let now = Timestamp::of_minute(change.as_second() / 60 + near);
            let is_open = |minute: &i64| {
                let moment = jiff::Timestamp::from_second(minute * 60).unwrap();
                given.is_open_at(moment, &tz)
            };
            let first = (now.minute()..now.minute() + 8 * 24 * 60).find(is_open).map(Timestamp::of_minute);
            prop_assert_eq!(next_open(&given, zone, now), first);
        }
    }
}
