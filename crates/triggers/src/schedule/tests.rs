use super::*;
use jiff::ToSpan;
use jiff::civil::DateTime;
use proptest::prelude::*;

/// One zone whose clock changes by half an hour, one with a half-hour offset, some of the southern hemisphere, some whose
/// clock changes at midnight, and one that skipped a whole day.
const ZONES: &[&str] = &[
    "Europe/Berlin",
    "Europe/London",
    "America/New_York",
    "America/Santiago",
    "America/Havana",
    "America/St_Johns",
    "Australia/Sydney",
    "Australia/Adelaide",
    "Australia/Lord_Howe",
    "Africa/Cairo",
    "Africa/Casablanca",
    "Asia/Beirut",
    "Asia/Kolkata",
    "Asia/Tehran",
    "Pacific/Apia",
    "UTC",
];

/// The first due time after a moment, found by looking at every minute: which minutes has the wall clock reached that it
/// had not reached before?
fn oracle(recurrence: &Recurrence, moment: Timestamp, timezone: &str) -> Option<Timestamp> {
    const BEFORE_MINUTES: i64 = 3 * 24 * 60;
    const AFTER_MINUTES: i64 = 40 * 24 * 60;
    let zone = TimeZone::get(timezone).unwrap();
    let wall = |minute: i64| {
        let moment = jiff::Timestamp::from_second(minute * 60).unwrap();
        zone.to_datetime(moment).round(jiff::Unit::Minute).unwrap()
    };
    let is_due = |wall: DateTime| {
        let time = format!("{:02}:{:02}", wall.hour(), wall.minute());
        let date = wall.date();
        let day = match recurrence.days {
            Days::Every => true,
            Days::OfWeek(day) => {
                let names = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"];
                format!("{:?}", date.weekday()) == names[usize::try_from(day).unwrap()]
            }
            Days::OfMonth(day) => {
                let is_last = date.tomorrow().unwrap().month() != date.month();
                i64::from(date.day()) == day || (is_last && i64::from(date.day()) < day)
            }
        };
        day && time == recurrence.at.to_string()
    };
    let first = moment.minute() - BEFORE_MINUTES;
    let mut reached = wall(first);
    for minute in first + 1..moment.minute() + AFTER_MINUTES {
        let now = wall(minute);
        let mut has_come = false;
        while reached < now {
            reached = reached.checked_add(1.minute()).unwrap();
            has_come |= is_due(reached);
        }
        let due = Timestamp::of_minute(minute);
        if has_come && due > moment {
            return Some(due);
        }
    }
    None
}

fn recurrence(days: Days, at: &str) -> Recurrence {
    Recurrence { days, at: at.parse().unwrap() }
}

/// The first due times after a moment.
fn times(recurrence: &Recurrence, zone: &str, after: &str, count: usize) -> Vec<String> {
    let mut moment: Timestamp = after.parse().unwrap();
    let mut times = Vec::new();
    for _ in 0..count {
        moment = recurrence.next_after(moment, zone).unwrap();
        times.push(moment.to_string().replace(":00.000Z", "Z"));
    }
    times
}

#[test]
fn times_of_day_are_two_digits_each() {
    for right in ["00:00", "09:30", "23:59"] {
        assert_eq!(right.parse::<TimeOfDay>().unwrap().to_string(), right);
    }
    for wrong in
        ["", "9:30", "09:5", "24:00", "23:60", "09:30:00", "0930", "-1:00", "+9:00", "９９:00", " 09:30"]
    {
        assert_eq!(wrong.parse::<TimeOfDay>(), Err(NotATimeOfDay), "{wrong}");
    }
}

#[test]
fn a_time_that_is_skipped_fires_at_the_first_minute_after_the_gap() {
    let daily = recurrence(Days::Every, "02:30");
    // Berlin skips 02:00 to 03:00 on 29 March 2026.
    assert_eq!(
        times(&daily, "Europe/Berlin", "2026-03-27T12:00:00Z", 3),
        ["2026-03-28T01:30Z", "2026-03-29T01:00Z", "2026-03-30T00:30Z"]
    );
    // Lord Howe skips 02:00 to 02:30 on 4 October 2026.
    let daily = recurrence(Days::Every, "02:15");
    assert_eq!(
        times(&daily, "Australia/Lord_Howe", "2026-10-02T12:00:00Z", 3),
        ["2026-10-02T15:45Z", "2026-10-03T15:30Z", "2026-10-04T15:15Z"]
    );
    // Santiago skips the first hour of 6 September 2026.
    let daily = recurrence(Days::Every, "00:00");
    assert_eq!(
        times(&daily, "America/Santiago", "2026-09-04T12:00:00Z", 3),
        ["2026-09-05T04:00Z", "2026-09-06T04:00Z", "2026-09-07T03:00Z"]
    );
}

