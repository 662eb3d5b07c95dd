//! Creating contacts: what is taken, what is refused, and what comes back.

use frontdesk_e2e::{App, on_every_engine};
use serde_json::{Value, json};

use crate::people::{add, field, tag};
use crate::shapes::{NOTHING, has_fields, is_id, is_moment};

on_every_engine! {
    a_contact_has_exactly_the_fields_of_the_specification,
    every_custom_field_of_the_account_is_listed_with_its_value_or_null,
    one_of_phone_name_and_email_is_needed_and_enough,
    all_problems_are_reported_at_once_with_their_paths,
    malformed_fields_and_foreign_ids_are_reported_at_once,
    a_contact_without_name_phone_and_email_is_reported_with_the_other_problems,
    blank_and_null_both_mean_none,
    a_phone_is_kept_in_e164_however_it_is_written,
    tags_and_fields_of_another_account_are_refused_at_their_place,
    a_tag_given_twice_is_added_once,
    unknown_and_malformed_ids_are_not_found,
}

fn a_contact_has_exactly_the_fields_of_the_specification(app: App) {
    let client = app.tenant().client;
    let vip = client.post("/tags", json!({ "name": "vip", "color": "#2563eb" })).expect(201).id();
    let plan = field(&client, "Plan", "text");
    let wanted = json!({
        "phone": "+14155550123", "name": "Ann Lee", "email": "ann@example.com", "company": "Acme",
        "tag_ids": [vip], "custom_fields": { plan.as_str(): "gold" }, "id": NOTHING, "shoe_size": 42,
    });
    let made = client.post("/contacts", wanted).expect(201);
    let contact = made.data();
    let expected = json!({
        "id": contact["id"], "name": "Ann Lee", "phone": "+14155550123", "email": "ann@example.com",
        "company": "Acme", "avatar_url": null,
        "tags": [{ "id": vip, "name": "vip", "color": "#2563eb" }],
        "custom_fields": [{ "field_id": plan, "name": "Plan", "value": "gold" }],
        "created_at": contact["created_at"], "updated_at": contact["created_at"],
    });
    assert_eq!(contact, &expected);
    assert_ne!(contact["id"], NOTHING);
    is_id(&contact["id"]);
    is_moment(&contact["created_at"]);
    has_fields(&made.json, "data");
    assert_eq!(client.get(&format!("/contacts/{}", made.id())).expect(200).data(), contact);
    assert_eq!(client.get("/contacts").expect(200).data(), &json!([contact]));
}

fn every_custom_field_of_the_account_is_listed_with_its_value_or_null(app: App) {
    let client = app.tenant().client;
    let id = add(&client, json!({ "name": "Ann" }));
    let path = format!("/contacts/{id}");
    assert_eq!(client.get(&path).expect(200).data()["custom_fields"], json!([]));
    let (plan, age) = (field(&client, "Plan", "text"), field(&client, "Age", "number"));
    let values = |contact: &Value| {
        let mut fields = contact["custom_fields"].as_array().unwrap().clone();
        fields.sort_by_key(|field| field["name"].to_string());
        Value::Array(fields)
    };
    let unset = json!([
        { "field_id": age, "name": "Age", "value": null },
        { "field_id": plan, "name": "Plan", "value": null },
    ]);
    assert_eq!(values(client.get(&path).expect(200).data()), unset);
    assert_eq!(values(&client.get("/contacts").expect(200).data()[0]), unset);
    let made = client
        .post("/contacts", json!({ "name": "Bob", "custom_fields": { age.as_str(): "7" } }))
        .expect(201);
    let expected = json!([
        { "field_id": age, "name": "Age", "value": "7" },
        { "field_id": plan, "name": "Plan", "value": null },
    ]);
    assert_eq!(values(made.data()), expected);
}

fn one_of_phone_name_and_email_is_needed_and_enough(app: App) {
    let client = app.tenant().client;
    let vip = tag(&client, "vip");
    for nobody in [
        json!({}),
        json!({ "company": "Acme", "tag_ids": [vip] }),
        json!({ "phone": null, "name": null, "email": null }),
        json!({ "phone": " ", "name": "", "email": "\t" }),
    ] {
        let response = client.post("/contacts", nobody).expect(400);
        response.error("validation_error");
        response.details_at(&[""]);
    }
    assert_eq!(client.get("/contacts").expect(200).data(), &json!([]));
    for somebody in [json!({ "phone": "+14155550123" }), json!({ "name": "A" }), json!({ "email": "a@b.co" })]
    {
        let made = client.post("/contacts", somebody.clone()).expect(201);
        let given = somebody.as_object().unwrap();
        for field in ["phone", "name", "email"] {
            assert_eq!(&made.data()[field], given.get(field).unwrap_or(&Value::Null), "{somebody}");
        }
    }
}

fn all_problems_are_reported_at_once_with_their_paths(app: App) {
    let client = app.tenant().client;
    let body = json!({
        "phone": "not a number", "name": 7, "email": "nowhere", "company": ["Acme"],
        "tag_ids": ["vip", 4, null], "custom_fields": { "plan": 7, "age": ["x"] },
    });
    let response = client.post("/contacts", body).expect(400);
    response.error("validation_error");
    response.details_at(&[
        "phone",
        "name",
        "email",
        "company",
        "tag_ids.0",
        "tag_ids.1",
        "tag_ids.2",
        "custom_fields.plan",
        "custom_fields.age",
    ]);
    let body = json!({ "name": "Ann", "tag_ids": { "0": NOTHING }, "custom_fields": ["gold"] });
    client.post("/contacts", body).expect(400).details_at(&["tag_ids", "custom_fields"]);
    assert_eq!(client.get("/contacts").expect(200).data(), &json!([]));
}

