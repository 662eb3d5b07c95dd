//! Notices of what members change without an event: who hears of it, on which server, and who does not.

use frontdesk_e2e::{App, came_true, on_every_engine, on_shared_stores};
use serde_json::{Value, json};

use crate::agent_scene::{Desk, new_assistant, says};
use crate::app_scene::{Browser, OWNER, account, member, stranger};
use crate::app_stream::{Stream, cookie_of, listen};
use crate::inbound_scene::Inbox as Inbound;
use crate::shapes::text;

on_every_engine! {
    a_colleague_hears_of_every_change,
    what_only_admins_read_is_not_told_to_agents,
    another_account_hears_nothing,
    a_change_that_fails_is_not_told,
    what_has_events_of_its_own_is_not_told_twice,
    a_program_hears_no_notices,
    the_steps_of_a_run_are_told,
    a_command_of_the_operator_is_heard_within_seconds,
    the_first_call_of_the_vendor_is_stored_and_told,
}

on_shared_stores! {
    what_changes_at_another_server_is_told_by_name,
}

/// The data of the next notice about this resource.
#[track_caller]
fn notice(stream: &mut Stream, resource: &str) -> Value {
    loop {
        let (_, id, data) = stream.up_to("changed").pop().expect("a notice");
        assert_eq!(id, "", "a notice has no id to continue from");
        if data["resource"] == resource {
            return data;
        }
    }
}

/// The resources of all notices until the marker, a tag that is made now.
#[track_caller]
fn resources_before_a_tag(stream: &mut Stream, owner: &Browser) -> Vec<String> {
    owner.post("/v1/tags", json!({ "name": "marker" })).expect(201);
    let mut told = Vec::new();
    loop {
        let (_, _, data) = stream.up_to("changed").pop().expect("a notice");
        if data["resource"] == "tags" {
            return told;
        }
        // A server that has just connected to its database tells that anything may have changed.
        told.extend(data["resource"].as_str().map(ToOwned::to_owned));
    }
}

fn a_colleague_hears_of_every_change(app: App) {
    let account = account(&app);
    member(&app, &account, "ada@example.com", "admin");
    let owner = Browser::new(&app).sign_in(OWNER);
    let mut ada = listen(&app, &cookie_of(&app, "ada@example.com"), None);

    let tag = owner.post("/v1/tags", json!({ "name": "VIP" })).expect(201);
    assert_eq!(notice(&mut ada, "tags"), json!({ "resource": "tags" }));
    let tag = text(&tag.data()["id"]);
    owner.patch(&format!("/v1/tags/{tag}"), json!({ "name": "VIPs" })).expect(200);
    assert_eq!(notice(&mut ada, "tags")["id"], tag);
    let made = owner.post("/v1/assistants", json!({ "name": "Iris", "system_prompt": "Help." })).expect(201);
    notice(&mut ada, "assistants");
    let assistant = text(&made.data()["id"]);
    owner
        .client
        .put(&format!("/app/api/v1/assistants/{assistant}/instructions"), json!({ "instruction_ids": [] }))
        .expect(200);
    assert_eq!(notice(&mut ada, "assistants")["id"], assistant);

    let trigger =
        json!({ "name": "Hook", "kind": "webhook", "assistant_id": assistant, "goal": "Say thanks." });
    owner.post("/v1/triggers", trigger).expect(201);
    notice(&mut ada, "triggers");
    owner
        .post("/v1/webhooks", json!({ "url": "https://example.com/hook", "event_types": ["*"] }))
        .expect(201);
    notice(&mut ada, "webhooks");
    for (path, body, resource) in [
        ("/v1/custom-fields", json!({ "name": "Size" }), "custom-fields"),
        ("/v1/instructions", json!({ "title": "Tone", "body": "Be kind." }), "instructions"),
        ("/v1/canned-replies", json!({ "shortcut": "hi", "body": "Hello!" }), "canned-replies"),
        ("/v1/pipelines", json!({ "name": "Sales" }), "pipelines"),
        ("/admin/forms", json!({ "name": "Contact" }), "forms"),
        ("/admin/booking-sources", json!({ "name": "Cal" }), "booking-sources"),
        ("/admin/connections", json!({ "channel": "web_chat" }), "connections"),
        ("/admin/keys", json!({ "name": "CI", "scopes": ["contacts:read"] }), "keys"),
        ("/admin/members", json!({ "name": "Bo", "email": "bo@example.com", "role": "agent" }), "members"),
    ] {
        let made = owner.post(path, body);
        assert_eq!(made.status, 201, "{path}: {}", made.text);
        notice(&mut ada, resource);
    }
    owner.patch("/admin/account", json!({ "timezone": "Europe/Berlin" })).expect(200);
    notice(&mut ada, "account");
    owner.patch("/profile", json!({ "name": "Olive" })).expect(200);
    notice(&mut ada, "members");
}

