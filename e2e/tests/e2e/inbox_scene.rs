//! What tests of the inbox begin with: a server whose clock can be moved, an account with channels of the sandbox, and
//! customers who write to them.

use std::sync::atomic::{AtomicU32, Ordering};
use std::thread::sleep;
use std::time::{Duration, Instant};

use frontdesk_e2e::{Account, App, Client, Engine, Given, PATIENCE, Response, Start, Tenant};
use serde_json::{Value, json};

use crate::people::walk;
use crate::shapes::text;
use crate::webhooks_scene::moment;

/// A customer's number as the channel writes it, and as E.164 does.
pub(crate) const ANN: &str = "14155550123";
pub(crate) const ANN_PHONE: &str = "+14155550123";
pub(crate) const BOB: &str = "14155550199";
pub(crate) const BOB_PHONE: &str = "+14155550199";

const LOOK_AGAIN: Duration = Duration::from_millis(15);

/// The fields of the resources of the inbox.
pub(crate) const CONVERSATION: &str = "id contact_id channel connection_id status handler assistant_id assigned_user_id \
    unread_count last_message_at last_message_text window_expires_at snoozed_until created_at updated_at";
pub(crate) const MESSAGE: &str = "id conversation_id direction sender_type type text media_url template_name status \
    channel_message_id reply_to_message_id created_at";

/// A server, an account on it, and the account's WhatsApp number in the sandbox.
pub(crate) struct Inbox {
    pub(crate) app: App,
    pub(crate) tenant: Tenant,
    pub(crate) client: Client,
    /// The id of the WhatsApp connection.
    pub(crate) whatsapp: String,
}

impl Given for Inbox {
    fn given(engine: Engine) -> Self {
        Self::of(start(engine))
    }
}

/// A server whose clock can be moved.
pub(crate) fn start(engine: Engine) -> Start {
    App::start(engine).env("FRONTDESK_SANDBOX_CLOCK", "true")
}

/// An account with a key of every scope and a WhatsApp number in the sandbox.
#[track_caller]
pub(crate) fn reachable(app: &App) -> Tenant {
    let tenant = app.tenant();
    connect(app, &tenant.account, "whatsapp");
    tenant
}

/// Connects a channel of the sandbox and returns the connection's id.
#[track_caller]
pub(crate) fn connect(app: &App, account: &Account, channel: &str) -> String {
    let made = app.cli(&["channel", "connect", "--account", &account.id, "--channel", channel, "--sandbox"]);
    assert!(made.get("warning").is_none(), "{made}");
    text(&made["connection_id"]).to_owned()
}

/// A number that no test has written to.
pub(crate) fn a_number() -> String {
    static GIVEN_OUT: AtomicU32 = AtomicU32::new(0);
    format!("+1415{:07}", 2_000_000 + GIVEN_OUT.fetch_add(1, Ordering::Relaxed))
}

/// Looks again and again until there is something, and returns it.
#[track_caller]
pub(crate) fn eventually<T>(what: &str, mut look: impl FnMut() -> Option<T>) -> T {
    let deadline = Instant::now() + PATIENCE;
    loop {
        if let Some(found) = look() {
            return found;
        }
        assert!(Instant::now() < deadline, "never came: {what}");
        sleep(LOOK_AGAIN);
    }
}

/// A template that asks for nothing, to this number.
pub(crate) fn hello_to(phone: &str) -> Value {
    json!({ "type": "template", "to": { "phone": phone }, "template": { "name": "hello_world" } })
}

/// A text into this conversation.
pub(crate) fn reply(conversation: &str, text: &str) -> Value {
    json!({ "type": "text", "to": { "conversation_id": conversation }, "text": text })
}

impl Inbox {
    pub(crate) fn of(start: Start) -> Self {
        let app = start.ready();
        let tenant = app.tenant();
        let whatsapp = connect(&app, &tenant.account, "whatsapp");
        Self { client: tenant.client.clone(), app, tenant, whatsapp }
    }

    /// Connects another channel of this account.
    #[track_caller]
    pub(crate) fn connect(&self, channel: &str) -> String {
        connect(&self.app, &self.tenant.account, channel)
    }

    /// Whoever is in charge of the sandbox.
    pub(crate) fn sandbox(&self) -> Client {
        self.app.anonymous().vendors()
    }

    /// A customer says something over a connection: what the sandbox tells of it.
    #[track_caller]
    pub(crate) fn says(&self, connection: &str, customer: &str, mut words: Value) -> Value {
        words["connection_id"] = json!(connection);
        let said = self.sandbox().post(&format!("/sandbox/customers/{customer}/messages"), words);
        said.expect(200).data().clone()
    }

    /// A customer writes over WhatsApp: the conversation that is then theirs.
    #[track_caller]
    pub(crate) fn hears(&self, customer: &str, words: &str) -> Value {
        self.hears_on(&self.whatsapp, customer, words)
    }

    /// A customer writes over a connection: the conversation that is then theirs.
    #[track_caller]
    pub(crate) fn hears_on(&self, connection: &str, customer: &str, words: &str) -> Value {
        let said = self.says(connection, customer, json!({ "text": words }));
        let id = &said["channel_message_id"];
        let received = self.events("message.received");
        let message =
            received.iter().map(|data| &data["message"]).find(|one| one["channel_message_id"] == *id);
        let message = message.unwrap_or_else(|| panic!("{words:?} was not received"));
        self.conversation(text(&message["conversation_id"]))
    }

