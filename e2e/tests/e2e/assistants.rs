//! Assistants, their tools and their instructions.

use frontdesk_e2e::{App, on_every_engine};
use serde_json::{Value, json};

use crate::agent_scene::{ASSISTANT, Desk, new_assistant};
use crate::inbox_scene::{ANN, connect, id, member};
use crate::people::walk;
use crate::shapes::{NOTHING, has_fields, is_id, is_moment, text};

on_every_engine! {
    an_assistant_has_every_field_and_a_default_for_each,
    all_problems_of_an_assistant_are_reported_at_once,
    a_patch_changes_what_it_names,
    tools_are_listed_with_the_assistants_access,
    tools_are_confined_unless_they_are_named,
    instructions_keep_their_order_and_their_count,
    a_deleted_assistant_leaves_its_conversations_to_people,
    a_target_may_be_one_personal_number,
}

fn an_assistant_has_every_field_and_a_default_for_each(app: App) {
    let client = app.tenant().client;
    let made = client.post("/assistants", json!({ "name": "Robin" })).expect(201);
    let made = made.data();
    has_fields(made, ASSISTANT);
    is_id(&made["id"]);
    is_moment(&made["created_at"]);
    for (field, value) in [
        ("name", json!("Robin")),
        ("color", Value::Null),
        ("enabled", json!(true)),
        ("system_prompt", json!("")),
        ("model", Value::Null),
        ("temperature", Value::Null),
        ("tool_access", json!({})),
        ("gated_tools", json!([])),
        (
            "delegation",
            json!({ "enabled": false, "allowed_tools": null, "max_children_per_run": 3, "max_cost_usd": null }),
        ),
        ("schedule", json!({ "mode": "always", "hours": null })),
        ("default_handoff_user_id", Value::Null),
        ("history_limit", json!(50)),
        ("transcribe_media", json!(false)),
        ("targets", json!([])),
        ("instruction_count", json!(0)),
    ] {
        assert_eq!(made[field], value, "{field}");
    }
    let path = format!("/assistants/{}", id(made));
    assert_eq!(client.get(&path).expect(200).data(), made);
    client.delete(&path).expect(200);
    client.get(&path).expect(404).error("not_found");
    client.delete(&path).expect(404);
}

fn all_problems_of_an_assistant_are_reported_at_once(app: App) {
    let client = app.tenant().client;
    let wrong = json!({
        "name": "",
        "temperature": 3,
        "tool_access": { "fly": true },
        "gated_tools": ["fly"],
        "schedule": { "mode": "custom_hours", "hours": { "mon": [["9:00", "17:00"]] } },
        "targets": ["whatsapp", format!("pwa:{NOTHING}")],
        "default_handoff_user_id": NOTHING,
    });
    let refused = client.post("/assistants", wrong).expect(400);
    refused.error("validation_error");
    let details = refused.json["error"]["details"].as_array().expect("a list").clone();
    for path in [
        "name",
        "temperature",
        "tool_access.fly",
        "gated_tools.0",
        "schedule.hours.mon.0",
        "targets.1",
        "default_handoff_user_id",
    ] {
        assert!(details.iter().any(|detail| detail["path"] == path), "{path} is not in {details:?}");
    }
    // A single thing that is not the account's is not found, and an element of a list is wrong.
    client.post("/assistants", json!({ "name": "R", "default_handoff_user_id": NOTHING })).expect(404);
    client
        .post("/assistants", json!({ "name": "R", "targets": [format!("pwa:{NOTHING}")] }))
        .expect(400)
        .details_at(&["targets.0"]);
}

fn a_patch_changes_what_it_names(app: App) {
    let tenant = app.tenant();
    let client = &tenant.client;
    let mia = member(&app, &tenant.account, "mia@example.com");
    let path =
        format!("/assistants/{}", new_assistant(client, json!({ "temperature": 0.5, "model": "gpt-5" })));
    let changes = json!({
        "enabled": false, "temperature": null, "default_handoff_user_id": mia, "history_limit": null,
        "schedule": { "mode": "custom_hours", "hours": { "mon": [["09:00", "24:00"]] } },
    });
    let now = client.patch(&path, changes.clone()).expect(200);
    for (field, value) in changes.as_object().expect("an object") {
        assert_eq!(now.data()[field], *value, "{field}");
    }
    assert_eq!(now.data()["model"], "gpt-5");
    assert_eq!(client.get(&path).expect(200).data(), now.data());
}

fn tools_are_listed_with_the_assistants_access(app: App) {
    let client = app.tenant().client;
    let catalogue = client.get("/tools").expect(200);
    has_fields(
        &catalogue.data()[0],
        "id name description category critical default_enabled can_be_unconfined parameters",
    );
    assert_eq!(catalogue.data().as_array().map(Vec::len), Some(29));
    let path = format!("/assistants/{}/tools", new_assistant(&client, json!({})));
    let wanted =
        json!({ "tool_access": { "close_deal": true, "get_contact": false }, "gated_tools": ["add_tag"] });
    let set = client.put(&path, wanted).expect(200);
    assert_eq!(client.get(&path).expect(200).data(), set.data());
    let tool =
        |name: &str| set.data().as_array().unwrap().iter().find(|tool| tool["id"] == name).unwrap().clone();
    for (name, enabled, gated) in [
        ("close_deal", true, false),
        ("get_contact", false, false),
        ("add_tag", true, true),
        ("delete_deal", false, true),
    ] {
        let tool = tool(name);
        assert_eq!((&tool["enabled"], &tool["gated"]), (&json!(enabled), &json!(gated)), "{name}");
    }
    let unknown = json!({ "tool_access": { "fly": true }, "gated_tools": ["swim"] });
    client.put(&path, unknown).expect(400).details_at(&["gated_tools.0", "tool_access.fly"]);
}

