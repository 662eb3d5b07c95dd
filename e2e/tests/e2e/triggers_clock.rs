//! Triggers that the clock fires.

use std::collections::BTreeMap;

use frontdesk_e2e::{App, Engine, Tenant, on_every_engine};
use jiff::tz::TimeZone;
use serde_json::{Value, json};

use crate::agent_scene::new_assistant;
use crate::inbox_scene::id;
use crate::people::add;
use crate::shapes::text;
use crate::triggers_scene::{Business, MINUTE_MILLIS, advance, advance_to, runs, tenant, time_of, written};
use crate::webhooks_scene::moment;

on_every_engine! {
    a_recurring_trigger_fires_at_its_time_every_day,
    weekly_and_monthly_triggers_fire_on_their_days,
    a_one_off_fires_once,
    times_that_were_missed_fire_once,
    a_change_moves_the_next_time_at_once,
    a_change_of_the_timezone_moves_the_next_time_at_once,
    a_firing_outside_the_sending_hours_waits_for_the_next_of_them,
    a_firing_that_starts_no_run_says_why,
    a_firing_starts_a_run_for_each_contact_up_to_the_limit,
    clock_changes_neither_skip_nor_repeat_a_firing,
}

const HOUR: i64 = 60 * 60;
const DAY: i64 = 24 * HOUR;

fn a_recurring_trigger_fires_at_its_time_every_day(business: Business) {
    let (trigger, due) = business.daily(json!({ "goal": "Good morning." }));
    let asleep = business
        .issues(json!({ "kind": "recurring", "period": "daily", "send_time": time_of(due) }))["trigger"]
        .clone();
    advance_to(&business.app, due - 30_000);
    assert_eq!(business.runs(&trigger), [Value::Null; 0]);
    advance_to(&business.app, due);
    let first = business.runs(&trigger);
    assert_eq!(
        (first.len(), &first[0]["goal"], &first[0]["contact_id"]),
        (1, &json!("Good morning."), &Value::Null)
    );
    let fired = business.trigger(&trigger);
    let late = moment(&fired["last_fired_at"]) - due;
    assert!((0..MINUTE_MILLIS).contains(&late), "{fired}");
    assert_eq!((&fired["last_error"], &fired["updated_at"]), (&Value::Null, &trigger["updated_at"]));
    for day in 1..4 {
        advance_to(&business.app, due + day * DAY * 1000 - 5_000);
        assert_eq!(business.runs(&trigger).len() as i64, day, "day {day}");
        advance_to(&business.app, due + day * DAY * 1000);
        assert_eq!(business.runs(&trigger).len() as i64, day + 1, "day {day}");
    }
    assert_eq!(business.runs(&asleep), [Value::Null; 0], "a trigger that is not enabled never fires");
}

fn weekly_and_monthly_triggers_fire_on_their_days(business: Business) {
    let now = business.now();
    let date =
        |millis: i64| jiff::Timestamp::from_millisecond(millis).unwrap().to_zoned(TimeZone::UTC).date();
    let weekly = business
        .makes(json!({ "kind": "recurring", "period": "weekly", "send_time": "12:00", "day_of_week": 0 }));
    let monthly = business
        .makes(json!({ "kind": "recurring", "period": "monthly", "send_time": "12:00", "day_of_month": 31 }));
    let mut noon = (now / (DAY * 1000)) * DAY * 1000 + 12 * HOUR * 1000;
    if noon <= now {
        noon += DAY * 1000;
    }
    let (mut weeks, mut months) = (0, 0);
    for _ in 0..45 {
        let today = date(noon);
        weeks += usize::from(today.weekday() == jiff::civil::Weekday::Sunday);
        months += usize::from(today.day() == today.days_in_month());
        advance_to(&business.app, noon);
        assert_eq!((business.runs(&weekly).len(), business.runs(&monthly).len()), (weeks, months), "{today}");
        noon += DAY * 1000;
    }
    assert!(weeks >= 6 && months >= 1);
}

