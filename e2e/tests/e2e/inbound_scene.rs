//! What tests of the inbox begin with: a server whose clock can be moved, and vendors that outlive it.

use std::sync::atomic::{AtomicU32, Ordering};

use frontdesk_e2e::{
    App, Client, Connection, Engine, Given, Response, Start, Tenant, Vendors, came_true, signed_by_meta,
};
use serde_json::{Value, json};

use crate::people::walk;
use crate::shapes::text;

pub(crate) const ANN: &str = "16505550101";
pub(crate) const EVE: &str = "16505550102";

/// A call whose outcome nobody knows has failed after so many seconds.
pub(crate) const DOUBT: u64 = 10 * 60;

/// A server, an account on it, and the world outside.
pub(crate) struct Inbox {
    // In this order: the server ends before the vendors do.
    pub(crate) app: App,
    pub(crate) tenant: Tenant,
    pub(crate) client: Client,
    pub(crate) vendors: Vendors,
}

/// A connection, as both sides know it.
pub(crate) struct TestConnection {
    pub(crate) id: String,
    /// `/channels/CHANNEL/ID`
    pub(crate) path: String,
    pub(crate) known: Connection,
}

impl TestConnection {
    pub(crate) fn phone_number_id(&self) -> &str {
        self.known.phone_number_id.as_deref().unwrap_or_default()
    }

    pub(crate) fn page_id(&self) -> &str {
        self.known.page_id.as_deref().unwrap_or_default()
    }
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

impl Inbox {
    pub(crate) fn of(start: Start) -> Self {
        let vendors = Vendors::start();
        let app = start.ready();
        let tenant = app.tenant();
        Self { client: tenant.client.clone(), app, tenant, vendors }
    }

    /// A WhatsApp number of the account.
    #[track_caller]
    pub(crate) fn whatsapp(&self) -> TestConnection {
        self.connect("whatsapp", &self.tenant.account.id, &self.vendors.graph_url(), &[])
    }

    /// A page of the account, on Messenger or Instagram.
    #[track_caller]
    pub(crate) fn page(&self, channel: &str) -> TestConnection {
        self.connect(channel, &self.tenant.account.id, &self.vendors.graph_url(), &[])
    }

    /// A connection of an account, at vendors that answer there.
    #[track_caller]
    pub(crate) fn connect(
        &self,
        channel: &str,
        account: &str,
        graph_url: &str,
        options: &[&str],
    ) -> TestConnection {
        static MADE: AtomicU32 = AtomicU32::new(1);
        let number = MADE.fetch_add(1, Ordering::Relaxed);
        let some = |kind: u32| Some(format!("{kind}{number:06}"));
        let is_whatsapp = channel == "whatsapp";
        let mut known = Connection {
            channel: channel.to_owned(),
            name: format!("line {number}"),
            phone_number_id: some(1).filter(|_| is_whatsapp),
            waba_id: some(2).filter(|_| is_whatsapp),
            page_id: some(3).filter(|_| !is_whatsapp),
            access_token: format!("token-{number}"),
            app_secret: format!("secret-{number}"),
            ..Connection::default()
        };
        // Before it is connected: its templates are read then.
        self.vendors.keep(known.clone());
        let mut args = vec!["channel", "connect", "--account", account, "--channel", channel];
        match (&known.phone_number_id, &known.waba_id, &known.page_id) {
            (Some(phone_number), Some(waba), _) => {
                args.extend(["--phone-number-id", phone_number, "--waba-id", waba]);
            }
            (_, _, page) => args.extend(["--page-id", page.as_deref().unwrap_or_default()]),
        }
        args.extend(["--access-token", &known.access_token, "--app-secret", &known.app_secret]);
        args.extend(["--verify-token", "agreed", "--graph-url", graph_url]);
        args.extend(options);
        if graph_url != self.vendors.graph_url() {
            // Whoever answers there answers what a test has it answer, and may not be there yet.
            args.push("--no-check");
        }
        let made = self.app.cli(&args);
        let id = text(&made["connection_id"]).to_owned();
        let path = format!("/channels/{channel}/{id}");
        known.id.clone_from(&id);
        let connection = TestConnection { id, path, known };
        self.point(&connection);
        connection
    }

