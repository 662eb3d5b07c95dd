//! Servers that share the work: one answers, another does what need not be answered.

use frontdesk_e2e::{App, Client, Engine, Server, came_true, on_shared_stores};
use serde_json::{Value, json};

use crate::inbox_scene::{ANN, ANN_PHONE, connect, eventually, hello_to};
use crate::people::walk;
use crate::shapes::text;

on_shared_stores! {
    alone a_message_accepted_by_one_server_is_sent_by_another,
    alone media_received_by_one_server_is_fetched_by_another,
    alone a_worker_serves_only_its_health,
}

const ROLE: &str = "FRONTDESK_ROLE";

/// A server that only answers.
fn answering(engine: Engine) -> App {
    App::start(engine).env(ROLE, "api").ready()
}

/// A server that only works.
#[track_caller]
fn working(app: &App) -> Server {
    app.second_server_with(&[(ROLE, "worker")])
}

#[track_caller]
fn sent(app: &App) -> Vec<Value> {
    let found = app.anonymous().vendors().get("/sandbox/messages?limit=1000").expect(200);
    found.data().as_array().expect("a list").clone()
}

#[track_caller]
fn status(client: &Client, message: &Value) -> String {
    let path = format!("/messages/{}", text(&message["id"]));
    text(&client.get(&path).expect(200).data()["status"]).to_owned()
}

fn a_message_accepted_by_one_server_is_sent_by_another(engine: Engine) {
    let app = answering(engine);
    let tenant = app.tenant();
    connect(&app, &tenant.account, "whatsapp");
    let early = tenant.client.post("/messages", hello_to(ANN_PHONE)).expect(201).data().clone();
    assert_eq!((status(&tenant.client, &early).as_str(), sent(&app).len()), ("sending", 0));
    let worker = working(&app);
    assert!(came_true(|| status(&tenant.client, &early) == "delivered"), "{}", worker.logs());
    // What comes while it works, too.
    let late = tenant.client.post("/messages", hello_to(ANN_PHONE)).expect(201).data().clone();
    assert!(came_true(|| status(&tenant.client, &late) == "delivered"), "{}", worker.logs());
    let ids: Vec<Value> = sent(&app).into_iter().map(|one| one["our_id"].clone()).collect();
    assert_eq!(ids, [early["id"].clone(), late["id"].clone()]);
    assert!(worker.stop().success(), "{}", worker.logs());
}

fn media_received_by_one_server_is_fetched_by_another(engine: Engine) {
    let app = answering(engine);
    let tenant = app.tenant();
    let line = connect(&app, &tenant.account, "whatsapp");
    let caller = app.anonymous().vendors();
    let said = json!({ "connection_id": line, "media": { "kind": "image" } });
    caller.post(&format!("/sandbox/customers/{ANN}/messages"), said).expect(200);
    let told =
        eventually("the message", || walk(&tenant.client, "/events?event_type=message.received").pop());
    let message = &told["data"]["message"];
    assert_eq!(message["type"], "image");
    let url = text(&message["media_url"]);
    let link = url.strip_prefix(&app.base()).unwrap_or_else(|| panic!("no link to this server: {url}"));
    caller.get(link).expect(503);
    let worker = working(&app);
    assert!(came_true(|| caller.get(link).status == 200), "{}", worker.logs());
    assert!(!caller.get(link).expect(200).body.is_empty());
}

fn a_worker_serves_only_its_health(engine: Engine) {
    let app = answering(engine);
    let tenant = app.tenant();
    let worker = working(&app);
    let there = app.anonymous().at(&worker).vendors();
    there.get("/healthz").expect(200);
    there.get("/readyz").expect(200);
    for path in ["/api/v1/me", "/widget.js", "/channels/whatsapp/x"] {
        there.with_key(&tenant.key.secret).get(path).expect(404);
    }
    tenant.client.get("/me").expect(200);
}