fn a_one_off_fires_once(business: Business) {
    let at = business.now() + 2 * HOUR * 1000;
    let trigger = business.makes(json!({ "kind": "once", "run_at": written(at) }));
    assert_eq!(business.preview(&trigger)["next_fire_at"], trigger["run_at"]);
    advance_to(&business.app, at - 10_000);
    assert_eq!(business.runs(&trigger).len(), 0);
    advance_to(&business.app, at);
    assert_eq!(business.runs(&trigger).len(), 1);
    // It is over: neither time nor switching it off and on fires it again.
    let preview = business.preview(&trigger);
    assert_eq!((&preview["next_fire_at"], &preview["reason"]), (&Value::Null, &json!("already_fired")));
    business.patch(&trigger, json!({ "enabled": false }));
    business.patch(&trigger, json!({ "enabled": true }));
    business.advance(DAY);
    assert_eq!(business.runs(&trigger).len(), 1);
    // Another time fires it again, and a time that has passed fires at once.
    business.patch(&trigger, json!({ "run_at": written(business.now() + HOUR * 1000) }));
    business.advance(2 * HOUR);
    assert_eq!(business.runs(&trigger).len(), 2);
    business.patch(&trigger, json!({ "run_at": written(business.now() - HOUR * 1000) }));
    business.now();
    assert_eq!(business.runs(&trigger).len(), 3);
}

fn times_that_were_missed_fire_once(business: Business) {
    let (trigger, due) = business.daily(json!({}));
    business.advance(5 * DAY + HOUR);
    assert_eq!(business.runs(&trigger).len(), 1, "several missed times are one firing");
    // The next one is at the usual time.
    let next = moment(&business.preview(&trigger)["next_fire_at"]);
    assert_eq!((next - due) % (DAY * 1000), 0);
    advance_to(&business.app, next);
    assert_eq!(business.runs(&trigger).len(), 2);
    // A time that passes while no server runs.
    let soon = business.now() + 3_000;
    let once = business.makes(json!({ "kind": "once", "run_at": written(soon) }));
    business.app.stop();
    business.app.let_time_pass(4);
    business.app.restart();
    business.now();
    assert_eq!(business.runs(&once).len(), 1);
}

fn a_change_moves_the_next_time_at_once(business: Business) {
    let (trigger, due) = business.daily(json!({}));
    let later = due + 10 * MINUTE_MILLIS;
    business.patch(&trigger, json!({ "send_time": time_of(later) }));
    assert_eq!(moment(&business.preview(&trigger)["next_fire_at"]), later);
    advance_to(&business.app, due);
    assert_eq!(business.runs(&trigger).len(), 0);
    advance_to(&business.app, later);
    assert_eq!(business.runs(&trigger).len(), 1);
    // What does not say when it fires moves nothing.
    business.patch(&trigger, json!({ "name": "Another name", "goal": "Another goal." }));
    let next = later + DAY * 1000;
    assert_eq!(moment(&business.preview(&trigger)["next_fire_at"]), next);
    business.patch(&trigger, json!({ "enabled": false }));
    advance_to(&business.app, next);
    assert_eq!(business.runs(&trigger).len(), 1);
    // What was missed while it was disabled is not made up for.
    business.patch(&trigger, json!({ "enabled": true }));
    business.now();
    assert_eq!(business.runs(&trigger).len(), 1);
    advance_to(&business.app, next + DAY * 1000);
    let all = business.runs(&trigger);
    assert_eq!((all.len(), &all[1]["goal"]), (2, &json!("Another goal.")));
}

fn a_change_of_the_timezone_moves_the_next_time_at_once(business: Business) {
    // It is twelve o'clock a day from now at the latest, in every zone.
    let trigger = business.makes(json!({ "kind": "recurring", "period": "daily", "send_time": "12:00" }));
    for zone in ["Asia/Kolkata", "America/Los_Angeles", "Pacific/Auckland", "UTC"] {
        business.set_account(&["--timezone", zone]);
        let now = business.now();
        let tz = TimeZone::get(zone).unwrap();
        let local = jiff::Timestamp::from_millisecond(now).unwrap().to_zoned(tz.clone());
        let mut noon = local.date().at(12, 0, 0, 0).to_zoned(tz.clone()).unwrap();
        if noon.timestamp().as_millisecond() <= now {
            noon = local.date().tomorrow().unwrap().at(12, 0, 0, 0).to_zoned(tz).unwrap();
        }
        let due = noon.timestamp().as_millisecond();
        assert_eq!(moment(&business.preview(&trigger)["next_fire_at"]), due, "{zone}");
        let before = business.runs(&trigger).len();
        advance_to(&business.app, due - 20_000);
        assert_eq!(business.runs(&trigger).len(), before, "{zone}");
        advance_to(&business.app, due);
        assert_eq!(business.runs(&trigger).len(), before + 1, "{zone}");
    }
}

