//! Notifications: who is told about what, in which words, and who is not.

use frontdesk_e2e::{App, Reply, on_every_engine};
use serde_json::{Value, json};

use crate::agent_scene::{calls, new_assistant, says};
use crate::app_scene::{Browser, stranger};
use crate::inbox_scene::{ANN, BOB, Inbox, id};
use crate::push_scene::{Device, Person, Pushes, is_a_push, is_silent_about, public_key};
use crate::shapes::{NOTHING, has_fields, text};

on_every_engine! {
    each_kind_reaches_whom_it_concerns_and_nobody_else,
    the_words_are_sent_only_where_they_were_chosen,
    nobody_is_told_what_they_did_or_see_already,
    a_device_is_told_only_the_kinds_that_were_chosen,
    a_conversation_that_an_assistant_hands_over_reaches_who_has_it_or_wants_it,
    an_ask_reaches_those_who_may_answer_it,
    what_is_over_when_it_is_sent_is_not_sent,
    a_device_that_is_gone_is_removed,
    a_refusal_for_a_moment_is_tried_again_while_it_is_fresh,
    a_device_dies_with_its_session,
    nobody_reaches_the_devices_of_others,
    a_browser_belongs_to_who_uses_it_now,
    a_wrong_subscription_is_refused,
}

fn each_kind_reaches_whom_it_concerns_and_nobody_else(pushes: Pushes) {
    let inbox = &pushes.inbox;
    let (mia, ben) = (pushes.person("mia", "agent", 1), pushes.person("ben", "agent", 2));
    let other = stranger(&inbox.app);
    let strange = pushes.subscribed(String::new(), other, 3);
    // Nobody's conversation is told to those who chose it.
    let ann = inbox.hears(ANN, "Where is my parcel?");
    ben.assigns(&ann, &mia);
    let [assigned] = pushes.told_soon(&mia, 1).try_into().expect("one");
    has_fields(&assigned, "kind language path tag conversation_id name actor unread");
    for (field, value) in [
        ("kind", json!("assignment")),
        ("path", json!(format!("inbox/{}", id(&ann)))),
        ("conversation_id", ann["id"].clone()),
        ("name", inbox.client.get(&format!("/contacts/{}", text(&ann["contact_id"]))).data()["name"].clone()),
        ("actor", json!("Mia")),
        ("language", json!("en")),
        ("unread", json!(1)),
    ] {
        assert_eq!(assigned[field], value, "{field}");
    }
    inbox.hears(ANN, "Hello?");
    let message = pushes.told_soon(&mia, 2)[1].clone();
    assert_eq!((&message["kind"], &message["conversation_id"]), (&json!("message"), &ann["id"]));
    assert!(message.get("text").is_none() && message.get("actor").is_none(), "{message}");
    ben.mentions(&ann, &mia, "Can you look?");
    let mention = pushes.told_soon(&mia, 3)[2].clone();
    assert_eq!((&mention["kind"], &mention["actor"]), (&json!("mention"), &json!("Mia")));
    assert!(mention.get("text").is_none(), "{mention}");

    let key = public_key(&mia.browser);
    for received in pushes.sink.at(&mia.device.path) {
        is_a_push(&received, &key, &pushes.sink.url(""), inbox.now());
    }
    pushes.was_told(&mia, &["assignment", "message", "mention"]);
    pushes.was_told(&ben, &[]);
    pushes.was_told(&strange, &[]);
    assert_eq!(public_key(&strange.browser), key, "one key of the installation");
    let listed = mia.browser.get("/push").expect(200);
    let [device] = listed.data()["devices"].as_array().expect("devices").as_slice() else {
        panic!("{listed:?}")
    };
    has_fields(device, "id current kinds with_text user_agent last_success_at failures created_at");
    assert_eq!((&device["id"], &device["current"]), (&json!(mia.device_id), &json!(true)));
    assert!(device["last_success_at"].is_string() && device["failures"] == 0, "{device}");
    assert!(is_silent_about(&inbox.app, &mia.device));
}

