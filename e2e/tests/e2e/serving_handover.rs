//! A server that is asked to stop hands its jobs back at once, while it still serves requests.

use std::time::Duration;

use frontdesk_e2e::{Engine, Reply, Sink, Stopwatch, came_true, on_shared_stores};
use serde_json::json;

use crate::broadcasts_scene::{announced, hello, numbers, phones};
use crate::inbound_scene::{Inbox, start};
use crate::webhooks_scene::PRIVATE_TARGETS;

on_shared_stores! {
    alone another_server_goes_on_with_the_jobs_of_one_that_drains,
    alone a_call_that_a_draining_server_has_begun_is_finished_and_not_repeated,
}

/// A drain that no test waits for.
const LONG: &str = "300";
/// Less than the silence after which a server counts as dead. On a busy machine, the test is slower than the server.
const AT_ONCE: Duration = Duration::from_secs(5);

fn another_server_goes_on_with_the_jobs_of_one_that_drains(engine: Engine) {
    const MANY: usize = 120;
    let inbox = Inbox::of(start(engine).env("FRONTDESK_DRAIN_SECONDS", LONG).alone());
    inbox.vendors.report_by_hand();
    let (account, graph) = (inbox.tenant.account.id.clone(), inbox.vendors.graph_url());
    inbox.connect("whatsapp", &account, &graph, &["--messages-per-second", "10"]);
    announced(&inbox.client, hello(phones(&numbers(MANY))));
    assert!(came_true(|| inbox.vendors.sent().len() >= 10));
    let second = inbox.app.second_server();
    inbox.app.terminate();
    let asked = Stopwatch::start();
    let is_released = || inbox.app.anonymous().vendors().get("/readyz").status == 503;
    assert!(came_true(is_released), "{}", inbox.app.logs());
    let before = inbox.vendors.sent().len();
    // More than the first server may still have had under way.
    assert!(came_true(|| inbox.vendors.sent().len() >= before + 12), "{}", second.logs());
    let took = asked.elapsed();
    assert!(took < AT_ONCE, "it took {took:?}: {}", second.logs());
    assert!(inbox.app.is_running(), "it still drains");
    assert!(came_true(|| inbox.vendors.sent().len() == MANY), "{} were sent", inbox.vendors.sent().len());
    let mut reached: Vec<String> = inbox.vendors.sent().iter().map(|sent| sent["to"].to_string()).collect();
    reached.sort();
    reached.dedup();
    assert_eq!(reached.len(), MANY, "somebody was reached twice");
    assert!(!second.logs().contains("declared dead"), "{}", second.logs());
}

fn a_call_that_a_draining_server_has_begun_is_finished_and_not_repeated(engine: Engine) {
    let sink = Sink::start();
    let start = start(engine).env("FRONTDESK_DRAIN_SECONDS", LONG).env(PRIVATE_TARGETS, "true").alone();
    let inbox = Inbox::of(start);
    sink.answer_in_turn("/hook", [Reply::status(200).held()], Reply::status(200));
    let hook = json!({ "url": sink.url("/hook"), "event_types": ["contact.created"] });
    inbox.client.post("/webhooks", hook).expect(201);
    inbox.client.post("/contacts", json!({ "name": "Ann" })).expect(201);
    sink.wait("/hook", 1);
    let second = inbox.app.second_server();
    let client = inbox.client.at(&second);
    inbox.app.terminate();
    assert!(came_true(|| inbox.app.anonymous().vendors().get("/readyz").status == 503));
    // The next one goes out from the other server meanwhile.
    client.post("/contacts", json!({ "name": "Eve" })).expect(201);
    sink.wait("/hook", 2);
    sink.release();
    let is_settled = || {
        let found = client.get("/webhooks").expect(200);
        let path = format!("/webhooks/{}/deliveries", found.data()[0]["id"].as_str().expect("an id"));
        let deliveries = client.get(&path).expect(200);
        let all = deliveries.data().as_array().expect("a list").clone();
        all.len() == 2 && all.iter().all(|one| one["status"] == "succeeded" && one["attempts"] == 1)
    };
    assert!(came_true(is_settled), "{} {}", inbox.app.logs(), second.logs());
    assert_eq!(sink.count("/hook"), 2, "a call was repeated");
}
