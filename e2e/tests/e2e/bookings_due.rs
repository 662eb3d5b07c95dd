//! Bookings that complete by themselves when their end has passed.

use frontdesk_e2e::{App, Engine, came_true, on_every_engine, on_shared_stores};
use jiff::{SignedDuration, Timestamp};
use serde_json::{Value, json};

use crate::bookings::{Calendar, booking};
use crate::sales::told_of;
use crate::shapes::text;
use crate::webhooks_scene::{DAY, HOUR, Scene, moment};

on_every_engine! {
    a_booking_completes_when_its_end_has_passed,
    a_cancelled_booking_does_not_complete,
    a_postponed_booking_completes_at_its_new_end,
    a_completion_is_delivered_before_the_clock_stands,
    a_booking_completes_by_the_real_clock,
    a_source_that_is_gone_leaves_bookings_that_complete,
}

on_shared_stores! {
    two_servers_complete_a_booking_once,
}

/// A booking of an hour that begins so many seconds after what the server's clock shows.
fn booking_in(scene: &Scene, uid: &str, seconds: u64) -> Value {
    let start =
        Timestamp::from_millisecond(scene.advance(0)).unwrap() + SignedDuration::from_secs(seconds as i64);
    let mut booking = booking(uid);
    booking["startTime"] = json!(start.to_string());
    booking["endTime"] = json!((start + SignedDuration::from_secs(HOUR as i64)).to_string());
    booking
}

/// The uids of the bookings that were completed.
#[track_caller]
fn completed(scene: &Scene) -> Vec<String> {
    let told = told_of(&scene.client, "booking").into_iter();
    let completed = told.filter(|(event, _)| event == "booking.completed");
    completed.map(|(_, data)| text(&data["booking"]["uid"]).to_owned()).collect()
}

fn a_booking_completes_when_its_end_has_passed(scene: Scene) {
    let calendar = Calendar::connect(&scene.app, &scene.tenant);
    let first = booking_in(&scene, "first", HOUR);
    calendar.tell("BOOKING_CREATED", first.clone());
    calendar.tell("BOOKING_CREATED", booking_in(&scene, "second", DAY));
    scene.advance(HOUR);
    assert_eq!(completed(&scene), Vec::<String>::new());
    let now = scene.advance(HOUR);
    assert_eq!(completed(&scene), ["first"]);
    let told = told_of(&scene.client, "booking");
    let done = &told[2].1["booking"];
    assert_eq!((&done["status"], &done["id"]), (&json!("completed"), &told[0].1["booking"]["id"]));
    assert!(moment(&done["updated_at"]) <= now && moment(&done["updated_at"]) >= moment(&done["end_at"]));
    // The calendar's own word, or any other, comes too late.
    for late in ["MEETING_ENDED", "BOOKING_CANCELLED", "BOOKING_CREATED", "BOOKING_RESCHEDULED"] {
        assert!(!calendar.tell(late, first.clone()), "{late}");
    }
    scene.advance(2 * DAY);
    assert_eq!(completed(&scene), ["first", "second"]);
    scene.advance(DAY);
    assert_eq!(told_of(&scene.client, "booking").len(), 4);
}

fn a_cancelled_booking_does_not_complete(scene: Scene) {
    let calendar = Calendar::connect(&scene.app, &scene.tenant);
    let soon = booking_in(&scene, "a", HOUR);
    calendar.tell("BOOKING_CREATED", soon.clone());
    calendar.tell("BOOKING_CANCELLED", soon);
    scene.advance(DAY);
    let told: Vec<String> = told_of(&scene.client, "booking").into_iter().map(|(event, _)| event).collect();
    assert_eq!(told, ["booking.created", "booking.cancelled"]);
}

fn a_postponed_booking_completes_at_its_new_end(scene: Scene) {
    let calendar = Calendar::connect(&scene.app, &scene.tenant);
    calendar.tell("BOOKING_CREATED", booking_in(&scene, "a", HOUR));
    let mut later = booking_in(&scene, "b", DAY);
    later["rescheduleUid"] = json!("a");
    calendar.tell("BOOKING_RESCHEDULED", later);
    scene.advance(12 * HOUR);
    assert_eq!(completed(&scene), Vec::<String>::new());
    scene.advance(DAY);
    assert_eq!(completed(&scene), ["b"]);
    // Put off when it had passed already, it is ahead again.
    assert!(calendar.tell("BOOKING_RESCHEDULED", booking_in(&scene, "b", DAY)));
    assert_eq!(completed(&scene), ["b"]);
    scene.advance(2 * DAY);
    assert_eq!(completed(&scene), ["b", "b"]);
}

fn a_completion_is_delivered_before_the_clock_stands(scene: Scene) {
    let calendar = Calendar::connect(&scene.app, &scene.tenant);
    scene.hook_for("/done", &["booking.completed"]);
    for number in 0..150 {
        calendar.tell("BOOKING_CREATED", booking_in(&scene, &format!("{number}"), HOUR));
    }
    scene.advance(DAY);
    assert_eq!(completed(&scene).len(), 150);
    assert_eq!(scene.sink.count("/done"), 150);
}

fn a_booking_completes_by_the_real_clock(app: App) {
    let tenant = app.tenant();
    let calendar = Calendar::connect(&app, &tenant);
    let mut over = booking("a");
    over["startTime"] = json!("2020-01-01T10:00:00Z");
    over["endTime"] = json!("2020-01-01T11:00:00Z");
    calendar.tell("BOOKING_CREATED", over);
    let completed =
        || told_of(&tenant.client, "booking").iter().any(|(event, _)| event == "booking.completed");
    assert!(came_true(completed), "it was not completed");
}

fn a_source_that_is_gone_leaves_bookings_that_complete(scene: Scene) {
    let calendar = Calendar::connect(&scene.app, &scene.tenant);
    calendar.tell("BOOKING_CREATED", booking_in(&scene, "a", HOUR));
    scene.app.cli(&["booking-source", "delete", &calendar.id]);
    scene.advance(DAY);
    assert_eq!(completed(&scene), ["a"]);
}

fn two_servers_complete_a_booking_once(engine: Engine) {
    let scene = <Scene as frontdesk_e2e::Given>::given(engine);
    // Commands print the address of the server that started last, so the calendar is connected before there are two.
    let calendar = Calendar::connect(&scene.app, &scene.tenant);
    let second = scene.app.second_server();
    for number in 0..120 {
        calendar.tell("BOOKING_CREATED", booking_in(&scene, &format!("{number}"), HOUR));
    }
    let clock = scene.app.anonymous().vendors();
    frontdesk_e2e::at_once(4, |number| {
        let clock = if number % 2 == 0 { clock.clone() } else { clock.at(&second) };
        clock.post("/sandbox/clock", json!({ "advance_seconds": 3 * HOUR })).expect(200);
    });
    let mut done = completed(&scene);
    assert_eq!(done.len(), 120);
    done.sort();
    done.dedup();
    assert_eq!(done.len(), 120, "a booking was completed twice");
}
