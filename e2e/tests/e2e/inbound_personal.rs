//! A personal WhatsApp: a linked device that tells what both sides say.

use frontdesk_e2e::{App, Client, Response, came_true, on_every_engine, on_shared_stores};
use postgres::{Client as Postgres, NoTls};
use serde_json::{Value, json};

use crate::inbound_scene::{ANN, start};
use crate::inbox_scene::connect;
use crate::people::walk;
use crate::shapes::text;

on_every_engine! {
    a_customer_gets_a_reply,
    acknowledgements_raise_the_status,
    messages_written_on_the_phone_are_an_agents,
    a_session_that_fails_disconnects_and_one_that_works_connects_again,
    a_session_ended_by_the_operator_stays_ended,
    groups_and_notices_are_left_out,
    a_person_behind_a_hidden_number_is_one_contact,
    only_webhooks_signed_by_the_bridge_are_accepted,
}

on_shared_stores! {
    a_report_is_not_lost_while_the_answer_that_names_its_message_is_written,
}

/// A server with a linked number, at the stand-ins of its own.
struct Device {
    app: App,
    client: Client,
    connection: String,
    session: String,
}

impl frontdesk_e2e::Given for Device {
    fn given(engine: frontdesk_e2e::Engine) -> Self {
        let app = start(engine).ready();
        let tenant = app.tenant();
        let account = &tenant.account.id;
        let args =
            ["channel", "connect", "--account", account, "--channel", "personal_whatsapp", "--sandbox"];
        let made = app.cli(&args);
        assert!(made.get("warning").is_none(), "{made}");
        let connection = text(&made["connection_id"]).to_owned();
        let known = app.anonymous().vendors().get("/sandbox/connections").expect(200);
        let known = known.data().as_array().unwrap().iter().find(|known| known["id"] == connection.as_str());
        let session = text(&known.unwrap()["session"]).to_owned();
        Self { client: tenant.client, app, connection, session }
    }
}

impl Device {
    fn sandbox(&self) -> Client {
        self.app.anonymous().vendors()
    }

    /// Keeps the sandbox open while this number is disconnected: a connection of another account uses it too.
    fn keep_sandbox_open(&self) {
        connect(&self.app, &self.app.tenant().account, "whatsapp");
    }

    #[track_caller]
    fn hear(&self, said: Value) -> String {
        let mut said = said;
        said["connection_id"] = json!(self.connection);
        let told = self.sandbox().post(&format!("/sandbox/customers/{ANN}/messages"), said).expect(200);
        text(&told.data()["channel_message_id"]).to_owned()
    }

    /// Any event of the bridge, signed by it.
    #[track_caller]
    fn tell(&self, event: &str, payload: Value) -> Response {
        let body = json!({
            "id": "evt_1", "timestamp": 1_750_000_000_000_i64, "event": event, "session": self.session, "payload": payload,
        });
        self.sandbox().post("/sandbox/webhooks", json!({ "connection_id": self.connection, "body": body }))
    }

    #[track_caller]
    fn conversations(&self) -> Vec<Value> {
        walk(&self.client, "/conversations")
    }

    #[track_caller]
    fn all(&self) -> Vec<Value> {
        let conversations = self.conversations();
        assert_eq!(conversations.len(), 1, "{conversations:?}");
        let mut all =
            walk(&self.client, &format!("/conversations/{}/messages", text(&conversations[0]["id"])));
        all.reverse();
        all
    }

    #[track_caller]
    fn say(&self, words: &str) -> Response {
        let to = json!({ "conversation_id": self.conversations()[0]["id"] });
        self.client.post("/messages", json!({ "type": "text", "to": to, "text": words }))
    }

    #[track_caller]
    fn message(&self, id: &str) -> Value {
        self.client.get(&format!("/messages/{id}")).expect(200).data().clone()
    }

    #[track_caller]
    fn becomes(&self, id: &str, status: &str) {
        assert!(came_true(|| self.message(id)["status"] == status), "{}", self.message(id));
    }

    #[track_caller]
    fn standing(&self) -> String {
        let listed = self.client.get("/channels").expect(200);
        text(&listed.data()[0]["status"]).to_owned()
    }
}