fn the_words_are_sent_only_where_they_were_chosen(pushes: Pushes) {
    let inbox = &pushes.inbox;
    let (mia, ben) = (pushes.person("mia", "agent", 1), pushes.person("ben", "agent", 2));
    let ann = inbox.hears(ANN, "Hi!");
    ben.assigns(&ann, &mia);
    pushes.told_soon(&mia, 1);
    let device = format!("/push/devices/{}", mia.device_id);
    let changed = mia.browser.patch(&device, json!({ "with_text": true })).expect(200);
    assert_eq!(changed.data()["with_text"], true);
    let long = "word ".repeat(200);
    inbox.hears(ANN, &long);
    let shown = text(&pushes.told_soon(&mia, 2)[1]["text"]).to_owned();
    assert!(
        shown.starts_with("word word") && shown.ends_with('…') && shown.chars().count() <= 201,
        "{shown}"
    );
    ben.mentions(&ann, &mia, "It is \u{0007}late");
    assert!(text(&pushes.told_soon(&mia, 3)[2]["text"]).contains("late"));
    // Another call of the same browser keeps what was chosen.
    mia.browser.post("/push/devices", mia.device.subscription(&pushes.sink)).expect(201);
    inbox.hears(ANN, "Once more");
    assert_eq!(pushes.told_soon(&mia, 4)[3]["text"], "Once more");
    mia.browser.patch(&device, json!({ "with_text": false })).expect(200);
    inbox.hears(ANN, "Unseen");
    assert!(pushes.told_soon(&mia, 5)[4].get("text").is_none());
}

fn nobody_is_told_what_they_did_or_see_already(pushes: Pushes) {
    let inbox = &pushes.inbox;
    let (mia, ben) = (pushes.person("mia", "agent", 1), pushes.person("ben", "agent", 2));
    let ann = inbox.hears(ANN, "Hi!");
    mia.assigns(&ann, &mia);
    mia.mentions(&ann, &mia, "Remember.");
    let looks = |conversation: &Value| {
        let seen = json!({ "conversation_id": conversation, "typing": false });
        mia.browser.post("/presence", seen).expect(200);
    };
    looks(&ann["id"]);
    inbox.hears(ANN, "You read this as it comes.");
    ben.mentions(&ann, &mia, "And this.");
    pushes.was_told(&mia, &[]);
    looks(&Value::Null);
    inbox.hears(ANN, "And this later.");
    assert_eq!(pushes.told_soon(&mia, 2)[1]["kind"], "message");
    pushes.was_told(&ben, &[]);
}

fn a_device_is_told_only_the_kinds_that_were_chosen(pushes: Pushes) {
    let inbox = &pushes.inbox;
    let (mia, ben) = (pushes.person("mia", "agent", 1), pushes.person("ben", "agent", 2));
    let chosen = json!({ "kinds": ["unassigned", "mentions"] });
    let changed = mia.browser.patch(&format!("/push/devices/{}", mia.device_id), chosen).expect(200);
    assert_eq!(changed.data()["kinds"], json!(["mentions", "unassigned"]));
    let ann = inbox.hears(ANN, "Is anybody there?");
    assert_eq!(pushes.told_soon(&mia, 1)[0]["conversation_id"], ann["id"]);
    ben.assigns(&ann, &mia);
    inbox.hears(ANN, "Hello?");
    ben.mentions(&ann, &mia, "Look.");
    pushes.was_told(&mia, &["message", "mention"]);
    pushes.was_told(&ben, &[]);
    mia.browser.patch(&format!("/push/devices/{}", mia.device_id), json!({ "kinds": [] })).expect(200);
    inbox.hears(BOB, "Hi!");
    ben.mentions(&ann, &mia, "Again.");
    inbox.advance(2);
    assert_eq!(pushes.told(&mia).len(), 3);
}

