//! Web chat: our own channel, a widget on somebody's website.
//!
//! A visitor is whoever holds a token, and sees one thread: their own. What they say goes the way of every channel's
//! messages; what is said to them is read from the store, as a page or as a stream that goes on. A stream may tell a
//! message twice, under the same id, but never leaves one out, however often it breaks off.
//!
//! Nothing is written until a visitor says something. An email address that a visitor gives is noted and never
//! believed: it joins nobody to a contact that exists, since that would show them somebody else's thread.

mod asked;
mod cors;
mod limits;
mod lobby;
mod messages;
mod progress;
mod seen;
mod sse;
mod stream;
#[cfg(test)]
mod tests;
mod token;
mod visitors;
mod widget;

use std::sync::Arc;

use frontdesk_platform::door::{Answer, nothing_here};
use frontdesk_platform::{Means, Visit};
use frontdesk_web::{Failure, Reply, Result, data_bytes, resource};
use http::header::ORIGIN;
use http::{Method, StatusCode};

pub use lobby::{Lobby, Streams};
pub use seen::STATEMENTS;
pub use widget::door;

use crate::connections::{ConnectionId, ConnectionStatus, Line};
use crate::inbound::Words;
use asked::Asked;
use limits::Act;

/// What the doors to the channels share with the rest of the server.
#[derive(Clone)]
pub struct Shared {
    /// The words by which customers opt out and in.
    pub words: Arc<Words>,
    /// What is kept of the visitors of web chats.
    pub lobby: Lobby,
}

/// What a visitor of a website asks of one connection.
pub(crate) async fn answer(
    means: &Means,
    shared: &Shared,
    line: Line,
    rest: &[String],
    visit: Visit,
) -> Result<Answer> {
    if visit.method == Method::OPTIONS {
        return Ok(cors::leave().into());
    }
    let (by_page, now) = (visit.headers.contains_key(ORIGIN), visit.now);
    let path: Vec<&str> = rest.iter().map(String::as_str).collect();
    let outcome = match Asked::new(means, shared, line, visit) {
        Ok(asked) => route(&asked, &path).await,
        Err(failure) => Err(failure),
    };
    match outcome {
        Ok(answer) => Ok(cors::open(answer)),
        Err(failure) if by_page => Ok(cors::open(cors::told(&failure, means, now))),
        Err(failure) => Err(failure),
    }
}

/// What a page is told whose script names no web chat of ours.
pub(crate) fn unknown(means: &Means, visit: &Visit) -> Result<Answer> {
    if visit.method == Method::OPTIONS {
        return Ok(cors::leave().into());
    }
    let failure = Failure::not_found(
        "There is no web chat with this connection id. Copy it from `frontdesk channel list`, or from the script that \
         `frontdesk channel connect --channel web_chat` printed.",
    );
    if visit.headers.contains_key(ORIGIN) {
        return Ok(cors::open(cors::told(&failure, means, visit.now)));
    }
    Err(failure)
}

resource! {
    /// A chat as anybody sees it.
    struct Chat {
        connection_id: ConnectionId,
        status: ConnectionStatus,
    }
}

fn about(asked: &Asked<'_>) -> Result<Answer> {
    asked.admit(Act::Look)?;
    let connection = &asked.line.connection;
    let chat = Chat { connection_id: connection.id, status: connection.status };
    Ok(Reply::new(StatusCode::OK, data_bytes(&chat)).into())
}

async fn route(asked: &Asked<'_>, path: &[&str]) -> Result<Answer> {
    match (&asked.visit.method, path) {
        (&Method::GET, [] | [""]) => about(asked),
        (&Method::POST, ["visitors"]) => visitors::create(asked),
        (&Method::POST, ["messages"]) => messages::say(asked).await,
        (&Method::GET, ["messages"]) => messages::list(asked).await,
        (&Method::POST, ["read"]) => messages::mark_read(asked).await,
        (&Method::GET, ["stream"]) => stream::open(asked),
        (_, ["messages"]) => Err(Failure::method_not_allowed("GET, POST, OPTIONS")),
        (_, ["visitors" | "read"]) => Err(Failure::method_not_allowed("POST, OPTIONS")),
        (_, ["stream"]) => Err(Failure::method_not_allowed("GET, OPTIONS")),
        _ => Err(nothing_here()),
    }
}
