//! Deliveries as they are read: what was sent, and what came of it.

use std::collections::BTreeSet;

use frontdesk_e2e::{Reply, on_every_engine};
use serde_json::{Value, json};

use crate::people::walk;
use crate::shapes::{NOTHING, has_fields, is_id, is_moment, text};
use crate::webhooks_scene::{NOBODY, Scene, hook, moment, state};

on_every_engine! {
    a_delivery_has_exactly_the_fields_of_the_specification,
    a_delivery_is_the_event_as_it_is_listed,
    a_delivery_shows_the_contact_as_it_was_then,
    one_event_has_one_id_for_every_endpoint_and_attempt,
    deliveries_are_listed_by_status_and_type,
    deliveries_are_walked_newest_first,
    an_unknown_delivery_is_not_found,
    calls_to_one_endpoint_share_a_connection,
    a_reused_connection_that_was_closed_costs_no_attempt,
}

const FIELDS: &str = "id event_id event_type status attempts next_attempt_at last_status_code last_error \
    response_snippet duration_ms delivered_at created_at payload";

fn a_delivery_has_exactly_the_fields_of_the_specification(scene: Scene) {
    scene.sink.respond("/hook", Reply::status(201).body("thanks"));
    let (fine, dead) = (scene.hook("/hook"), hook(&scene.client, json!({ "url": NOBODY })));
    let contact = scene.contact();
    scene.settle();
    for made in [&fine, &dead] {
        let delivery = scene.delivery(made);
        has_fields(&delivery, FIELDS);
        is_id(&delivery["id"]);
        is_moment(&delivery["created_at"]);
        assert!(text(&delivery["event_id"]).starts_with("evt_"), "{delivery}");
        assert_eq!(delivery["event_type"], "contact.created");
        assert_eq!(delivery["payload"], json!({ "contact": contact }));
        let path = format!("{}/deliveries/{}", made.path, text(&delivery["id"]));
        assert_eq!(scene.client.get(&path).expect(200).data(), &delivery);
    }
    let done = scene.delivery(&fine);
    assert_eq!(state(&done), ("succeeded", 1));
    assert_eq!((&done["last_status_code"], &done["response_snippet"]), (&json!(201), &json!("thanks")));
    assert_eq!((&done["last_error"], &done["next_attempt_at"]), (&Value::Null, &Value::Null));
    is_moment(&done["delivered_at"]);
    assert!(moment(&done["delivered_at"]) >= moment(&done["created_at"]), "{done}");
    assert!(done["duration_ms"].as_u64().is_some_and(|took| took < 10_000), "{done}");
    let waiting = scene.delivery(&dead);
    assert_eq!(state(&waiting), ("pending", 1));
    assert_eq!((&waiting["last_status_code"], &waiting["response_snippet"]), (&Value::Null, &Value::Null));
    assert!(text(&waiting["last_error"]).contains("connect"), "{waiting}");
    assert!(waiting["duration_ms"].is_u64() && waiting["delivered_at"].is_null(), "{waiting}");
    is_moment(&waiting["next_attempt_at"]);
}

fn a_delivery_is_the_event_as_it_is_listed(scene: Scene) {
    let made = scene.hook("/hook?from=a%20b");
    let body = json!({ "name": "Zoë \u{1F642}", "company": "\"quoted\" \\ </script>\u{2028}" });
    let contact = scene.client.post("/contacts", body).expect(201);
    scene.settle();
    let sent = &scene.sink.wait("/hook?from=a%20b", 1)[0];
    assert_eq!(sent.header("host"), format!("127.0.0.1:{}", scene.sink.port()));
    assert_eq!((sent.method.as_str(), sent.header("content-type")), ("POST", "application/json"));
    assert!(sent.header("user-agent").starts_with("Frontdesk/"), "{sent:?}");
    let envelope = sent.json();
    has_fields(&envelope, "event_id event_type created_at account_id api_version data");
    assert_eq!(envelope["event_type"], "contact.created");
    assert_eq!(envelope["api_version"], "v1");
    assert_eq!(envelope["account_id"], scene.tenant.account.id.as_str());
    is_moment(&envelope["created_at"]);
    assert_eq!(envelope["data"], json!({ "contact": contact.data() }));
    assert_eq!(sent.header("webhook-id"), text(&envelope["event_id"]));
    assert_eq!(walk(&scene.client, "/events"), std::slice::from_ref(&envelope));
    let delivery = scene.delivery(&made);
    assert_eq!((&delivery["event_id"], &delivery["payload"]), (&envelope["event_id"], &envelope["data"]));
}

fn a_delivery_shows_the_contact_as_it_was_then(scene: Scene) {
    scene.sink.answer_in_turn("/hook", [Reply::status(500)], Reply::default());
    let made = scene.hook_for("/hook", &["contact.created"]);
    let contact = scene.contact();
    scene.settle();
    scene.client.patch(&format!("/contacts/{}", text(&contact["id"])), json!({ "name": "Eve" })).expect(200);
    scene.advance(6);
    let came = scene.sink.wait("/hook", 2);
    assert_eq!(came[0].body, came[1].body);
    assert_eq!(came[1].json()["data"]["contact"], contact);
    assert_eq!(scene.delivery(&made)["payload"]["contact"], contact);
}