fn a_customer_gets_a_reply(device: Device) {
    let first = device.hear(json!({ "text": "Hello", "name": "Ann" }));
    device.hear(json!({ "text": "Hello", "name": "Ann", "id": first }));
    device.hear(json!({ "media": { "kind": "image", "caption": "Look" }, "reply_to": first }));
    device.hear(json!({ "location": { "latitude": 1.5, "longitude": 2.5, "name": "Here" } }));
    let all = device.all();
    let kept: Vec<_> = all.iter().map(|message| (text(&message["type"]), text(&message["text"]))).collect();
    assert_eq!(kept, [("text", "Hello"), ("image", "Look"), ("location", "Here (1.5, 2.5)")]);
    assert_eq!(all[1]["reply_to_message_id"], all[0]["id"]);
    let conversation = &device.conversations()[0];
    // A person's own number has no window.
    assert_eq!(
        (&conversation["channel"], &conversation["window_expires_at"]),
        (&json!("personal_whatsapp"), &Value::Null)
    );
    let contacts = walk(&device.client, "/contacts");
    assert_eq!((&contacts[0]["phone"], &contacts[0]["name"]), (&json!(format!("+{ANN}")), &json!("Ann")));
    let id = device.say("Hi Ann").expect(201).id();
    device.becomes(&id, "delivered");
    // The bridge tells what was sent through it as well, which is no second message.
    assert_eq!(device.all().len(), 4);
}

fn acknowledgements_raise_the_status(device: Device) {
    device.sandbox().put("/sandbox/settings", json!({ "statuses": "manual" })).expect(200);
    device.hear(json!({ "text": "Hello" }));
    let send = || {
        let id = device.say("Hi").expect(201).id();
        device.becomes(&id, "sent");
        let named = text(&device.message(&id)["channel_message_id"]).to_owned();
        (id, named)
    };
    let ack = |named: &str, ack: i64| {
        device.tell("message.ack", json!({ "id": named, "fromMe": true, "ack": ack })).expect(200);
    };
    for (acks, end) in [
        (&[1][..], "sent"),
        (&[0, 1, 2], "delivered"),
        (&[3, 2, 1, 0], "read"),
        (&[4], "read"),
        (&[2, -1], "delivered"),
        (&[-1, 2], "failed"),
    ] {
        let (id, named) = send();
        for value in acks {
            ack(&named, *value);
        }
        assert_eq!(device.message(&id)["status"], end, "{acks:?}");
    }
    ack("true_1@c.us_UNKNOWN", 3);
}

fn a_report_is_not_lost_while_the_answer_that_names_its_message_is_written(device: Device) {
    device.hear(json!({ "text": "Hello" }));
    let faults = json!([
        { "on": "send", "kind": "delay", "millis": 1_000, "times": 1 },
        { "on": "webhook", "kind": "reorder_statuses", "times": 1 },
    ]);
    device.sandbox().put("/sandbox/faults", json!({ "faults": faults })).expect(200);
    let [mut database, mut observer] =
        [1, 2].map(|_| Postgres::connect(device.app.database(), NoTls).unwrap());
    let mut waiting = |on: &str| {
        let count = "SELECT count(*) FROM pg_locks WHERE NOT granted AND locktype = $1
            AND database = (SELECT oid FROM pg_database WHERE datname = current_database())";
        observer.query_one(count, &[&on]).unwrap().get::<_, i64>(0) > 0
    };
    // The report has looked for its message in vain, and is stopped just before it is kept.
    let mut stopped = database.transaction().unwrap();
    stopped.batch_execute("LOCK TABLE early_reports IN SHARE MODE").unwrap();
    let said = device.say("Hi").expect(201).id();
    assert!(came_true(|| waiting("relation")), "no report came before the answer");
    assert!(came_true(|| waiting("advisory") || device.message(&said)["status"] == "sent"));
    stopped.commit().unwrap();
    device.becomes(&said, "delivered");
}

fn messages_written_on_the_phone_are_an_agents(device: Device) {
    device.hear(json!({ "text": "Written on the phone", "from_me": true }));
    let message = device.all().remove(0);
    assert_eq!(
        (text(&message["direction"]), text(&message["sender_type"]), text(&message["status"])),
        ("outbound", "agent", "sent")
    );
    assert_eq!(device.conversations()[0]["unread_count"], 0);
    // The contact is who it was written to, by their number and not by our name.
    let contacts = walk(&device.client, "/contacts");
    assert_eq!((&contacts[0]["phone"], &contacts[0]["name"]), (&json!(format!("+{ANN}")), &Value::Null));
    let named = text(&message["channel_message_id"]);
    device.tell("message.ack", json!({ "id": named, "fromMe": true, "ack": 3 })).expect(200);
    assert_eq!(device.all()[0]["status"], "read");
}

