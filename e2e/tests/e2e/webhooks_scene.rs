//! What tests of webhooks begin with: a server whose clock can be moved, and a sink that its webhooks reach.

use frontdesk_e2e::{App, Client, Engine, Given, Response, Sink, Start, Tenant};
use jiff::Timestamp;
use serde_json::{Value, json};

use crate::people::walk;
use crate::shapes::text;

pub(crate) const PRIVATE_TARGETS: &str = "FRONTDESK_ALLOW_PRIVATE_TARGETS";

pub(crate) const MINUTE: u64 = 60;
pub(crate) const HOUR: u64 = 60 * MINUTE;
pub(crate) const DAY: u64 = 24 * HOUR;

/// An address on this machine where nobody listens.
pub(crate) const NOBODY: &str = "http://127.0.0.1:1/hook";

/// A server, an account on it, and where its webhooks go.
pub(crate) struct Scene {
    // In this order: the server ends before its sink does.
    pub(crate) app: App,
    pub(crate) tenant: Tenant,
    pub(crate) client: Client,
    pub(crate) sink: Sink,
}

/// A webhook endpoint that was made.
pub(crate) struct Hook {
    pub(crate) secret: String,
    /// `/webhooks/ID`
    pub(crate) path: String,
}

impl Given for Scene {
    fn given(engine: Engine) -> Self {
        Self::of(start(engine))
    }
}

/// A server whose clock can be moved and whose webhooks may reach this machine.
pub(crate) fn start(engine: Engine) -> Start {
    App::start(engine).env("FRONTDESK_SANDBOX_CLOCK", "true").env(PRIVATE_TARGETS, "true")
}

impl Scene {
    pub(crate) fn of(start: Start) -> Self {
        let app = start.ready();
        let tenant = app.tenant();
        Self { client: tenant.client.clone(), app, tenant, sink: Sink::start() }
    }

    /// An endpoint at this path of the sink, for every event.
    #[track_caller]
    pub(crate) fn hook(&self, path: &str) -> Hook {
        self.hook_for(path, &[])
    }

    /// An endpoint at this path of the sink, for these events.
    #[track_caller]
    pub(crate) fn hook_for(&self, path: &str, event_types: &[&str]) -> Hook {
        hook(&self.client, json!({ "url": self.sink.url(path), "event_types": event_types }))
    }

    /// Makes a contact, which is one event.
    #[track_caller]
    pub(crate) fn contact(&self) -> Value {
        self.client.post("/contacts", json!({ "name": "Ann" })).expect(201).data().clone()
    }

    /// Moves the clock, and returns when everything that is due has been done: what the clock then shows.
    #[track_caller]
    pub(crate) fn advance(&self, seconds: u64) -> i64 {
        let moved =
            self.app.anonymous().vendors().post("/sandbox/clock", json!({ "advance_seconds": seconds }));
        moment(&moved.expect(200).data()["now"])
    }

    /// Returns when everything that is due has been done.
    #[track_caller]
    pub(crate) fn settle(&self) {
        self.advance(0);
    }

    /// Every delivery to an endpoint, newest first.
    #[track_caller]
    pub(crate) fn deliveries(&self, hook: &Hook) -> Vec<Value> {
        walk(&self.client, &format!("{}/deliveries", hook.path))
    }

    /// The one delivery to an endpoint.
    #[track_caller]
    pub(crate) fn delivery(&self, hook: &Hook) -> Value {
        let mut found = self.deliveries(hook);
        assert_eq!(found.len(), 1, "{found:?}");
        found.remove(0)
    }

    /// The endpoint as it is now.
    #[track_caller]
    pub(crate) fn endpoint(&self, hook: &Hook) -> Value {
        self.client.get(&hook.path).expect(200).data().clone()
    }

    /// Asks for a delivery to be tried again.
    #[track_caller]
    pub(crate) fn retry(&self, hook: &Hook, delivery: &Value) -> Response {
        let path = format!("{}/deliveries/{}/retry", hook.path, text(&delivery["id"]));
        self.client.post(&path, json!({}))
    }
}

/// Makes an endpoint.
#[track_caller]
pub(crate) fn hook(client: &Client, body: Value) -> Hook {
    let made = client.post("/webhooks", body).expect(201);
    Hook { secret: text(&made.data()["secret"]).to_owned(), path: format!("/webhooks/{}", made.id()) }
}

/// A moment in milliseconds since 1970.
#[track_caller]
pub(crate) fn moment(value: &Value) -> i64 {
    text(value).parse::<Timestamp>().unwrap_or_else(|error| panic!("{value}: {error}")).as_millisecond()
}

/// The status of a delivery and how often it was tried.
#[track_caller]
pub(crate) fn state(delivery: &Value) -> (&str, u64) {
    (text(&delivery["status"]), delivery["attempts"].as_u64().expect("a number of attempts"))
}
