//! Segments: made, changed, counted and refused.

use frontdesk_e2e::{App, on_every_engine};
use serde_json::{Value, json};

use crate::people::{add, field, listed, tag};
use crate::shapes::{NOTHING, has_fields, is_id, is_moment};

on_every_engine! {
    a_segment_is_made_listed_changed_and_deleted,
    all_or_any_of_the_rules_must_hold,
    a_segment_follows_its_contacts,
    problems_of_a_segment_are_reported_at_their_paths,
    problems_of_several_rules_are_reported_at_once,
    malformed_and_invalid_rules_are_reported_at_once,
    ids_in_rules_must_belong_to_the_account,
}

fn rule(field: &str, op: &str, value: Value) -> Value {
    json!({ "field": field, "op": op, "value": value })
}

fn a_segment_is_made_listed_changed_and_deleted(app: App) {
    let client = app.tenant().client;
    add(&client, json!({ "name": "Ann", "company": "Acme" }));
    add(&client, json!({ "name": "Bob" }));
    let rules = json!([rule("company", "is", json!("acme"))]);
    let made = client.post("/segments", json!({ "name": "Acme", "rules": rules })).expect(201);
    has_fields(made.data(), "id name match rules contact_count created_at updated_at");
    is_id(&made.data()["id"]);
    is_moment(&made.data()["created_at"]);
    let said = |segment: &Value| {
        json!([segment["name"], segment["match"], segment["rules"], segment["contact_count"]])
    };
    assert_eq!(said(made.data()), json!(["Acme", "all", rules, 1]));
    let path = format!("/segments/{}", made.id());
    assert_eq!(client.get(&path).expect(200).data(), made.data());
    assert_eq!(client.get("/segments").expect(200).data(), &json!([made.data()]));
    let renamed = client.patch(&path, json!({ "name": "Ours" })).expect(200);
    assert_eq!(said(renamed.data()), json!(["Ours", "all", rules, 1]));
    assert_eq!(client.patch(&path, json!({ "match": "any" })).expect(200).data()["match"], "any");
    let anybody = json!([rule("name", "is_set", Value::Null)]);
    let widened = client.patch(&path, json!({ "rules": anybody })).expect(200);
    assert_eq!(said(widened.data()), json!(["Ours", "any", anybody, 2]));
    assert_eq!(client.get(&path).expect(200).data(), widened.data());
    assert_eq!(client.delete(&path).expect(200).data(), &json!({ "id": made.id(), "deleted": true }));
    for response in [client.delete(&path), client.get(&path), client.patch(&path, json!({ "name": "x" }))] {
        response.expect(404).error("not_found");
    }
    client.get(&format!("/contacts?segment_id={}", made.id())).expect(404).error("not_found");
}

fn all_or_any_of_the_rules_must_hold(app: App) {
    let client = app.tenant().client;
    let vip = tag(&client, "vip");
    add(&client, json!({ "name": "Ann", "company": "Acme", "tag_ids": [vip] }));
    add(&client, json!({ "name": "Bob", "company": "Acme" }));
    add(&client, json!({ "name": "Cat", "tag_ids": [vip] }));
    add(&client, json!({ "name": "Dan" }));
    let rules = json!([rule("company", "is", json!("Acme")), rule("tag", "is", json!(vip))]);
    for (how, wanted) in [("all", &["Ann"][..]), ("any", &["Ann", "Bob", "Cat"])] {
        let body = json!({ "name": how, "match": how, "rules": rules });
        let segment = client.post("/segments", body).expect(201);
        assert_eq!(segment.data()["contact_count"], wanted.len(), "{how}");
        assert_eq!(listed(&client, &format!("segment_id={}", segment.id())), wanted, "{how}");
    }
    let three = json!([
        rule("company", "is", json!("Acme")),
        rule("tag", "is", json!(vip)),
        rule("name", "starts_with", json!("d")),
    ]);
    let body = json!({ "name": "three", "match": "any", "rules": three });
    let segment = client.post("/segments", body).expect(201).id();
    assert_eq!(listed(&client, &format!("segment_id={segment}")), ["Ann", "Bob", "Cat", "Dan"]);
    assert_eq!(listed(&client, &format!("segment_id={segment}&tag_id={vip}&q=cat")), ["Cat"]);
}

fn a_segment_follows_its_contacts(app: App) {
    let client = app.tenant().client;
    let vip = tag(&client, "vip");
    let body = json!({ "name": "VIP", "rules": [rule("tag", "is", json!(vip))] });
    let path = format!("/segments/{}", client.post("/segments", body).expect(201).id());
    let count = || client.get(&path).expect(200).data()["contact_count"].clone();
    assert_eq!(count(), 0);
    let id = add(&client, json!({ "name": "Ann", "tag_ids": [vip] }));
    assert_eq!(count(), 1);
    client.delete(&format!("/contacts/{id}/tags/{vip}")).expect(200);
    assert_eq!(count(), 0);
    client.post(&format!("/contacts/{id}/tags"), json!({ "tag_ids": [vip] })).expect(200);
    assert_eq!(client.get("/segments").expect(200).data()[0]["contact_count"], 1);
    client.delete(&format!("/tags/{vip}")).expect(200);
    assert_eq!(count(), 0);
}

