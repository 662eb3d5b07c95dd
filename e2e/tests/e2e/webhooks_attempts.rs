//! Every attempt of a delivery, as it is read.

use frontdesk_e2e::{Reply, on_every_engine};
use serde_json::{Value, json};

use crate::set_aside::read;
use crate::shapes::{NOTHING, has_fields, is_moment, text};
use crate::webhooks_scene::{DAY, Hook, Scene, moment, state};

on_every_engine! {
    every_attempt_is_listed_the_newest_first,
    a_delivery_that_succeeds_at_once_stores_no_row_for_its_attempt,
    an_attempt_that_succeeded_stays_when_the_delivery_is_sent_again,
    the_newest_attempts_are_kept,
    the_error_of_a_disabled_endpoint_is_no_attempts,
    attempts_of_an_unknown_delivery_are_not_found,
    alone attempts_are_deleted_with_their_delivery,
}

const KEPT: usize = 50;
const STORED: &str = "SELECT CAST(count(*) AS text) FROM delivery_attempts";

fn path(hook: &Hook, delivery: &Value) -> String {
    format!("{}/deliveries/{}/attempts", hook.path, text(&delivery["id"]))
}

#[track_caller]
fn attempts(scene: &Scene, hook: &Hook) -> Vec<Value> {
    let list = scene.client.get(&path(hook, &scene.delivery(hook))).expect(200);
    let attempts = list.data().as_array().unwrap().clone();
    let meta = json!({ "next_cursor": null, "has_more": false, "limit": attempts.len() });
    assert_eq!(list.json["meta"], meta);
    attempts
}

fn numbers(attempts: &[Value]) -> Vec<i64> {
    attempts.iter().map(|attempt| attempt["number"].as_i64().unwrap()).collect()
}

fn every_attempt_is_listed_the_newest_first(scene: Scene) {
    let turns = [Reply::status(503).body("Back in a minute"), Reply::closed()];
    scene.sink.answer_in_turn("/hook", turns, Reply::status(201).body("thanks"));
    let hook = scene.hook("/hook");
    scene.contact();
    scene.settle();
    let first = attempts(&scene, &hook);
    assert_eq!(numbers(&first), [1]);
    scene.advance(6);
    scene.advance(6 * 60);
    let delivery = scene.delivery(&hook);
    assert_eq!(state(&delivery), ("succeeded", 3));
    let attempts = attempts(&scene, &hook);
    assert_eq!(numbers(&attempts), [3, 2, 1]);
    for attempt in &attempts {
        has_fields(attempt, "number started_at status_code error duration_ms response_snippet");
        is_moment(&attempt["started_at"]);
        assert!(attempt["duration_ms"].as_u64().is_some_and(|took| took < 10_000), "{attempt}");
    }
    let of = |field: &str| attempts.iter().map(|attempt| attempt[field].clone()).collect::<Vec<_>>();
    assert_eq!(of("status_code"), [json!(201), Value::Null, json!(503)]);
    assert_eq!(of("response_snippet"), [json!("thanks"), Value::Null, json!("Back in a minute")]);
    assert_eq!((&of("error")[0], &of("error")[2]), (&Value::Null, &json!("the endpoint answered 503")));
    assert!(attempts[1]["error"].is_string(), "{attempts:?}");
    // What was the last attempt then is an earlier one now, unchanged.
    assert_eq!(attempts[2], first[0]);
    let started: Vec<i64> = of("started_at").iter().map(moment).collect();
    assert!(
        started[0] >= started[1] + 5 * 60_000 * 9 / 10 && started[1] >= started[2] + 4_500,
        "{started:?}"
    );
    assert!(started[0] <= moment(&delivery["delivered_at"]));
}

fn a_delivery_that_succeeds_at_once_stores_no_row_for_its_attempt(scene: Scene) {
    scene.sink.respond("/hook", Reply::status(200).body("ok"));
    let hook = scene.hook("/hook");
    scene.contact();
    scene.settle();
    let (delivery, found) = (scene.delivery(&hook), attempts(&scene, &hook));
    assert_eq!(numbers(&found), [1]);
    assert_eq!((&found[0]["status_code"], &found[0]["response_snippet"]), (&json!(200), &json!("ok")));
    assert_eq!(found[0]["duration_ms"], delivery["duration_ms"]);
    assert_eq!(stored_of(&scene, &delivery), 0);
}

/// The rows that a delivery has beside its own.
fn stored_of(scene: &Scene, delivery: &Value) -> usize {
    let id = text(&delivery["id"]);
    let is_it = if scene.app.database().starts_with("sqlite:") {
        format!("lower(hex(delivery_id)) = '{}'", id.replace('-', ""))
    } else {
        format!("delivery_id = '{id}'")
    };
    read(&scene.app, &format!("{STORED} WHERE {is_it}")).unwrap().parse().unwrap()
}

