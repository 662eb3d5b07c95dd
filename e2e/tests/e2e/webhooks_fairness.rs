//! Nobody waits for somebody else's endpoint, and several servers share the work.

use std::collections::BTreeSet;
use std::time::Duration;

use frontdesk_e2e::{
    Client, Engine, Given, Reply, Stopwatch, at_once, came_true, on_every_engine, on_shared_stores,
};
use serde_json::{Value, json};

use crate::webhooks_scene::{DAY, NOBODY, Scene, hook, moment, start, state};

on_every_engine! {
    a_flood_to_dead_endpoints_delays_no_other_account,
    a_flood_to_hanging_endpoints_delays_no_other_account,
    a_flood_delays_no_other_endpoint_of_its_account,
}

on_shared_stores! {
    two_servers_make_each_delivery_once,
}

/// How long an event may take to arrive.
const SOON: Duration = Duration::from_secs(2);
const FLOOD_ENDPOINTS: usize = 20;
const FLOOD_CONTACTS: usize = 100;

/// Makes this many contacts, a few at a time.
fn contacts(client: &Client, count: usize) {
    const AT_ONCE: usize = 4;
    at_once(AT_ONCE, |_| {
        for _ in 0..count / AT_ONCE {
            client.post("/contacts", json!({ "name": "Ann" })).expect(201);
        }
    });
}

/// Two thousand deliveries of an account of their own, none of which arrives.
fn flood(scene: &Scene, url: &str) {
    let flooder = scene.app.tenant().client;
    for _ in 0..FLOOD_ENDPOINTS {
        hook(&flooder, json!({ "url": url }));
    }
    contacts(&flooder, FLOOD_CONTACTS);
}

/// Demands that events of the scene's account arrive at once.
#[track_caller]
fn arrives_soon(scene: &Scene, path: &str) {
    for number in 1..=5 {
        let asked = Stopwatch::start();
        scene.contact();
        scene.sink.wait(path, number);
        let took = asked.elapsed();
        assert!(took < SOON, "an event took {took:?} to arrive");
    }
}

fn a_flood_to_dead_endpoints_delays_no_other_account(scene: Scene) {
    scene.hook("/quick");
    flood(&scene, NOBODY);
    arrives_soon(&scene, "/quick");
}

fn a_flood_to_hanging_endpoints_delays_no_other_account(scene: Scene) {
    scene.hook("/quick");
    scene.sink.respond("/hangs", Reply::default().held());
    flood(&scene, &scene.sink.url("/hangs"));
    arrives_soon(&scene, "/quick");
}

fn a_flood_delays_no_other_endpoint_of_its_account(scene: Scene) {
    scene.sink.respond("/hangs", Reply::default().held());
    let hangs = scene.hook("/hangs");
    contacts(&scene.client, 200);
    scene.hook("/quick");
    arrives_soon(&scene, "/quick");
    // The one that hangs is not called without bound either.
    let calls = scene.sink.count("/hangs");
    assert!(calls <= 32, "{calls} calls under way to one endpoint");
    let page = scene.client.get(&format!("{}/deliveries?status=pending&limit=1", hangs.path)).expect(200);
    assert_eq!(state(&page.data()[0]), ("pending", 0));
}

fn two_servers_make_each_delivery_once(scene: Scene) {
    const EVENTS: usize = 300;
    let (first, second) = (scene.hook("/hook"), scene.app.second_server());
    let there = scene.client.at(&second);
    at_once(4, |number| {
        let client = if number % 2 == 0 { &scene.client } else { &there };
        (0..EVENTS / 4).for_each(|_| drop(client.post("/contacts", json!({ "name": "Ann" })).expect(201)));
    });
    scene.sink.wait("/hook", EVENTS);
    // Both have done all they have to.
    scene.settle();
    there.vendors().post("/sandbox/clock", json!({ "advance_seconds": 0 })).expect(200);
    let came = scene.sink.at("/hook");
    let events: BTreeSet<&str> = came.iter().map(|received| received.header("webhook-id")).collect();
    assert_eq!((came.len(), events.len()), (EVENTS, EVENTS));
    let deliveries = scene.deliveries(&first);
    assert_eq!(deliveries.len(), EVENTS);
    let is_done = |delivery: &Value| state(delivery) == ("succeeded", 1);
    assert!(deliveries.iter().all(is_done), "{deliveries:?}");
}

#[test]
fn a_worker_delivers_what_happens_at_a_server_that_only_answers() {
    let scene = Scene::of(start(Engine::Postgres).env("FRONTDESK_ROLE", "api"));
    let made = scene.hook("/hook");
    scene.contact();
    // Who only answers delivers nothing.
    scene.settle();
    assert_eq!((state(&scene.delivery(&made)), scene.sink.count("/hook")), (("pending", 0), 0));
    let worker = scene.app.second_server_with(&[("FRONTDESK_ROLE", "worker")]);
    scene.sink.wait("/hook", 1);
    // It is told of what happens: one that only looked every second would take longer.
    let asked = Stopwatch::start();
    for number in 2..=7 {
        scene.contact();
        scene.sink.wait("/hook", number);
    }
    let took = asked.elapsed();
    assert!(took < Duration::from_secs(3), "six events took {took:?} to reach the worker");
    scene.client.at(&worker).get("/webhooks").expect(404);
}

#[test]
fn a_clock_that_is_moved_at_one_server_is_moved_at_all() {
    let scene = Scene::given(Engine::Postgres);
    let second = scene.app.second_server();
    let there = scene.client.at(&second);
    let moved = scene.advance(DAY);
    let follows = || {
        let made = there.post("/contacts", json!({ "name": "Ann" })).expect(201);
        moment(&made.data()["created_at"]) >= moved
    };
    assert!(came_true(follows), "the second server lives in the past");
}
