//! Sends that did not go out: tried again as long as it is worth it, and sent once.

use frontdesk_e2e::{Reply, Sink, Vendors, came_true, graph_url, nowhere, on_every_engine};
use serde_json::{Value, json};

use crate::inbound_scene::{ANN, EVE, Inbox, TestConnection};
use crate::shapes::text;

on_every_engine! {
    a_failing_channel_is_tried_until_it_works_and_takes_it_once,
    a_channel_that_keeps_failing_is_tried_five_times,
    a_channel_that_cannot_be_reached_is_tried_until_it_can,
    a_channel_that_asks_to_wait_is_waited_for,
    one_person_is_written_to_again_after_a_pause,
    some_refusals_are_retried_once,
    a_permanent_refusal_is_reported_at_once,
    a_token_that_is_no_longer_good_disconnects_the_channel,
    a_pending_retry_survives_a_restart,
}

/// A number whose vendor is a sink: every call is counted.
struct Vendor {
    sink: Sink,
    connection: TestConnection,
    path: String,
}

impl Vendor {
    #[track_caller]
    fn new(inbox: &Inbox) -> Self {
        let sink = Sink::start();
        let connection = inbox.connect("whatsapp", &inbox.tenant.account.id, &sink.url(""), &[]);
        let path = format!("/v23.0/{}/messages", connection.phone_number_id());
        Self { sink, connection, path }
    }

    fn responses(&self, turns: impl IntoIterator<Item = Reply>) {
        self.sink.answer_in_turn(&self.path, turns, taken());
    }

    fn calls(&self) -> usize {
        self.sink.count(&self.path)
    }

    /// Waits for the first call, and until what came of it is written.
    #[track_caller]
    fn called(&self, inbox: &Inbox, calls: usize) {
        self.sink.wait(&self.path, calls);
        inbox.advance(0);
        assert_eq!(self.calls(), calls);
    }
}

fn taken() -> Reply {
    Reply::status(200)
        .body(json!({ "messages": [{ "id": crate::inbound_scene::fresh("taken") }] }).to_string())
}

fn refused(status: u16, code: i64) -> Reply {
    let error = json!({ "message": "(#1) No", "code": code, "error_data": { "details": "Because" } });
    Reply::status(status).body(json!({ "error": error }).to_string())
}

#[track_caller]
fn error_of(inbox: &Inbox, id: &str) -> Value {
    assert_eq!(inbox.status(id), "failed");
    inbox.changes(id).pop().unwrap()["error"].clone()
}

fn a_failing_channel_is_tried_until_it_works_and_takes_it_once(inbox: Inbox) {
    let connection = inbox.whatsapp();
    inbox.vendors.report_by_hand();
    let conversation = inbox.hear(&connection, ANN);
    inbox.vendors.faults(json!([
        { "on": "send", "kind": "status", "status": 500, "times": 1 },
        { "on": "send", "kind": "status", "status": 503, "times": 1 },
        { "on": "send", "kind": "error", "code": 131_016, "times": 1 },
    ]));
    let id = inbox.say(&conversation, "Hi");
    for left in [2, 1, 0] {
        assert!(came_true(|| inbox.vendors.faults_left() <= left));
        inbox.advance(0);
        assert_eq!(inbox.status(&id), "sending");
        assert!(inbox.vendors.sent().is_empty());
        inbox.advance(31);
    }
    inbox.becomes(&id, "sent");
    inbox.advance(600);
    assert_eq!((inbox.vendors.sent().len(), inbox.status(&id).as_str()), (1, "sent"));
}

fn a_channel_that_keeps_failing_is_tried_five_times(inbox: Inbox) {
    let vendor = Vendor::new(&inbox);
    vendor.sink.respond(&vendor.path, Reply::status(502).body("<html>Bad gateway</html>"));
    let id = inbox.say(&inbox.hear(&vendor.connection, ANN), "Hi");
    vendor.called(&inbox, 1);
    for (pause, calls) in [(2, 2), (10, 3), (30, 4), (120, 5)] {
        assert_eq!(inbox.status(&id), "sending");
        inbox.advance(pause + 1);
        assert_eq!(vendor.calls(), calls);
    }
    let error = error_of(&inbox, &id);
    assert_eq!((&error["reason"], &error["code"]), (&json!("temporary"), &json!("http_502")));
    inbox.advance(3600);
    assert_eq!(vendor.calls(), 5);
}

fn a_channel_that_cannot_be_reached_is_tried_until_it_can(inbox: Inbox) {
    let address = nowhere();
    let connection = inbox.connect("whatsapp", &inbox.tenant.account.id, &graph_url(address), &[]);
    let conversation = inbox.hear(&connection, ANN);
    let ids = ["One", "Two"].map(|words| inbox.say(&conversation, words));
    for pause in [0, 3, 5, 9, 17] {
        inbox.advance(pause);
        for id in &ids {
            let message = inbox.read(id);
            assert_eq!(message["status"], "sending", "{message}");
        }
    }
    // The vendor knows the number before it listens: a retry may come at any time.
    let known = frontdesk_e2e::Connection {
        webhook_url: format!("{}{}", inbox.app.base(), connection.path),
        ..connection.known.clone()
    };
    let vendors = Vendors::at(address, vec![known]);
    // The next pause is 32 seconds; on a slow machine it may already be 64.
    inbox.advance(70);
    inbox.all_become(&ids, "delivered");
    let sent = vendors.sent();
    let words: Vec<&Value> = sent.iter().map(|sent| &sent["text"]).collect();
    assert_eq!(words, ["One", "Two"]);
}

