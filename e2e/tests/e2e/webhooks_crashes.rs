//! Deliveries survive whatever happens to the servers that make them.

use std::collections::{BTreeMap, BTreeSet};
use std::hash::{BuildHasher, RandomState};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use frontdesk_e2e::{Engine, Given, Reply, Unsure, at_once, came_true, on_every_engine};
use serde_json::json;

use crate::people::walk;
use crate::shapes::text;
use crate::webhooks_scene::{Hook, Scene, state};

on_every_engine! {
    every_event_arrives_though_the_server_is_killed_again_and_again,
    a_server_that_is_asked_to_end_leaves_nothing_half_done,
    a_late_answer_after_the_lease_ran_out_changes_nothing,
}

const WRITERS: usize = 4;
const KILLS: usize = 3;
/// Longer than a dead server's lease, in seconds.
const LEASE: u64 = 120;

/// Says that it is over, however its owner ends.
struct Over<'a>(&'a AtomicBool);

impl Drop for Over<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// A number that nobody chose.
fn any_below(bound: u64) -> usize {
    usize::try_from(RandomState::new().hash_one(0) % bound).expect("a small number")
}

/// Makes contacts until it is over, each until it is acknowledged, wherever the server then is.
fn write(
    scene: &Scene,
    writer: usize,
    base: &dyn Fn() -> String,
    over: &AtomicBool,
    done: &Mutex<Vec<String>>,
) {
    let mut number = 0;
    while !over.load(Ordering::Relaxed) {
        let at = base();
        let caller = Unsure::new(&at, &scene.tenant.key);
        while !over.load(Ordering::Relaxed) {
            let key = format!("{writer}-{number}");
            let Some(response) = caller.post("/contacts", &json!({ "name": key }), &key) else {
                // It was killed; the next one is somewhere else.
                let _ = came_true(|| over.load(Ordering::Relaxed) || base() != at);
                break;
            };
            // A database may take a moment to notice that the one who held the key is gone.
            if response.status != 409 {
                done.lock().unwrap().push(response.expect(201).id());
                number += 1;
            }
        }
    }
}

/// Demands that everything that was made arrived, each contact under one event id.
#[track_caller]
fn all_arrived(scene: &Scene, made: &Hook, acknowledged: &[String]) {
    // What dead servers held is due again when their leases have run out.
    scene.advance(LEASE);
    let contacts: BTreeSet<String> =
        walk(&scene.client, "/contacts").iter().map(|row| text(&row["id"]).to_owned()).collect();
    assert!(acknowledged.iter().all(|id| contacts.contains(id)), "an acknowledged contact is lost");
    let mut arrived: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for received in scene.sink.received() {
        let event = received.json();
        assert_eq!(received.header("webhook-id"), text(&event["event_id"]));
        let contact = text(&event["data"]["contact"]["id"]).to_owned();
        arrived.entry(contact).or_default().insert(text(&event["event_id"]).to_owned());
    }
    let missing: Vec<&String> = contacts.iter().filter(|id| !arrived.contains_key(*id)).collect();
    assert!(missing.is_empty(), "{} of {} events never arrived", missing.len(), contacts.len());
    assert!(arrived.values().all(|ids| ids.len() == 1), "an event came under two ids: {arrived:?}");
    assert_eq!(arrived.len(), contacts.len(), "an event came that never happened");
    let deliveries = scene.deliveries(made);
    let events: BTreeSet<&str> = deliveries.iter().map(|delivery| text(&delivery["event_id"])).collect();
    assert_eq!((deliveries.len(), events.len()), (contacts.len(), contacts.len()));
    assert!(deliveries.iter().all(|delivery| delivery["status"] == "succeeded"), "{deliveries:?}");
}

