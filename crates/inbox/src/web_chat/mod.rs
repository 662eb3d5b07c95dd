//! Web chat: our own channel, a widget for websites.
//!
//! A visitor is identified by a token and sees only their own conversation. Their messages are stored like those of
//! every channel. Messages to them are read from the store, as a page or as a stream. A stream may send a
//! message twice, with the same id, but never skips one, however often it breaks.
//!
//! Nothing is stored until a visitor writes. A visitor's email address is stored but not trusted: it is never
//! matched with an existing contact, because that would show the visitor someone else's conversation. A website
//! that signs its users' ids with the connection's identity secret shows them the same conversation in all of
//! their browsers.

mod chat_request;
mod config;
mod conversation;
mod cors;
mod etag;
mod files;
mod limits;
mod messages;
mod progress;
mod registry;
pub mod settings;
mod sql;
mod sse;
mod stream;
#[cfg(test)]
mod tests;
mod token;
mod typing;
mod typing_members;
mod visitors;
mod visits;
mod widget;

use std::sync::Arc;

use frontdesk_platform::events::live::Live;
use frontdesk_platform::public_endpoint::{PublicResponse, nothing_here};
use frontdesk_platform::{PublicRequest, ServerContext, UnreadRequest};
use frontdesk_web::{Failure, Reply, Result, data_bytes, resource};
use http::header::ORIGIN;
use http::{Method, StatusCode};

pub use registry::{StreamLimits, VisitorRegistry};
pub use sql::STATEMENTS;
pub use typing::VisitorTyping;
pub(crate) use visits::{EXPORTED, erase as erase_visits, list as visited_pages};
pub use visits::{PAGES_KEPT_MAX, VisitedPage, VisitedPageId, erase_all as erase_all_visits};
pub use widget::public_endpoint;

use crate::connections::{ConnectionId, ConnectionStatus, StoredConnection};
use crate::inbound::OptOutWords;
use chat_request::ChatRequest;
use limits::Action;

/// The longest text in the widest script, doubled for escapes.
const BODY_BYTES_MAX: usize = 64 << 10;

/// The state of the channels' endpoint.
#[derive(Clone)]
pub struct InboxState {
    /// The opt-out words.
    pub words: Arc<OptOutWords>,
    /// The web-chat visitors of this server.
    pub registry: VisitorRegistry,
    /// Tells members that a visitor is typing.
    pub live: Live,
    /// Maximum bytes of the files that visitors of one connection have sent.
    pub file_bytes_total_max: i64,
}

/// Responds to a website visitor's request to one connection.
pub(crate) async fn respond(
    server: &ServerContext,
    state: &InboxState,
    connection: StoredConnection,
    rest: &[String],
    request: UnreadRequest<'_>,
) -> Result<PublicResponse> {
    let head = &request.head;
    if head.method == Method::OPTIONS {
        return Ok(cors::leave().into());
    }
    let (by_page, now) = (head.headers.contains_key(ORIGIN), head.now);
    let path: Vec<&str> = rest.iter().map(String::as_str).collect();
    let outcome = if head.method == Method::POST && path == ["files"] {
        files::receive(server, state, connection, request).await
    } else {
        match request.read_up_to(BODY_BYTES_MAX).await {
            Ok(request) => route(&ChatRequest::new(server, state, connection, request), &path).await,
            Err(failure) => Err(failure),
        }
    };
    match outcome {
        Ok(response) => Ok(cors::open(response)),
        Err(failure) if by_page => Ok(cors::open(cors::failure_response(&failure, server, now))),
        Err(failure) => Err(failure),
    }
}

/// The response to a page whose script names an unknown connection.
pub(crate) fn unknown(server: &ServerContext, request: &PublicRequest) -> Result<PublicResponse> {
    if request.method == Method::OPTIONS {
        return Ok(cors::leave().into());
    }
    let failure = Failure::not_found(
        "There is no web chat with this connection id. Copy it from `frontdesk channel list`, or from the script that \
         `frontdesk channel connect --channel web_chat` printed.",
    );
    if request.headers.contains_key(ORIGIN) {
        return Ok(cors::open(cors::failure_response(&failure, server, request.now)));
    }
    Err(failure)
}

resource! {
    /// The public data of a chat.
    struct Chat {
        connection_id: ConnectionId,
        status: ConnectionStatus,
    }
}

fn about(chat: &ChatRequest<'_>) -> Result<PublicResponse> {
    chat.admit(Action::Look)?;
    let connection = &chat.connection.public;
    let chat = Chat { connection_id: connection.id, status: connection.status };
    Ok(Reply::new(StatusCode::OK, data_bytes(&chat)).into())
}

async fn route(chat: &ChatRequest<'_>, path: &[&str]) -> Result<PublicResponse> {
    match (&chat.request.method, path) {
        (&Method::GET, [] | [""]) => about(chat),
        (&Method::GET, ["config"]) => config::get(chat).await,
        (&Method::POST, ["visitors"]) => visitors::create(chat).await,
        (&Method::POST, ["messages"]) => messages::say(chat).await,
        (&Method::GET, ["messages"]) => messages::list(chat).await,
        (&Method::POST, ["read"]) => messages::mark_read(chat).await,
        (&Method::POST, ["typing"]) => typing::report(chat).await,
        (&Method::POST, ["page"]) => visits::report(chat).await,
        (&Method::GET, ["stream"]) => stream::open(chat),
        (_, ["messages"]) => Err(Failure::method_not_allowed("GET, POST, OPTIONS")),
        (_, ["visitors" | "read" | "typing" | "files" | "page"]) => {
            Err(Failure::method_not_allowed("POST, OPTIONS"))
        }
        (_, ["stream" | "config"]) => Err(Failure::method_not_allowed("GET, OPTIONS")),
        _ => Err(nothing_here()),
    }
}
