//! What callers do with the bridge's sessions: create, start, pair, stop.

use std::collections::BTreeMap;
use std::time::Duration;

use http::StatusCode;
use serde_json::{Value, json};

use super::{Call, event, failure};
use crate::connection::Connection;
use crate::mark;
use crate::response::{SandboxResponse, json as answer_json};
use crate::sandbox::Sandbox;
use crate::sessions::{Session, SessionState, Sessions};
use crate::settings::Pace;

/// Maximum number of sessions.
const SESSIONS_MAX: usize = 100;
/// How long a session takes from one state to the next.
const STEP_TIME: Duration = Duration::from_millis(60);

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
        let shown = all.into_iter().filter_map(|(name, connection)| show(&state.sessions, name, connection));
        answer_json(StatusCode::OK, &shown.collect())
    }

    pub(super) fn show_session(&self) -> SandboxResponse {
        let shown = show(&self.sandbox.state().sessions, &self.session, self.connection.as_ref());
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
        sessions
            .insert(self.session.clone(), Session::new(SessionState::Stopped, self.body["config"].clone()));
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
        let is_started = session.state != SessionState::Stopped;
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
            "start" if session.state != SessionState::Stopped => {}
            "stop" | "logout" => {
                session.run += 1;
                session.paired &= action == "stop";
                session.move_to(SessionState::Stopped, self.sandbox.now());
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
        let shown = show(&self.sandbox.state().sessions, &self.session, self.connection.as_ref());
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
        session.move_to(SessionState::Starting, now);
        let (run, paired) = (session.run, session.paired);
        drop(state);
        let (sandbox, name, connection) =
            (self.sandbox.clone(), self.session.clone(), self.connection.clone());
        tell(&sandbox, &name, connection.as_ref());
        let next: &[SessionState] = match (paired, by_itself) {
            (true, _) => &[SessionState::Working],
            (false, true) => &[SessionState::ScanQrCode, SessionState::Working],
            (false, false) => &[SessionState::ScanQrCode],
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
fn advance(sandbox: &Sandbox, name: &str, to: SessionState, run: u64) -> bool {
    let now = sandbox.now();
    let mut state = sandbox.state();
    let session = state.sessions.sessions.get_mut(name);
    let Some(session) =
        session.filter(|session| session.run == run && session.state != SessionState::Working)
    else {
        return false;
    };
    session.paired |= to == SessionState::Working;
    session.move_to(to, now);
    true
}

/// Simulates scanning a session's code. Returns the session's status if there is no code to scan.
pub(super) fn pair(
    sandbox: &Sandbox,
    name: &str,
    connection: Option<&Connection>,
) -> Result<(), Option<SessionState>> {
    let (standing, run) = {
        let state = sandbox.state();
        let run = state.sessions.sessions.get(name).map_or(0, |session| session.run);
        (state.sessions.standing(name, connection), run)
    };
    if standing != Some(SessionState::ScanQrCode) || !advance(sandbox, name, SessionState::Working, run) {
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

/// A session in the bridge's format.
fn show(sessions: &Sessions, name: &str, connection: Option<&Connection>) -> Option<Value> {
    let state = sessions.standing(name, connection)?;
    let config = sessions.sessions.get(name).map_or_else(|| json!({}), |session| session.config.clone());
    let me = (state == SessionState::Working).then(|| event::me(connection));
    Some(
        json!({ "name": name, "status": state, "config": config, "me": me, "engine": { "engine": "NOWEB" } }),
    )
}
