//! Endpoints that fail for long, go away or are switched off, and how long deliveries are kept.

use frontdesk_e2e::{Reply, on_every_engine};
use serde_json::{Value, json};

use crate::people::walk;
use crate::shapes::text;
use crate::webhooks_scene::{DAY, HOUR, Scene, state};

on_every_engine! {
    an_endpoint_that_fails_for_five_days_is_switched_off,
    one_success_in_five_days_keeps_an_endpoint,
    an_endpoint_that_was_switched_on_again_has_five_days_again,
    deliveries_queued_for_a_disabled_endpoint_fail,
    deliveries_queued_for_a_deleted_endpoint_fail,
    a_delivery_is_kept_for_thirty_days,
    the_moved_clock_is_kept_and_never_goes_back,
}

fn an_endpoint_that_fails_for_five_days_is_switched_off(scene: Scene) {
    scene.sink.respond("/hook", Reply::status(500));
    let made = scene.hook("/hook");
    let well = scene.hook("/well");
    scene.contact();
    scene.settle();
    for _ in 0..4 {
        scene.advance(DAY);
        scene.contact();
        scene.settle();
    }
    scene.advance(DAY - HOUR);
    assert_eq!(scene.endpoint(&made)["enabled"], true, "before its five days");
    scene.advance(2 * HOUR);
    scene.contact();
    scene.settle();
    let endpoint = scene.endpoint(&made);
    assert_eq!(endpoint["enabled"], false);
    assert!(text(&endpoint["disabled_reason"]).contains("5 days"), "{endpoint}");
    assert_eq!(scene.endpoint(&well)["enabled"], true);
    // What still waited comes to an end, and nothing more is tried.
    let tried = scene.sink.count("/hook");
    scene.advance(2 * DAY);
    scene.contact();
    scene.settle();
    assert_eq!(scene.sink.count("/hook"), tried);
    let open = ["pending", "claimed"];
    let left: Vec<Value> = scene.deliveries(&made);
    assert!(left.iter().all(|delivery| !open.contains(&state(delivery).0)), "{left:?}");
    assert!(left.iter().any(|delivery| text(&delivery["last_error"]).contains("disabled")), "{left:?}");
    scene.client.post(&format!("{}/test", made.path), json!({})).expect(409).error("conflict");
}

fn one_success_in_five_days_keeps_an_endpoint(scene: Scene) {
    scene.sink.respond("/hook", Reply::status(500));
    let made = scene.hook("/hook");
    scene.contact();
    scene.settle();
    for day in 1..=12 {
        scene.advance(DAY);
        // One of them gets through on the fourth day and on the eighth.
        let turns = if day % 4 == 0 { vec![Reply::default()] } else { Vec::new() };
        scene.sink.answer_in_turn("/hook", turns, Reply::status(500));
        scene.contact();
        scene.settle();
        assert_eq!(scene.endpoint(&made)["enabled"], true, "on day {day}");
    }
    assert!(scene.deliveries(&made).iter().any(|delivery| delivery["status"] == "succeeded"));
}

fn an_endpoint_that_was_switched_on_again_has_five_days_again(scene: Scene) {
    scene.sink.respond("/hook", Reply::status(500));
    let made = scene.hook("/hook");
    scene.contact();
    scene.settle();
    scene.advance(5 * DAY + HOUR);
    let off = scene.endpoint(&made);
    assert_eq!(off["enabled"], false);
    assert!(off["disabled_reason"].is_string(), "{off}");
    let on = scene.client.patch(&made.path, json!({ "enabled": true })).expect(200);
    assert_eq!((&on.data()["enabled"], &on.data()["disabled_reason"]), (&json!(true), &Value::Null));
    scene.contact();
    scene.settle();
    scene.advance(4 * DAY);
    assert_eq!(scene.endpoint(&made)["enabled"], true);
    scene.advance(DAY + HOUR);
    scene.contact();
    scene.settle();
    assert_eq!(scene.endpoint(&made)["enabled"], false);
}

