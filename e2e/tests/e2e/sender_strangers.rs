//! A linked device and people who never wrote to it: it writes to them one by one, after pauses, and to so many a day.

use frontdesk_e2e::{Connection, came_true, on_every_engine};
use serde_json::{Value, json};

use crate::inbound_scene::{ANN, Inbox};
use crate::inbox_scene::a_number;
use crate::shapes::text;

on_every_engine! {
    strangers_are_written_to_one_by_one_after_pauses,
    first_messages_to_strangers_are_limited_per_day_and_the_rest_wait,
    overdue_first_contacts_are_not_sent_all_at_once,
    a_customer_who_has_written_is_not_a_first_contact,
    messages_after_a_first_contact_follow_it_without_a_turn_of_their_own,
    a_failed_first_message_does_not_make_the_person_known,
    a_ban_stops_the_device_and_what_waits_has_failed,
    a_working_session_does_not_undo_a_ban,
    a_working_session_does_not_undo_the_operators_disconnect,
    a_disconnect_fails_what_waits_whenever_it_is_due,
    a_sandbox_device_writes_to_strangers_without_pauses,
}

/// The bounds of the pause between two first contacts, and how many of them a day holds.
const PAUSE_MIN: u64 = 45;
const PAUSE_MAX: u64 = 180;
const A_DAY: usize = 30;
const DAY: u64 = 24 * 60 * 60;

/// A linked device of the account, behind a bridge that is none of our stand-ins as far as the server knows.
struct Device {
    inbox: Inbox,
    id: String,
}

impl frontdesk_e2e::Given for Device {
    fn given(engine: frontdesk_e2e::Engine) -> Self {
        let inbox = Inbox::given(engine);
        let mut known = Connection {
            channel: "personal_whatsapp".to_owned(),
            name: "device".to_owned(),
            session: Some("device".to_owned()),
            bridge_key: Some("key".to_owned()),
            ..Connection::default()
        };
        inbox.vendors.keep(known.clone());
        let url = inbox.vendors.graph_url().replace("/graph", "/bridge");
        let made = inbox.app.cli(&[
            "channel",
            "connect",
            "--account",
            &inbox.tenant.account.id,
            "--channel",
            "personal_whatsapp",
            "--bridge-url",
            &url,
            "--bridge-key",
            "key",
            "--session",
            "device",
        ]);
        assert_eq!(made["session"], "working", "{made}");
        text(&made["connection_id"]).clone_into(&mut known.id);
        // Where the bridge reports to, and what it signs with.
        let session =
            inbox.vendors.calls().with("x-api-key", "key").get("/sandbox/bridge/api/sessions/device");
        let hook = &session.expect(200).json["config"]["webhooks"][0];
        text(&hook["url"]).clone_into(&mut known.webhook_url);
        text(&hook["hmac"]["key"]).clone_into(&mut known.app_secret);
        inbox.vendors.keep(known.clone());
        Self { inbox, id: known.id }
    }
}

impl Device {
    /// Writes to a number: the message's id.
    #[track_caller]
    fn write(&self, phone: &str, words: &str) -> String {
        let to = json!({ "phone": phone, "channel": "personal_whatsapp", "connection_id": self.id });
        self.inbox
            .client
            .post("/messages", json!({ "type": "text", "to": to, "text": words }))
            .expect(201)
            .id()
    }

    /// Writes to so many people who never wrote: the messages' ids.
    #[track_caller]
    fn greet(&self, people: usize) -> Vec<String> {
        (0..people).map(|_| self.write(&a_number(), "Hello")).collect()
    }

    /// A customer writes to the device.
    #[track_caller]
    fn hear(&self, customer: &str) {
        let path = format!("/sandbox/customers/{customer}/messages");
        let said = json!({ "connection_id": self.id, "text": "Hi" });
        self.inbox.vendors.calls().post(&path, said).expect(200);
    }

    /// What has reached people, oldest first.
    #[track_caller]
    fn reached(&self) -> Vec<Value> {
        self.inbox.advance(0);
        self.inbox.vendors.sent()
    }

    #[track_caller]
    fn status(&self, message: &str) -> String {
        self.inbox.status(message)
    }

    /// The bridge reports the session's state.
    #[track_caller]
    fn session(&self, state: &str) {
        let body = json!({
            "id": "evt_1", "timestamp": 1_750_000_000_000_i64, "event": "session.status", "session": "device",
            "payload": { "status": state },
        });
        let told = json!({ "connection_id": self.id, "body": body });
        self.inbox.vendors.calls().post("/sandbox/webhooks", told).expect(200);
    }

