//! The bridge's sessions, as the sandbox stores them.

use std::collections::BTreeMap;

use serde::Serialize;
use serde_json::{Value, json};

use crate::connection::Connection;
use crate::mark;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub(crate) enum SessionState {
    Stopped,
    Starting,
    ScanQrCode,
    Working,
}

impl SessionState {
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Self::Stopped => "STOPPED",
            Self::Starting => "STARTING",
            Self::ScanQrCode => "SCAN_QR_CODE",
            Self::Working => "WORKING",
        }
    }
}

/// Where a session's events go.
#[derive(Clone, Debug)]
pub(crate) struct EventTarget {
    pub(crate) url: String,
    pub(crate) key: Option<String>,
    pub(crate) events: Vec<String>,
}

#[derive(Debug)]
pub(crate) struct Session {
    pub(crate) state: SessionState,
    history: Vec<(SessionState, i64)>,
    /// The code was scanned, so no code is needed at the next start.
    pub(crate) paired: bool,
    pub(crate) config: Value,
    /// The content of the code.
    pub(crate) code: String,
    /// Counts starts and stops, so that delayed steps of an earlier start are ignored.
    pub(crate) run: u64,
}

impl Session {
    pub(crate) fn new(state: SessionState, config: Value) -> Self {
        let paired = state == SessionState::Working;
        Self { state, history: Vec::new(), paired, config, code: mark::prefixed("2@"), run: 0 }
    }

    pub(crate) fn move_to(&mut self, state: SessionState, now: i64) {
        self.state = state;
        self.history.push((state, now));
        // Only the latest states are kept.
        let surplus = self.history.len().saturating_sub(5);
        self.history.drain(..surplus);
    }

    fn targets(&self) -> Vec<EventTarget> {
        let hooks = self.config["webhooks"].as_array();
        let target = |hook: &Value| {
            let events = hook["events"].as_array().into_iter().flatten();
            Some(EventTarget {
                url: hook["url"].as_str()?.to_owned(),
                key: hook["hmac"]["key"].as_str().map(str::to_owned),
                events: events.filter_map(Value::as_str).map(str::to_owned).collect(),
            })
        };
        hooks.into_iter().flatten().filter_map(target).collect()
    }
}

#[derive(Debug, Default)]
pub(crate) struct Sessions {
    pub(crate) sessions: BTreeMap<String, Session>,
}

impl Sessions {
    /// The status of a session, if it exists. A connection's session works unless it is stopped.
    pub(crate) fn standing(&self, name: &str, connection: Option<&Connection>) -> Option<SessionState> {
        let implied = connection.map(|_| SessionState::Working);
        self.sessions.get(name).map(|session| session.state).or(implied)
    }

    /// The target of a session's events: the one it was created with, else the connection's.
    pub(crate) fn targets(&self, name: &str, connection: &Connection) -> Vec<EventTarget> {
        let told = self.sessions.get(name).map(Session::targets).unwrap_or_default();
        if !told.is_empty() || connection.webhook_url.is_empty() {
            return told;
        }
        let key = Some(connection.app_secret.clone()).filter(|key| !key.is_empty());
        let events = ["message.any", "message.ack", "message.reaction", "session.status"].map(str::to_owned);
        vec![EventTarget { url: connection.webhook_url.clone(), key, events: events.into() }]
    }

    /// The payload of the `session.status` event.
    pub(crate) fn status_payload(&self, name: &str) -> Value {
        let session = self.sessions.get(name);
        let history = session.map(|session| session.history.as_slice()).unwrap_or_default();
        let history: Vec<_> =
            history.iter().map(|(state, at)| json!({ "status": state, "timestamp": at })).collect();
        json!({ "name": name, "status": session.map(|session| session.state), "statuses": history })
    }

    /// A session to change. A connection's session is stored on its first change.
    pub(crate) fn hold(&mut self, name: &str, connection: Option<&Connection>) -> Option<&mut Session> {
        if connection.is_some() && !self.sessions.contains_key(name) {
            self.sessions.insert(name.to_owned(), Session::new(SessionState::Working, json!({})));
        }
        self.sessions.get_mut(name)
    }
}