    /// Tells the vendors where the server is now.
    pub(crate) fn point(&self, connection: &TestConnection) {
        let webhook_url = format!("{}{}", self.app.base(), connection.path);
        self.vendors.keep(Connection { webhook_url, ..connection.known.clone() });
    }

    /// Sends a webhook, signed as it must be.
    #[track_caller]
    pub(crate) fn tell(&self, connection: &TestConnection, body: &Value) -> Response {
        tell(&self.app.anonymous(), connection, body)
    }

    /// A customer writes to a WhatsApp number: the conversation's id.
    #[track_caller]
    pub(crate) fn hear(&self, connection: &TestConnection, from: &str) -> String {
        let said = self.message(from, &fresh("hello"), "text", json!({ "body": "Hello" }));
        self.tell(connection, &messages(connection, &[said])).expect(200);
        let contact = self.contact(from);
        let found = self.conversations(&format!("?contact_id={contact}"));
        let here = found.iter().find(|conversation| conversation["connection_id"] == connection.id.as_str());
        text(&here.expect("a conversation on this connection")["id"]).to_owned()
    }

    /// The contact with this number.
    #[track_caller]
    pub(crate) fn contact(&self, number: &str) -> String {
        let found = self.client.get(&format!("/contacts?phone=%2B{number}")).expect(200);
        text(&found.data()[0]["id"]).to_owned()
    }

    /// A customer's message as WhatsApp tells it, said now.
    pub(crate) fn message(&self, from: &str, id: &str, kind: &str, part: Value) -> Value {
        let seconds = (self.vendors.now() / 1000).to_string();
        json!({ "from": from, "id": id, "timestamp": seconds, "type": kind, kind: part })
    }

    /// Sends a text into a conversation: the message's id.
    #[track_caller]
    pub(crate) fn say(&self, conversation: &str, words: &str) -> String {
        let to = json!({ "conversation_id": conversation });
        self.client.post("/messages", json!({ "type": "text", "to": to, "text": words })).expect(201).id()
    }

    /// A message as it is now.
    #[track_caller]
    pub(crate) fn read(&self, message: &str) -> Value {
        self.client.get(&format!("/messages/{message}")).expect(200).data().clone()
    }

    #[track_caller]
    pub(crate) fn status(&self, message: &str) -> String {
        text(&self.read(message)["status"]).to_owned()
    }

    /// Waits until a message has this status.
    #[track_caller]
    pub(crate) fn becomes(&self, message: &str, status: &str) {
        let became = came_true(|| self.status(message) == status);
        assert!(became, "it never became {status}: {}", self.read(message));
    }

    /// Waits until all of them have this status.
    #[track_caller]
    pub(crate) fn all_become(&self, messages: &[String], status: &str) {
        for message in messages {
            self.becomes(message, status);
        }
    }

    /// Sends a text and waits until its channel has taken it: our id of it, and the channel's.
    #[track_caller]
    pub(crate) fn sent(&self, conversation: &str, words: &str) -> (String, String) {
        let id = self.say(conversation, words);
        // Its channel may have reported it as delivered by the time that we look.
        let is_named = came_true(|| self.read(&id)["channel_message_id"].is_string());
        assert!(is_named, "it was never sent: {}", self.read(&id));
        let named = text(&self.read(&id)["channel_message_id"]).to_owned();
        (id, named)
    }

    #[track_caller]
    pub(crate) fn conversations(&self, query: &str) -> Vec<Value> {
        walk(&self.client, &format!("/conversations{query}"))
    }

    /// The one conversation there is.
    #[track_caller]
    pub(crate) fn only_conversation(&self) -> Value {
        let mut found = self.conversations("");
        assert_eq!(found.len(), 1, "{found:?}");
        found.remove(0)
    }

    /// What was said in a conversation, oldest first.
    #[track_caller]
    pub(crate) fn said(&self, conversation: &Value) -> Vec<Value> {
        let path = format!("/conversations/{}/messages", text(conversation));
        let mut found = walk(&self.client, &path);
        found.reverse();
        found
    }