    #[track_caller]
    fn standing(&self) -> Value {
        let listed = self.inbox.client.get("/channels").expect(200);
        listed.data()[0].clone()
    }
}

fn strangers_are_written_to_one_by_one_after_pauses(device: Device) {
    device.hear(ANN);
    let messages = device.greet(3);
    assert_eq!(device.reached().len(), 1);
    // Somebody who is known is answered meanwhile.
    let response = device.write(&format!("+{ANN}"), "Hi Ann");
    assert_eq!(device.reached().len(), 2);
    assert_ne!(device.status(&response), "sending");
    device.inbox.advance(PAUSE_MIN - 15);
    assert_eq!(device.reached().len(), 2, "the pause was too short");
    device.inbox.advance(PAUSE_MAX);
    assert_eq!(device.reached().len(), 3);
    assert_eq!(device.status(&messages[2]), "sending");
    device.inbox.advance(PAUSE_MAX + 1);
    assert_eq!(device.reached().len(), 4);
    for message in &messages {
        assert_ne!(device.status(message), "sending");
    }
}

fn first_messages_to_strangers_are_limited_per_day_and_the_rest_wait(device: Device) {
    let messages = device.greet(A_DAY + 2);
    let mut passed = 0;
    for turn in 1..=A_DAY {
        assert_eq!(device.reached().len(), turn);
        // What went out is remembered, whichever server it was.
        if turn == A_DAY / 2 {
            device.inbox.app.restart();
        }
        device.inbox.advance(PAUSE_MAX + 1);
        passed += PAUSE_MAX + 1;
    }
    assert_eq!(device.reached().len(), A_DAY);
    device.inbox.advance(DAY - passed - 60);
    assert_eq!(device.reached().len(), A_DAY);
    for waiting in &messages[A_DAY..] {
        assert_eq!(device.status(waiting), "sending");
    }
    device.inbox.advance(PAUSE_MAX + 61);
    assert_eq!(device.reached().len(), A_DAY + 1);
    device.inbox.advance(PAUSE_MAX + 1);
    assert_eq!(device.reached().len(), A_DAY + 2);
}

fn overdue_first_contacts_are_not_sent_all_at_once(device: Device) {
    device.hear(ANN);
    device.greet(5);
    assert_eq!(device.reached().len(), 1);
    // The turns of all of them pass at once, as they do when no server runs.
    device.inbox.advance(60 * 60);
    assert_eq!(device.reached().len(), 2);
    device.write(&format!("+{ANN}"), "Hi Ann");
    assert_eq!(device.reached().len(), 3, "who is known does not wait for strangers");
    for many in 4..=6 {
        device.inbox.advance(PAUSE_MAX + 1);
        assert_eq!(device.reached().len(), many);
    }
}

fn a_customer_who_has_written_is_not_a_first_contact(device: Device) {
    let phone = a_number();
    device.greet(1);
    let (first, second) = (device.write(&phone, "Hello"), device.write(&phone, "Still there?"));
    assert_eq!(device.reached().len(), 1);
    device.hear(&phone[1..]);
    // By itself: no clock is moved for it.
    assert!(came_true(|| device.status(&second) != "sending"));
    let sent = device.reached();
    assert_eq!(sent.len(), 3);
    assert_eq!((text(&sent[1]["text"]), text(&sent[2]["text"])), ("Hello", "Still there?"));
    assert_ne!(device.status(&first), "sending");
}

fn messages_after_a_first_contact_follow_it_without_a_turn_of_their_own(device: Device) {
    let (one, other) = (a_number(), a_number());
    for phone in [&one, &other] {
        device.write(phone, "First");
        device.write(phone, "Second");
    }
    // The device is as fast as a person, not faster.
    assert!(came_true(|| device.inbox.vendors.sent().len() == 2));
    device.inbox.advance(PAUSE_MAX + 1);
    let sent = device.reached();
    let told: Vec<&str> = sent.iter().map(|sent| text(&sent["text"])).collect();
    assert_eq!(told, ["First", "Second", "First", "Second"]);
    assert_eq!((&sent[1]["to"], &sent[3]["to"]), (&json!(one[1..]), &json!(other[1..])));
}

fn a_failed_first_message_does_not_make_the_person_known(device: Device) {
    let (one, other) = (a_number(), a_number());
    device.inbox.vendors.faults(json!([{ "on": "send", "kind": "status", "status": 400, "times": 1 }]));
    let failed = device.write(&one, "Hello");
    device.inbox.becomes(&failed, "failed");
    device.write(&other, "Hello");
    let again = device.write(&one, "Hello again");
    assert_eq!(device.reached().len(), 0, "a refused call was a contact too");
    device.inbox.advance(PAUSE_MAX + 1);
    assert_eq!(device.reached().len(), 1);
    assert_eq!(device.status(&again), "sending");
    device.inbox.advance(PAUSE_MAX + 1);
    assert_eq!(device.reached().len(), 2);
}

