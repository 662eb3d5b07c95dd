//! Servers that die or are suspended next to others: their work goes on soon, and nothing is done twice that must not be.

use std::collections::BTreeSet;
use std::time::Duration;

use frontdesk_e2e::{Engine, ModelProvider, Reply, Sink, Stopwatch, came_true};
use serde_json::{Value, json};

use crate::agent_scene::new_assistant;
use crate::broadcasts_scene::{announced, hello, numbers, phones, read, recipients};
use crate::inbound_scene::{DOUBT, Inbox, start};
use crate::shapes::text;
use crate::webhooks_scene::PRIVATE_TARGETS;

/// The work of a dead server goes on within ten seconds: five until it is declared dead, and one or two until others notice and
/// look. On a busy machine, the test and the servers take longer.
const TAKEOVER: Duration = Duration::from_secs(10 + 5);

/// Waits for something that a takeover brings about, and demands that it came in time.
#[track_caller]
fn comes_in_time(what: &str, died: Stopwatch, is_so: impl FnMut() -> bool) {
    assert!(came_true(is_so), "{what}: never");
    println!("{what}: after {:?}", died.elapsed());
    assert!(died.elapsed() < TAKEOVER, "{what}: after {:?}", died.elapsed());
}

/// A slow number, so that a broadcast takes long enough.
#[track_caller]
fn slow_number(inbox: &Inbox, per_second: &str) {
    let (account, graph) = (inbox.tenant.account.id.clone(), inbox.vendors.graph_url());
    inbox.connect("whatsapp", &account, &graph, &["--messages-per-second", per_second]);
}

#[test]
fn the_work_of_a_killed_server_goes_on_within_ten_seconds() {
    let provider = ModelProvider::openai();
    let sink = Sink::start();
    let inbox = Inbox::of(
        start(Engine::Postgres)
            .env("FRONTDESK_OPENAI_BASE_URL", &provider.base_url())
            .env("FRONTDESK_OPENAI_API_KEY", "sk-test")
            .env(PRIVATE_TARGETS, "true"),
    );
    inbox.vendors.report_by_hand();
    slow_number(&inbox, "5");
    // The first server waits for a model, for a webhook's endpoint, and for its pace.
    provider.script([provider.text("Never heard.").held()]);
    sink.answer_in_turn("/hook", [Reply::status(200).held()], Reply::status(200));
    let hook = json!({ "url": sink.url("/hook"), "event_types": ["contact.created"] });
    inbox.client.post("/webhooks", hook).expect(201);
    inbox.client.post("/contacts", json!({ "name": "Ann" })).expect(201);
    sink.wait("/hook", 1);
    let assistant = new_assistant(&inbox.client, json!({}));
    let run = json!({ "assistant_id": assistant, "goal": "Say hello." });
    let run = inbox.client.post("/runs", run).expect(202).id();
    provider.sink().wait(provider.chat_path(), 1);
    let made = announced(&inbox.client, hello(phones(&numbers(200))));
    assert!(came_true(|| inbox.vendors.sent().len() >= 8));
    let second = inbox.app.second_server();
    let client = inbox.client.at(&second);
    inbox.app.kill();
    let (died, before) = (Stopwatch::start(), inbox.vendors.sent().len());
    comes_in_time("the delivery", died, || sink.count("/hook") >= 2);
    comes_in_time("the run", died, || {
        client.get(&format!("/runs/{run}")).expect(200).data()["status"] == "succeeded"
    });
    // More than were queued when it died: the broadcast itself goes on.
    let outstanding = 25;
    let is_sent = came_true(|| inbox.vendors.sent().len() > before);
    assert!(is_sent && died.elapsed() < TAKEOVER, "messages: after {:?}", died.elapsed());
    assert!(came_true(|| inbox.vendors.sent().len() > before + outstanding), "{}", read(&client, &made));
    assert!(died.elapsed() < 2 * TAKEOVER, "the broadcast: after {:?}", died.elapsed());
}

#[test]
fn a_server_that_was_suspended_does_no_harm_when_it_wakes() {
    const MANY: usize = 150;
    let inbox = Inbox::of(start(Engine::Postgres));
    inbox.vendors.report_by_hand();
    slow_number(&inbox, "20");
    inbox.vendors.faults(json!([{ "on": "send", "kind": "delay", "millis": 40 }]));
    let made = announced(&inbox.client, hello(phones(&numbers(MANY))));
    assert!(came_true(|| inbox.vendors.sent().len() >= 10));
    let second = inbox.app.second_server();
    let client = inbox.client.at(&second);
    inbox.app.suspend();
    let (suspended, before) = (Stopwatch::start(), inbox.vendors.sent().len());
    // A call that is on its way when it is suspended may still arrive.
    comes_in_time("messages", suspended, || inbox.vendors.sent().len() > before + 5);
    inbox.app.resume();
    let is_reached = || inbox.vendors.sent().len() >= MANY - 30;
    assert!(came_true(is_reached), "{} were reached", inbox.vendors.sent().len());
    // Both servers work now. What is in doubt is settled by time.
    let is_over = came_true(|| {
        inbox.advance(DOUBT / 2);
        read(&client, &made)["status"] == "sent"
    });
    assert!(is_over, "{}", read(&client, &made));
    inbox.advance(DOUBT + 60);
    let sent = inbox.vendors.sent();
    let people: BTreeSet<&str> = sent.iter().map(|sent| text(&sent["to"])).collect();
    assert_eq!(people.len(), sent.len(), "somebody was reached twice");
    let all: Vec<Value> = recipients(&client, &made, "");
    let of = |status: &str| all.iter().filter(|one| one["status"] == status).count();
    assert_eq!((all.len(), of("sent") + of("failed")), (MANY, MANY), "{all:?}");
    // A call that was under way is in doubt only until the server that made it wakes.
    assert!(of("failed") <= 8 && of("sent") <= sent.len(), "{} failed, {} reached", of("failed"), sent.len());
    assert!(inbox.app.logs().contains("declared dead"), "it did not notice");
}
