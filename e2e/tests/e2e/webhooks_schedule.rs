//! When a delivery is tried again, shown with a clock that is moved.

use std::collections::BTreeSet;

use frontdesk_e2e::{Received, Reply, on_every_engine};
use serde_json::{Value, json};

use crate::shapes::{is_moment, text};
use crate::webhooks_scene::{DAY, HOUR, Hook, MINUTE, Scene, hook, moment, state};

on_every_engine! {
    a_delivery_is_tried_eight_times_on_schedule,
    pauses_differ_from_one_delivery_to_the_next,
    a_success_ends_the_schedule,
    a_retry_by_hand_begins_a_fresh_schedule,
    a_finished_delivery_can_be_retried,
    a_running_delivery_cannot_be_retried,
    a_receiver_may_ask_for_a_longer_pause,
}

/// The pauses between the eight attempts, in seconds.
const PAUSES: [u64; 7] = [5, 5 * MINUTE, 30 * MINUTE, 2 * HOUR, 5 * HOUR, 10 * HOUR, 10 * HOUR];
/// What a loaded machine may add to a pause, in milliseconds.
const SLACK: i64 = 3_000;

/// When an attempt was made, by the server's clock.
fn made_at(attempt: &Received) -> i64 {
    attempt.header("webhook-timestamp").parse::<i64>().expect("Unix seconds") * 1000
}

/// Demands that the next attempt comes so many seconds after the last, give or take a tenth.
#[track_caller]
fn waits(delivery: &Value, last: &Received, pause: u64) {
    let waited = moment(&delivery["next_attempt_at"]) - made_at(last);
    let planned = i64::try_from(pause).unwrap() * 1000;
    assert!(
        (planned * 9 / 10..=planned * 11 / 10 + SLACK).contains(&waited),
        "{waited} ms instead of {planned}: {delivery}"
    );
}

fn a_delivery_is_tried_eight_times_on_schedule(scene: Scene) {
    scene.sink.respond("/hook", Reply::status(503).body("later"));
    let made = scene.hook("/hook");
    scene.contact();
    scene.settle();
    for (number, pause) in (1..).zip(PAUSES) {
        let delivery = scene.delivery(&made);
        assert_eq!(state(&delivery), ("pending", number));
        assert_eq!(
            (&delivery["last_status_code"], &delivery["response_snippet"]),
            (&json!(503), &json!("later"))
        );
        assert!(text(&delivery["last_error"]).contains("503"), "{delivery}");
        let came = scene.sink.at("/hook");
        assert_eq!(came.len() as u64, number);
        waits(&delivery, came.last().unwrap(), pause);
        if pause > MINUTE {
            // Not before its time.
            scene.advance(pause * 85 / 100);
            assert_eq!(state(&scene.delivery(&made)), ("pending", number));
            scene.advance(pause * 26 / 100);
        } else {
            scene.advance(pause * 12 / 10);
        }
    }
    let delivery = scene.delivery(&made);
    assert_eq!(state(&delivery), ("exhausted", 8));
    assert_eq!((&delivery["next_attempt_at"], &delivery["delivered_at"]), (&Value::Null, &Value::Null));
    scene.advance(DAY);
    let came = scene.sink.at("/hook");
    assert_eq!(came.len(), 8);
    let ids: BTreeSet<&str> = came.iter().map(|attempt| attempt.header("webhook-id")).collect();
    let bodies: BTreeSet<&[u8]> = came.iter().map(|attempt| attempt.body.as_slice()).collect();
    assert_eq!((ids.len(), bodies.len()), (1, 1), "not the same event each time");
}

fn pauses_differ_from_one_delivery_to_the_next(scene: Scene) {
    scene.sink.respond("/hook", Reply::status(500));
    let hooks: Vec<Hook> = (0..12).map(|_| scene.hook("/hook")).collect();
    scene.contact();
    scene.settle();
    scene.advance(6);
    let waits: BTreeSet<i64> =
        hooks.iter().map(|made| moment(&scene.delivery(made)["next_attempt_at"]) / 1000).collect();
    let spread = waits.last().unwrap() - waits.first().unwrap();
    // Five minutes give or take a tenth: a minute from end to end.
    assert!((5..=65).contains(&spread), "spread over {spread} s");
}

fn a_success_ends_the_schedule(scene: Scene) {
    scene.sink.answer_in_turn("/hook", [Reply::status(500).body("no")], Reply::status(204));
    let made = scene.hook("/hook");
    scene.contact();
    scene.settle();
    let now = scene.advance(6);
    let delivery = scene.delivery(&made);
    assert_eq!(state(&delivery), ("succeeded", 2));
    assert_eq!((&delivery["last_status_code"], &delivery["last_error"]), (&json!(204), &Value::Null));
    assert_eq!((&delivery["next_attempt_at"], &delivery["response_snippet"]), (&Value::Null, &Value::Null));
    assert!((now - moment(&delivery["delivered_at"])).abs() < 10_000, "{delivery}");
    scene.advance(2 * DAY);
    assert_eq!((scene.sink.count("/hook"), scene.delivery(&made)), (2, delivery));
}