fn a_conversation_that_an_assistant_hands_over_reaches_who_has_it_or_wants_it(pushes: Pushes) {
    let inbox = &pushes.inbox;
    let (mia, ben) = (pushes.person("mia", "agent", 1), pushes.person("ben", "agent", 2));
    let everything = json!({ "kinds": ["mentions", "assignments", "messages", "unassigned", "asks"] });
    mia.browser.patch(&format!("/push/devices/{}", mia.device_id), everything).expect(200);
    let assistant = new_assistant(&inbox.client, json!({}));
    let ann = inbox.hears(ANN, "Hi!");
    assert_eq!(pushes.told_soon(&mia, 1)[0]["kind"], "message");
    let hand_over = |to: Value| {
        inbox.client.post(&format!("/conversations/{}/handover", id(&ann)), to).expect(200);
    };
    hand_over(json!({ "to": "assistant", "assistant_id": assistant }));
    inbox.hears(ANN, "The assistant answers this.");
    inbox.advance(2);
    hand_over(json!({ "to": "human" }));
    assert_eq!(pushes.told_soon(&mia, 2)[1]["kind"], "handed_off");
    ben.assigns(&ann, &mia);
    pushes.told_soon(&mia, 3);
    hand_over(json!({ "to": "assistant", "assistant_id": assistant }));
    hand_over(json!({ "to": "human" }));
    assert_eq!(pushes.told_soon(&mia, 4)[3]["kind"], "assignment");
    pushes.was_told(&ben, &[]);
}

/// An assistant that asks people.
struct Asking<'i> {
    inbox: &'i Inbox,
    assistant: String,
}

impl Asking<'_> {
    /// Starts a run in which the model says this.
    #[track_caller]
    fn run(&self, turns: Value) {
        self.inbox.sandbox().put("/sandbox/model", json!({ "turns": turns })).expect(200);
        let started = json!({ "assistant_id": self.assistant, "goal": "Do it." });
        self.inbox.client.post("/runs", started).expect(202);
    }
}

fn an_ask_reaches_those_who_may_answer_it(pushes: Pushes) {
    let desk = Asking { assistant: new_assistant(&pushes.inbox.client, json!({})), inbox: &pushes.inbox };
    let (agent, admin) = (pushes.person("mia", "agent", 1), pushes.person("ada", "admin", 2));
    let access = json!({ "tool_access": { "start_broadcast": true } });
    pushes.inbox.client.patch(&format!("/assistants/{}", desk.assistant), access).expect(200);
    let broadcast = json!({ "name": "News", "template": "hello_world", "segment_id": NOTHING });
    desk.run(json!([calls(&[("start_broadcast", broadcast)]), says("Done.")]));
    let [ask] = pushes.told_soon(&admin, 1).try_into().expect("one");
    assert_eq!(
        (&ask["kind"], &ask["ask"], &ask["path"]),
        (&json!("ask"), &json!("approval"), &json!("approvals"))
    );
    assert!(ask["name"].is_string() && ask.get("text").is_none(), "{ask}");
    desk.run(json!([calls(&[("ask_human", json!({ "question": "Which colour?" }))]), says("Green.")]));
    assert_eq!(pushes.told_soon(&admin, 2)[1]["ask"], "question");
    assert_eq!(pushes.told_soon(&agent, 1)[0]["ask"], "question", "an agent may not approve a broadcast");
    pushes.was_told(&agent, &["ask"]);
}

fn what_is_over_when_it_is_sent_is_not_sent(pushes: Pushes) {
    let inbox = &pushes.inbox;
    let (mia, ben) = (pushes.person("mia", "agent", 1), pushes.person("ben", "agent", 2));
    let ann = inbox.hears(ANN, "Hi!");
    ben.assigns(&ann, &mia);
    pushes.told_soon(&mia, 1);
    // It waits while the push service is down, and is read meanwhile.
    pushes.sink.answer_in_turn(
        &mia.device.path,
        [Reply::status(503).header("retry-after", "60")],
        Reply::status(201),
    );
    inbox.hears(ANN, "Hello?");
    pushes.sink.wait(&mia.device.path, 2);
    mia.browser.post(&format!("/v1/conversations/{}/read", id(&ann)), json!({})).expect(200);
    inbox.advance(61);
    inbox.advance(5);
    assert_eq!(pushes.sink.count(&mia.device.path), 2, "it was read");
    // What nobody could take for ten minutes is forgotten.
    pushes.sink.respond(&mia.device.path, Reply::status(503).header("retry-after", "300"));
    inbox.hears(ANN, "Hello again?");
    pushes.sink.wait(&mia.device.path, 3);
    for _ in 0..8 {
        inbox.advance(301);
    }
    assert!(pushes.sink.count(&mia.device.path) <= 4, "it is stale");
}

