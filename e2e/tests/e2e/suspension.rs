//! A suspended account: everything that acts for it stops, and continues when it is resumed.

use frontdesk_e2e::{App, Client, Engine, Given, came_true, on_every_engine, on_shared_stores};
use serde_json::{Value, json};

use crate::agent_scene::{Desk, calls, says};
use crate::broadcasts_scene::{announced, becomes, hello, numbers, phones};
use crate::inbox_scene::{ANN, ANN_PHONE, Inbox, connect, eventually, hello_to, id};
use crate::people::{add, tag, walk};
use crate::set_aside::read;
use crate::shapes::text;
use crate::triggers_scene::{Business, MINUTE_MILLIS, advance_to, written};

on_every_engine! {
    a_broadcast_stops_and_goes_on,
    a_broadcast_whose_time_came_starts_when_the_account_is_resumed,
    queued_messages_wait,
    triggers_fire_once_when_the_account_is_resumed,
    events_start_their_runs_when_the_account_is_resumed,
    a_run_stops_before_its_next_step_and_goes_on,
    a_customer_is_answered_and_a_follow_up_starts_when_the_account_is_resumed,
    a_bulk_change_waits,
}

on_shared_stores! {
    a_broadcast_of_two_servers_stops_and_goes_on,
}

const MANY: usize = 400;
const DAY: u64 = 86_400;

#[track_caller]
fn suspend(app: &App, account: &str) {
    app.cli(&["account", "suspend", account]);
}

#[track_caller]
fn resume(app: &App, account: &str) {
    app.cli(&["account", "resume", account]);
}

fn a_broadcast_stops_and_goes_on(inbox: Inbox) {
    stops_and_goes_on(&inbox, &[inbox.sandbox()]);
}

fn a_broadcast_of_two_servers_stops_and_goes_on(engine: Engine) {
    let inbox = Inbox::given(engine);
    let second = inbox.app.second_server();
    stops_and_goes_on(&inbox, &[inbox.sandbox(), inbox.sandbox().at(&second)]);
}

/// Suspends an account in the middle of a broadcast and resumes it. Each server's sandbox has what that server sent.
#[track_caller]
fn stops_and_goes_on(inbox: &Inbox, sandboxes: &[Client]) {
    let account = &inbox.tenant.account.id;
    let people = || -> Vec<String> {
        let path = format!("/sandbox/messages?limit=1000&connection_id={}", inbox.whatsapp);
        let of = |sandbox: &Client| sandbox.get(&path).expect(200).data().as_array().expect("a list").clone();
        sandboxes.iter().flat_map(of).map(|sent| text(&sent["to"]).to_owned()).collect()
    };
    let sent = || people().len();
    let broadcast = announced(&inbox.client, hello(phones(&numbers(MANY))));
    assert!(came_true(|| sent() >= 20));
    suspend(&inbox.app, account);
    // A server learns of it within half a second. Calls that have begun end.
    let mut last = 0;
    let is_still = || {
        inbox.settle();
        std::mem::replace(&mut last, sent()) == sent()
    };
    assert!(came_true(is_still));
    let before = sent();
    assert!(before < MANY, "everything was sent");
    inbox.advance(3_600);
    assert_eq!(sent(), before, "it went on while the account was suspended");
    resume(&inbox.app, account);
    becomes(&inbox.client, &broadcast, "sent");
    let mut people = people();
    assert_eq!(people.len(), MANY);
    people.sort();
    people.dedup();
    assert_eq!(people.len(), MANY, "somebody was reached twice");
}

fn a_broadcast_whose_time_came_starts_when_the_account_is_resumed(inbox: Inbox) {
    let at = written(inbox.advance(0) + 3_600_000);
    let mut broadcast = hello(phones(&numbers(3)));
    broadcast["schedule_at"] = json!(at);
    let broadcast = announced(&inbox.client, broadcast);
    suspend(&inbox.app, &inbox.tenant.account.id);
    inbox.advance(2 * 3_600);
    assert!(inbox.sent(&inbox.whatsapp).is_empty());
    resume(&inbox.app, &inbox.tenant.account.id);
    becomes(&inbox.client, &broadcast, "sent");
    assert_eq!(inbox.sent(&inbox.whatsapp).len(), 3);
}

fn queued_messages_wait(inbox: Inbox) {
    inbox.faults(json!([{ "on": "send", "kind": "status", "status": 503 }]));
    let message = inbox.sends(hello_to(ANN_PHONE));
    inbox.settle();
    suspend(&inbox.app, &inbox.tenant.account.id);
    inbox.heal();
    inbox.advance(DAY / 24);
    assert!(inbox.sent(&inbox.whatsapp).is_empty());
    resume(&inbox.app, &inbox.tenant.account.id);
    inbox.becomes(&message, "delivered");
    assert_eq!(inbox.sent(&inbox.whatsapp).len(), 1);
}

