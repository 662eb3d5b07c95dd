//! Which events go to which endpoints.

use std::collections::{BTreeMap, BTreeSet};

use frontdesk_e2e::on_every_engine;
use serde_json::{Value, json};

use crate::people::{add, walk};
use crate::shapes::{NOTHING, text};
use crate::webhooks_scene::{Scene, hook};

on_every_engine! {
    every_event_goes_once_to_each_endpoint_that_wants_it,
    refused_changes_and_empty_patches_send_no_webhook,
    a_test_event_goes_only_to_its_endpoint_regardless_of_filters,
    an_endpoint_that_is_off_gets_nothing,
    an_endpoint_gets_what_happens_after_it_was_made,
    a_changed_address_counts_from_the_next_event,
}

/// What came to a path: how often each type.
fn types_at(scene: &Scene, path: &str) -> BTreeMap<String, usize> {
    let mut types = BTreeMap::new();
    for received in scene.sink.at(path) {
        *types.entry(text(&received.json()["event_type"]).to_owned()).or_default() += 1;
    }
    types
}

fn counts(wanted: &[(&str, usize)]) -> BTreeMap<String, usize> {
    wanted.iter().map(|(name, count)| ((*name).to_owned(), *count)).collect()
}

fn every_event_goes_once_to_each_endpoint_that_wants_it(scene: Scene) {
    for (path, types) in [
        ("/all", &[][..]),
        ("/star", &["*"]),
        ("/contacts", &["contact.*"]),
        ("/created", &["contact.created"]),
        ("/twice-named", &["contact.*", "contact.created", "*"]),
        ("/notes", &["note.*"]),
        ("/mixed", &["note.created", "contact.opted_in"]),
        ("/tests", &["webhook.test"]),
    ] {
        scene.hook_for(path, types);
    }
    hook(&scene.client, json!({ "url": scene.sink.url("/off"), "enabled": false }));
    let path = format!("/contacts/{}", add(&scene.client, json!({ "name": "Ann" })));
    scene.client.patch(&path, json!({ "name": "Eve" })).expect(200);
    scene.client.patch(&path, json!({ "name": "Zoë" })).expect(200);
    scene.client.put(&format!("{path}/opt-out"), json!({})).expect(200);
    scene.client.delete(&format!("{path}/opt-out")).expect(200);
    scene.client.post(&format!("{path}/notes"), json!({ "body": "Hm." })).expect(201);
    scene.settle();

    let contact =
        [("contact.created", 1), ("contact.updated", 2), ("contact.opted_out", 1), ("contact.opted_in", 1)];
    let all = counts(&[&contact[..], &[("note.created", 1)]].concat());
    for path in ["/all", "/star", "/twice-named"] {
        assert_eq!(types_at(&scene, path), all, "{path}");
    }
    assert_eq!(types_at(&scene, "/contacts"), counts(&contact));
    assert_eq!(types_at(&scene, "/created"), counts(&contact[..1]));
    assert_eq!(types_at(&scene, "/notes"), counts(&[("note.created", 1)]));
    assert_eq!(types_at(&scene, "/mixed"), counts(&[("note.created", 1), ("contact.opted_in", 1)]));
    assert_eq!(scene.sink.count("/tests") + scene.sink.count("/off"), 0);

    // What was sent is what is listed, under the same ids.
    let events = walk(&scene.client, "/events");
    let listed: BTreeSet<&str> = events.iter().map(|event| text(&event["event_id"])).collect();
    let sent: Vec<Value> = scene.sink.at("/all").iter().map(|received| received.json()).collect();
    let sent: BTreeSet<&str> = sent.iter().map(|event| text(&event["event_id"])).collect();
    assert_eq!((sent, listed.len()), (listed, 6));
}