fn a_device_that_is_gone_is_removed(pushes: Pushes) {
    let inbox = &pushes.inbox;
    let (mia, ben) = (pushes.person("mia", "agent", 1), pushes.person("ben", "agent", 2));
    let ann = inbox.hears(ANN, "Hi!");
    ben.assigns(&ann, &mia);
    pushes.told_soon(&mia, 1);
    for status in [404, 410] {
        pushes.sink.respond(&mia.device.path, Reply::status(status));
        mia.browser.post("/push/devices", mia.device.subscription(&pushes.sink)).expect(201);
        let before = pushes.sink.count(&mia.device.path);
        ben.mentions(&ann, &mia, "Look.");
        pushes.sink.wait(&mia.device.path, before + 1);
        inbox.advance(1);
        assert_eq!(devices(&mia.browser), 0, "{status}");
        inbox.hears(ANN, "Hello?");
        inbox.advance(2);
        assert_eq!(pushes.sink.count(&mia.device.path), before + 1, "{status}");
    }
    pushes.was_told(&ben, &[]);
}

fn devices(browser: &Browser) -> usize {
    browser.get("/push").expect(200).data()["devices"].as_array().expect("devices").len()
}

fn a_refusal_for_a_moment_is_tried_again_while_it_is_fresh(pushes: Pushes) {
    let inbox = &pushes.inbox;
    let (mia, ben) = (pushes.person("mia", "agent", 1), pushes.person("ben", "agent", 2));
    let ann = inbox.hears(ANN, "Hi!");
    let path = &mia.device.path;
    let turns = [Reply::status(500), Reply::status(429).header("retry-after", "120")];
    pushes.sink.answer_in_turn(path, turns, Reply::status(201));
    ben.mentions(&ann, &mia, "Look.");
    pushes.sink.wait(path, 1);
    inbox.advance(6);
    pushes.sink.wait(path, 2);
    inbox.advance(60);
    assert_eq!(pushes.sink.count(path), 2, "it waits as long as the push service asked");
    inbox.advance(61);
    let told = pushes.told_soon(&mia, 3);
    assert_eq!((&told[2], &told[1]), (&told[0], &told[0]), "it is the same notification");
    let topics: Vec<String> =
        pushes.sink.at(path).iter().map(|received| received.header("topic").to_owned()).collect();
    assert_eq!((&topics[0], &topics[1]), (&topics[1], &topics[2]));
    // A refusal for good is not repeated, and is counted.
    pushes.sink.respond(path, Reply::status(400));
    ben.mentions(&ann, &mia, "Look again.");
    pushes.sink.wait(path, 4);
    inbox.advance(60);
    inbox.advance(60);
    assert_eq!(pushes.sink.count(path), 4);
    let listed = mia.browser.get("/push").expect(200);
    assert_eq!(listed.data()["devices"][0]["failures"], 1);
}

fn a_device_dies_with_its_session(pushes: Pushes) {
    let (inbox, app) = (&pushes.inbox, &pushes.inbox.app);
    let ben = pushes.person("ben", "admin", 2);
    let (mia, ida) = (pushes.person("mia", "agent", 1), pushes.person("ida", "agent", 3));
    let ann = inbox.hears(ANN, "Hi!");
    ben.mentions(&ann, &mia, "One.");
    pushes.told_soon(&mia, 1);
    let again = Browser::new(app).sign_in("mia@example.com");
    assert_eq!(devices(&again), 1, "she sees her other device");
    mia.browser.send("DELETE", "/session").expect(200);
    assert_eq!(devices(&again), 0);
    ben.mentions(&ann, &mia, "Two.");
    // A member who is removed, and an account that is suspended.
    app.cli(&["member", "remove", &ida.id]);
    inbox.advance(2);
    assert_eq!((pushes.told(&mia).len(), pushes.told(&ida).len()), (1, 0));
    mia_again(&pushes, again).assigns(&ann, &ben);
    pushes.told_soon(&ben, 1);
    pushes.sink.answer_in_turn(&ben.device.path, [Reply::status(500)], Reply::status(201));
    inbox.hears(ANN, "Hello?");
    pushes.sink.wait(&ben.device.path, 2);
    app.cli(&["account", "suspend", &inbox.tenant.account.id]);
    inbox.advance(20);
    assert_eq!(pushes.sink.count(&ben.device.path), 2, "it went on while the account was suspended");
}

fn mia_again(pushes: &Pushes, browser: Browser) -> Person {
    let id = text(&browser.get("/session").expect(200).data()["user"]["id"]).to_owned();
    pushes.subscribed(id, browser, 9)
}

