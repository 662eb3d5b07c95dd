//! The bridge's events, in its format.

use serde_json::{Value, json};

use crate::connection::Connection;
use crate::mark;
use crate::sandbox::State;
use crate::sent::{Sent, Status};
use crate::webhook::Hook;

/// The webhooks of an event, for its subscribers.
pub(crate) fn hooks(
    state: &State,
    connection: &Connection,
    event: &str,
    payload: &Value,
    now: i64,
) -> Vec<Hook> {
    let session = connection.session.as_deref().unwrap_or("default");
    let targets = state.sessions.targets(session, connection);
    let wanted =
        targets.into_iter().filter(|target| target.events.iter().any(|name| name == event || name == "*"));
    let body = json!({
        "id": mark::prefixed("evt_"),
        "timestamp": now,
        "event": event,
        "session": session,
        "metadata": {},
        "me": me(Some(connection)),
        "payload": payload,
        "engine": "NOWEB",
        "environment": environment(),
    });
    wanted.map(|target| Hook::from_bridge(&target.url, target.key.as_deref(), &body, now)).collect()
}

pub(super) fn environment() -> Value {
    json!({ "version": "2026.1.1", "engine": "NOWEB", "tier": "PLUS", "browser": null })
}

/// The account of a working session.
pub(super) fn me(connection: Option<&Connection>) -> Value {
    connection
        .map_or(Value::Null, |connection| json!({ "id": own_chat(connection), "pushName": connection.name }))
}

pub(super) fn own_chat(connection: &Connection) -> String {
    format!("{}@c.us", connection.own_number())
}

/// A message in the bridge's format, from either side.
pub(crate) fn message(connection: &Connection, id: &str, from_me: bool, customer: &str, at: i64) -> Value {
    let (own, chat) = (own_chat(connection), format!("{customer}@c.us"));
    let (from, to) = if from_me { (own, chat) } else { (chat, own) };
    json!({
        "id": id,
        "timestamp": at / 1000,
        "from": from,
        "fromMe": from_me,
        "source": "app",
        "to": to,
        "participant": null,
        "body": "",
        "hasMedia": false,
        "media": null,
        "ack": 1,
        "ackName": "SERVER",
        "replyTo": null,
    })
}

/// Reports a message's status.
pub(crate) fn acknowledge(
    state: &State,
    connection: &Connection,
    sent: &Sent,
    status: Status,
    now: i64,
) -> Vec<Hook> {
    let (ack, name) = match status {
        Status::Failed => (-1, "ERROR"),
        Status::Accepted => (0, "PENDING"),
        Status::Sent => (1, "SERVER"),
        Status::Delivered => (2, "DEVICE"),
        Status::Read => (3, "READ"),
    };
    let payload = json!({
        "id": sent.id,
        "timestamp": now / 1000,
        "from": own_chat(connection),
        "to": format!("{}@c.us", sent.to),
        "participant": null,
        "fromMe": true,
        "ack": ack,
        "ackName": name,
    });
    hooks(state, connection, "message.ack", &payload, now)
}