fn deliveries_queued_for_a_disabled_endpoint_fail(scene: Scene) {
    scene.sink.respond("/hook", Reply::status(500));
    let made = scene.hook("/hook");
    scene.contact();
    scene.settle();
    assert_eq!(state(&scene.delivery(&made)), ("pending", 1));
    scene.client.patch(&made.path, json!({ "enabled": false })).expect(200);
    scene.advance(6);
    let failed = scene.delivery(&made);
    assert_eq!(state(&failed), ("failed", 1));
    assert!(text(&failed["last_error"]).contains("disabled"), "{failed}");
    assert_eq!((&failed["next_attempt_at"], scene.sink.count("/hook")), (&Value::Null, 1));
    // It can be had after all.
    scene.sink.respond("/hook", Reply::default());
    scene.client.patch(&made.path, json!({ "enabled": true })).expect(200);
    scene.retry(&made, &failed).expect(202);
    scene.settle();
    assert_eq!((state(&scene.delivery(&made)), scene.sink.count("/hook")), (("succeeded", 2), 2));
}

fn deliveries_queued_for_a_deleted_endpoint_fail(scene: Scene) {
    scene.sink.respond("/hook", Reply::status(500));
    let (made, other) = (scene.hook("/hook"), scene.hook("/other"));
    scene.contact();
    scene.settle();
    let delivery = scene.delivery(&made);
    assert_eq!(state(&delivery), ("pending", 1));
    scene.client.delete(&made.path).expect(200);
    scene.contact();
    scene.advance(6);
    assert_eq!((scene.sink.count("/hook"), scene.sink.count("/other")), (1, 2));
    assert_eq!(scene.deliveries(&other).len(), 2);
    scene.client.get(&format!("{}/deliveries", made.path)).expect(404);
    // Whoever has kept its id can see why it was never received.
    let path = format!("{}/deliveries/{}", made.path, text(&delivery["id"]));
    let failed = scene.client.get(&path).expect(200);
    assert_eq!(state(failed.data()), ("failed", 1));
    assert!(text(&failed.data()["last_error"]).contains("deleted"), "{}", failed.text);
}

fn a_delivery_is_kept_for_thirty_days(scene: Scene) {
    let made = scene.hook("/hook");
    scene.contact();
    scene.settle();
    let path = format!("{}/deliveries/{}", made.path, text(&scene.delivery(&made)["id"]));
    scene.advance(20 * DAY);
    scene.contact();
    scene.advance(9 * DAY);
    assert_eq!(scene.deliveries(&made).len(), 2);
    scene.client.get(&path).expect(200);
    scene.advance(2 * DAY);
    scene.client.get(&path).expect(404).error("not_found");
    assert_eq!(scene.deliveries(&made).len(), 1);
    // The events stay, for those who catch up.
    assert_eq!(walk(&scene.client, "/events").len(), 2);
}

fn the_moved_clock_is_kept_and_never_goes_back(scene: Scene) {
    let before = scene.advance(0);
    let moved = scene.advance(10 * DAY);
    assert!(moved - before >= DAY as i64 * 10_000, "{moved} after {before}");
    scene.app.restart();
    assert!(scene.advance(0) >= moved);
    let clock = scene.app.anonymous().vendors();
    for wrong in [json!({}), json!({ "advance_seconds": -1 }), json!({ "advance_seconds": "1" })] {
        clock.post("/sandbox/clock", wrong).expect(400).details_at(&["advance_seconds"]);
    }
    clock.post_text("/sandbox/clock", "{").expect(400).error("bad_request");
    clock.get("/sandbox/clock").expect(405);
    // Without the switch there is no such thing.
    scene.app.restart_with(&[("FRONTDESK_SANDBOX_CLOCK", "false")]);
    scene.app.anonymous().vendors().post("/sandbox/clock", json!({ "advance_seconds": 1 })).expect(404);
}