    /// What was said in the one conversation there is, oldest first.
    #[track_caller]
    pub(crate) fn all(&self) -> Vec<Value> {
        self.said(&self.only_conversation()["id"])
    }

    /// The last thing said in the one conversation there is.
    #[track_caller]
    pub(crate) fn last(&self) -> Value {
        self.all().pop().expect("something was said")
    }

    /// The data of every event of a type, oldest first.
    #[track_caller]
    pub(crate) fn events(&self, event_type: &str) -> Vec<Value> {
        let mut found = walk(&self.client, &format!("/events?event_type={event_type}"));
        found.reverse();
        found.into_iter().map(|event| event["data"].clone()).collect()
    }

    /// What is told of a message's status, in order.
    #[track_caller]
    pub(crate) fn changes(&self, message: &str) -> Vec<Value> {
        let mut told = self.events("message.status_changed");
        told.retain(|data| data["message"]["id"] == message);
        told
    }

    /// Moves the clocks, and returns when everything that is due has been done.
    #[track_caller]
    pub(crate) fn advance(&self, seconds: u64) {
        self.vendors.advance(seconds);
        let asked = json!({ "advance_seconds": seconds });
        self.app.anonymous().vendors().post("/sandbox/clock", asked).expect(200);
    }
}

/// Sends a webhook to a server, signed as it must be.
#[track_caller]
pub(crate) fn tell(caller: &Client, connection: &TestConnection, body: &Value) -> Response {
    let body = body.to_string();
    let signature = signed_by_meta(&connection.known.app_secret, body.as_bytes());
    caller.vendors().with("x-hub-signature-256", signature).post_text(&connection.path, body)
}

/// A webhook about a WhatsApp number, with these parts in its value.
pub(crate) fn about(connection: &TestConnection, parts: Value) -> Value {
    let mut value = json!({
        "messaging_product": "whatsapp",
        "metadata": { "display_phone_number": "15550001111", "phone_number_id": connection.phone_number_id() },
    });
    value.as_object_mut().expect("an object").extend(parts.as_object().expect("an object").clone());
    webhook(connection, json!([{ "field": "messages", "value": value }]))
}

/// A webhook with these changes.
pub(crate) fn webhook(connection: &TestConnection, changes: Value) -> Value {
    let entry = json!({ "id": connection.known.waba_id, "changes": changes });
    json!({ "object": "whatsapp_business_account", "entry": [entry] })
}

/// A webhook that tells these messages.
pub(crate) fn messages(connection: &TestConnection, told: &[Value]) -> Value {
    about(connection, json!({ "messages": told }))
}

/// A webhook that tells one message, from somebody who calls themselves so.
pub(crate) fn from_one_named(connection: &TestConnection, name: &str, told: Value) -> Value {
    let contact =
        json!({ "profile": { "name": name }, "wa_id": told["from"], "user_id": told["from_user_id"] });
    about(connection, json!({ "contacts": [contact], "messages": [told] }))
}

/// A webhook that tells these statuses.
pub(crate) fn statuses(connection: &TestConnection, told: &[Value]) -> Value {
    about(connection, json!({ "statuses": told }))
}

/// A status of a message, by the channel's id of it.
pub(crate) fn status(channel_message_id: &str, status: &str) -> Value {
    json!({ "id": channel_message_id, "status": status, "timestamp": "1750000000", "recipient_id": ANN })
}

/// An id that no other message has.
pub(crate) fn fresh(what: &str) -> String {
    static MADE: AtomicU32 = AtomicU32::new(1);
    format!("wamid.{what}.{}", MADE.fetch_add(1, Ordering::Relaxed))
}

/// A webhook of a page, with these events.
pub(crate) fn events(connection: &TestConnection, told: &[Value]) -> Value {
    let object = if connection.known.channel == "instagram" { "instagram" } else { "page" };
    json!({ "object": object, "entry": [{ "id": connection.page_id(), "time": 1_750_000_000_000_i64, "messaging": told }] })
}