fn malformed_fields_and_foreign_ids_are_reported_at_once(app: App) {
    let client = app.tenant().client;
    let body = json!({ "phone": "nope", "tag_ids": [NOTHING], "custom_fields": { NOTHING: "gold" } });
    let response = client.post("/contacts", body).expect(400);
    response.error("validation_error");
    response.details_at(&["phone", "tag_ids.0", &format!("custom_fields.{NOTHING}")]);
}

fn a_contact_without_name_phone_and_email_is_reported_with_the_other_problems(app: App) {
    let client = app.tenant().client;
    client.post("/contacts", json!({ "company": 7 })).expect(400).details_at(&["", "company"]);
    client.post("/contacts", json!({ "tag_ids": [NOTHING] })).expect(400).details_at(&["", "tag_ids.0"]);
}

fn blank_and_null_both_mean_none(app: App) {
    let client = app.tenant().client;
    let plan = field(&client, "Plan", "text");
    for nothing in ["null", "\"\"", "\"  \""] {
        let body = format!(
            "{{ \"name\": \"Ann\", \"phone\": {nothing}, \"email\": {nothing}, \"company\": {nothing}, \
             \"tag_ids\": null, \"custom_fields\": {{ \"{plan}\": {nothing} }} }}"
        );
        let made = client.post_text("/contacts", body).expect(201);
        for field in ["phone", "email", "company"] {
            assert_eq!(made.data()[field], Value::Null, "{field} given as {nothing}");
        }
        assert_eq!(made.data()["tags"], json!([]));
        assert_eq!(made.data()["custom_fields"][0]["value"], Value::Null, "given as {nothing}");
    }
    let made = client.post("/contacts", json!({ "name": "Ann", "custom_fields": null })).expect(201);
    assert_eq!(made.data()["custom_fields"][0]["value"], Value::Null);
    let made = client.post("/contacts", json!({ "name": "", "email": "ann@example.com" })).expect(201);
    assert_eq!(made.data()["name"], Value::Null);
}

fn a_phone_is_kept_in_e164_however_it_is_written(app: App) {
    let client = app.tenant().client;
    for (written, kept) in [
        ("+14155550101", "+14155550101"),
        ("14155550102", "+14155550102"),
        ("+1 (415) 555-0103", "+14155550103"),
        (" 001 415.555.0104 ", "+14155550104"),
        ("+55 11 98765-4321", "+5511987654321"),
    ] {
        let made = client.post("/contacts", json!({ "phone": written })).expect(201);
        assert_eq!(made.data()["phone"], kept, "{written}");
    }
    for wrong in
        ["555", "call me", "+1234567890123456", "+0155550123", "+1 415 555 0105 ext 6", "1+4155550106"]
    {
        let response = client.post("/contacts", json!({ "name": "Ann", "phone": wrong }));
        assert_eq!(response.status, 400, "{wrong} was taken: {}", response.text);
        response.details_at(&["phone"]);
    }
}

fn tags_and_fields_of_another_account_are_refused_at_their_place(app: App) {
    let (ours, theirs) = (app.tenant().client, app.tenant().client);
    let (our_tag, their_tag) = (tag(&ours, "vip"), tag(&theirs, "vip"));
    let (our_field, their_field) = (field(&ours, "Plan", "text"), field(&theirs, "Plan", "text"));
    let body = json!({
        "name": "Ann",
        "tag_ids": [our_tag, their_tag, our_tag, NOTHING],
        "custom_fields": { our_field.as_str(): "gold", their_field.as_str(): "gold", "plan": "gold" },
    });
    let response = ours.post("/contacts", body).expect(400);
    response.error("validation_error");
    let foreign = format!("custom_fields.{their_field}");
    response.details_at(&["tag_ids.1", "tag_ids.3", &foreign, "custom_fields.plan"]);
    assert_eq!(ours.get("/contacts").expect(200).data(), &json!([]));
    assert_eq!(ours.get("/events").expect(200).data(), &json!([]));
}

fn a_tag_given_twice_is_added_once(app: App) {
    let client = app.tenant().client;
    let (a, b) = (tag(&client, "a"), tag(&client, "b"));
    let id = add(&client, json!({ "name": "Ann", "tag_ids": [b, a, b] }));
    let contact = client.get(&format!("/contacts/{id}")).expect(200);
    let mut carried: Vec<&str> =
        contact.data()["tags"].as_array().unwrap().iter().map(|tag| tag["id"].as_str().unwrap()).collect();
    carried.sort_unstable();
    let mut wanted = [a.as_str(), b.as_str()];
    wanted.sort_unstable();
    assert_eq!(carried, wanted);
}

fn unknown_and_malformed_ids_are_not_found(app: App) {
    let client = app.tenant().client;
    for id in [NOTHING, "1", "nobody", "0192f0c4-0000-7000-8000-00000000000", "%00"] {
        let path = format!("/contacts/{id}");
        client.get(&path).expect(404).error("not_found");
        client.patch(&path, json!({ "name": "Eve" })).expect(404).error("not_found");
        client.post(&format!("{path}/tags"), json!({ "tag_ids": [] })).expect(404).error("not_found");
    }
}
