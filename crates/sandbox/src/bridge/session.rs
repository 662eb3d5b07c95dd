//! The bridge's sessions: created, paired, working, stopped.

use std::collections::BTreeMap;
use std::time::Duration;

use http::StatusCode;
use serde::Serialize;
use serde_json::{Value, json};

use super::{Call, event, failure};
use crate::connection::Connection;
use crate::mark;
use crate::response::{SandboxResponse, json as answer_json};
use crate::sandbox::Sandbox;
use crate::settings::Pace;

/// Maximum number of sessions.
const SESSIONS_MAX: usize = 100;
/// How long a session takes from one state to the next.
const STEP_TIME: Duration = Duration::from_millis(60);

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub(crate) enum State {
    Stopped,
    Starting,
    ScanQrCode,
    Working,
}

impl State {
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
pub(crate) struct Target {
    pub(crate) url: String,
    pub(crate) key: Option<String>,
    pub(crate) events: Vec<String>,
}

#[derive(Debug)]
struct Session {
    state: State,
    history: Vec<(State, i64)>,
    /// The code was scanned, so no code is needed at the next start.
    paired: bool,
    config: Value,
    /// The content of the code.
    code: String,
    /// Counts starts and stops, so that delayed steps of an earlier start are ignored.
    run: u64,
}

impl Session {
    fn new(state: State, config: Value) -> Self {
        let paired = state == State::Working;
        Self { state, history: Vec::new(), paired, config, code: mark::prefixed("2@"), run: 0 }
    }

    fn move_to(&mut self, state: State, now: i64) {
        self.state = state;
        self.history.push((state, now));
        // Only the latest states are kept.
        let surplus = self.history.len().saturating_sub(5);
        self.history.drain(..surplus);
    }

