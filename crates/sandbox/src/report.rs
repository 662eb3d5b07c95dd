//! Status reports of messages, in their channels' formats.
//!
//! WhatsApp reports each status of each message; the bridge does the same with numbers. Messenger reports the
//! time up to which everything was read, Instagram the message that was read. Neither reports failures. The
//! real Instagram does not report deliveries either; the sandbox does, so that a delivery is visible.

use std::time::Duration;

use serde_json::{Value, json};

use crate::bridge;
use crate::connection::Connection;
use crate::fault::{Called, Kind, On};
use crate::graph;
use crate::sandbox::{Sandbox, State};
use crate::sent::{Sent, Status};
use crate::settings::Pace;
use crate::webhook::Hook;

/// The delay until a message is sent, and until it is delivered.
const STEP_TIME: Duration = Duration::from_millis(40);
/// The default error code of a failure: the message cannot be delivered.
const FAILURE_CODE: i64 = 131_026;

impl Sandbox {
    /// Stores an accepted message and schedules its automatic reports. `failure` is its error, if it fails.
    pub(crate) fn accept(&self, connection: &Connection, message: Sent, failure: Option<i64>) {
        let (id, to) = (message.id.clone(), message.to.clone());
        let mut state = self.state();
        let plan = plan(&mut state, connection, &to, failure);
        state.outbox.keep(message);
        drop(state);
        let Some(room) = self.room_for_reports() else {
            tracing::warn!(id, "too many reports wait already; this message is reported by hand only");
            return;
        };
        let (sandbox, connection) = (self.clone(), connection.clone());
        tokio::spawn(async move {
            let _room = room;
            for (status, code) in plan {
                tokio::time::sleep(STEP_TIME).await;
                for hook in sandbox.report(&connection, &id, status, code) {
                    sandbox.deliver_surely(&connection, Some(&to), &hook).await;
                }
            }
        });
    }

    /// Stores a message's new status and creates its webhooks. If a customer has already read the message,
    /// the remaining planned reports are skipped.
    fn report(&self, connection: &Connection, id: &str, status: Status, code: Option<i64>) -> Vec<Hook> {
        let now = self.now();
        let mut state = self.state();
        let is_over = state.outbox.find(id).is_none_or(|message| message.status >= Status::Read);
        if is_over {
            return Vec::new();
        }
        state.outbox.advance(id, status, code);
        tell(&state, connection, id, status, code, now)
    }

    /// Reports a requested status, whatever was reported before.
    pub(crate) async fn report_now(
        &self,
        connection: &Connection,
        message: &Sent,
        status: Status,
        code: Option<i64>,
    ) -> Result<u16, String> {
        let hooks = {
            let now = self.now();
            let mut state = self.state();
            if connection.is_whatsapp() || connection.is_personal() || status != Status::Read {
                state.outbox.advance(&message.id, status, code);
            } else {
                let is_named = connection.channel == "instagram";
                read_until(&mut state, message, if is_named { message.at } else { now });
            }
            tell(&state, connection, &message.id, status, code, now)
        };
        let mut answered =
            Err(format!("{} tells nothing of a message that is {}", connection.channel, status.as_str()));
        for hook in hooks {
            answered = Ok(self.deliver(connection, Some(&message.to), &hook).await?);
        }
        answered
    }
}

/// The automatic reports of a message, in order.
fn plan(
    state: &mut State,
    connection: &Connection,
    to: &str,
    failure: Option<i64>,
) -> Vec<(Status, Option<i64>)> {
    let call = Called { on: &[On::Webhook], connection: Some(&connection.id), to: Some(to) };
    let failure = failure.or_else(|| {
        let fault = state.faults.take(&call, |kind| kind == Kind::Error)?;
        Some(fault.code.unwrap_or(FAILURE_CODE))
    });
    if let Some(code) = failure {
        return vec![(Status::Failed, Some(code))];
    }
    if state.settings.statuses == Pace::Manual {
        return Vec::new();
    }
    let mut plan = vec![(Status::Sent, None), (Status::Delivered, None)];
    if state.faults.take(&call, |kind| kind == Kind::ReorderStatuses).is_some() {
        plan.reverse();
    }
    plan
}

/// A read report covers earlier messages: in Messenger all of them, in Instagram all up to the message.
fn read_until(state: &mut State, message: &Sent, until: i64) {
    let filter = crate::sent::Filter {
        connection_id: Some(&message.connection_id),
        to: Some(&message.to),
        limit: Some(usize::MAX),
        ..Default::default()
    };
    let earlier = state.outbox.list(&filter).into_iter().filter(|other| other.at <= until);
    let ids: Vec<_> = earlier.map(|other| other.id.clone()).collect();
    for id in ids {
        state.outbox.advance(&id, Status::Read, None);
    }
}

fn tell(
    state: &State,
    connection: &Connection,
    id: &str,
    status: Status,
    code: Option<i64>,
    now: i64,
) -> Vec<Hook> {
    let Some(message) = state.outbox.find(id) else { return Vec::new() };
    if connection.is_personal() {
        return bridge::acknowledge(state, connection, message, status, now);
    }
    let body = if connection.is_whatsapp() {
        Some(whatsapp(connection, message, status, code, now))
    } else {
        messenger(connection, message, status, now)
    };
    let hook = |body| Hook::from_meta(&connection.webhook_url, &connection.app_secret, &body);
    body.map(hook).into_iter().collect()
}

fn whatsapp(connection: &Connection, message: &Sent, status: Status, code: Option<i64>, now: i64) -> Value {
    let mut told = json!({
        "id": message.id,
        "status": status.as_str(),
        "timestamp": (now / 1000).to_string(),
    });
    // A customer with a user id has no number to report.
    told[if graph::is_number(&message.to) { "recipient_id" } else { "recipient_user_id" }] =
        json!(message.to);
    if let Some(our_id) = &message.our_id {
        told["biz_opaque_callback_data"] = json!(our_id);
    }
    match status {
        Status::Failed => told["errors"] = json!([graph::reported_error(code.unwrap_or(FAILURE_CODE))]),
        Status::Sent | Status::Delivered => {
            let category = if message.template.is_some() { "utility" } else { "service" };
            told["pricing"] = json!({
                "billable": message.template.is_some(),
                "pricing_model": "PMP",
                "category": category,
                "type": if message.template.is_some() { "regular" } else { "free_customer_service" },
            });
        }
        Status::Accepted | Status::Read => {}
    }
    graph::whatsapp_change(connection, "statuses", told)
}

fn messenger(connection: &Connection, message: &Sent, status: Status, now: i64) -> Option<Value> {
    let told = match status {
        Status::Delivered => json!({ "delivery": { "mids": [message.id], "watermark": message.at } }),
        Status::Read if connection.channel == "instagram" => json!({ "read": { "mid": message.id } }),
        Status::Read => json!({ "read": { "watermark": now } }),
        Status::Accepted | Status::Sent | Status::Failed => return None,
    };
    Some(graph::page_event(connection, &message.to, now, told))
}