fn a_retry_by_hand_begins_a_fresh_schedule(scene: Scene) {
    scene.sink.respond("/hook", Reply::status(500));
    let made = scene.hook("/hook");
    scene.contact();
    for pause in [0].into_iter().chain(PAUSES) {
        scene.advance(pause * 12 / 10);
    }
    let exhausted = scene.delivery(&made);
    assert_eq!(state(&exhausted), ("exhausted", 8));
    let retried = scene.retry(&made, &exhausted).expect(202);
    assert_eq!(retried.data()["id"], exhausted["id"]);
    assert_eq!(state(retried.data()), ("pending", 8));
    is_moment(&retried.data()["next_attempt_at"]);
    scene.settle();
    let came = scene.sink.wait("/hook", 9);
    let delivery = scene.delivery(&made);
    assert_eq!(state(&delivery), ("pending", 9));
    waits(&delivery, &came[8], PAUSES[0]);
    scene.advance(6);
    let delivery = scene.delivery(&made);
    assert_eq!(state(&delivery), ("pending", 10));
    waits(&delivery, &scene.sink.at("/hook")[9], PAUSES[1]);
    for pause in &PAUSES[1..] {
        scene.advance(pause * 12 / 10);
    }
    let delivery = scene.delivery(&made);
    assert_eq!(state(&delivery), ("exhausted", 16));
    // The same record and the same event, in the end received.
    scene.sink.respond("/hook", Reply::default());
    scene.retry(&made, &delivery).expect(202);
    scene.settle();
    let delivery = scene.delivery(&made);
    assert_eq!(state(&delivery), ("succeeded", 17));
    let ids: BTreeSet<String> =
        scene.sink.at("/hook").iter().map(|attempt| attempt.header("webhook-id").to_owned()).collect();
    assert_eq!(ids, BTreeSet::from([text(&delivery["event_id"]).to_owned()]));
}

fn a_finished_delivery_can_be_retried(scene: Scene) {
    let made = scene.hook("/hook");
    scene.contact();
    scene.settle();
    let done = scene.delivery(&made);
    assert_eq!(state(&done), ("succeeded", 1));
    scene.retry(&made, &done).expect(202);
    scene.settle();
    assert_eq!((state(&scene.delivery(&made)), scene.sink.count("/hook")), (("succeeded", 2), 2));
    scene.sink.answer_in_turn("/hook", [Reply::status(410)], Reply::default());
    scene.retry(&made, &done).expect(202);
    scene.settle();
    let failed = scene.delivery(&made);
    assert_eq!(state(&failed), ("failed", 3));
    scene.client.patch(&made.path, json!({ "enabled": true })).expect(200);
    scene.retry(&made, &failed).expect(202);
    scene.settle();
    assert_eq!((state(&scene.delivery(&made)), scene.sink.count("/hook")), (("succeeded", 4), 4));
}

fn a_running_delivery_cannot_be_retried(scene: Scene) {
    scene.sink.answer_in_turn("/hook", [Reply::status(500)], Reply::default().held());
    let made = scene.hook("/hook");
    scene.contact();
    scene.settle();
    let waiting = scene.delivery(&made);
    assert_eq!(state(&waiting), ("pending", 1));
    std::thread::scope(|scope| {
        // Comes back when the held call has ended.
        let moved = scope.spawn(|| scene.advance(6));
        let came = scene.sink.wait_until(|received| received.len() == 2);
        let claimed = scene.delivery(&made);
        let refused = scene.retry(&made, &claimed);
        scene.sink.release();
        moved.join().unwrap();
        assert!(came, "the second attempt was never made");
        assert_eq!((state(&claimed), &claimed["next_attempt_at"]), (("claimed", 1), &Value::Null));
        refused.expect(409).error("conflict");
    });
    assert_eq!((state(&scene.delivery(&made)), scene.sink.count("/hook")), (("succeeded", 2), 2));
}

fn a_receiver_may_ask_for_a_longer_pause(scene: Scene) {
    let asked = [
        ("/longer", "120", Some(120 * 1000)),
        ("/shorter", "1", None),
        ("/far-too-long", "99999999999", Some(DAY as i64 * 1000)),
        ("/date", "Fri, 31 Dec 2100 23:59:59 GMT", Some(DAY as i64 * 1000)),
        ("/past", "Thu, 01 Jan 1970 00:00:00 GMT", None),
        ("/nonsense", "soon", None),
        ("/negative", "-60", None),
    ];
    let hooks = asked.map(|(path, value, wanted)| {
        scene.sink.respond(path, Reply::status(429).header("retry-after", value));
        (path, hook(&scene.client, json!({ "url": scene.sink.url(path) })), wanted)
    });
    scene.contact();
    scene.settle();
    for (path, made, wanted) in &hooks {
        let (delivery, last) = (scene.delivery(made), &scene.sink.at(path)[0]);
        match wanted {
            Some(pause) => {
                let waited = moment(&delivery["next_attempt_at"]) - made_at(last);
                assert!((*pause..=pause + SLACK).contains(&waited), "{path}: {waited} ms");
            }
            None => waits(&delivery, last, PAUSES[0]),
        }
    }
    // What was asked for is kept to.
    scene.advance(100);
    assert_eq!((scene.sink.count("/longer"), scene.sink.count("/far-too-long")), (1, 1));
    scene.advance(25);
    assert_eq!((scene.sink.count("/longer"), scene.sink.count("/far-too-long")), (2, 1));
    scene.advance(DAY);
    assert_eq!(scene.sink.count("/far-too-long"), 2);
}