fn triggers_fire_once_when_the_account_is_resumed(business: Business) {
    let account = &business.tenant.account.id;
    let (daily, due) = business.daily(json!({}));
    let once = business.makes(json!({ "kind": "once", "run_at": written(due) }));
    suspend(&business.app, account);
    advance_to(&business.app, due + 3 * 24 * 60 * MINUTE_MILLIS);
    resume(&business.app, account);
    business.now();
    for trigger in [&daily, &once] {
        let fired = || business.runs(trigger).len();
        assert!(came_true(|| fired() == 1), "{} runs", fired());
        let trigger = business.trigger(trigger);
        assert_eq!(trigger["last_error"], Value::Null, "{trigger}");
    }
    business.now();
    assert_eq!((business.runs(&daily).len(), business.runs(&once).len()), (1, 1));
}

fn events_start_their_runs_when_the_account_is_resumed(business: Business) {
    let account = &business.tenant.account.id;
    let connection = connect(&business.app, &business.tenant.account, "whatsapp");
    let event = json!({ "kind": "event", "event_key": "contact.created", "goal": "Welcome them." });
    let trigger = business.makes(event);
    suspend(&business.app, account);
    let says = json!({ "text": "Hello?", "connection_id": connection });
    business.app.anonymous().vendors().post(&format!("/sandbox/customers/{ANN}/messages"), says).expect(200);
    business.advance(600);
    resume(&business.app, account);
    assert!(came_true(|| business.runs(&trigger).len() == 1));
    let run = &business.runs(&trigger)[0];
    assert!(run["contact_id"].is_string(), "{run}");
    assert_eq!(business.trigger(&trigger)["last_error"], Value::Null);
}

fn a_run_stops_before_its_next_step_and_goes_on(desk: Desk) {
    let account = &desk.inbox.tenant.account.id;
    let contact = add(&desk.client, json!({ "name": "Zoe" }));
    let note = json!({ "contact_id": contact, "body": "Called." });
    desk.script(json!([calls(&[("add_note", note)]), says("Done.")]));
    desk.inbox.faults(json!([{ "on": "model", "kind": "delay", "millis": 2_000, "times": 1 }]));
    let run = desk.starts(json!({}));
    desk.becomes(&run, "running");
    suspend(&desk.inbox.app, account);
    desk.inbox.advance(600);
    let found =
        "SELECT CASE WHEN EXISTS (SELECT 1 FROM notes WHERE body = 'Called.') THEN 'yes' ELSE 'no' END";
    assert_eq!(
        read(&desk.inbox.app, found).as_deref(),
        Some("no"),
        "it went on while the account was suspended"
    );
    resume(&desk.inbox.app, account);
    let run = desk.becomes(&run, "succeeded");
    assert_eq!(run["result"], "Done.");
    let called = desk.inbox.sandbox().get("/sandbox/model/calls").expect(200);
    let called = called.data().as_array().map_or(0, Vec::len);
    assert_eq!(called, 2, "the reply that came while it was suspended is used");
    let notes = walk(&desk.client, &format!("/contacts/{contact}/notes"));
    assert_eq!(notes.len(), 1, "{notes:?}");
}

fn a_customer_is_answered_and_a_follow_up_starts_when_the_account_is_resumed(desk: Desk) {
    let account = &desk.inbox.tenant.account.id;
    let at = written(desk.inbox.advance(0) + 3_600_000);
    desk.script(json!([
        calls(&[("schedule_follow_up", json!({ "run_at": at, "goal": "Ask again." }))]),
        says("Later."),
        says("Asked."),
        says("Hello Ann."),
    ]));
    let run = desk.starts(json!({}));
    desk.becomes(&run, "succeeded");
    let returned = desk.returned(&run, "schedule_follow_up");
    let content: Value = serde_json::from_str(text(&returned["content"])).unwrap();
    let follow_up = json!({ "id": content["run_id"] });
    suspend(&desk.inbox.app, account);
    desk.inbox.says(&desk.inbox.whatsapp, ANN, json!({ "text": "Anybody there?" }));
    desk.inbox.advance(7_200);
    assert!(desk.inbox.sent(&desk.inbox.whatsapp).is_empty());
    resume(&desk.inbox.app, account);
    desk.becomes(&follow_up, "succeeded");
    desk.inbox.sent_soon(&desk.inbox.whatsapp, 1);
}

fn a_bulk_change_waits(inbox: Inbox) {
    // A server without workers accepts the job.
    inbox.app.restart_with(&[("FRONTDESK_ROLE", "api")]);
    let contacts: Vec<String> =
        (0..3).map(|number| add(&inbox.client, json!({ "name": format!("P{number}") }))).collect();
    let vip = tag(&inbox.client, "vip");
    let body = json!({ "ids": contacts, "add_tag_ids": [vip] });
    let job = inbox.client.post("/contacts/bulk", body).expect(202).data().clone();
    suspend(&inbox.app, &inbox.tenant.account.id);
    inbox.app.restart();
    inbox.advance(60);
    resume(&inbox.app, &inbox.tenant.account.id);
    let path = format!("/contacts/bulk/{}", id(&job));
    let read = || inbox.client.get(&path).expect(200).data().clone();
    assert_eq!(read()["done"], 0, "it went on while the account was suspended");
    eventually("the end of the job", || (read()["status"] == "done").then_some(()));
}
