//! Endpoints that are slow to answer while much waits for them: what becomes of the rest, and of the others.

use std::thread;
use std::time::Duration;

use frontdesk_e2e::{Client, Engine, Reply, Stopwatch, came_true, on_every_engine};
use serde_json::{Value, json};

use crate::shapes::text;
use crate::webhooks_scene::{Hook, Scene, hook, start, state};

on_every_engine! {
    deliveries_queued_behind_slow_calls_fail_when_the_endpoint_is_disabled,
    deliveries_queued_behind_slow_calls_are_not_sent_when_the_endpoint_is_deleted,
    a_delivery_that_waited_longer_than_its_lease_is_sent_once,
    hanging_endpoints_delay_no_other_of_their_account,
    hanging_endpoints_of_many_accounts_delay_no_other,
}

/// Calls under way to one endpoint at most, and the events that happen: some must wait.
const CALLS: usize = 32;
const EVENTS: usize = 40;
const WAITING: usize = EVENTS - CALLS;

/// An endpoint at `/hook` with as many calls under way as it may have, held, and more deliveries than that.
fn busy(scene: &Scene) -> Hook {
    scene.sink.respond("/hook", Reply::default().held());
    let made = scene.hook("/hook");
    for _ in 0..EVENTS {
        scene.contact();
    }
    scene.sink.wait("/hook", CALLS);
    made
}

/// How many deliveries are in this state, and have this in their last error.
fn count(deliveries: &[Value], status: &str, error: &str) -> usize {
    let is_meant = |delivery: &&Value| {
        delivery["status"] == status && delivery["last_error"].as_str().unwrap_or_default().contains(error)
    };
    deliveries.iter().filter(is_meant).count()
}

fn deliveries_queued_behind_slow_calls_fail_when_the_endpoint_is_disabled(scene: Scene) {
    let made = busy(&scene);
    scene.client.patch(&made.path, json!({ "enabled": false })).expect(200);
    scene.sink.release();
    scene.settle();
    let deliveries = scene.deliveries(&made);
    assert_eq!(scene.sink.count("/hook"), CALLS, "it was called after it was switched off");
    assert_eq!(
        (count(&deliveries, "succeeded", ""), count(&deliveries, "failed", "disabled")),
        (CALLS, WAITING)
    );
}

fn deliveries_queued_behind_slow_calls_are_not_sent_when_the_endpoint_is_deleted(scene: Scene) {
    let made = busy(&scene);
    let newest = scene.deliveries(&made).remove(0);
    scene.client.delete(&made.path).expect(200);
    scene.sink.release();
    scene.settle();
    assert_eq!(scene.sink.count("/hook"), CALLS, "it was called after it was deleted");
    let failed = scene.client.get(&format!("{}/deliveries/{}", made.path, text(&newest["id"]))).expect(200);
    assert_eq!(count(std::slice::from_ref(failed.data()), "failed", "deleted"), 1, "{}", failed.text);
}

fn a_delivery_that_waited_longer_than_its_lease_is_sent_once(engine: Engine) {
    // Nobody delivers what happens here.
    let scene = Scene::of(start(engine).env("FRONTDESK_ROLE", "api"));
    let made = scene.hook("/hook");
    for _ in 0..EVENTS {
        scene.contact();
    }
    // Quick at first, so that more is taken than may be under way; then it hangs.
    let quick = 3;
    scene.sink.answer_in_turn("/hook", vec![Reply::default(); quick], Reply::default().held());
    scene.app.restart_with(&[("FRONTDESK_ROLE", "all")]);
    let claimed = || count(&scene.deliveries(&made), "claimed", "");
    assert!(came_true(|| claimed() == EVENTS - quick), "{} are claimed", claimed());
    scene.sink.wait("/hook", quick + CALLS);
    thread::scope(|scope| {
        // To the server it seems that everything under way was forgotten: all of it is taken up anew.
        let moved = scope.spawn(|| scene.advance(120));
        let taken_back = came_true(|| scene.app.logs().contains("expired leases"));
        scene.sink.release();
        moved.join().unwrap();
        assert!(taken_back, "the leases never ran out");
    });
    for delivery in scene.deliveries(&made) {
        assert_eq!(state(&delivery), ("succeeded", 1));
    }
    // Those under way could not be called back; those that only waited are not sent twice.
    assert_eq!(scene.sink.count("/hook"), quick + CALLS + (EVENTS - quick));
}

/// Fills all the calls that an account may have under way with four endpoints that hang.
fn hang(scene: &Scene, client: &Client) {
    let before = scene.sink.count("/hangs");
    for _ in 0..4 {
        hook(client, json!({ "url": scene.sink.url("/hangs") }));
    }
    for _ in 0..EVENTS {
        client.post("/contacts", json!({ "name": "Ann" })).expect(201);
    }
    let all = before + 4 * CALLS;
    assert!(came_true(|| scene.sink.count("/hangs") >= all), "{} of {all}", scene.sink.count("/hangs"));
}

/// Demands that an event arrives at once.
#[track_caller]
fn arrives_soon(scene: &Scene) {
    let asked = Stopwatch::start();
    scene.contact();
    scene.sink.wait("/quick", 1);
    let took = asked.elapsed();
    assert!(took < Duration::from_secs(2), "an event took {took:?} to arrive");
}

fn hanging_endpoints_delay_no_other_of_their_account(scene: Scene) {
    scene.sink.respond("/hangs", Reply::default().held());
    hang(&scene, &scene.client);
    scene.hook("/quick");
    arrives_soon(&scene);
}

fn hanging_endpoints_of_many_accounts_delay_no_other(scene: Scene) {
    scene.sink.respond("/hangs", Reply::default().held());
    for _ in 0..4 {
        hang(&scene, &scene.app.tenant().client);
    }
    scene.hook("/quick");
    arrives_soon(&scene);
}