fn a_firing_outside_the_sending_hours_waits_for_the_next_of_them(business: Business) {
    let (trigger, due) = business.daily(json!({ "respect_quiet_hours": true }));
    let (rude, _) = business.daily(json!({}));
    // Three hours after the time at which it fires, for an hour, every day.
    let opens = due + 3 * HOUR * 1000;
    let closes = opens + HOUR * 1000;
    let is_same_day = opens / (DAY * 1000) == closes / (DAY * 1000);
    let span = json!([[time_of(opens), if is_same_day { time_of(closes) } else { "24:00".to_owned() }]]);
    let hours: BTreeMap<&str, Value> = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"]
        .into_iter()
        .map(|day| (day, span.clone()))
        .collect();
    business.set_account(&["--sending-hours", &json!(hours).to_string()]);
    advance_to(&business.app, due + MINUTE_MILLIS);
    assert_eq!((business.runs(&trigger).len(), business.runs(&rude).len()), (0, 1));
    assert_eq!(moment(&business.preview(&trigger)["next_fire_at"]), opens);
    advance_to(&business.app, opens - 20_000);
    assert_eq!(business.runs(&trigger).len(), 0);
    advance_to(&business.app, opens);
    assert_eq!(business.runs(&trigger).len(), 1);
    // Hours that change while a firing waits count at once.
    advance_to(&business.app, due + DAY * 1000 + MINUTE_MILLIS);
    assert_eq!(business.runs(&trigger).len(), 1);
    business.set_account(&["--sending-hours", "none"]);
    business.now();
    assert_eq!(business.runs(&trigger).len(), 2);
    // Hours that never open are told.
    business.set_account(&["--sending-hours", "{}"]);
    advance_to(&business.app, due + 2 * DAY * 1000);
    assert_eq!(business.runs(&trigger).len(), 2);
    assert_eq!(business.last_error(&trigger), "no_sending_hours");
}

fn a_firing_that_starts_no_run_says_why(business: Business) {
    let segment = business.segment("Acme");
    let (trigger, due) = business.daily(json!({ "audience_type": "segment", "segment_id": segment }));
    let mut day = 0;
    let mut next = || {
        advance_to(&business.app, due + day * DAY * 1000);
        day += 1;
        let trigger = business.trigger(&trigger);
        assert!(moment(&trigger["last_fired_at"]) >= due + (day - 1) * DAY * 1000, "{trigger}");
        trigger["last_error"].as_str().map(ToOwned::to_owned)
    };
    assert_eq!(next().as_deref(), Some("segment_empty"));
    add(&business.client, json!({ "name": "Ann", "company": "Acme" }));
    assert_eq!(next(), None);
    let assistant = format!("/assistants/{}", business.assistant);
    business.client.patch(&assistant, json!({ "enabled": false })).expect(200);
    assert_eq!(next().as_deref(), Some("assistant_disabled"));
    business.client.patch(&assistant, json!({ "enabled": true })).expect(200);
    business.set_account(&["--ai-budget", "0"]);
    assert_eq!(next().as_deref(), Some("ai_budget_exhausted"));
    business.set_account(&["--ai-budget", "none"]);
    business.client.delete(&format!("/segments/{segment}")).expect(200);
    assert_eq!(business.last_error(&trigger), "segment_missing", "at once");
    advance_to(&business.app, due + day * DAY * 1000);
    assert_eq!(business.last_error(&trigger), "segment_missing");
    assert_eq!(business.runs(&trigger).len(), 1);
}

fn a_firing_starts_a_run_for_each_contact_up_to_the_limit(business: Business) {
    let segment = business.segment("Acme");
    let contacts: Vec<String> = (0..8)
        .map(|number| add(&business.client, json!({ "name": format!("P{number}"), "company": "Acme" })))
        .collect();
    let (some, due) =
        business.daily(json!({ "audience_type": "segment", "segment_id": segment, "max_targets": 5 }));
    let (all, _) = business.daily(json!({ "audience_type": "segment", "segment_id": segment }));
    let (one, last) = business.daily(json!({ "audience_type": "contact", "contact_id": contacts[7] }));
    advance_to(&business.app, due.max(last));
    let of = |trigger: &Value| -> Vec<String> {
        let mut contacts: Vec<String> =
            business.runs(trigger).iter().map(|run| text(&run["contact_id"]).to_owned()).collect();
        contacts.sort();
        contacts
    };
    assert_eq!(of(&some), contacts[..5]);
    assert_eq!(of(&all), contacts);
    assert_eq!(of(&one), contacts[7..]);
}

