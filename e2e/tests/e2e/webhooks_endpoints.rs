//! Webhook endpoints: made, read, changed and deleted by those who may.

use frontdesk_e2e::{Client, Response, on_every_engine};
use serde_json::{Value, json};

use crate::shapes::{NOTHING, has_fields, is_id, is_moment, text};
use crate::webhooks_scene::{Scene, hook};

on_every_engine! {
    an_endpoint_is_made_read_changed_and_deleted,
    fields_left_out_of_an_endpoint_have_defaults,
    a_patch_changes_what_it_names_and_nothing_else,
    problems_of_an_endpoint_are_reported_at_their_paths,
    groups_and_types_of_events_may_be_subscribed_to,
    endpoints_per_account_are_limited,
    webhooks_need_their_scope_and_no_other,
    no_account_sees_the_endpoints_of_another,
}

const FIELDS: &str = "id url description event_types enabled disabled_reason created_at updated_at";

/// Every call about an endpoint and one of its deliveries.
fn calls(path: &str, delivery: &str) -> [(&'static str, String); 8] {
    [
        ("GET", path.to_owned()),
        ("PATCH", path.to_owned()),
        ("POST", format!("{path}/secret")),
        ("POST", format!("{path}/test")),
        ("GET", format!("{path}/deliveries")),
        ("GET", format!("{path}/deliveries/{delivery}")),
        ("POST", format!("{path}/deliveries/{delivery}/retry")),
        ("DELETE", path.to_owned()),
    ]
}

fn call(client: &Client, method: &str, path: &str) -> Response {
    client.with("content-type", "application/json").send(method, path, Some(b"{}"))
}

fn an_endpoint_is_made_read_changed_and_deleted(scene: Scene) {
    let (client, url) = (&scene.client, scene.sink.url("/hook?x=1"));
    let body = json!({ "url": url, "description": "Sync", "event_types": ["contact.*", "note.created"] });
    let made = client.post("/webhooks", body.clone()).expect(201);
    has_fields(made.data(), &format!("{FIELDS} secret"));
    is_id(&made.data()["id"]);
    is_moment(&made.data()["created_at"]);
    is_moment(&made.data()["updated_at"]);
    for (name, value) in body.as_object().unwrap() {
        assert_eq!(&made.data()[name], value);
    }
    assert_eq!((&made.data()["enabled"], &made.data()["disabled_reason"]), (&json!(true), &Value::Null));

    let path = format!("/webhooks/{}", made.id());
    let mut shown = made.data().clone();
    shown.as_object_mut().unwrap().remove("secret");
    assert_eq!(client.get(&path).expect(200).data(), &shown);
    let list = client.get("/webhooks").expect(200);
    assert_eq!(list.data(), &json!([shown]));
    assert_eq!(list.json["meta"], json!({ "next_cursor": null, "has_more": false, "limit": 1 }));

    let patched = client.patch(&path, json!({ "description": "Ledger" })).expect(200);
    has_fields(patched.data(), FIELDS);
    assert_eq!(patched.data()["description"], "Ledger");
    assert!(text(&patched.data()["updated_at"]) >= text(&shown["updated_at"]));
    assert_eq!(client.get(&path).expect(200).data(), patched.data());

    let deleted = client.delete(&path).expect(200);
    assert_eq!(deleted.data(), &json!({ "id": made.id(), "deleted": true }));
    for (method, path) in calls(&path, NOTHING) {
        call(client, method, &path).expect(404).error("not_found");
    }
    assert_eq!(client.get("/webhooks").expect(200).data(), &json!([]));
}

fn fields_left_out_of_an_endpoint_have_defaults(scene: Scene) {
    let url = scene.sink.url("/hook");
    let bare = scene.client.post("/webhooks", json!({ "url": url, "nonsense": 1 })).expect(201);
    assert_eq!(
        (&bare.data()["description"], &bare.data()["event_types"], &bare.data()["enabled"]),
        (&Value::Null, &json!([]), &json!(true))
    );
    let body = json!({ "url": url, "description": "  ", "event_types": null, "enabled": false });
    let off = scene.client.post("/webhooks", body).expect(201);
    assert_eq!(
        (&off.data()["description"], &off.data()["event_types"], &off.data()["enabled"]),
        (&Value::Null, &json!([]), &json!(false))
    );
    let ids = |value: &Value| -> Vec<String> {
        value.as_array().unwrap().iter().map(|row| text(&row["id"]).to_owned()).collect()
    };
    // Newest first.
    assert_eq!(ids(scene.client.get("/webhooks").expect(200).data()), [off.id(), bare.id()]);
}

fn a_patch_changes_what_it_names_and_nothing_else(scene: Scene) {
    let url = scene.sink.url("/one");
    let made =
        hook(&scene.client, json!({ "url": url, "description": "Sync", "event_types": ["contact.created"] }));
    let mut expected = scene.endpoint(&made);
    let moved = scene.sink.url("/two");
    for (patch, field, value) in [
        (json!({}), "description", json!("Sync")),
        (json!({ "url": moved }), "url", json!(moved)),
        (json!({ "description": null }), "description", Value::Null),
        (json!({ "event_types": ["note.*", "*"] }), "event_types", json!(["note.*", "*"])),
        (json!({ "event_types": null }), "event_types", json!([])),
        (json!({ "event_types": [] }), "event_types", json!([])),
        (json!({ "enabled": false }), "enabled", json!(false)),
        (json!({ "enabled": true, "secret": "whsec_mine", "id": NOTHING }), "enabled", json!(true)),
    ] {
        let patched = scene.client.patch(&made.path, patch).expect(200);
        expected[field] = value;
        expected["updated_at"] = patched.data()["updated_at"].clone();
        assert_eq!(patched.data(), &expected);
    }
    assert_eq!(scene.endpoint(&made), expected);
}

fn problems_of_an_endpoint_are_reported_at_their_paths(scene: Scene) {
    let url = scene.sink.url("/hook");
    let long = format!("{url}?{}", "x".repeat(2048));
    let mut wrong: Vec<(Value, Vec<&str>)> = vec![
        (
            json!({ "url": url, "event_types": ["contact.created", "contact.exploded"] }),
            vec!["event_types.1"],
        ),
        (
            json!({ "url": url, "event_types": ["nobody.*", "contact", "contact.*", 7, ""] }),
            vec!["event_types.0", "event_types.1", "event_types.3", "event_types.4"],
        ),
        (json!({ "url": url, "event_types": "contact.created" }), vec!["event_types"]),
        (json!({ "url": url, "description": "x".repeat(501) }), vec!["description"]),
        (json!({ "url": url, "description": 7 }), vec!["description"]),
        (json!({ "url": url, "enabled": "yes" }), vec!["enabled"]),
        (
            json!({ "url": "hook", "event_types": ["x", "contact.*", "y"], "enabled": 3 }),
            vec!["url", "event_types.0", "event_types.2", "enabled"],
        ),
    ];
    for url in [
        "",
        "hook",
        "/hook",
        "example.com/hook",
        "ftp://example.com/hook",
        "http://",
        "https:///hook",
        "http://ann:secret@127.0.0.1/",
        "http://ann@127.0.0.1/",
        "http://127.0.0.1/hook#part",
        "http://127.0.0.1/a b",
        "http://127.0.0.1:99999/",
        long.as_str(),
    ] {
        wrong.push((json!({ "url": url }), vec!["url"]));
    }
    wrong.push((json!({ "url": null }), vec!["url"]));
    wrong.push((json!({ "url": 7 }), vec!["url"]));
    let made = scene.hook("/fine");
    let before = scene.endpoint(&made);
    for (body, paths) in wrong {
        for response in [scene.client.post("/webhooks", body.clone()), scene.client.patch(&made.path, body)] {
            let response = response.expect(400);
            response.error("validation_error");
            response.details_at(&paths);
        }
    }
    scene.client.post("/webhooks", json!({})).expect(400).details_at(&["url"]);
    assert_eq!(scene.client.get("/webhooks").expect(200).data(), &json!([before]));
}

fn groups_and_types_of_events_may_be_subscribed_to(scene: Scene) {
    let catalogue = scene.client.get("/event-types").expect(200);
    for known in catalogue.data().as_array().unwrap() {
        let name = text(&known["event_type"]);
        let group = format!("{}.*", name.split_once('.').expect("a noun and a verb").0);
        let wanted = json!([name, group, "*"]);
        let body = json!({ "url": scene.sink.url("/hook"), "event_types": wanted });
        assert_eq!(scene.client.post("/webhooks", body).expect(201).data()["event_types"], wanted);
    }
}

fn endpoints_per_account_are_limited(scene: Scene) {
    let hooks: Vec<_> = (0..100).map(|_| scene.hook("/hook")).collect();
    let body = json!({ "url": scene.sink.url("/hook") });
    let refused = scene.client.post("/webhooks", body.clone()).expect(422);
    assert_eq!(refused.error("unprocessable")["reason"], "limit_reached");
    assert_eq!(scene.client.get("/webhooks").expect(200).data().as_array().unwrap().len(), hooks.len());
    // Another account has room, and so has this one when it deletes one.
    hook(&scene.app.tenant().client, body.clone());
    scene.client.delete(&hooks[50].path).expect(200);
    scene.client.post("/webhooks", body).expect(201);
}

fn webhooks_need_their_scope_and_no_other(scene: Scene) {
    let app = &scene.app;
    let made = scene.hook("/hook");
    scene.contact();
    scene.settle();
    let delivery = text(&scene.delivery(&made)["id"]).to_owned();
    let without = app.client(&app.key(&scene.tenant.account, "contacts:write,assistants:write,runs:start"));
    let mut every = calls(&made.path, &delivery).to_vec();
    every.extend([("GET", "/webhooks".to_owned()), ("POST", "/webhooks".to_owned())]);
    for (method, path) in every {
        let refused = call(&without, method, &path).expect(403);
        assert_eq!(refused.error("forbidden")["reason"], "scope", "{method} {path}");
    }
    let with = app.client(&app.key(&scene.tenant.account, "webhooks:manage"));
    with.get("/webhooks").expect(200);
    hook(&with, json!({ "url": scene.sink.url("/hook") }));
    for (method, path) in calls(&made.path, &delivery) {
        let allowed = call(&with, method, &path);
        assert!(matches!(allowed.status, 200 | 202), "{method} {path}: {}", allowed.text);
    }
}

fn no_account_sees_the_endpoints_of_another(scene: Scene) {
    let made = scene.hook("/hook");
    scene.contact();
    scene.settle();
    let delivery = scene.delivery(&made);
    let before = scene.endpoint(&made);
    let stranger = scene.app.tenant().client;
    for (method, path) in calls(&made.path, text(&delivery["id"])) {
        call(&stranger, method, &path).expect(404).error("not_found");
    }
    assert_eq!(stranger.get("/webhooks").expect(200).data(), &json!([]));
    assert_eq!((scene.endpoint(&made), scene.delivery(&made)), (before, delivery));
    // Nor does an endpoint hear of what happens elsewhere.
    stranger.post("/contacts", json!({ "name": "Eve" })).expect(201);
    scene.settle();
    assert_eq!((scene.deliveries(&made).len(), scene.sink.count("/hook")), (1, 1));
}