#[test]
fn a_time_that_is_repeated_fires_once() {
    let daily = recurrence(Days::Every, "02:30");
    // Berlin repeats 02:00 to 03:00 on 25 October 2026.
    assert_eq!(
        times(&daily, "Europe/Berlin", "2026-10-24T12:00:00Z", 2),
        ["2026-10-25T00:30Z", "2026-10-26T01:30Z"]
    );
    // Lord Howe repeats 01:30 to 02:00 on 5 April 2026.
    let daily = recurrence(Days::Every, "01:45");
    assert_eq!(
        times(&daily, "Australia/Lord_Howe", "2026-04-04T12:00:00Z", 2),
        ["2026-04-04T14:45Z", "2026-04-05T15:15Z"]
    );
    // Santiago repeats the last hour of 4 April 2026.
    let daily = recurrence(Days::Every, "23:30");
    assert_eq!(
        times(&daily, "America/Santiago", "2026-04-04T12:00:00Z", 2),
        ["2026-04-05T02:30Z", "2026-04-06T03:30Z"]
    );
}

#[test]
fn a_short_month_fires_on_its_last_day() {
    let monthly = recurrence(Days::OfMonth(31), "09:00");
    assert_eq!(
        times(&monthly, "UTC", "2027-12-31T09:00:00Z", 4),
        ["2028-01-31T09:00Z", "2028-02-29T09:00Z", "2028-03-31T09:00Z", "2028-04-30T09:00Z"]
    );
}

#[test]
fn weeks_begin_with_sunday() {
    // 2026-06-07 is a Sunday.
    for (day, due) in [(0, "2026-06-07T09:00Z"), (1, "2026-06-01T09:00Z"), (6, "2026-06-06T09:00Z")] {
        let weekly = recurrence(Days::OfWeek(day), "09:00");
        assert_eq!(times(&weekly, "UTC", "2026-05-31T09:00:00Z", 1), [due], "{day}");
    }
}

#[test]
fn a_timezone_that_does_not_exist_is_utc() {
    let daily = recurrence(Days::Every, "09:00");
    assert_eq!(times(&daily, "Nowhere/Land", "2026-06-01T00:00:00Z", 1), ["2026-06-01T09:00Z"]);
}

fn any_days() -> impl Strategy<Value = Days> {
    prop_oneof![
        3 => Just(Days::Every),
        1 => (0_i64..7).prop_map(Days::OfWeek),
        1 => (1_i64..32).prop_map(Days::OfMonth),
    ]
}

/// A moment within three days of a clock change, or any moment.
fn any_moment() -> impl Strategy<Value = (&'static str, Timestamp)> {
    const FIRST_SECOND: i64 = 946_684_800; // 2000-01-01
    const LAST_SECOND: i64 = 2_524_608_000; // 2050-01-01
    let near = -3_i64 * 86_400_000..3 * 86_400_000;
    (proptest::sample::select(ZONES), FIRST_SECOND..LAST_SECOND, near, any::<bool>()).prop_map(
        |(zone, second, near, is_near)| {
            let moment = jiff::Timestamp::from_second(second).unwrap();
            let changes = TimeZone::get(zone).unwrap();
            let change = changes.following(moment).next().filter(|_| is_near);
            let millis = change.map_or(moment, |change| change.timestamp()).as_millisecond();
            let millis = if is_near { millis + near } else { millis };
            (zone, Timestamp::from_millis(millis))
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, ..ProptestConfig::default() })]

    #[test]
    fn the_schedule_is_what_a_wall_clock_shows(
        days in any_days(),
        (hour, minute) in (0_i8..24, 0_i8..60),
        (zone, moment) in any_moment(),
    ) {
        // Most clock changes happen in the first hours of a day.
        for hour in [hour, hour % 4] {
            let recurrence = Recurrence { days, at: TimeOfDay { hour, minute } };
            let (found, told) = (recurrence.next_after(moment, zone), oracle(&recurrence, moment, zone));
            prop_assert_eq!(found.map(|at| at.to_string()), told.map(|at| at.to_string()), "{:?} in {} after {}", recurrence, zone, moment);
        }
    }

    #[test]
    fn no_due_time_is_skipped_or_repeated((hour, minute) in (0_i8..24, 0_i8..60), (zone, moment) in any_moment()) {
        let recurrence = Recurrence { days: Days::Every, at: TimeOfDay { hour, minute } };
        let due = recurrence.next_after(moment, zone).unwrap();
        prop_assert!(due > moment);
        // At any moment before the due time, the result is the same.
        let before = Timestamp::from_millis(due.millis() - 1);
        prop_assert_eq!(recurrence.next_after(before, zone), Some(due));
        prop_assert!(recurrence.next_after(due, zone).unwrap() > due);
    }
}
