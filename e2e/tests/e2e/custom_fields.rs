//! Custom fields: definitions, and values that must fit them.

use frontdesk_e2e::{App, on_every_engine};
use serde_json::{Value, json};

use crate::people::{add, field};
use crate::shapes::{NOTHING, has_fields, is_id, is_moment};

on_every_engine! {
    a_field_is_defined_listed_changed_and_deleted,
    a_value_must_fit_the_type_and_stays_as_it_was_written,
    a_select_takes_its_options_alone,
    all_problems_of_a_definition_are_reported_at_once,
    a_select_without_name_and_options_reports_both,
    field_names_are_unique_regardless_of_case,
    a_deleted_field_takes_its_values_along,
}

fn a_field_is_defined_listed_changed_and_deleted(app: App) {
    let client = app.tenant().client;
    let plain = client.post("/custom-fields", json!({ "name": "Nickname" })).expect(201);
    has_fields(plain.data(), "id name type options created_at updated_at");
    is_id(&plain.data()["id"]);
    is_moment(&plain.data()["created_at"]);
    assert_eq!((&plain.data()["type"], &plain.data()["options"]), (&json!("text"), &json!([])));
    for kind in ["text", "number", "date", "boolean"] {
        let made = client.post("/custom-fields", json!({ "name": kind, "type": kind })).expect(201);
        assert_eq!((&made.data()["name"], &made.data()["type"]), (&json!(kind), &json!(kind)));
    }
    let select = json!({ "name": "Plan", "type": "select", "options": ["gold", "free"] });
    let made = client.post("/custom-fields", select).expect(201);
    assert_eq!(made.data()["options"], json!(["gold", "free"]));
    let list = client.get("/custom-fields").expect(200);
    assert_eq!(list.data().as_array().unwrap().len(), 6);
    assert!(list.data().as_array().unwrap().contains(made.data()), "{}", list.text);
    let path = format!("/custom-fields/{}", made.id());
    let renamed = client.patch(&path, json!({ "name": "Tier" })).expect(200);
    let said = |field: &Value| json!([field["name"], field["type"], field["options"]]);
    assert_eq!(said(renamed.data()), json!(["Tier", "select", ["gold", "free"]]));
    let changed = client.patch(&path, json!({ "options": ["gold", "basic"] })).expect(200);
    assert_eq!(said(changed.data()), json!(["Tier", "select", ["gold", "basic"]]));
    assert_eq!(client.delete(&path).expect(200).data(), &json!({ "id": made.id(), "deleted": true }));
    client.delete(&path).expect(404).error("not_found");
    client.patch(&path, json!({ "name": "Tier" })).expect(404).error("not_found");
    assert_eq!(client.get("/custom-fields").expect(200).data().as_array().unwrap().len(), 5);
}

fn a_value_must_fit_the_type_and_stays_as_it_was_written(app: App) {
    let client = app.tenant().client;
    let path = format!("/contacts/{}", add(&client, json!({ "name": "Ann" })));
    for (kind, right, wrong) in [
        ("text", &["anything", "7", "<b>é</b>"][..], &[][..]),
        (
            "number",
            &["12.5", "-3", "0", "1e3", "007"],
            &["twelve", "NaN", "1,5", "Infinity", "0x1f", "7 apples"],
        ),
        (
            "date",
            &["2026-01-31", "2024-02-29"],
            &["2026-02-30", "31.01.2026", "2026-1-1", "2026-01-31T00:00:00Z"],
        ),
        ("boolean", &["true", "false"], &["yes", "1", "True"]),
    ] {
        let id = field(&client, kind, kind);
        let set = |value: Value| client.patch(&path, json!({ "custom_fields": { id.as_str(): value } }));
        let value = |contact: &Value| {
            let fields = contact["custom_fields"].as_array().unwrap();
            fields.iter().find(|field| field["field_id"] == id.as_str()).unwrap()["value"].clone()
        };
        for text in right {
            assert_eq!(value(set(json!(text)).expect(200).data()), *text, "{kind}");
        }
        let kept = *right.last().unwrap();
        for text in wrong {
            let response = set(json!(text));
            assert_eq!(response.status, 400, "{kind} took {text}");
            response.error("validation_error");
            response.details_at(&[&format!("custom_fields.{id}")]);
        }
        for other in [json!(7), json!(true), json!(["x"]), json!({})] {
            set(other).expect(400).details_at(&[&format!("custom_fields.{id}")]);
        }
        assert_eq!(value(client.get(&path).expect(200).data()), kept, "{kind}");
        assert_eq!(value(set(Value::Null).expect(200).data()), Value::Null, "{kind}");
    }
}