fn one_event_has_one_id_for_every_endpoint_and_attempt(scene: Scene) {
    scene.sink.answer_in_turn("/slow", [Reply::status(500), Reply::closed()], Reply::default());
    let hooks = [scene.hook("/slow"), scene.hook("/quick"), scene.hook("/quick")];
    scene.contact();
    scene.settle();
    scene.advance(6);
    scene.advance(6 * 60);
    assert_eq!((scene.sink.count("/slow"), scene.sink.count("/quick")), (3, 2));
    let mut ids = BTreeSet::new();
    for received in scene.sink.received() {
        ids.insert(received.header("webhook-id").to_owned());
        ids.insert(text(&received.json()["event_id"]).to_owned());
    }
    ids.extend(hooks.iter().map(|made| text(&scene.delivery(made)["event_id"]).to_owned()));
    ids.insert(text(&walk(&scene.client, "/events")[0]["event_id"]).to_owned());
    assert_eq!(ids.len(), 1, "{ids:?}");
}

fn deliveries_are_listed_by_status_and_type(scene: Scene) {
    scene.sink.answer_in_turn("/hook", [Reply::status(500), Reply::status(500)], Reply::default());
    let made = scene.hook("/hook");
    let contact = scene.contact();
    scene.settle();
    scene.client.patch(&format!("/contacts/{}", text(&contact["id"])), json!({ "name": "Eve" })).expect(200);
    scene.settle();
    scene.contact();
    scene.settle();
    for (query, wanted) in [
        ("", 3),
        ("?status=pending", 2),
        ("?status=succeeded", 1),
        ("?status=failed", 0),
        ("?status=claimed", 0),
        ("?status=exhausted", 0),
        ("?event_type=contact.created", 2),
        ("?event_type=contact.updated", 1),
        ("?event_type=note.created", 0),
        ("?status=pending&event_type=contact.created", 1),
        ("?status=succeeded&event_type=contact.updated", 0),
    ] {
        let rows = walk(&scene.client, &format!("{}/deliveries{query}", made.path));
        assert_eq!(rows.len(), wanted, "{query}: {rows:?}");
    }
    let path = format!("{}/deliveries", made.path);
    scene.client.get(&format!("{path}?status=lost")).expect(400).error("bad_request");
    scene.client.get(&format!("{path}?limit=0")).expect(400).error("validation_error");
    scene.client.get(&format!("{path}?cursor=x")).expect(400).error("bad_request");
}

fn deliveries_are_walked_newest_first(scene: Scene) {
    let (made, other) = (scene.hook("/hook"), scene.hook("/other"));
    let names: Vec<String> = (0..7).map(|_| text(&scene.contact()["id"]).to_owned()).collect();
    let path = format!("{}/deliveries", made.path);
    let mut seen = Vec::new();
    let mut page = scene.client.get(&format!("{path}?limit=3")).expect(200);
    loop {
        let rows = page.data().as_array().unwrap();
        seen.extend(rows.iter().map(|row| text(&row["payload"]["contact"]["id"]).to_owned()));
        let Some(next) = page.json["meta"]["next_cursor"].as_str() else { break };
        assert_eq!((rows.len(), &page.json["meta"]["limit"]), (3, &json!(3)));
        // A cursor is for its list, its endpoint and its filters.
        scene
            .client
            .get(&format!("{}/deliveries?cursor={next}", other.path))
            .expect(400)
            .error("bad_request");
        let filtered = format!("{path}?limit=3&status=succeeded&cursor={next}");
        scene.client.get(&filtered).expect(400).error("bad_request");
        // What happens meanwhile neither repeats nor hides a row.
        scene.contact();
        page = scene.client.get(&format!("{path}?limit=3&cursor={next}")).expect(200);
    }
    let newest_first: Vec<String> = names.into_iter().rev().collect();
    assert_eq!(seen, newest_first);
}

fn an_unknown_delivery_is_not_found(scene: Scene) {
    let (made, other) = (scene.hook("/hook"), scene.hook("/other"));
    scene.contact();
    scene.settle();
    let (path, id) = (&made.path, text(&scene.delivery(&made)["id"]).to_owned());
    for path in [
        format!("/webhooks/{NOTHING}/deliveries"),
        format!("/webhooks/{NOTHING}/deliveries/{id}"),
        format!("/webhooks/nothing/deliveries/{id}"),
        format!("{path}/deliveries/{NOTHING}"),
        format!("{path}/deliveries/nothing"),
        format!("{}/deliveries/{id}", other.path),
    ] {
        scene.client.get(&path).expect(404).error("not_found");
        if !path.ends_with("deliveries") {
            scene.client.post(&format!("{path}/retry"), json!({})).expect(404).error("not_found");
        }
    }
}

fn calls_to_one_endpoint_share_a_connection(scene: Scene) {
    scene.sink.respond("/hook", Reply::status(200).body("x".repeat(5_000)));
    scene.hook("/hook");
    for _ in 0..10 {
        scene.contact();
        scene.settle();
    }
    let came = scene.sink.at("/hook");
    let connections: BTreeSet<usize> = came.iter().map(|received| received.connection).collect();
    assert_eq!((came.len(), connections.len()), (10, 1));
}

fn a_reused_connection_that_was_closed_costs_no_attempt(scene: Scene) {
    scene.sink.respond("/hook", Reply::status(200).hang_up());
    let made = scene.hook("/hook");
    for _ in 0..10 {
        scene.contact();
        scene.settle();
    }
    for delivery in scene.deliveries(&made) {
        assert_eq!(state(&delivery), ("succeeded", 1));
    }
    assert_eq!(scene.sink.count("/hook"), 10);
}