fn problems_of_a_segment_are_reported_at_their_paths(app: App) {
    let client = app.tenant().client;
    let when = field(&client, "When", "date");
    let plan = field(&client, "Plan", "text");
    let of = |id: &str| format!("custom_field:{id}");
    let cases = [
        (rule("age", "is", json!("7")), "field"),
        (rule("custom_field:plan", "is", json!("7")), "field"),
        (rule(&of(NOTHING), "is", json!("7")), "field"),
        (json!({ "op": "is", "value": "7" }), "field"),
        (rule("name", "near", json!("7")), "op"),
        (json!({ "field": "name", "value": "7" }), "op"),
        (rule("name", "before", json!("2026-01-01")), "op"),
        (rule("phone", "within_days", json!(7)), "op"),
        (rule(&of(&plan), "after", json!("2026-01-01")), "op"),
        (rule("created_at", "contains", json!("2026")), "op"),
        (rule("tag", "contains", json!("vip")), "op"),
        (rule("channel", "starts_with", json!("w")), "op"),
        (rule("opted_out", "contains", json!(true)), "op"),
        (rule("name", "is", Value::Null), "value"),
        (rule("name", "contains", json!(7)), "value"),
        (rule("email", "starts_with", json!(" ")), "value"),
        (rule("tag", "is", json!("vip")), "value"),
        (rule("tag", "is", json!(NOTHING)), "value"),
        (rule("channel", "is", json!("fax")), "value"),
        (rule("opted_out", "is", json!("true")), "value"),
        (rule("created_at", "after", json!("soon")), "value"),
        (rule(&of(&when), "before", json!(7)), "value"),
        (rule("last_inbound_at", "within_days", json!(0)), "value"),
        (rule("last_inbound_at", "within_days", json!("7")), "value"),
        (rule("last_inbound_at", "within_days", json!(1.5)), "value"),
    ];
    let fine = json!([rule("name", "is_set", Value::Null)]);
    let path = format!(
        "/segments/{}",
        client.post("/segments", json!({ "name": "x", "rules": fine })).expect(201).id()
    );
    for (wrong, part) in cases {
        let rules = json!([fine[0], wrong]);
        let at = format!("rules.1.{part}");
        for response in [
            client.post("/segments", json!({ "name": "y", "rules": rules })),
            client.patch(&path, json!({ "rules": rules })),
        ] {
            assert_eq!(response.status, 400, "{wrong} was taken");
            response.error("validation_error");
            response.details_at(&[&at]);
        }
    }
    client.post("/segments", json!({})).expect(400).details_at(&["name", "rules"]);
    client.post("/segments", json!({ "name": "x", "rules": [] })).expect(400).details_at(&["rules"]);
    client.post("/segments", json!({ "name": "x", "rules": [7] })).expect(400).details_at(&["rules.0"]);
    let body = json!({ "name": "", "match": "some", "rules": { "field": "name" } });
    client.post("/segments", body).expect(400).details_at(&["name", "match", "rules"]);
    client.patch(&path, json!({ "name": null, "rules": [] })).expect(400).error("validation_error");
    assert_eq!(client.get("/segments").expect(200).data().as_array().unwrap().len(), 1);
    assert_eq!(client.get(&path).expect(200).data()["rules"], fine);
}

fn problems_of_several_rules_are_reported_at_once(app: App) {
    let client = app.tenant().client;
    let rules = json!([
        rule("tag", "is", json!(NOTHING)),
        rule("name", "is", json!("Ann")),
        rule(&format!("custom_field:{NOTHING}"), "is", json!("x")),
        rule("opted_out", "contains", json!("x")),
        rule("created_at", "after", json!("soon")),
    ]);
    let response = client.post("/segments", json!({ "name": "x", "rules": rules })).expect(400);
    response.details_at(&["rules.0.value", "rules.2.field", "rules.3.op", "rules.4.value"]);
    let rules = json!([{ "field": "age", "op": "near" }, { "value": 7 }]);
    let response = client.post("/segments", json!({ "rules": rules })).expect(400);
    response.details_at(&["name", "rules.0.field", "rules.0.op", "rules.1.field", "rules.1.op"]);
}

fn malformed_and_invalid_rules_are_reported_at_once(app: App) {
    let client = app.tenant().client;
    let rules = json!([rule("age", "is", json!("7")), rule("created_at", "after", json!("soon"))]);
    let response = client.post("/segments", json!({ "name": "x", "rules": rules })).expect(400);
    response.details_at(&["rules.0.field", "rules.1.value"]);
    let response = client.post("/segments", json!({ "rules": [] })).expect(400);
    response.details_at(&["name", "rules"]);
}

fn ids_in_rules_must_belong_to_the_account(app: App) {
    let (ours, theirs) = (app.tenant().client, app.tenant().client);
    let (their_tag, their_field) = (tag(&theirs, "vip"), field(&theirs, "Plan", "text"));
    let rules = json!([
        rule("tag", "is", json!(their_tag)),
        rule(&format!("custom_field:{their_field}"), "is", json!("gold")),
    ]);
    let response = ours.post("/segments", json!({ "name": "x", "rules": rules })).expect(400);
    response.error("validation_error");
    response.details_at(&["rules.0.value", "rules.1.field"]);
    let path = format!(
        "/segments/{}",
        theirs.post("/segments", json!({ "name": "x", "rules": rules })).expect(201).id()
    );
    for response in [ours.get(&path), ours.patch(&path, json!({ "name": "y" })), ours.delete(&path)] {
        response.expect(404).error("not_found");
    }
    assert_eq!(theirs.get(&path).expect(200).data()["name"], "x");
    assert_eq!(ours.get("/segments").expect(200).data(), &json!([]));
}