fn what_only_admins_read_is_not_told_to_agents(app: App) {
    let account = account(&app);
    member(&app, &account, "mia@example.com", "agent");
    let owner = Browser::new(&app).sign_in(OWNER);
    let mut mia = listen(&app, &cookie_of(&app, "mia@example.com"), None);
    owner.post("/admin/keys", json!({ "name": "CI", "scopes": ["contacts:read"] })).expect(201);
    owner.post("/admin/forms", json!({ "name": "Contact" })).expect(201);
    owner.post("/admin/connections", json!({ "channel": "web_chat" })).expect(201);
    owner
        .post("/v1/webhooks", json!({ "url": "https://example.com/hook", "event_types": ["*"] }))
        .expect(201);
    let added = json!({ "name": "Bo", "email": "bo@example.com", "role": "agent" });
    owner.post("/admin/members", added).expect(201);
    // Agents see their colleagues, and nothing of the rest.
    assert_eq!(resources_before_a_tag(&mut mia, &owner), ["members"]);
}

fn another_account_hears_nothing(app: App) {
    account(&app);
    let owner = Browser::new(&app).sign_in(OWNER);
    let other = stranger(&app);
    let mut stream = listen(&app, &cookie_of(&app, "stranger@example.com"), None);
    owner.post("/v1/tags", json!({ "name": "VIP" })).expect(201);
    owner.post("/admin/keys", json!({ "name": "CI", "scopes": ["contacts:read"] })).expect(201);
    assert!(resources_before_a_tag(&mut stream, &other).is_empty());
}

fn a_change_that_fails_is_not_told(app: App) {
    account(&app);
    let owner = Browser::new(&app).sign_in(OWNER);
    let mut stream = listen(&app, &cookie_of(&app, OWNER), None);
    let nobody = "01890a5d-ac96-774b-bcce-b302099a8057";
    owner.patch(&format!("/v1/segments/{nobody}"), json!({ "name": "No" })).expect(404);
    owner.post("/admin/forms", json!({})).expect(400);
    owner.send("DELETE", &format!("/admin/forms/{nobody}")).expect(404);
    assert!(resources_before_a_tag(&mut stream, &owner).is_empty());
}

fn what_has_events_of_its_own_is_not_told_twice(app: App) {
    account(&app);
    let owner = Browser::new(&app).sign_in(OWNER);
    let mut stream = listen(&app, &cookie_of(&app, OWNER), None);
    let made = owner.post("/v1/contacts", json!({ "name": "Ann" })).expect(201);
    owner.patch(&format!("/v1/contacts/{}", text(&made.data()["id"])), json!({ "name": "Anna" })).expect(200);
    assert!(resources_before_a_tag(&mut stream, &owner).is_empty());
}

fn a_program_hears_no_notices(app: App) {
    let tenant = app.tenant();
    let headers = format!("Authorization: Bearer {}\r\n", tenant.key.secret);
    let mut program = Stream::open(app.wire(), "/api/v1/events/stream", &headers);
    tenant.client.post("/tags", json!({ "name": "VIP" })).expect(201);
    tenant.client.post("/contacts", json!({ "name": "Ann" })).expect(201);
    let names: Vec<String> = program.up_to("contact.created").into_iter().map(|(name, ..)| name).collect();
    assert_eq!(names, ["contact.created"]);
}