fn a_ban_stops_the_device_and_what_waits_has_failed(device: Device) {
    let first = device.greet(1).remove(0);
    device.inbox.becomes(&first, "delivered");
    let banned = device.write("+19995550100", "Hello");
    let waiting = device.greet(3);
    device.inbox.vendors.faults(
        json!([{ "on": "send", "kind": "error", "status": 500, "code": 463, "to": "19995550100", "times": 1 }]),
    );
    device.inbox.advance(PAUSE_MAX + 1);
    for message in waiting.iter().chain([&banned]) {
        device.inbox.becomes(message, "failed");
    }
    let reason = |message: &str| device.inbox.changes(message).pop().unwrap()["error"]["reason"].clone();
    assert_eq!(
        (reason(&banned), reason(&waiting[2])),
        (json!("channel_stopped"), json!("channel_not_connected"))
    );
    let standing = device.standing();
    assert_eq!(standing["status"], "disconnected");
    assert!(text(&standing["disconnected_reason"]).contains("463"), "{standing}");
    let to = json!({ "phone": a_number(), "channel": "personal_whatsapp", "connection_id": device.id });
    let more = json!({ "type": "text", "to": to, "text": "Hello" });
    device.inbox.client.post("/messages", more).expect(422).error("channel_not_connected");
    device.inbox.advance(DAY);
    assert_eq!(device.reached().len(), 1);
    // When the ban is over, it goes on as carefully as before.
    device.inbox.app.cli(&["channel", "reconnect", &device.id]);
    device.greet(2);
    assert_eq!(device.reached().len(), 2);
}

fn a_working_session_does_not_undo_a_ban(device: Device) {
    device.inbox.vendors.faults(
        json!([{ "on": "send", "kind": "error", "status": 500, "code": 463, "to": "19995550100", "times": 1 }]),
    );
    let banned = device.write("+19995550100", "Hello");
    device.inbox.becomes(&banned, "failed");
    let standing = device.standing();
    assert_eq!(standing["status"], "disconnected");
    // The session of a banned number ends and works again while the ban lasts.
    for state in ["WORKING", "STOPPED", "WORKING"] {
        device.session(state);
        assert_eq!(device.standing(), standing, "{state}");
    }
    device.inbox.app.cli(&["channel", "reconnect", &device.id]);
    assert_eq!(device.standing()["status"], "connected");
}

fn a_working_session_does_not_undo_the_operators_disconnect(device: Device) {
    device.session("FAILED");
    assert_eq!(device.standing()["status"], "disconnected");
    device.inbox.app.cli(&["channel", "disconnect", &device.id]);
    device.session("WORKING");
    let standing = device.standing();
    assert_eq!(standing["status"], "disconnected");
    assert_eq!(standing["disconnected_reason"], "disconnected by the operator");
}

fn a_disconnect_fails_what_waits_whenever_it_is_due(device: Device) {
    type End = fn(&Device);
    let ends: [(&str, End); 2] = [
        ("session", |device| device.session("FAILED")),
        // Another process, which cannot wake the server's sender.
        ("operator", |device| drop(device.inbox.app.cli(&["channel", "disconnect", &device.id]))),
    ];
    for (whose, end) in ends {
        let first = device.greet(1).remove(0);
        device.inbox.becomes(&first, "delivered");
        let waiting = device.greet(3);
        end(&device);
        // No clock is moved: their turns would come minutes later.
        device.inbox.all_become(&waiting, "failed");
        let told = device.inbox.changes(&waiting[0]).pop().unwrap();
        assert_eq!(told["error"]["reason"], "channel_not_connected", "{whose}");
        device.inbox.app.cli(&["channel", "reconnect", &device.id]);
        device.inbox.advance(PAUSE_MAX + 1);
    }
}

fn a_sandbox_device_writes_to_strangers_without_pauses(inbox: Inbox) {
    let account = inbox.tenant.account.id.as_str();
    let made = inbox.app.cli(&[
        "channel",
        "connect",
        "--account",
        account,
        "--channel",
        "personal_whatsapp",
        "--sandbox",
    ]);
    let device = Device { id: text(&made["connection_id"]).to_owned(), inbox };
    for message in device.greet(3) {
        device.inbox.becomes(&message, "delivered");
    }
}
