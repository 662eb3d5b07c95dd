//! Changing contacts: what is left out stays, null clears, anything else is set.

use std::thread::sleep;
use std::time::Duration;

use frontdesk_e2e::{App, Client, at_once, on_every_engine};
use serde_json::{Value, json};

use crate::people::{add, field, tag};
use crate::shapes::{NOTHING, text};

on_every_engine! {
    a_field_is_kept_cleared_or_set,
    blank_clears_like_null,
    tags_are_replaced_as_a_set,
    custom_fields_are_merged_by_key,
    an_update_moves_updated_at_alone,
    a_patch_that_changes_nothing_leaves_everything_as_it_was,
    a_refused_patch_reports_all_problems_and_changes_nothing,
    patches_of_different_fields_at_once_are_all_kept,
}

/// A contact with everything set, and its path.
fn whole(client: &Client) -> (Value, String) {
    let vip = tag(client, "vip");
    let plan = field(client, "Plan", "text");
    let body = json!({
        "phone": "+14155550123", "name": "Ann", "email": "ann@example.com", "company": "Acme",
        "tag_ids": [vip], "custom_fields": { plan.as_str(): "gold" },
    });
    let made = client.post("/contacts", body).expect(201);
    (made.data().clone(), format!("/contacts/{}", made.id()))
}

/// The contact without its time of change.
fn timeless(contact: &Value) -> Value {
    let mut contact = contact.clone();
    contact.as_object_mut().unwrap().remove("updated_at").expect("a time of change");
    contact
}

fn a_field_is_kept_cleared_or_set(app: App) {
    let client = app.tenant().client;
    let (mut expected, path) = whole(&client);
    for (field, value) in
        [("name", "Ann Lee"), ("phone", "+14155550199"), ("email", "lee@example.com"), ("company", "Globex")]
    {
        for value in [json!(value), Value::Null, json!(value)] {
            let patched = client.patch(&path, json!({ field: value })).expect(200);
            expected[field] = value;
            assert_eq!(timeless(patched.data()), timeless(&expected), "{field}");
            assert_eq!(client.get(&path).expect(200).data(), patched.data());
        }
    }
    let patched = client.patch(&path, json!({ "name": "Eve", "company": null })).expect(200);
    expected["name"] = json!("Eve");
    expected["company"] = Value::Null;
    assert_eq!(timeless(patched.data()), timeless(&expected));
}

fn blank_clears_like_null(app: App) {
    let client = app.tenant().client;
    let (_, path) = whole(&client);
    let response = client.patch(&path, json!({ "phone": "", "email": " ", "company": "\t" })).expect(200);
    for field in ["phone", "email", "company"] {
        assert_eq!(response.data()[field], Value::Null, "{field}");
    }
    assert_eq!(response.data()["name"], "Ann");
    assert_eq!(client.patch(&path, json!({ "name": "  " })).expect(200).data()["name"], Value::Null);
}

fn tags_are_replaced_as_a_set(app: App) {
    let client = app.tenant().client;
    let [a, b, c] = ["a", "b", "c"].map(|name| tag(&client, name));
    let path = format!("/contacts/{}", add(&client, json!({ "name": "Ann", "tag_ids": [a, b] })));
    let tags_after = |body: Value| {
        let patched = client.patch(&path, body).expect(200);
        assert_eq!(client.get(&path).expect(200).data(), patched.data());
        let tags = patched.data()["tags"].as_array().unwrap().clone();
        let mut names: Vec<String> = tags.iter().map(|tag| text(&tag["name"]).to_owned()).collect();
        names.sort();
        names.concat()
    };
    assert_eq!(tags_after(json!({ "tag_ids": [b, c] })), "bc");
    assert_eq!(tags_after(json!({ "name": "Ann Lee" })), "bc");
    assert_eq!(tags_after(json!({ "tag_ids": [] })), "");
    assert_eq!(tags_after(json!({ "tag_ids": [c, c, a] })), "ac");
    assert_eq!(tags_after(json!({ "tag_ids": null })), "");
}