fn an_attempt_that_succeeded_stays_when_the_delivery_is_sent_again(scene: Scene) {
    let turns = [Reply::status(200).body("first"), Reply::status(500).body("second")];
    scene.sink.answer_in_turn("/hook", turns, Reply::status(200).body("third"));
    let hook = scene.hook("/hook");
    scene.contact();
    scene.settle();
    scene.retry(&hook, &scene.delivery(&hook)).expect(202);
    scene.settle();
    let body = json!({ "since": scene.delivery(&hook)["created_at"] });
    scene.advance(6);
    scene.client.post(&format!("{}/replay", hook.path), body).expect(202);
    scene.settle();
    let attempts = attempts(&scene, &hook);
    assert_eq!(numbers(&attempts), [3, 2, 1]);
    let bodies: Vec<&str> = attempts.iter().map(|attempt| text(&attempt["response_snippet"])).collect();
    assert_eq!(bodies, ["third", "second", "first"]);
}

fn the_newest_attempts_are_kept(scene: Scene) {
    let hook = scene.hook("/hook");
    scene.contact();
    scene.settle();
    for _ in 0..KEPT + 4 {
        scene.retry(&hook, &scene.delivery(&hook)).expect(202);
        scene.settle();
    }
    let delivery = scene.delivery(&hook);
    let newest = KEPT as i64 + 5;
    assert_eq!(delivery["attempts"], newest);
    let wanted: Vec<i64> = (newest - KEPT as i64 + 1..=newest).rev().collect();
    assert_eq!(numbers(&attempts(&scene, &hook)), wanted);
    assert_eq!(stored_of(&scene, &delivery), KEPT - 1);
}

fn the_error_of_a_disabled_endpoint_is_no_attempts(scene: Scene) {
    scene.sink.answer_in_turn("/hook", [Reply::status(500)], Reply::status(200));
    let hook = scene.hook("/hook");
    scene.contact();
    scene.settle();
    let before = attempts(&scene, &hook);
    scene.client.patch(&hook.path, json!({ "enabled": false })).expect(200);
    scene.advance(6);
    let delivery = scene.delivery(&hook);
    assert_eq!(state(&delivery), ("failed", 1));
    assert_eq!(delivery["last_error"], "the endpoint is disabled");
    assert_eq!(attempts(&scene, &hook), before);
    scene.client.patch(&hook.path, json!({ "enabled": true })).expect(200);
    scene.retry(&hook, &delivery).expect(202);
    scene.settle();
    let after = attempts(&scene, &hook);
    assert_eq!(numbers(&after), [2, 1]);
    assert_eq!(after[1], before[0]);
    // A delivery that was never tried has no attempt.
    scene.client.patch(&hook.path, json!({ "enabled": false })).expect(200);
    scene.client.post(&format!("{}/test", hook.path), json!({})).expect(409);
}

fn attempts_of_an_unknown_delivery_are_not_found(scene: Scene) {
    let (hook, other) = (scene.hook("/hook"), scene.hook("/other"));
    scene.contact();
    scene.settle();
    let delivery = scene.delivery(&hook);
    let id = text(&delivery["id"]);
    for path in [
        format!("/webhooks/{NOTHING}/deliveries/{id}/attempts"),
        format!("{}/deliveries/{id}/attempts", other.path),
        format!("{}/deliveries/{NOTHING}/attempts", hook.path),
        format!("{}/deliveries/nothing/attempts", hook.path),
    ] {
        scene.client.get(&path).expect(404).error("not_found");
    }
    scene.app.tenant().client.get(&path(&hook, &delivery)).expect(404).error("not_found");
}

fn attempts_are_deleted_with_their_delivery(scene: Scene) {
    let turns = [Reply::status(500), Reply::status(500)];
    scene.sink.answer_in_turn("/hook", turns, Reply::status(200));
    let account = scene.app.account_with(&["--rate-limit", "1000000"]);
    let client = scene.app.client(&scene.app.key_with(&account, &["--all-scopes", "--expires", "never"]));
    let hook = crate::webhooks_scene::hook(&client, json!({ "url": scene.sink.url("/hook") }));
    client.post("/contacts", json!({ "name": "Ann" })).expect(201);
    scene.settle();
    scene.advance(6);
    scene.advance(6 * 60);
    let delivery = client.get(&format!("{}/deliveries", hook.path)).expect(200).data()[0].clone();
    assert_eq!(state(&delivery), ("succeeded", 3));
    assert_eq!(read(&scene.app, STORED).as_deref(), Some("2"));
    scene.advance(29 * DAY);
    client.get(&path(&hook, &delivery)).expect(200);
    scene.advance(2 * DAY);
    client.get(&path(&hook, &delivery)).expect(404);
    assert_eq!(read(&scene.app, STORED).as_deref(), Some("0"));
}