fn a_select_takes_its_options_alone(app: App) {
    let client = app.tenant().client;
    let plan = client
        .post("/custom-fields", json!({ "name": "Plan", "type": "select", "options": ["gold", "free"] }))
        .expect(201)
        .id();
    let create = |value: &str| {
        client.post("/contacts", json!({ "name": "A", "custom_fields": { plan.as_str(): value } }))
    };
    create("gold").expect(201);
    for wrong in ["silver", "Gold", "gold,free"] {
        create(wrong).expect(400).details_at(&[&format!("custom_fields.{plan}")]);
    }
    client.patch(&format!("/custom-fields/{plan}"), json!({ "options": ["silver"] })).expect(200);
    create("silver").expect(201);
    create("gold").expect(400);
}

fn all_problems_of_a_definition_are_reported_at_once(app: App) {
    let client = app.tenant().client;
    for (body, paths) in [
        (json!({}), &["name"][..]),
        (json!({ "name": " ", "type": "colour" }), &["name", "type"]),
        (json!({ "name": 7, "type": 7, "options": 7 }), &["name", "type", "options"]),
        (json!({ "name": "Plan", "type": "select" }), &["options"]),
        (json!({ "name": "Plan", "type": "select", "options": [] }), &["options"]),
        (json!({ "name": "Plan", "type": "select", "options": ["a", "", 7] }), &["options.1", "options.2"]),
        (json!({ "name": "Plan", "type": "select", "options": ["a", "b", "a"] }), &["options.2"]),
        (json!({ "name": "Age", "type": "number", "options": ["1"] }), &["options"]),
    ] {
        let response = client.post("/custom-fields", body.clone());
        assert_eq!(response.status, 400, "{body} was taken");
        response.error("validation_error");
        response.details_at(paths);
    }
    assert_eq!(client.get("/custom-fields").expect(200).data(), &json!([]));
    let age = format!("/custom-fields/{}", field(&client, "Age", "number"));
    client.patch(&age, json!({ "name": null })).expect(400).details_at(&["name"]);
    client.patch(&age, json!({ "options": ["1"] })).expect(400).details_at(&["options"]);
    client.patch(&format!("/custom-fields/{NOTHING}"), json!({ "name": "x" })).expect(404).error("not_found");
}

fn a_select_without_name_and_options_reports_both(app: App) {
    let client = app.tenant().client;
    let response = client.post("/custom-fields", json!({ "type": "select" })).expect(400);
    response.error("validation_error");
    response.details_at(&["name", "options"]);
}

fn field_names_are_unique_regardless_of_case(app: App) {
    let client = app.tenant().client;
    field(&client, "Größe", "text");
    let age = field(&client, "Age", "number");
    client.post("/custom-fields", json!({ "name": "GRÖßE" })).expect(409).error("conflict");
    let path = format!("/custom-fields/{age}");
    client.patch(&path, json!({ "name": "größe" })).expect(409).error("conflict");
    assert_eq!(client.patch(&path, json!({ "name": "AGE" })).expect(200).data()["name"], "AGE");
    field(&app.tenant().client, "Age", "text");
}

fn a_deleted_field_takes_its_values_along(app: App) {
    let client = app.tenant().client;
    let (plan, age) = (field(&client, "Plan", "text"), field(&client, "Age", "number"));
    let values = json!({ plan.as_str(): "gold", age.as_str(): "7" });
    let path = format!("/contacts/{}", add(&client, json!({ "name": "Ann", "custom_fields": values })));
    client.delete(&format!("/custom-fields/{plan}")).expect(200);
    let expected = json!([{ "field_id": age, "name": "Age", "value": "7" }]);
    assert_eq!(client.get(&path).expect(200).data()["custom_fields"], expected);
    let again = field(&client, "Plan", "text");
    let contact = client.get(&path).expect(200);
    let fields = contact.data()["custom_fields"].as_array().unwrap();
    let anew = fields.iter().find(|field| field["field_id"] == again.as_str()).unwrap();
    assert_eq!(anew["value"], Value::Null);
    let response = client.patch(&path, json!({ "custom_fields": { plan.as_str(): "gold" } })).expect(400);
    response.details_at(&[&format!("custom_fields.{plan}")]);
}
