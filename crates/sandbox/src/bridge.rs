//! A WhatsApp bridge that speaks WAHA's HTTP API: sessions, pairing, sending, and its webhooks.
//!
//! A connection's session works unless it is stopped, so nothing has to be paired on a laptop, not even after
//! a restart. Like WAHA, it echoes messages that were sent over the API as events (`message.any` with
//! `source: api`).

mod code;
mod event;
mod send;
mod session;

use http::{Method, StatusCode};
use serde::Deserialize;
use serde_json::{Value, json};

use crate::connection::Connection;
use crate::fault::{self, Fault, On};
use crate::media::{self, Content};
use crate::request::Request;
use crate::response::{ControlError, Disconnect, Outcome, SandboxResponse, bytes, data, json as answer_json};
use crate::sandbox::Sandbox;
use crate::sessions::SessionState;

pub(crate) use event::{acknowledge, hooks, message as message_payload};

/// An authenticated call to the bridge.
struct Call<'a> {
    sandbox: &'a Sandbox,
    request: &'a Request,
    body: Value,
    session: String,
    /// The session's connection, if it belongs to the installation.
    connection: Option<Connection>,
    /// All connections with this key.
    reach: Vec<Connection>,
}

/// Responds to requests under `/sandbox/bridge/api`.
pub(crate) async fn respond(
    sandbox: &Sandbox,
    request: &Request,
    path: &[&str],
) -> Result<SandboxResponse, Disconnect> {
    let body = request.value().unwrap_or_default();
    let session = match path {
        ["sessions", name, ..] | [name, "auth", ..] => name,
        ["sessions"] => body["name"].as_str().unwrap_or("default"),
        _ => body["session"].as_str().or(request.param("session")).unwrap_or("default"),
    };
    let session = session.to_owned();
    let Some((connection, reach)) = holder(sandbox, request, &session).await else {
        return Ok(failure(StatusCode::UNAUTHORIZED, "Unauthorized"));
    };
    let to = body["chatId"].as_str().map(send::customer);
    // Receipts and typing are not sends, so a fault for one send applies to the message.
    let is_send = path.first().is_some_and(|name| name.starts_with("send") && *name != "sendSeen");
    let on: &[On] = if is_send { &[On::Send, On::Bridge] } else { &[On::Bridge] };
    let met = sandbox.fault(on, connection.as_ref().map(|connection| connection.id.as_str()), to.as_deref());
    let call = Call { sandbox, request, body, session, connection, reach };
    fault::under(met, refuse, || call.respond(path)).await
}

/// Finds the session's connection, and the connections with this key. The key must be that of the session's
/// connection; for any other session, the key of any connection is accepted.
async fn holder(
    sandbox: &Sandbox,
    request: &Request,
    session: &str,
) -> Option<(Option<Connection>, Vec<Connection>)> {
    let key = request.header("x-api-key");
    let mut personal = sandbox.connections().await;
    personal.retain(Connection::is_personal);
    let is_owner = |connection: &Connection| connection.session.as_deref() == Some(session);
    let is_owned = personal.iter().any(is_owner);
    personal.retain(|connection| connection.bridge_key.as_deref().is_none_or(|wanted| key == Some(wanted)));
    let own = personal.iter().find(|connection| is_owner(connection)).cloned();
    let is_let_in = if is_owned { own.is_some() } else { !personal.is_empty() };
    is_let_in.then_some((own, personal))
}

/// An error in the bridge's format.
fn failure(status: StatusCode, message: &str) -> SandboxResponse {
    let error = status.canonical_reason();
    answer_json(status, &json!({ "statusCode": status.as_u16(), "message": message, "error": error }))
}

fn refuse(fault: &Fault) -> SandboxResponse {
    let status = fault.status_or(StatusCode::INTERNAL_SERVER_ERROR);
    let code = fault.code.map(|code| format!(": error {code}")).unwrap_or_default();
    failure(status, &format!("The sandbox was told to answer this{code}."))
}

impl Call<'_> {
    fn respond(&self, path: &[&str]) -> SandboxResponse {
        let method = &self.request.method;
        let is = |wanted: Method| *method == wanted;
        match path {
            ["version"] if is(Method::GET) => answer_json(StatusCode::OK, &event::environment()),
            ["sessions"] if is(Method::GET) => self.list_sessions(),
            ["sessions"] if is(Method::POST) => self.create_session(),
            ["sessions", _] if is(Method::GET) => self.show_session(),
            ["sessions", _] if is(Method::PUT) => self.update_session(),
            ["sessions", _] if is(Method::DELETE) => self.delete_session(),
            ["sessions", _, action] if is(Method::POST) => self.act_on_session(action),
            [_, "auth", "qr"] if is(Method::GET) => self.show_code(),
            [_, "auth", "request-code"] if is(Method::POST) => self.request_code(),
            ["files", id] if is(Method::GET) => self.file(id),
            ["sendSeen"] if is(Method::POST) => self.see(),
            ["startTyping" | "stopTyping"] if is(Method::POST) => {
                answer_json(StatusCode::CREATED, &json!({}))
            }
            [name] if is(Method::POST) && send::kind(name).is_some() => self.send(name),
            _ => failure(StatusCode::NOT_FOUND, &format!("Cannot {method} /api/{}", path.join("/"))),
        }
    }

    /// The bridge's error if the session is not in the expected state.
    fn refusal_unless(&self, expected: SessionState) -> Option<SandboxResponse> {
        let state = self.sandbox.state().sessions.standing(&self.session, self.connection.as_ref());
        let Some(state) = state else { return Some(self.no_session()) };
        let told = json!({
            "error": "Session status is not as expected. Try again later or restart the session",
            "session": self.session,
            "status": state,
            "expected": [expected],
        });
        (state != expected).then(|| answer_json(StatusCode::UNPROCESSABLE_ENTITY, &told))
    }

    fn no_session(&self) -> SandboxResponse {
        failure(StatusCode::NOT_FOUND, &format!("Session \"{}\" does not exist", self.session))
    }

    /// Marks all messages of a customer as read.
    fn see(&self) -> SandboxResponse {
        if let (Some(connection), Some(chat)) = (&self.connection, self.body["chatId"].as_str()) {
            let (customer, now) = (send::customer(chat), self.sandbox.now());
            self.sandbox.state().chats.see_until(&connection.id, &customer, now);
        }
        answer_json(StatusCode::CREATED, &json!({}))
    }

    fn file(&self, id: &str) -> SandboxResponse {
        let media = self.sandbox.state().media.find(id).cloned();
        match media.map(|media| (media.content_type, media.content)) {
            Some((kind, Content::Here(content))) => {
                let mut response = bytes(StatusCode::OK, &kind, content);
                media::guard(&mut response);
                response
            }
            _ => failure(StatusCode::NOT_FOUND, "File not found"),
        }
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Scan {
    session: String,
}

/// Simulates scanning a session's code.
pub(crate) async fn scan(sandbox: &Sandbox, request: &Request) -> Outcome {
    let Scan { session } = request.read()?;
    let connections = sandbox.connections().await;
    let own = connections.iter().find(|connection| connection.session.as_deref() == Some(&session));
    session::pair(sandbox, &session, own).map_err(|state| match state {
        Some(state) => ControlError::conflict(format!(
            "The session {session} is {}, so there is no code to scan. Start it first, and set scan to manual \
             (PUT /sandbox/settings) to scan it yourself.",
            state.as_str()
        )),
        None => ControlError::missing(format!("The bridge has no session {session}. Create it: POST /sandbox/bridge/api/sessions.")),
    })?;
    Ok(data(json!({ "session": session, "status": SessionState::Working })))
}