fn nobody_reaches_the_devices_of_others(pushes: Pushes) {
    let mia = pushes.person("mia", "agent", 1);
    let colleague = pushes.person("ada", "admin", 2);
    let other = stranger(&pushes.inbox.app);
    let device = format!("/push/devices/{}", mia.device_id);
    for browser in [&colleague.browser, &other] {
        browser.patch(&device, json!({ "with_text": true })).expect(404).error("not_found");
        browser.send("DELETE", &device).expect(404).error("not_found");
        browser.post(&format!("{device}/test"), json!({})).expect(404).error("not_found");
        assert!(!browser.get("/push").expect(200).text.contains(&mia.device_id));
    }
    mia.browser.send("DELETE", &device).expect(200);
    mia.browser.send("DELETE", &device).expect(404);
    assert_eq!(devices(&mia.browser), 0);
}

fn a_browser_belongs_to_who_uses_it_now(pushes: Pushes) {
    let app = &pushes.inbox.app;
    let (mia, ben) = (pushes.person("mia", "agent", 1), pushes.person("ben", "agent", 2));
    // Ben signs in on Mia's computer, where nobody has signed out.
    let shared = Browser::new(app).sign_in("ben@example.com");
    let here = pushes.subscribed(ben.id.clone(), shared, 1);
    assert_eq!((devices(&mia.browser), devices(&ben.browser)), (0, 2));
    // Whoever knows only the address takes nothing away.
    let mut guessed = Device::new(1).subscription(&pushes.sink);
    guessed["auth"] = Device::new(7).subscription(&pushes.sink)["auth"].clone();
    stranger(app).post("/push/devices", guessed).expect(201);
    assert_eq!(devices(&ben.browser), 2);
    pushes.was_told(&here, &[]);
    // There is a most of devices, and the next may come when one is removed.
    for number in 20..28 {
        let browser = Browser::new(app).sign_in("ben@example.com");
        browser.post("/push/devices", Device::new(number).subscription(&pushes.sink)).expect(201);
    }
    let one_more = Browser::new(app).sign_in("ben@example.com");
    let subscription = Device::new(40).subscription(&pushes.sink);
    let refused = one_more.post("/push/devices", subscription.clone()).expect(422);
    assert_eq!(refused.error("unprocessable")["reason"], "too_many_devices");
    // A device that is there may still move.
    ben.browser.post("/push/devices", Device::new(41).subscription(&pushes.sink)).expect(201);
    one_more.send("DELETE", &format!("/push/devices/{}", ben.device_id)).expect(200);
    one_more.post("/push/devices", subscription).expect(201);
}

fn a_wrong_subscription_is_refused(app: App) {
    let browser = stranger(&app);
    let sink = frontdesk_e2e::Sink::start();
    let right = Device::new(1).subscription(&sink);
    let with = |field: &str, value: Value| {
        let mut body = right.clone();
        body["endpoint"] = json!("https://push.example.com/1");
        body[field] = value;
        body
    };
    for (field, value) in [
        ("endpoint", right["endpoint"].clone()),
        ("endpoint", json!("http://push.example.com/1")),
        ("endpoint", json!("https://127.0.0.1/1")),
        ("endpoint", json!("https://169.254.169.254/latest")),
        ("endpoint", json!("https://[::1]/1")),
        ("endpoint", json!("https://user:pass@push.example.com/")),
        ("endpoint", json!(format!("https://push.example.com/{}", "x".repeat(3_000)))),
        ("p256dh", json!("AAAA")),
        ("p256dh", json!("B".repeat(87))),
        ("p256dh", json!("B".repeat(1_000))),
        ("p256dh", Value::Null),
        ("auth", json!("AAAA")),
        ("auth", json!("*".repeat(22))),
        ("kinds", json!(["everything"])),
        ("kinds", json!(["asks", "asks", "asks", "asks", "asks", "asks"])),
        ("with_text", json!("yes")),
        ("language", json!("x".repeat(21))),
    ] {
        let response = browser.post("/push/devices", with(field, value.clone())).expect(400);
        assert!(response.text.contains(field), "{field} {value}: {}", response.text);
    }
    assert_eq!(devices(&browser), 0);
}