fn a_channel_that_asks_to_wait_is_waited_for(inbox: Inbox) {
    let vendor = Vendor::new(&inbox);
    vendor.responses([Reply::status(429).header("Retry-After", "90")]);
    let id = inbox.say(&inbox.hear(&vendor.connection, ANN), "Hi");
    vendor.called(&inbox, 1);
    inbox.advance(80);
    assert_eq!((vendor.calls(), inbox.status(&id).as_str()), (1, "sending"));
    inbox.advance(11);
    inbox.becomes(&id, "sent");
    assert_eq!(vendor.calls(), 2);
    // What cannot be read as a number of seconds is no reason to wait for ever.
    vendor.responses([Reply::status(429).header("Retry-After", "soon")]);
    let id = inbox.say(text(&inbox.only_conversation()["id"]), "Hi again");
    vendor.called(&inbox, 3);
    inbox.advance(3);
    inbox.becomes(&id, "sent");
}

fn one_person_is_written_to_again_after_a_pause(inbox: Inbox) {
    let vendor = Vendor::new(&inbox);
    vendor.responses([refused(400, 131_056)]);
    let id = inbox.say(&inbox.hear(&vendor.connection, ANN), "Hi");
    vendor.called(&inbox, 1);
    // It is too much for one person, and for nobody else.
    let other = inbox.say(&inbox.hear(&vendor.connection, EVE), "Hi");
    inbox.becomes(&other, "sent");
    inbox.advance(4);
    assert_eq!((vendor.calls(), inbox.status(&id).as_str()), (2, "sending"));
    inbox.advance(3);
    inbox.becomes(&id, "sent");
}

fn some_refusals_are_retried_once(inbox: Inbox) {
    let vendor = Vendor::new(&inbox);
    vendor.sink.respond(&vendor.path, refused(400, 131_053));
    let id = inbox.say(&inbox.hear(&vendor.connection, ANN), "Hi");
    vendor.called(&inbox, 1);
    assert_eq!(inbox.status(&id), "sending");
    inbox.advance(3);
    let error = error_of(&inbox, &id);
    assert_eq!(error, json!({ "code": "131053", "reason": "media_unavailable", "message": "Because" }));
    inbox.advance(600);
    assert_eq!(vendor.calls(), 2);
}

fn a_permanent_refusal_is_reported_at_once(inbox: Inbox) {
    let vendor = Vendor::new(&inbox);
    let conversation = inbox.hear(&vendor.connection, ANN);
    for (status, code, reason) in [
        (400, 131_026, "recipient_unreachable"),
        (400, 131_047, "outside_window"),
        (400, 132_000, "bad_request"),
        (400, 131_050, "opted_out"),
        (418, 77_777, "bad_request"),
    ] {
        let before = vendor.calls();
        vendor.responses([refused(status, code)]);
        let id = inbox.say(&conversation, "Hi");
        inbox.becomes(&id, "failed");
        let error = json!({ "code": code.to_string(), "reason": reason, "message": "Because" });
        assert_eq!(error_of(&inbox, &id), error);
        inbox.advance(600);
        assert_eq!(vendor.calls(), before + 1, "{code}");
    }
    assert_eq!(inbox.events("contact.opted_out").len(), 1);
}

fn a_token_that_is_no_longer_good_disconnects_the_channel(inbox: Inbox) {
    let vendor = Vendor::new(&inbox);
    let conversation = inbox.hear(&vendor.connection, ANN);
    vendor.responses([Reply::status(500), refused(401, 190)]);
    // Three in one conversation: the others wait behind the first.
    let ids = ["One", "Two", "Three"].map(|words| inbox.say(&conversation, words));
    vendor.called(&inbox, 1);
    inbox.advance(3);
    assert_eq!(error_of(&inbox, &ids[0])["reason"], "token_invalid");
    for id in &ids[1..] {
        inbox.becomes(id, "failed");
        assert_eq!(error_of(&inbox, id)["reason"], "channel_not_connected");
    }
    assert_eq!(vendor.calls(), 2, "what waited was sent all the same");
    let listed = inbox.client.get("/channels").expect(200);
    let channel = &listed.data()[0];
    assert_eq!(channel["status"], "disconnected");
    assert!(text(&channel["disconnected_reason"]).contains("190"), "{channel}");
    let to = json!({ "conversation_id": conversation });
    let new = json!({ "type": "text", "to": to, "text": "Hi" });
    inbox.client.post("/messages", new).expect(422).error("channel_not_connected");
    // This vendor answers sends only.
    let reconnect =
        ["channel", "reconnect", &vendor.connection.id, "--access-token", "another", "--no-check"];
    inbox.app.cli(&reconnect);
    let id = inbox.say(&conversation, "Back again");
    inbox.becomes(&id, "sent");
    let last = vendor.sink.at(&vendor.path).pop().unwrap();
    assert_eq!(last.header("authorization"), "Bearer another");
}

fn a_pending_retry_survives_a_restart(inbox: Inbox) {
    let vendor = Vendor::new(&inbox);
    vendor.responses([Reply::status(500)]);
    let id = inbox.say(&inbox.hear(&vendor.connection, ANN), "Hi");
    vendor.called(&inbox, 1);
    inbox.app.kill();
    inbox.app.restart();
    inbox.advance(15);
    inbox.becomes(&id, "sent");
    assert_eq!(vendor.calls(), 2);
}