fn a_session_that_fails_disconnects_and_one_that_works_connects_again(device: Device) {
    device.keep_sandbox_open();
    device.hear(json!({ "text": "Hello" }));
    for gone in ["FAILED", "STOPPED"] {
        device.tell("session.status", json!({ "status": gone })).expect(200);
        assert_eq!(device.standing(), "disconnected", "{gone}");
        device.say("Hi").expect(422).error("channel_not_connected");
        device.tell("session.status", json!({ "status": "STARTING" })).expect(200);
        assert_eq!(device.standing(), "disconnected");
        device.tell("session.status", json!({ "status": "WORKING" })).expect(200);
        assert_eq!(device.standing(), "connected");
        let id = device.say("Hi").expect(201).id();
        device.becomes(&id, "delivered");
    }
    // A code that waits to be scanned, or a word that nobody knows, ends nothing.
    for word in ["SCAN_QR_CODE", "DREAMING"] {
        device.tell("session.status", json!({ "status": word })).expect(200);
        assert_eq!(device.standing(), "connected", "{word}");
    }
    let listed = device.client.get("/channels").expect(200);
    assert!(listed.data()[0]["disconnected_reason"].is_null());
}

fn a_session_ended_by_the_operator_stays_ended(device: Device) {
    device.keep_sandbox_open();
    device.app.cli(&["channel", "disconnect", &device.connection]);
    device.tell("session.status", json!({ "status": "WORKING" })).expect(200);
    assert_eq!(device.standing(), "disconnected");
    let listed = device.client.get("/channels").expect(200);
    assert_eq!(listed.data()[0]["disconnected_reason"], "disconnected by the operator");
}

fn groups_and_notices_are_left_out(device: Device) {
    let said = |from: &str, data: Value| {
        json!({ "id": format!("false_{from}_X"), "timestamp": 1_750_000_000, "from": from, "fromMe": false,
                "to": "15550002222@c.us", "body": "Hello", "_data": data })
    };
    for from in ["120363041234@g.us", "status@broadcast", "120363@newsletter", "0@c.us"] {
        device.tell("message.any", said(from, json!({}))).expect(200);
    }
    device.tell("message.any", said("16505550101@c.us", json!({ "type": "e2e_notification" }))).expect(200);
    device.tell("presence.update", json!({ "id": "16505550101@c.us" })).expect(200);
    assert!(device.conversations().is_empty());
}

fn a_person_behind_a_hidden_number_is_one_contact(device: Device) {
    let said = |id: &str, from: &str, key: Value| {
        let told = json!({ "id": id, "timestamp": 1_750_000_000, "from": from, "fromMe": false,
                           "to": "15550002222@c.us", "body": id, "_data": { "pushName": "Ann", "key": key } });
        device.tell("message.any", told).expect(200);
    };
    said("false_88@lid_1", "88@lid", json!({}));
    said("false_88@lid_2", "88@lid", json!({ "remoteJidAlt": format!("{ANN}@s.whatsapp.net") }));
    said("false_x@c.us_3", &format!("{ANN}@c.us"), json!({}));
    assert_eq!(device.all().len(), 3);
    let contacts = walk(&device.client, "/contacts");
    assert_eq!((contacts.len(), &contacts[0]["phone"]), (1, &json!(format!("+{ANN}"))));
}

fn only_webhooks_signed_by_the_bridge_are_accepted(device: Device) {
    let path = format!("/channels/personal_whatsapp/{}", device.connection);
    let body =
        json!({ "event": "session.status", "session": device.session, "payload": { "status": "FAILED" } });
    for hmac in ["", "00", &"0".repeat(128)] {
        let caller = device.sandbox().with("x-webhook-hmac", hmac);
        caller.post_text(&path, body.to_string()).expect(403).error("forbidden");
    }
    device.sandbox().post_text(&path, body.to_string()).expect(403);
    assert_eq!(device.standing(), "connected");
    // Nobody sets this webhook up by a challenge.
    device.sandbox().get(&format!("{path}?hub.mode=subscribe&hub.verify_token=&hub.challenge=1")).expect(403);
}
