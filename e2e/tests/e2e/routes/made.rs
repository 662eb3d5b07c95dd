//! What the calls of the routes need, made in the caller's account.

use frontdesk_e2e::{Client, came_true};
use serde_json::{Value, json};

use crate::agent_scene::{asking_run, new_assistant};
use crate::broadcasts_scene::hello;
use crate::inbox_scene::{a_number, hello_to};
use crate::people::{add, field, tag};
use crate::receiver;
use crate::shapes::text;

/// A broadcast to one person, scheduled for another century: its path.
#[track_caller]
pub(super) fn broadcast(client: &Client) -> String {
    let mut body = hello(json!({ "type": "phones", "phones": [a_number()] }));
    body["schedule_at"] = json!("2999-01-01T00:00:00Z");
    format!("/broadcasts/{}", client.post("/broadcasts", body).expect(202).id())
}

/// A broadcast that failed because its channel did: its path.
#[track_caller]
pub(super) fn failed_broadcast(client: &Client) -> String {
    const TRIES_SECONDS: u64 = 300;
    let (sandbox, phone) = (client.vendors(), a_number());
    let fault = json!({ "on": "send", "to": phone, "kind": "status", "status": 503 });
    sandbox.put("/sandbox/faults", json!({ "faults": [fault] })).expect(200);
    let body = hello(json!({ "type": "phones", "phones": [phone] }));
    let path = format!("/broadcasts/{}", client.post("/broadcasts", body).expect(202).id());
    let failed = came_true(|| {
        sandbox.post("/sandbox/clock", json!({ "advance_seconds": TRIES_SECONDS })).expect(200);
        client.get(&path).expect(200).data()["status"] == "failed"
    });
    assert!(failed, "it never failed: {}", client.get(&path).text);
    sandbox.delete("/sandbox/faults").expect(200);
    path
}

pub(super) fn assistant(client: &Client) -> String {
    format!("/assistants/{}", new_assistant(client, json!({})))
}

pub(super) fn instruction(client: &Client) -> String {
    let body = json!({ "title": "Refunds", "body": "Within 30 days." });
    format!("/instructions/{}", client.post("/instructions", body).expect(201).id())
}

/// The path of an assistant's instructions, and a list with one for it.
pub(super) fn instructed(client: &Client) -> (String, Value) {
    let instruction = instruction(client);
    let id = instruction.rsplit('/').next().expect("an id");
    (format!("{}/instructions", assistant(client)), json!({ "instruction_ids": [id] }))
}

/// Everything that an assistant is.
pub(super) fn definition() -> Value {
    json!({
        "assistant": { "name": "Robin" },
        "instructions": [{ "title": "Refunds", "body": "Within 30 days." }],
        "triggers": [{ "name": "Shop", "kind": "webhook", "goal": "Look at the order." }],
    })
}

pub(super) fn memory(client: &Client) -> String {
    format!(
        "/memories/{}",
        client.post("/memories", json!({ "content": "Open on Mondays." })).expect(201).id()
    )
}

/// A trigger that other systems fire, to be made.
pub(super) fn new_trigger(client: &Client) -> Value {
    let assistant = new_assistant(client, json!({}));
    json!({ "assistant_id": assistant, "name": "Morning", "kind": "webhook", "goal": "Say hello." })
}

pub(super) fn trigger(client: &Client) -> String {
    let made = client.post("/triggers", new_trigger(client)).expect(201);
    format!("/triggers/{}", text(&made.data()["trigger"]["id"]))
}

/// A trigger whose address was called.
#[track_caller]
pub(super) fn called_trigger(client: &Client) -> String {
    let mut new = new_trigger(client);
    new["enabled"] = json!(true);
    let made = client.post("/triggers", new).expect(201);
    let (_, path) = text(&made.data()["webhook_url"]).split_once("/api/").expect("an address");
    client.vendors().post(&format!("/api/{path}"), json!({ "order": 42 })).expect(202);
    format!("/triggers/{}", text(&made.data()["trigger"]["id"]))
}

/// A run that waits.
pub(super) fn run(client: &Client) -> String {
    format!("/runs/{}", text(&asking_run(client)["id"]))
}

/// A question that waits.
pub(super) fn ask(client: &Client) -> String {
    format!("/asks/{}", text(&asking_run(client)["pending_asks"][0]["id"]))
}

pub(super) fn bare(path: impl Into<String>) -> (String, Option<Value>) {
    (path.into(), None)
}

pub(super) fn with(path: impl Into<String>, body: Value) -> (String, Option<Value>) {
    (path.into(), Some(body))
}

pub(super) fn contact(client: &Client) -> String {
    format!("/contacts/{}", add(client, json!({ "name": "Ann", "email": "ann@example.com" })))
}

/// A name that nothing in this list has.
pub(super) fn unused(client: &Client, list: &str) -> String {
    format!("number {}", client.get(list).expect(200).data().as_array().expect("a list").len())
}

pub(super) fn new_tag(client: &Client) -> String {
    tag(client, &unused(client, "/tags"))
}

pub(super) fn canned_reply(client: &Client) -> String {
    let body = json!({ "shortcut": unused(client, "/canned-replies"), "body": "Hi {{contact.name}}." });
    format!("/canned-replies/{}", client.post("/canned-replies", body).expect(201).id())
}

pub(super) fn new_field(client: &Client) -> String {
    field(client, &unused(client, "/custom-fields"), "text")
}

pub(super) fn rules() -> Value {
    json!({ "name": "Named", "match": "all", "rules": [{ "field": "name", "op": "is_set" }] })
}

pub(super) fn segment(client: &Client) -> String {
    format!("/segments/{}", client.post("/segments", rules()).expect(201).id())
}

/// An endpoint that gets nothing unless asked to.
pub(super) fn webhook(client: &Client) -> String {
    let body = json!({ "url": receiver::url(), "event_types": ["webhook.test"] });
    format!("/webhooks/{}", client.post("/webhooks", body).expect(201).id())
}

/// A conversation with a customer who was written to; the account has a WhatsApp number.
pub(super) fn conversation(client: &Client) -> String {
    let message = client.post("/messages", hello_to(&a_number())).expect(201);
    format!("/conversations/{}", text(&message.data()["conversation_id"]))
}

pub(super) fn conversation_id(client: &Client) -> String {
    let path = conversation(client);
    path.rsplit('/').next().expect("an id").to_owned()
}

pub(super) fn delivery(client: &Client) -> String {
    let webhook = webhook(client);
    format!("{webhook}/deliveries/{}", client.send("POST", &format!("{webhook}/test"), None).expect(202).id())
}

/// A delivery that has arrived: its path.
#[track_caller]
pub(super) fn delivered(client: &Client) -> String {
    let path = delivery(client);
    let done = came_true(|| client.get(&path).expect(200).data()["status"] == "succeeded");
    assert!(done, "nothing was delivered");
    path
}
