//! Tags, and contacts that carry them.

use frontdesk_e2e::{App, at_once, on_every_engine};
use serde_json::{Value, json};

use crate::people::{add, field, tag};
use crate::shapes::{NOTHING, has_fields, is_id, is_moment};

on_every_engine! {
    a_tag_is_made_listed_changed_and_deleted,
    a_colour_is_hexadecimal_and_has_a_default,
    names_are_unique_regardless_of_case,
    of_many_tags_of_one_name_at_once_one_is_made,
    problems_of_a_tag_are_reported,
    tags_are_added_to_a_contact_and_taken_off,
    a_deleted_tag_disappears_from_contacts,
    a_renamed_tag_is_seen_on_contacts,
    a_new_field_is_seen_on_every_contact_at_once,
    a_tag_or_field_deleted_meanwhile_is_not_a_server_error,
}

fn a_tag_is_made_listed_changed_and_deleted(app: App) {
    let client = app.tenant().client;
    let made = client.post("/tags", json!({ "name": "vip", "color": "#2563eb" })).expect(201);
    has_fields(made.data(), "id name color created_at updated_at");
    is_id(&made.data()["id"]);
    is_moment(&made.data()["created_at"]);
    assert_eq!((&made.data()["name"], &made.data()["color"]), (&json!("vip"), &json!("#2563eb")));
    assert_eq!(client.get("/tags").expect(200).data(), &json!([made.data()]));
    let path = format!("/tags/{}", made.id());
    let renamed = client.patch(&path, json!({ "name": "gold" })).expect(200);
    assert_eq!((&renamed.data()["name"], &renamed.data()["color"]), (&json!("gold"), &json!("#2563eb")));
    let recoloured = client.patch(&path, json!({ "color": "#abc" })).expect(200);
    assert_eq!((&recoloured.data()["name"], &recoloured.data()["color"]), (&json!("gold"), &json!("#abc")));
    assert_eq!(client.get("/tags").expect(200).data(), &json!([recoloured.data()]));
    let gone = client.delete(&path).expect(200);
    assert_eq!(gone.data(), &json!({ "id": made.id(), "deleted": true }));
    assert_eq!(client.get("/tags").expect(200).data(), &json!([]));
    client.delete(&path).expect(404).error("not_found");
    client.patch(&path, json!({ "name": "gold" })).expect(404).error("not_found");
}

fn a_colour_is_hexadecimal_and_has_a_default(app: App) {
    let client = app.tenant().client;
    let color =
        |body: Value| client.post("/tags", body).expect(201).data()["color"].as_str().unwrap().to_owned();
    for (number, body) in
        [json!({ "name": "a" }), json!({ "name": "b", "color": null })].into_iter().enumerate()
    {
        let given = color(body);
        let digits = given.strip_prefix('#').unwrap_or_else(|| panic!("{given} ({number})"));
        assert!(digits.len() == 6 && digits.bytes().all(|digit| digit.is_ascii_hexdigit()), "{given}");
    }
    assert_eq!(color(json!({ "name": "c", "color": "#A1B2C3" })).to_lowercase(), "#a1b2c3");
    for wrong in [json!("red"), json!("#12"), json!("#gggggg"), json!("2563eb"), json!(7)] {
        let response = client.post("/tags", json!({ "name": "d", "color": wrong })).expect(400);
        response.error("validation_error");
        response.details_at(&["color"]);
    }
}

fn names_are_unique_regardless_of_case(app: App) {
    let client = app.tenant().client;
    let umlaut = tag(&client, "Ärger");
    let vip = tag(&client, "VIP");
    for taken in ["ärger", "ÄRGER", " Ärger "] {
        client.post("/tags", json!({ "name": taken })).expect(409).error("conflict");
        client.patch(&format!("/tags/{vip}"), json!({ "name": taken })).expect(409).error("conflict");
    }
    let path = format!("/tags/{umlaut}");
    assert_eq!(client.patch(&path, json!({ "name": "ÄRGER" })).expect(200).data()["name"], "ÄRGER");
    client.delete(&path).expect(200);
    tag(&client, "ärger");
    tag(&app.tenant().client, "VIP");
}

fn of_many_tags_of_one_name_at_once_one_is_made(app: App) {
    let client = app.tenant().client;
    let mut statuses = at_once(10, |number| {
        let name = if number % 2 == 0 { "vip" } else { "VIP" };
        client.post("/tags", json!({ "name": name })).status
    });
    statuses.sort_unstable();
    assert_eq!(statuses, [[201].as_slice(), &[409; 9]].concat());
    assert_eq!(client.get("/tags").expect(200).data().as_array().unwrap().len(), 1);
}

fn problems_of_a_tag_are_reported(app: App) {
    let client = app.tenant().client;
    let path = format!("/tags/{}", tag(&client, "vip"));
    client.post("/tags", json!({})).expect(400).details_at(&["name"]);
    client.post("/tags", json!({ "name": " ", "color": "red" })).expect(400).details_at(&["name", "color"]);
    for name in [Value::Null, json!(""), json!(7)] {
        client.patch(&path, json!({ "name": name, "color": 1 })).expect(400).details_at(&["name", "color"]);
    }
    assert_eq!(client.patch(&path, json!({})).expect(200).data()["name"], "vip");
    client.patch(&format!("/tags/{NOTHING}"), json!({ "name": "x" })).expect(404).error("not_found");
    client.delete("/tags/vip").expect(404).error("not_found");
}