fn tools_are_confined_unless_they_are_named(app: App) {
    let client = app.tenant().client;
    let assistant = new_assistant(&client, json!({ "tool_access": { "search_contacts": true } }));
    let path = format!("/assistants/{assistant}/tools");
    let unconfined = || -> Vec<String> {
        let tools = client.get(&path).expect(200);
        let tools = tools.data().as_array().expect("a list").iter();
        tools.filter(|tool| tool["unconfined"] == true).map(|tool| text(&tool["id"]).to_owned()).collect()
    };
    assert_eq!(unconfined(), [""; 0], "tool_access widens nothing");
    let with = |tools: Value| json!({ "tool_access": {}, "gated_tools": [], "unconfined_tools": tools });
    let set = client.put(&path, with(json!(["search_contacts", "send_message", "send_message"]))).expect(200);
    assert_eq!(client.get(&path).expect(200).data(), set.data());
    assert_eq!(unconfined(), ["search_contacts", "send_message"]);
    // Tools that do not exist, and tools with nothing to unconfine, are refused.
    for tool in walk(&client, "/tools") {
        let wanted = with(json!(["send_message", tool["id"]]));
        if tool["can_be_unconfined"] == true {
            client.put(&path, wanted).expect(200);
        } else {
            client.put(&path, wanted).expect(400).details_at(&["unconfined_tools.1"]);
        }
    }
    client.put(&path, with(json!(["fly"]))).expect(400).details_at(&["unconfined_tools.0"]);
    // The setting is no field of the assistant, and other changes keep it.
    client.put(&path, with(json!(["search_contacts"]))).expect(200);
    let patched = client.patch(&format!("/assistants/{assistant}"), json!({ "name": "Kim" })).expect(200);
    has_fields(patched.data(), ASSISTANT);
    assert_eq!(unconfined(), ["search_contacts"]);
    client.put(&path, json!({ "tool_access": {}, "gated_tools": [] })).expect(200);
    assert_eq!(unconfined(), [""; 0], "PUT replaces all settings");
}

fn instructions_keep_their_order_and_their_count(app: App) {
    let client = app.tenant().client;
    let add = |title: &str| {
        client.post("/instructions", json!({ "title": title, "body": "Do so." })).expect(201).id()
    };
    let (refunds, hours) = (add("Refunds"), add("Hours"));
    let assistant = new_assistant(&client, json!({}));
    let path = format!("/assistants/{assistant}/instructions");
    let titles = || -> Vec<String> {
        let list = client.get(&path).expect(200);
        list.data().as_array().unwrap().iter().map(|one| one["title"].as_str().unwrap().to_owned()).collect()
    };
    let count =
        || client.get(&format!("/assistants/{assistant}")).expect(200).data()["instruction_count"].clone();
    client.put(&path, json!({ "instruction_ids": [hours, refunds] })).expect(200);
    assert_eq!((titles(), count()), (vec!["Hours".to_owned(), "Refunds".to_owned()], json!(2)));
    client
        .put(&path, json!({ "instruction_ids": [refunds, NOTHING, refunds] }))
        .expect(400)
        .details_at(&["instruction_ids.1", "instruction_ids.2"]);
    client.delete(&format!("/instructions/{hours}")).expect(200);
    assert_eq!((titles(), count()), (vec!["Refunds".to_owned()], json!(1)));
    assert_eq!(client.get("/instructions?q=FUND").expect(200).data().as_array().map(Vec::len), Some(1));
    assert_eq!(client.get("/instructions?q=nothing").expect(200).data().as_array().map(Vec::len), Some(0));
}

fn a_deleted_assistant_leaves_its_conversations_to_people(desk: Desk) {
    let conversation = desk.inbox.hears(ANN, "Hi!");
    assert_eq!(
        (&conversation["handler"], &conversation["assistant_id"]),
        (&json!("assistant"), &json!(desk.assistant))
    );
    desk.client.delete(&format!("/assistants/{}", desk.assistant)).expect(200);
    let now = desk.inbox.conversation(id(&conversation));
    assert_eq!((&now["handler"], &now["assistant_id"]), (&json!("human"), &Value::Null));
    assert_eq!(desk.runs_of(&conversation)[0]["status"], "cancelled");
}

fn a_target_may_be_one_personal_number(app: App) {
    let tenant = app.tenant();
    let personal = connect(&app, &tenant.account, "personal_whatsapp");
    let whatsapp = connect(&app, &tenant.account, "whatsapp");
    let target = |connection: &str| json!({ "name": "R", "targets": [format!("pwa:{connection}")] });
    tenant.client.post("/assistants", target(&personal)).expect(201);
    tenant.client.post("/assistants", target(&whatsapp)).expect(400).details_at(&["targets.0"]);
}