    fn targets(&self) -> Vec<Target> {
        let hooks = self.config["webhooks"].as_array();
        let target = |hook: &Value| {
            let events = hook["events"].as_array().into_iter().flatten();
            Some(Target {
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
    sessions: BTreeMap<String, Session>,
}

impl Sessions {
    /// The status of a session, if it exists. A connection's session works unless it is stopped.
    pub(crate) fn standing(&self, name: &str, connection: Option<&Connection>) -> Option<State> {
        let implied = connection.map(|_| State::Working);
        self.sessions.get(name).map(|session| session.state).or(implied)
    }

    /// The target of a session's events: the one it was created with, else the connection's.
    pub(crate) fn targets(&self, name: &str, connection: &Connection) -> Vec<Target> {
        let told = self.sessions.get(name).map(Session::targets).unwrap_or_default();
        if !told.is_empty() || connection.webhook_url.is_empty() {
            return told;
        }
        let key = Some(connection.app_secret.clone()).filter(|key| !key.is_empty());
        let events = ["message.any", "message.ack", "message.reaction", "session.status"].map(str::to_owned);
        vec![Target { url: connection.webhook_url.clone(), key, events: events.into() }]
    }

    /// The payload of the `session.status` event.
    pub(super) fn status_payload(&self, name: &str) -> Value {
        let session = self.sessions.get(name);
        let history = session.map(|session| session.history.as_slice()).unwrap_or_default();
        let history: Vec<_> =
            history.iter().map(|(state, at)| json!({ "status": state, "timestamp": at })).collect();
        json!({ "name": name, "status": session.map(|session| session.state), "statuses": history })
    }

    /// A session to change. A connection's session is stored on its first change.
    fn hold(&mut self, name: &str, connection: Option<&Connection>) -> Option<&mut Session> {
        if connection.is_some() && !self.sessions.contains_key(name) {
            self.sessions.insert(name.to_owned(), Session::new(State::Working, json!({})));
        }
        self.sessions.get_mut(name)
    }

    fn show(&self, name: &str, connection: Option<&Connection>) -> Option<Value> {
        let state = self.standing(name, connection)?;
        let config = self.sessions.get(name).map_or_else(|| json!({}), |session| session.config.clone());
        let me = (state == State::Working).then(|| event::me(connection));
        Some(
            json!({ "name": name, "status": state, "config": config, "me": me, "engine": { "engine": "NOWEB" } }),
        )
    }
}

impl Call<'_> {
    /// The sessions of the key's connections, and sessions without a connection.
    pub(super) fn list_sessions(&self) -> SandboxResponse {
        let state = self.sandbox.state();
        let own = self
            .reach
            .iter()
            .filter_map(|connection| Some((connection.session.as_deref()?, Some(connection))));
        let mut all: BTreeMap<&str, Option<&Connection>> = own.collect();
        for name in state.sessions.sessions.keys() {
            all.entry(name).or_insert(None);
        }
        let shown = all.into_iter().filter_map(|(name, connection)| state.sessions.show(name, connection));
        answer_json(StatusCode::OK, &shown.collect())
    }

    pub(super) fn show_session(&self) -> SandboxResponse {
        let shown = self.sandbox.state().sessions.show(&self.session, self.connection.as_ref());
        shown.map_or_else(|| self.no_session(), |shown| answer_json(StatusCode::OK, &shown))
    }

    pub(super) fn create_session(&self) -> SandboxResponse {
        let mut state = self.sandbox.state();
        let sessions = &mut state.sessions.sessions;
        if sessions.contains_key(&self.session) {
            let message = format!("Session '{}' already exists. Use PUT to update it.", self.session);
            return failure(StatusCode::UNPROCESSABLE_ENTITY, &message);
        }
        if sessions.len() >= SESSIONS_MAX {
            let message = format!("The sandbox keeps at most {SESSIONS_MAX} sessions. Delete one first.");
            return failure(StatusCode::UNPROCESSABLE_ENTITY, &message);
        }
        sessions.insert(self.session.clone(), Session::new(State::Stopped, self.body["config"].clone()));
        drop(state);
        if self.body["start"] != false {
            self.start();
        }
        self.shown(StatusCode::CREATED)
    }

    pub(super) fn update_session(&self) -> SandboxResponse {
        let mut state = self.sandbox.state();
        let Some(session) = state.sessions.hold(&self.session, self.connection.as_ref()) else {
            return self.no_session();
        };
        session.config = self.body["config"].clone();
        let is_started = session.state != State::Stopped;
        drop(state);
        // The bridge restarts a session to apply its new settings.
        if is_started {
            self.start();
        }
        self.shown(StatusCode::OK)
    }

    pub(super) fn delete_session(&self) -> SandboxResponse {
        self.sandbox.state().sessions.sessions.remove(&self.session);
        answer_json(StatusCode::OK, &json!({}))
    }

    pub(super) fn act_on_session(&self, action: &str) -> SandboxResponse {
        let mut state = self.sandbox.state();
        let Some(session) = state.sessions.hold(&self.session, self.connection.as_ref()) else {
            return self.no_session();
        };
        match action {
            "start" if session.state != State::Stopped => {}
            "stop" | "logout" => {
                session.run += 1;
                session.paired &= action == "stop";
                session.move_to(State::Stopped, self.sandbox.now());
                drop(state);
                tell(self.sandbox, &self.session, self.connection.as_ref());
            }
            "start" | "restart" => {
                drop(state);
                self.start();
            }
            _ => {
                let message = format!("Cannot POST /api/sessions/{}/{action}", self.session);
                return failure(StatusCode::NOT_FOUND, &message);
            }
        }
        self.shown(StatusCode::CREATED)
    }

    fn shown(&self, status: StatusCode) -> SandboxResponse {
        let shown = self.sandbox.state().sessions.show(&self.session, self.connection.as_ref());
        answer_json(status, &shown.unwrap_or_default())
    }

    /// Starts a session. A paired session works at once; another waits for its code to be scanned. The code
    /// of a connection's session is scanned automatically, unless manual pairing is set.
    fn start(&self) {
        let now = self.sandbox.now();
        let mut state = self.sandbox.state();
        let by_itself = state.settings.scan == Pace::Auto && self.connection.is_some();
        let Some(session) = state.sessions.sessions.get_mut(&self.session) else { return };
        session.run += 1;
        session.code = mark::prefixed("2@");
        session.move_to(State::Starting, now);
        let (run, paired) = (session.run, session.paired);
        drop(state);
        let (sandbox, name, connection) =
            (self.sandbox.clone(), self.session.clone(), self.connection.clone());
        tell(&sandbox, &name, connection.as_ref());
        let next: &[State] = match (paired, by_itself) {
            (true, _) => &[State::Working],
            (false, true) => &[State::ScanQrCode, State::Working],
            (false, false) => &[State::ScanQrCode],
        };
        tokio::spawn(async move {
            for state in next {
                tokio::time::sleep(STEP_TIME).await;
                if !advance(&sandbox, &name, *state, run) {
                    return;
                }
                tell(&sandbox, &name, connection.as_ref());
            }
        });
    }

    pub(super) fn code(&self) -> String {
        let state = self.sandbox.state();
        state.sessions.sessions.get(&self.session).map(|session| session.code.clone()).unwrap_or_default()
    }
}

/// Moves a session to its next state, unless it was restarted or stopped in the meantime or already works.
fn advance(sandbox: &Sandbox, name: &str, to: State, run: u64) -> bool {
    let now = sandbox.now();
    let mut state = sandbox.state();
    let session = state.sessions.sessions.get_mut(name);
    let Some(session) = session.filter(|session| session.run == run && session.state != State::Working)
    else {
        return false;
    };
    session.paired |= to == State::Working;
    session.move_to(to, now);
    true
}

/// Simulates scanning a session's code. Returns the session's status if there is no code to scan.
pub(super) fn pair(
    sandbox: &Sandbox,
    name: &str,
    connection: Option<&Connection>,
) -> Result<(), Option<State>> {
    let (standing, run) = {
        let state = sandbox.state();
        let run = state.sessions.sessions.get(name).map_or(0, |session| session.run);
        (state.sessions.standing(name, connection), run)
    };
    if standing != Some(State::ScanQrCode) || !advance(sandbox, name, State::Working, run) {
        return Err(standing);
    }
    tell(sandbox, name, connection);
    Ok(())
}

/// Sends a session's status to its subscribers.
fn tell(sandbox: &Sandbox, name: &str, connection: Option<&Connection>) {
    let now = sandbox.now();
    // A session without a connection gets an unnamed one, whose hooks are those that the session was created
    // with.
    let connection = connection.cloned().unwrap_or_default();
    let connection = Connection { session: Some(name.to_owned()), ..connection };
    let hooks = {
        let state = sandbox.state();
        let payload = state.sessions.status_payload(name);
        event::hooks(&state, &connection, "session.status", &payload, now)
    };
    let sandbox = sandbox.clone();
    tokio::spawn(async move {
        for hook in hooks {
            sandbox.deliver_surely(&connection, None, &hook).await;
        }
    });
}