    /// What the stand-ins took from a connection, oldest first.
    #[track_caller]
    pub(crate) fn sent(&self, connection: &str) -> Vec<Value> {
        let found = self.sandbox().get(&format!("/sandbox/messages?limit=1000&connection_id={connection}"));
        found.expect(200).data().as_array().expect("a list").clone()
    }

    /// What the stand-ins took from a connection, as soon as it is this many messages.
    #[track_caller]
    pub(crate) fn sent_soon(&self, connection: &str, many: usize) -> Vec<Value> {
        let found =
            eventually("what was sent", || Some(self.sent(connection)).filter(|sent| sent.len() >= many));
        assert_eq!(found.len(), many, "{found:?}");
        found
    }

    /// Makes calls of the stand-ins go wrong.
    #[track_caller]
    pub(crate) fn faults(&self, faults: Value) {
        self.sandbox().put("/sandbox/faults", json!({ "faults": faults })).expect(200);
    }

    /// Lets nothing go wrong any more.
    #[track_caller]
    pub(crate) fn heal(&self) {
        self.sandbox().delete("/sandbox/faults").expect(200);
    }

    /// Nothing is reported of messages unless a test does.
    #[track_caller]
    pub(crate) fn report_by_hand(&self) {
        self.sandbox().put("/sandbox/settings", json!({ "statuses": "manual" })).expect(200);
    }

    /// The channel reports what became of a message.
    #[track_caller]
    pub(crate) fn report(&self, channel_message_id: &str, status: &str) {
        let path = format!("/sandbox/messages/{channel_message_id}/status");
        self.sandbox().post(&path, json!({ "status": status })).expect(200);
    }

    /// Moves the clock, and returns when everything that is due has been done: what the clock then shows.
    #[track_caller]
    pub(crate) fn advance(&self, seconds: u64) -> i64 {
        let moved = self.sandbox().post("/sandbox/clock", json!({ "advance_seconds": seconds }));
        moment(&moved.expect(200).data()["now"])
    }

    /// The server's clock, in seconds.
    #[track_caller]
    pub(crate) fn now(&self) -> i64 {
        self.advance(0) / 1_000
    }

    /// Returns when everything that is due has been done.
    #[track_caller]
    pub(crate) fn settle(&self) {
        self.advance(0);
    }

    #[track_caller]
    pub(crate) fn send(&self, message: Value) -> Response {
        self.client.post("/messages", message)
    }

    /// Sends what must be taken: the message as it is answered.
    #[track_caller]
    pub(crate) fn sends(&self, message: Value) -> Value {
        self.send(message).expect(201).data().clone()
    }

    #[track_caller]
    pub(crate) fn conversation(&self, id: &str) -> Value {
        self.client.get(&format!("/conversations/{id}")).expect(200).data().clone()
    }

    #[track_caller]
    pub(crate) fn message(&self, id: &Value) -> Value {
        self.client.get(&format!("/messages/{}", text(id))).expect(200).data().clone()
    }

    /// The message, as soon as its status is this one.
    #[track_caller]
    pub(crate) fn becomes(&self, message: &Value, status: &str) -> Value {
        let id = &message["id"];
        let mut last = Value::Null;
        let deadline = Instant::now() + PATIENCE;
        while last["status"] != status {
            assert!(Instant::now() < deadline, "it never became {status}: {last}");
            sleep(LOOK_AGAIN);
            last = self.message(id);
        }
        last
    }

    /// What events of a type carry, oldest first.
    #[track_caller]
    pub(crate) fn events(&self, event_type: &str) -> Vec<Value> {
        let rows = walk(&self.client, &format!("/events?event_type={event_type}"));
        rows.into_iter().rev().map(|mut event| event["data"].take()).collect()
    }

    /// The types of all events since its channels were connected, oldest first.
    #[track_caller]
    pub(crate) fn told(&self) -> Vec<String> {
        let rows = walk(&self.client, "/events");
        let types = rows.iter().rev().map(|event| text(&event["event_type"]).to_owned());
        types.filter(|event_type| event_type != "channel.connected").collect()
    }

    /// Why a message failed, as its event tells it.
    #[track_caller]
    pub(crate) fn failure(&self, message: &Value) -> Value {
        let failed = self.becomes(message, "failed");
        let told = self.events("message.status_changed");
        let last = told.iter().rfind(|data| data["message"]["id"] == message["id"]).expect("an event");
        assert_eq!(last["message"], failed);
        last["error"].clone()
    }

    /// The connection as GET /channels shows it.
    #[track_caller]
    pub(crate) fn channel(&self, connection: &str) -> Value {
        let list = self.client.get("/channels").expect(200);
        let rows = list.data().as_array().expect("a list");
        rows.iter()
            .find(|row| row["id"] == connection)
            .unwrap_or_else(|| panic!("{connection} is not listed"))
            .clone()
    }

    /// Adds a member and returns their id.
    #[track_caller]
    pub(crate) fn member(&self, email: &str) -> String {
        member(&self.app, &self.tenant.account, email)
    }
}

/// Adds a member to an account and returns their id.
#[track_caller]
pub(crate) fn member(app: &App, account: &Account, email: &str) -> String {
    let made = app.cli(&["member", "add", "--account", &account.id, "--name", "Mia", "--email", email]);
    text(&made["user_id"]).to_owned()
}

/// The id of a row.
#[track_caller]
pub(crate) fn id(row: &Value) -> &str {
    text(&row["id"])
}