fn refused_changes_and_empty_patches_send_no_webhook(scene: Scene) {
    let made = scene.hook("/hook");
    let client = &scene.client;
    let path = format!("/contacts/{}", add(client, json!({ "name": "Ann", "phone": "+14155550123" })));
    // Refused.
    client.post("/contacts", json!({ "phone": "+14155550123" })).expect(409);
    client.post("/contacts", json!({ "name": "Eve", "tag_ids": [NOTHING] })).expect(400);
    client.patch(&path, json!({ "name": "Eve", "custom_fields": { NOTHING: "x" } })).expect(400);
    client.post(&format!("{path}/notes"), json!({ "body": "" })).expect(400);
    client.put(&format!("/contacts/{NOTHING}/opt-out"), json!({})).expect(404);
    // Nothing changed.
    client.patch(&path, json!({ "name": "Ann", "email": null })).expect(200);
    client.patch(&path, json!({})).expect(200);
    client.delete(&format!("{path}/opt-out")).expect(200);
    // Said again.
    let retrying = client.with("idempotency-key", "k");
    for _ in 0..3 {
        retrying.post("/contacts", json!({ "name": "Eve" })).expect(201);
    }
    scene.settle();
    assert_eq!(types_at(&scene, "/hook"), counts(&[("contact.created", 2)]));
    assert_eq!(scene.deliveries(&made).len(), 2);
}

fn a_test_event_goes_only_to_its_endpoint_regardless_of_filters(scene: Scene) {
    let tested = scene.hook_for("/tested", &["note.created"]);
    let other = scene.hook("/other");
    let path = format!("{}/test", tested.path);
    let response = scene.client.send("POST", &path, None).expect(202);
    assert_eq!(response.data()["event_type"], "webhook.test");
    assert_eq!(response.data()["status"], "pending");
    let endpoint = scene.endpoint(&tested);
    assert_eq!(response.data()["payload"], json!({ "webhook": endpoint }));
    let came = scene.sink.wait("/tested", 1);
    let sent = came[0].json();
    assert_eq!(sent["event_type"], "webhook.test");
    assert_eq!(
        (&sent["event_id"], &sent["data"]),
        (&response.data()["event_id"], &response.data()["payload"])
    );
    scene.settle();
    assert_eq!(scene.delivery(&tested)["status"], "succeeded");
    assert_eq!((scene.deliveries(&other).len(), scene.sink.count("/other")), (0, 0));
    // Each is an event of its own.
    let again = scene.client.post(&path, json!({})).expect(202);
    assert_ne!(again.data()["event_id"], response.data()["event_id"]);
    scene.sink.wait("/tested", 2);
}

fn an_endpoint_that_is_off_gets_nothing(scene: Scene) {
    let off = hook(&scene.client, json!({ "url": scene.sink.url("/hook"), "enabled": false }));
    scene.contact();
    let refused = scene.client.post(&format!("{}/test", off.path), json!({})).expect(409);
    refused.error("conflict");
    scene.settle();
    assert_eq!((scene.deliveries(&off).len(), scene.sink.count("/hook")), (0, 0));
    // On again: from now on, not what it missed.
    scene.client.patch(&off.path, json!({ "enabled": true })).expect(200);
    let contact = scene.contact();
    scene.settle();
    let came = scene.sink.at("/hook");
    assert_eq!(came.len(), 1);
    assert_eq!(came[0].json()["data"], json!({ "contact": contact }));
    scene.client.patch(&off.path, json!({ "enabled": false })).expect(200);
    scene.contact();
    scene.settle();
    assert_eq!((scene.deliveries(&off).len(), scene.sink.count("/hook")), (1, 1));
    // It is off because somebody wanted it so: there is no reason of the service's to tell.
    assert_eq!(scene.endpoint(&off)["disabled_reason"], Value::Null);
}

fn an_endpoint_gets_what_happens_after_it_was_made(scene: Scene) {
    scene.contact();
    let made = scene.hook("/hook");
    let contact = scene.contact();
    scene.settle();
    assert_eq!(scene.delivery(&made)["payload"]["contact"], contact);
    assert_eq!(scene.sink.count("/hook"), 1);
}

fn a_changed_address_counts_from_the_next_event(scene: Scene) {
    let made = scene.hook("/one");
    scene.contact();
    scene.settle();
    scene.client.patch(&made.path, json!({ "url": scene.sink.url("/two") })).expect(200);
    scene.contact();
    scene.client.patch(&made.path, json!({ "event_types": ["note.created"] })).expect(200);
    scene.contact();
    scene.settle();
    assert_eq!((scene.sink.count("/one"), scene.sink.count("/two")), (1, 1));
}