/// A clock change: when it happens, and by how many minutes the wall clock jumps forward, or back.
struct Change {
    at: i64,
    minutes: i64,
}

/// The first change of a zone's clock after a moment, in spring (forward) or in autumn.
fn next_change(zone: &str, is_forward: bool, after: i64) -> Change {
    let tz = TimeZone::get(zone).unwrap();
    let after = jiff::Timestamp::from_millisecond(after).unwrap();
    let mut changes = tz.following(after).map(|change| {
        let before = tz.to_offset(change.timestamp() - jiff::SignedDuration::from_secs(1));
        let seconds = i64::from(change.offset().seconds() - before.seconds());
        Change { at: change.timestamp().as_millisecond(), minutes: seconds / 60 }
    });
    changes.find(|change| change.minutes != 0 && (change.minutes > 0) == is_forward).expect("a change")
}

/// Lord Howe changes its clock by half an hour, Adelaide has a half-hour offset, and all but Berlin are in the south.
const ZONES: [&str; 4] = ["Europe/Berlin", "Australia/Lord_Howe", "Australia/Adelaide", "America/Santiago"];

fn clock_changes_neither_skip_nor_repeat_a_firing(engine: Engine) {
    let app = App::start(engine).movable_clock().ready();
    let mut left: Vec<(&str, bool)> = ZONES.iter().flat_map(|zone| [(*zone, true), (*zone, false)]).collect();
    while !left.is_empty() {
        // Zones change their clocks at about the same time, so some wait for the next year.
        let after = advance(&app, 0) + 2 * DAY * 1000;
        let next = |(zone, is_forward): &(&str, bool)| next_change(zone, *is_forward, after).at;
        let place = (0..left.len()).min_by_key(|place| next(&left[*place])).expect("one is left");
        let (zone, is_forward) = left.remove(place);
        fires_once_around(&app, zone, &next_change(zone, is_forward, after));
    }
}

/// Demands that a trigger at a time in the middle of what is skipped, or of what is repeated, fires once, and the day after.
#[track_caller]
fn fires_once_around(app: &App, zone: &str, change: &Change) {
    let Change { at, minutes } = *change;
    let Tenant { account, client, .. } = tenant(app, zone);
    let assistant = new_assistant(&client, json!({}));
    let half = minutes.abs() / 2 * MINUTE_MILLIS;
    let before =
        TimeZone::get(zone).unwrap().to_offset(jiff::Timestamp::from_millisecond(at - 1000).unwrap());
    let shown = if minutes > 0 { at + half } else { at - half };
    let wall = before.to_datetime(jiff::Timestamp::from_millisecond(shown).unwrap());
    let send_time = format!("{:02}:{:02}", wall.hour(), wall.minute());
    // It is due when the wall clock first reaches the time, or jumps over it.
    let due = if minutes > 0 { at } else { at - half };
    advance_to(app, at - 20 * HOUR * 1000);
    let daily = json!({
        "assistant_id": assistant, "name": zone, "goal": "Say hello.", "enabled": true, "kind": "recurring", "period": "daily",
        "send_time": send_time,
    });
    let trigger = client.post("/triggers", daily).expect(201).data()["trigger"].clone();
    let what = format!("{zone} by {minutes} minutes at {}, {send_time}, account {}", written(at), account.id);
    let count = || runs(&client, &trigger).len();
    advance_to(app, due - 20_000);
    assert_eq!(count(), 0, "too early: {what}");
    advance_to(app, due);
    assert_eq!(count(), 1, "too late: {what}");
    let fired = client.get(&format!("/triggers/{}", id(&trigger))).expect(200);
    let late = moment(&fired.data()["last_fired_at"]) - due;
    assert!((0..MINUTE_MILLIS).contains(&late), "{what}: {late} ms late");
    // What is repeated has passed again by now.
    advance_to(app, at + 2 * HOUR * 1000);
    assert_eq!(count(), 1, "twice: {what}");
    advance_to(app, at + 26 * HOUR * 1000);
    assert_eq!(count(), 2, "not once the day after: {what}");
    client.delete(&format!("/triggers/{}", id(&trigger))).expect(200);
}
