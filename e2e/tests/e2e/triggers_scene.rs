//! What tests of triggers begin with: an account with an assistant, on a server whose clock can be moved.

use frontdesk_e2e::{App, Client, Engine, Given, Tenant};
use serde_json::{Value, json};

use crate::agent_scene::new_assistant;
use crate::inbox_scene::id;
use crate::people::walk;
use crate::shapes::text;
use crate::webhooks_scene::moment;

pub(crate) const TRIGGER: &str = "id assistant_id name enabled kind goal period send_time day_of_week day_of_month run_at event_key \
    audience_type contact_id segment_id max_targets respect_quiet_hours last_fired_at last_error created_at updated_at";

pub(crate) const MINUTE_MILLIS: i64 = 60_000;

/// An account with an assistant. Its key never expires, so the clock can be moved as far as a test likes.
pub(crate) struct Business {
    pub(crate) app: App,
    pub(crate) tenant: Tenant,
    pub(crate) client: Client,
    pub(crate) assistant: String,
}

impl Given for Business {
    fn given(engine: Engine) -> Self {
        let app = App::start(engine).movable_clock().ready();
        let tenant = tenant(&app, "UTC");
        let assistant = new_assistant(&tenant.client, json!({}));
        Self { client: tenant.client.clone(), app, tenant, assistant }
    }
}

/// An account in a timezone, with a key that never expires.
#[track_caller]
pub(crate) fn tenant(app: &App, timezone: &str) -> Tenant {
    let account = app.account_with(&["--rate-limit", "1000000", "--timezone", timezone]);
    let key = app.key_with(&account, &["--all-scopes", "--expires", "never"]);
    Tenant { client: app.client(&key), account, key }
}

/// Moves the clock, and returns when everything that is due has been done: what the clock then shows.
#[track_caller]
pub(crate) fn advance(app: &App, seconds: i64) -> i64 {
    let moved = app.anonymous().vendors().post("/sandbox/clock", json!({ "advance_seconds": seconds }));
    moment(&moved.expect(200).data()["now"])
}

/// Moves the clock to a moment in milliseconds, or a little past it.
#[track_caller]
pub(crate) fn advance_to(app: &App, millis: i64) {
    let now = advance(app, 0);
    advance(app, (millis - now).max(0).div_euclid(1000) + 1);
}

/// A moment as the API writes it.
pub(crate) fn written(millis: i64) -> String {
    jiff::Timestamp::from_millisecond(millis).expect("a moment").to_string()
}

/// `HH:MM` in UTC of a moment.
pub(crate) fn time_of(millis: i64) -> String {
    written(millis)["2026-01-31T".len()..][.."09:30".len()].to_owned()
}

impl Business {
    /// What the clock shows, once everything that is due has been done.
    #[track_caller]
    pub(crate) fn now(&self) -> i64 {
        advance(&self.app, 0)
    }

    #[track_caller]
    pub(crate) fn advance(&self, seconds: i64) {
        advance(&self.app, seconds);
    }

    #[track_caller]
    pub(crate) fn set_account(&self, options: &[&str]) {
        self.app.cli(&[&["account", "set", &self.tenant.account.id], options].concat());
    }

    /// Makes a trigger of the assistant with these fields: what the response holds.
    #[track_caller]
    pub(crate) fn issues(&self, fields: Value) -> Value {
        let mut body = json!({ "assistant_id": self.assistant, "name": "Trigger", "goal": "Say hello." });
        body.as_object_mut().expect("an object").extend(fields.as_object().expect("an object").clone());
        self.client.post("/triggers", body).expect(201).data().clone()
    }

    /// Makes an enabled trigger.
    #[track_caller]
    pub(crate) fn makes(&self, mut fields: Value) -> Value {
        fields["enabled"] = json!(true);
        self.issues(fields)["trigger"].clone()
    }

    /// A trigger that fires every day at the minute after next, and when that is.
    #[track_caller]
    pub(crate) fn daily(&self, mut fields: Value) -> (Value, i64) {
        let due = (self.now() / MINUTE_MILLIS + 2) * MINUTE_MILLIS;
        let schedule = json!({ "kind": "recurring", "period": "daily", "send_time": time_of(due) });
        fields.as_object_mut().expect("an object").extend(schedule.as_object().expect("an object").clone());
        (self.makes(fields), due)
    }

    #[track_caller]
    pub(crate) fn trigger(&self, trigger: &Value) -> Value {
        self.client.get(&format!("/triggers/{}", id(trigger))).expect(200).data().clone()
    }

    #[track_caller]
    pub(crate) fn patch(&self, trigger: &Value, changes: Value) -> Value {
        self.client.patch(&format!("/triggers/{}", id(trigger)), changes).expect(200).data().clone()
    }

    #[track_caller]
    pub(crate) fn preview(&self, trigger: &Value) -> Value {
        let path = format!("/triggers/{}/preview", id(trigger));
        self.client.send("POST", &path, None).expect(200).data().clone()
    }

    /// The runs of a trigger, oldest first.
    #[track_caller]
    pub(crate) fn runs(&self, trigger: &Value) -> Vec<Value> {
        runs(&self.client, trigger)
    }

    /// The last error of a trigger, which must have one.
    #[track_caller]
    pub(crate) fn last_error(&self, trigger: &Value) -> String {
        text(&self.trigger(trigger)["last_error"]).to_owned()
    }

    /// A segment of the contacts whose company is this: its id.
    #[track_caller]
    pub(crate) fn segment(&self, company: &str) -> String {
        let rules = json!([{ "field": "company", "op": "is", "value": company }]);
        self.client.post("/segments", json!({ "name": company, "rules": rules })).expect(201).id()
    }
}

/// The runs of a trigger, oldest first.
#[track_caller]
pub(crate) fn runs(client: &Client, trigger: &Value) -> Vec<Value> {
    let mut runs = walk(client, &format!("/runs?trigger_id={}", id(trigger)));
    runs.reverse();
    runs
}
