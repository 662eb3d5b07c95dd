//! Replaying deliveries, and making one that waits due now.

use frontdesk_e2e::{Reply, on_every_engine};
use serde_json::{Value, json};

use crate::shapes::{NOTHING, text};
use crate::webhooks_scene::{Hook, Scene, state};

on_every_engine! {
    a_replay_sends_failed_and_exhausted_deliveries_again,
    a_replay_uses_the_given_status_and_range,
    a_replay_that_cannot_be_is_refused,
    a_large_replay_is_carried_out_to_its_end,
    a_delivery_that_waits_can_be_made_due_now,
}

fn replay(scene: &Scene, hook: &Hook, body: Value) -> Value {
    scene.client.post(&format!("{}/replay", hook.path), body).expect(202).data().clone()
}

/// A delivery that failed for good.
fn failed(scene: &Scene, path: &str) -> Hook {
    let hook = scene.hook(path);
    scene.sink.respond(path, Reply::status(410));
    scene.contact();
    scene.settle();
    assert_eq!(state(&scene.delivery(&hook)).0, "failed");
    // Gone also switches the endpoint off.
    scene.client.patch(&hook.path, json!({ "enabled": true })).expect(200);
    scene.sink.respond(path, Reply::status(200));
    hook
}

fn a_replay_sends_failed_and_exhausted_deliveries_again(scene: Scene) {
    let hook = failed(&scene, "/hook");
    let since = text(&scene.delivery(&hook)["created_at"]).to_owned();
    assert_eq!(replay(&scene, &hook, json!({ "since": since })), json!({ "count": 1 }));
    scene.settle();
    assert_eq!(state(&scene.delivery(&hook)), ("succeeded", 2));
    assert_eq!(scene.sink.count("/hook"), 2);
    // What has succeeded is not sent again unless that is asked for.
    assert_eq!(replay(&scene, &hook, json!({ "since": since })), json!({ "count": 0 }));
    scene.settle();
    assert_eq!(scene.sink.count("/hook"), 2);
    assert_eq!(replay(&scene, &hook, json!({ "since": since, "status": "all" })), json!({ "count": 1 }));
    scene.settle();
    assert_eq!(scene.sink.count("/hook"), 3);
}

fn a_replay_uses_the_given_status_and_range(scene: Scene) {
    let hook = failed(&scene, "/hook");
    let first = text(&scene.delivery(&hook)["created_at"]).to_owned();
    scene.advance(60);
    scene.contact();
    scene.settle();
    let second = text(&scene.deliveries(&hook)[0]["created_at"]).to_owned();
    assert!(second > first);
    for (body, count) in [
        (json!({ "since": second, "status": "failed" }), 0),
        (json!({ "since": first, "status": "exhausted" }), 0),
        (json!({ "since": first, "until": second, "status": "succeeded" }), 0),
        (json!({ "since": second, "status": "succeeded" }), 1),
        (json!({ "since": first, "until": second }), 1),
    ] {
        assert_eq!(replay(&scene, &hook, body.clone()), json!({ "count": count }), "{body}");
        scene.settle();
    }
}

fn a_replay_that_cannot_be_is_refused(scene: Scene) {
    let hook = scene.hook("/hook");
    let path = format!("{}/replay", hook.path);
    let since = "2026-01-31T12:00:00Z";
    scene.client.post(&path, json!({})).expect(400).details_at(&["since"]);
    scene.client.post(&path, json!({ "since": "now" })).expect(400).details_at(&["since"]);
    scene.client.post(&path, json!({ "since": since, "until": since })).expect(400).details_at(&["until"]);
    let wrong = json!({ "since": since, "status": "pending" });
    scene.client.post(&path, wrong).expect(400).details_at(&["status"]);
    let nowhere = format!("/webhooks/{NOTHING}/replay");
    scene.client.post(&nowhere, json!({ "since": since })).expect(404).error("not_found");
    scene.app.tenant().client.post(&path, json!({ "since": since })).expect(404);
    scene.client.patch(&hook.path, json!({ "enabled": false })).expect(200);
    scene.client.post(&path, json!({ "since": since })).expect(409).error("conflict");
}

fn a_large_replay_is_carried_out_to_its_end(scene: Scene) {
    // More than one step looks at.
    const DELIVERIES: usize = 1_100;
    let hook = scene.hook_for("/hook", &["webhook.test"]);
    for _ in 0..DELIVERIES {
        scene.client.send("POST", &format!("{}/test", hook.path), None).expect(202);
    }
    scene.settle();
    scene.sink.wait("/hook", DELIVERIES);
    let body = json!({ "since": "2020-01-01T00:00:00Z", "status": "succeeded" });
    assert_eq!(replay(&scene, &hook, body), json!({ "count": DELIVERIES }));
    scene.settle();
    scene.sink.wait("/hook", 2 * DELIVERIES);
    scene.settle();
    assert_eq!(scene.sink.count("/hook"), 2 * DELIVERIES);
}

fn a_delivery_that_waits_can_be_made_due_now(scene: Scene) {
    scene.sink.respond("/hook", Reply::status(500));
    let hook = scene.hook("/hook");
    scene.contact();
    scene.settle();
    scene.advance(6);
    let waiting = scene.delivery(&hook);
    assert_eq!(state(&waiting), ("pending", 2));
    let retried = scene.retry(&hook, &waiting).expect(202);
    assert_eq!(state(retried.data()), ("pending", 2));
    assert!(text(&retried.data()["next_attempt_at"]) < text(&waiting["next_attempt_at"]));
    scene.settle();
    assert_eq!(state(&scene.delivery(&hook)), ("pending", 3));
}