fn every_event_arrives_though_the_server_is_killed_again_and_again(scene: Scene) {
    // Slow enough that some are under way when it happens.
    scene.sink.respond("/hook", Reply::default().after(Duration::from_millis(20)));
    let made = scene.hook("/hook");
    let (over, done) = (AtomicBool::new(false), Mutex::default());
    let busy = thread::scope(|scope| {
        let _over = Over(&over);
        for writer in 0..WRITERS {
            let (scene, over, done) = (&scene, &over, &done);
            scope.spawn(move || write(scene, writer, &|| scene.app.base(), over, done));
        }
        (0..KILLS).all(|_| {
            let enough = scene.sink.received().len() + 10 + any_below(60);
            let busy = scene.sink.wait_until(|received| received.len() >= enough);
            scene.app.kill();
            scene.app.restart();
            busy
        })
    });
    assert!(busy, "too little happens for the server to be killed at work");
    all_arrived(&scene, &made, &done.into_inner().unwrap());
}

#[test]
fn every_event_arrives_though_one_of_two_servers_is_killed() {
    let scene = Scene::given(Engine::Postgres);
    let made = scene.hook("/hook");
    let second = scene.app.second_server();
    let gone = AtomicBool::new(false);
    let (over, done) = (AtomicBool::new(false), Mutex::default());
    let busy = thread::scope(|scope| {
        let _over = Over(&over);
        for writer in 0..WRITERS {
            let (scene, over, done, second, gone) = (&scene, &over, &done, &second, &gone);
            let base = move || {
                let there = writer % 2 == 0 && !gone.load(Ordering::Relaxed);
                if there { second.base() } else { scene.app.base() }
            };
            scope.spawn(move || write(scene, writer, &base, over, done));
        }
        let more = |count: usize| {
            let enough = scene.sink.received().len() + count;
            scene.sink.wait_until(|received| received.len() >= enough)
        };
        let busy = more(20 + any_below(100));
        second.kill();
        gone.store(true, Ordering::Relaxed);
        busy && more(40)
    });
    assert!(busy, "too little happens for the server to be killed at work");
    all_arrived(&scene, &made, &done.into_inner().unwrap());
}

fn a_server_that_is_asked_to_end_leaves_nothing_half_done(scene: Scene) {
    // Slow enough that most still wait when the server is asked to end.
    scene.sink.respond("/hook", Reply::default().after(Duration::from_millis(300)));
    let made = scene.hook("/hook");
    at_once(4, |_| (0..15).for_each(|_| drop(scene.contact())));
    scene.sink.wait("/hook", 1);
    assert!(scene.app.stop().success());
    // What was under way has been told of, and nothing else was begun.
    let begun = scene.sink.count("/hook");
    scene.app.restart();
    // Nothing waits for a lease to run out, and nothing is sent again.
    scene.settle();
    let came = scene.sink.at("/hook");
    let events: BTreeSet<&str> = came.iter().map(|received| received.header("webhook-id")).collect();
    assert_eq!((came.len(), events.len()), (60, 60), "{begun} were begun before the end");
    for delivery in scene.deliveries(&made) {
        assert_eq!(state(&delivery), ("succeeded", 1));
    }
}

fn a_late_answer_after_the_lease_ran_out_changes_nothing(scene: Scene) {
    scene.sink.answer_in_turn("/hook", [Reply::status(500).body("late").held()], Reply::status(201));
    let made = scene.hook("/hook");
    scene.contact();
    scene.sink.wait("/hook", 1);
    assert_eq!(state(&scene.delivery(&made)), ("claimed", 0));
    thread::scope(|scope| {
        // To the server it seems that nobody has heard of the delivery for long: it is taken up anew.
        let moved = scope.spawn(|| scene.advance(LEASE));
        let again = scene.sink.wait_until(|received| received.len() == 2);
        let settled = again && came_true(|| scene.delivery(&made)["status"] == "succeeded");
        scene.sink.release();
        moved.join().unwrap();
        assert!(settled, "it was not taken up anew");
    });
    let delivery = scene.delivery(&made);
    assert_eq!((state(&delivery), &delivery["last_status_code"]), (("succeeded", 1), &json!(201)));
    assert!(delivery["last_error"].is_null() && delivery["response_snippet"].is_null(), "{delivery}");
    scene.advance(LEASE);
    assert_eq!((scene.sink.count("/hook"), scene.delivery(&made)), (2, delivery));
}