fn the_steps_of_a_run_are_told(scene: Desk) {
    let account = &scene.inbox.tenant.account;
    member(&scene.inbox.app, account, "mia@example.com", "agent");
    let mut mia = listen(&scene.inbox.app, &cookie_of(&scene.inbox.app, "mia@example.com"), None);
    scene.script(json!([says("Done.")]));
    let run = scene.starts(json!({ "goal": "Say it is done." }));
    assert_eq!(notice(&mut mia, "runs")["id"], run["id"]);
    scene.becomes(&run, "succeeded");
}

fn a_command_of_the_operator_is_heard_within_seconds(app: App) {
    let account = account(&app);
    member(&app, &account, "mia@example.com", "agent");
    let mut mia = listen(&app, &cookie_of(&app, "mia@example.com"), None);
    app.cli(&["form", "create", "--account", &account.id, "--name", "Contact"]);
    // It does not say what has changed: the command runs beside the server.
    let (_, _, data) = mia.up_to("changed").pop().expect("a notice");
    assert_eq!(data, json!({}));
}

fn the_first_call_of_the_vendor_is_stored_and_told(inbox: Inbound) {
    let line = inbox.whatsapp();
    let app = &inbox.app;
    let owner = "boss@example.com";
    member(app, &inbox.tenant.account, owner, "admin");
    let browser = Browser::new(app).sign_in(owner);
    let verified = || {
        let listed = browser.get("/admin/connections").expect(200);
        let found = listed.data().as_array().expect("connections").iter();
        let mut own = found.filter(|one| one["id"] == line.id.as_str());
        own.next().expect("the connection")["webhook_verified_at"].clone()
    };
    assert_eq!(verified(), Value::Null);
    let mut stream = listen(app, &cookie_of(app, owner), None);
    let ask = |token: &str| {
        let query = format!("hub.mode=subscribe&hub.verify_token={token}&hub.challenge=7");
        app.anonymous().vendors().get(&format!("{}?{query}", line.path))
    };
    ask("wrong").expect(403);
    assert_eq!(verified(), Value::Null, "a wrong token proves nothing");
    ask("agreed").expect(200);
    notice(&mut stream, "connections");
    let first = verified();
    assert!(first.is_string(), "{first}");
    ask("agreed").expect(200);
    assert_eq!(verified(), first, "it is the first time");
    let public = inbox.client.get("/channels").expect(200);
    assert!(!public.text.contains("webhook_verified_at"), "{}", public.text);
}

fn what_changes_at_another_server_is_told_by_name(app: App) {
    let account = account(&app);
    member(&app, &account, "mia@example.com", "agent");
    let second = app.second_server();
    let client = app.client(&app.key_with(&account, &["--all-scopes"])).at(&second);
    let mut mia = listen(&app, &cookie_of(&app, "mia@example.com"), None);
    let mut number = 0;
    let mut told = || {
        number += 1;
        let assistant = new_assistant(&client, json!({ "name": format!("Iris {number}") }));
        client
            .post("/webhooks", json!({ "url": "https://example.com/hook", "event_types": ["*"] }))
            .expect(201);
        client
            .patch(&format!("/assistants/{assistant}"), json!({ "name": format!("Ida {number}") }))
            .expect(200);
        let id = loop {
            let (_, _, data) = mia.up_to("changed").pop().expect("a notice");
            assert_ne!(data["resource"], "webhooks", "agents do not read webhooks");
            // Until the servers have found each other, a notice names nothing.
            if data["resource"].is_null() || data["id"].is_string() {
                break data["id"].clone();
            }
        };
        id == assistant.as_str()
    };
    assert!(came_true(&mut told), "no notice named the assistant");
}