fn tags_are_added_to_a_contact_and_taken_off(app: App) {
    let client = app.tenant().client;
    let [a, b, c] = ["a", "b", "c"].map(|name| tag(&client, name));
    let theirs = tag(&app.tenant().client, "a");
    let path = format!("/contacts/{}", add(&client, json!({ "name": "Ann", "tag_ids": [a] })));
    let tags = format!("{path}/tags");
    let added = client.post(&tags, json!({ "tag_ids": [b, a, c, b] })).expect(200);
    has_fields(
        added.data(),
        "id name phone email company avatar_url tags custom_fields created_at updated_at",
    );
    assert_eq!(added.data(), client.get(&path).expect(200).data());
    assert_eq!(added.data()["tags"].as_array().unwrap().len(), 3);
    // Adding what is there changes nothing.
    assert_eq!(client.post(&tags, json!({ "tag_ids": [a, c] })).expect(200).data(), added.data());
    let fewer = client.delete(&format!("{tags}/{b}")).expect(200);
    assert_eq!(fewer.data(), client.get(&path).expect(200).data());
    let left: Vec<&str> =
        fewer.data()["tags"].as_array().unwrap().iter().map(|tag| tag["name"].as_str().unwrap()).collect();
    assert_eq!(left, ["a", "c"]);
    client.delete(&format!("{tags}/{b}")).expect(404).error("not_found");
    client.delete(&format!("{tags}/{theirs}")).expect(404).error("not_found");
    client
        .post(&tags, json!({ "tag_ids": [b, theirs, NOTHING] }))
        .expect(400)
        .details_at(&["tag_ids.1", "tag_ids.2"]);
    client.post(&tags, json!({ "tag_ids": ["b"] })).expect(400).details_at(&["tag_ids.0"]);
    client.post(&tags, json!({})).expect(400).details_at(&["tag_ids"]);
    assert_eq!(client.get(&path).expect(200).data(), fewer.data());
}

fn a_deleted_tag_disappears_from_contacts(app: App) {
    let client = app.tenant().client;
    let (vip, new) = (tag(&client, "vip"), tag(&client, "new"));
    let path = format!("/contacts/{}", add(&client, json!({ "name": "Ann", "tag_ids": [vip, new] })));
    client.delete(&format!("/tags/{vip}")).expect(200);
    let tags = client.get(&path).expect(200).data()["tags"].clone();
    assert_eq!(tags.as_array().unwrap().iter().map(|tag| &tag["id"]).collect::<Vec<_>>(), [&json!(new)]);
    assert_eq!(client.get(&format!("/contacts?tag_id={vip}")).expect(200).data(), &json!([]));
}

fn a_renamed_tag_is_seen_on_contacts(app: App) {
    let client = app.tenant().client;
    let vip = tag(&client, "vip");
    let path = format!("/contacts/{}", add(&client, json!({ "name": "Ann", "tag_ids": [vip] })));
    let tags = || client.get("/contacts").expect(200).data()[0]["tags"].clone();
    assert_eq!((&tags()[0]["name"], tags().as_array().map(Vec::len)), (&json!("vip"), Some(1)));
    for name in ["gold", "silver", "bronze"] {
        client.patch(&format!("/tags/{vip}"), json!({ "name": name, "color": "#fedcba" })).expect(200);
        let expected = json!([{ "id": vip, "name": name, "color": "#fedcba" }]);
        assert_eq!(client.get(&path).expect(200).data()["tags"], expected);
        assert_eq!(tags(), expected);
    }
    client.delete(&format!("/tags/{vip}")).expect(200);
    assert_eq!(tags(), json!([]));
}

fn a_new_field_is_seen_on_every_contact_at_once(app: App) {
    let client = app.tenant().client;
    add(&client, json!({ "name": "Ann" }));
    let names = || {
        let list = client.get("/contacts").expect(200);
        let fields = list.data()[0]["custom_fields"].as_array().unwrap().clone();
        fields.iter().map(|field| field["name"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(names(), [""; 0]);
    let plan = field(&client, "Plan", "text");
    assert_eq!(names(), ["Plan"]);
    client.patch(&format!("/custom-fields/{plan}"), json!({ "name": "Tier" })).expect(200);
    assert_eq!(names(), ["Tier"]);
    client.delete(&format!("/custom-fields/{plan}")).expect(200);
    assert_eq!(names(), [""; 0]);
}

fn a_tag_or_field_deleted_meanwhile_is_not_a_server_error(app: App) {
    let client = app.tenant().client;
    let path = format!("/contacts/{}", add(&client, json!({ "name": "Ann" })));
    for round in 0..15 {
        let vip = tag(&client, &format!("vip {round}"));
        let plan = field(&client, &format!("Plan {round}"), "text");
        let responses = at_once(5, |number| match number {
            0 => client.delete(&format!("/tags/{vip}")),
            1 => client.delete(&format!("/custom-fields/{plan}")),
            2 => client.post("/contacts", json!({ "name": "Bob", "tag_ids": [vip] })),
            3 => client.patch(&path, json!({ "custom_fields": { plan.as_str(): "gold" } })),
            _ => client.post(&format!("{path}/tags"), json!({ "tag_ids": [vip] })),
        });
        for (number, response) in responses.iter().enumerate() {
            let fine = matches!((number, response.status), (_, 200) | (2, 201) | (2..=4, 400));
            assert!(fine, "call {number} of round {round} answered {}: {}", response.status, response.text);
        }
    }
}