fn custom_fields_are_merged_by_key(app: App) {
    let client = app.tenant().client;
    let (plan, age) = (field(&client, "Plan", "text"), field(&client, "Age", "number"));
    let path = format!(
        "/contacts/{}",
        add(&client, json!({ "name": "Ann", "custom_fields": { plan.as_str(): "gold", age.as_str(): "7" } }))
    );
    let values_after = |body: Value| {
        let patched = client.patch(&path, body).expect(200);
        assert_eq!(client.get(&path).expect(200).data(), patched.data());
        let fields = patched.data()["custom_fields"].as_array().unwrap().clone();
        let value = |id: &str| fields.iter().find(|field| field["field_id"] == id).unwrap()["value"].clone();
        json!([value(&plan), value(&age)])
    };
    let set = |fields: Value| json!({ "custom_fields": fields });
    assert_eq!(values_after(set(json!({ age.as_str(): "8" }))), json!(["gold", "8"]));
    assert_eq!(values_after(set(json!({ plan.as_str(): null }))), json!([null, "8"]));
    assert_eq!(values_after(set(json!({}))), json!([null, "8"]));
    assert_eq!(values_after(json!({ "custom_fields": null })), json!([null, "8"]));
    assert_eq!(values_after(set(json!({ plan.as_str(): "free", age.as_str(): "" }))), json!(["free", null]));
}

fn an_update_moves_updated_at_alone(app: App) {
    let client = app.tenant().client;
    let (mut before, path) = whole(&client);
    let plan = text(&before["custom_fields"][0]["field_id"]).to_owned();
    for body in [
        json!({ "name": "Eve" }),
        json!({ "custom_fields": { plan.as_str(): "free" } }),
        json!({ "tag_ids": [] }),
    ] {
        // Moments are told apart by the millisecond.
        sleep(Duration::from_millis(2));
        let patched = client.patch(&path, body).expect(200);
        let after = patched.data();
        assert!(text(&after["updated_at"]) > text(&before["updated_at"]), "{after} after {before}");
        assert_eq!((&after["id"], &after["created_at"]), (&before["id"], &before["created_at"]));
        before = after.clone();
    }
}

fn a_patch_that_changes_nothing_leaves_everything_as_it_was(app: App) {
    let client = app.tenant().client;
    let (contact, path) = whole(&client);
    let tags = json!([contact["tags"][0]["id"]]);
    let plan = text(&contact["custom_fields"][0]["field_id"]);
    for body in [
        json!({}),
        json!({ "name": "Ann" }),
        json!({ "name": " Ann ", "phone": "+1 (415) 555-0123", "avatar_url": "x", "id": NOTHING }),
        json!({ "tag_ids": tags, "custom_fields": { plan: "gold" } }),
    ] {
        assert_eq!(client.patch(&path, body).expect(200).data(), &contact);
    }
    assert_eq!(client.get(&path).expect(200).data(), &contact);
}

fn a_refused_patch_reports_all_problems_and_changes_nothing(app: App) {
    let tenant = app.tenant();
    let client = tenant.client;
    let (contact, path) = whole(&client);
    let theirs = tag(&app.tenant().client, "vip");
    let response = client.patch(&path, json!({ "name": 1, "phone": "x", "email": "y", "tag_ids": [2] }));
    response.clone().expect(400).error("validation_error");
    response.details_at(&["name", "phone", "email", "tag_ids.0"]);
    let body = json!({ "name": "Eve", "tag_ids": [theirs], "custom_fields": { NOTHING: "x" } });
    let response = client.patch(&path, body).expect(400);
    response.error("validation_error");
    response.details_at(&["tag_ids.0", &format!("custom_fields.{NOTHING}")]);
    assert_eq!(client.get(&path).expect(200).data(), &contact);
}

fn patches_of_different_fields_at_once_are_all_kept(app: App) {
    let client = app.tenant().client;
    let (_, path) = whole(&client);
    for round in 0..15 {
        let email = format!("ann{round}@example.com");
        let bodies = [
            json!({ "name": format!("Ann {round}") }),
            json!({ "company": format!("Acme {round}") }),
            json!({ "email": email }),
            json!({ "phone": format!("+141555501{round:02}") }),
        ];
        at_once(bodies.len(), |number| client.patch(&path, bodies[number].clone()).expect(200));
        let after = client.get(&path).expect(200);
        for body in bodies {
            for (field, value) in body.as_object().unwrap() {
                assert_eq!(&after.data()[field], value, "{field} was lost in round {round}");
            }
        }
    }
}
