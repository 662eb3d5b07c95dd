//! A visitor's request and its checks.

use std::sync::Arc;

use bytes::Bytes;
use frontdesk_kernel::mac::is_hex_sha256;
use frontdesk_platform::events::live::Live;
use frontdesk_platform::{PublicRequest, ServerContext};
use frontdesk_web::{Failure, FieldPath, Input, Pairs, Problems, Result};
use http::header::AUTHORIZATION;
use serde_json::{Value, json};

use super::InboxState;
use super::limits::{Action, LimitKey};
use super::registry::VisitorRegistry;
use super::token::{SignedUser, Tokens, Visitor};
use crate::connections::StoredConnection;
use crate::inbound::OptOutWords;

/// A visitor's request to one connection.
pub(super) struct ChatRequest<'m> {
    pub(super) server: &'m ServerContext,
    pub(super) words: &'m Arc<OptOutWords>,
    pub(super) connection: StoredConnection,
    pub(super) registry: &'m VisitorRegistry,
    pub(super) live: &'m Live,
    /// Maximum bytes of the files that visitors of one connection have sent.
    pub(super) file_bytes_total_max: i64,
    pub(super) request: PublicRequest,
}

impl<'m> ChatRequest<'m> {
    pub(super) fn new(
        server: &'m ServerContext,
        state: &'m InboxState,
        connection: StoredConnection,
        request: PublicRequest,
    ) -> Self {
        Self {
            server,
            words: &state.words,
            connection,
            registry: &state.registry,
            live: &state.live,
            file_bytes_total_max: state.file_bytes_total_max,
            request,
        }
    }

    /// Refuses an address that exceeds its limit.
    pub(super) fn admit(&self, act: Action) -> Result<()> {
        self.registry.limits().admit(act, LimitKey::at(self.request.address), self.request.now)
    }

    /// The visitor of the request's token, if neither they nor their address exceed a limit.
    pub(super) fn visitor(&self, act: Action) -> Result<Visitor> {
        self.admit(act)?;
        self.counted(act, self.known_visitor())
    }

    /// The visitor of the request's token, if it has a valid one.
    pub(super) fn known_visitor(&self) -> Option<Visitor> {
        self.open(self.bearer()?)
    }

    fn open(&self, token: &str) -> Option<Visitor> {
        let visitor = self.tokens().open(token, self.connection.id(), self.request.now)?;
        visitor.user.as_ref().is_none_or(|user| self.is_signed(user)).then_some(visitor)
    }

    /// Whether the website has signed its user's id with the secret of this connection.
    pub(super) fn is_signed(&self, user: &SignedUser) -> bool {
        self.identity_secret().is_some_and(|secret| is_hex_sha256(secret, user.id.as_bytes(), &user.hash))
    }

    /// The secret with which the website signs its users' ids.
    pub(super) fn identity_secret(&self) -> Option<&str> {
        self.connection.credentials(&self.server.services.secrets)?.identity_secret()
    }

    /// The same for requests in which a browser cannot set a header: the token may be in the query.
    pub(super) fn visitor_by_address(&self, act: Action) -> Result<Visitor> {
        self.admit(act)?;
        let query = Pairs::parse(&self.request.query);
        let token = self.bearer().or_else(|| query.given("token"));
        self.counted(act, token.and_then(|token| self.open(token)))
    }

    fn counted(&self, act: Action, visitor: Option<Visitor>) -> Result<Visitor> {
        let visitor = visitor.ok_or_else(|| {
            Failure::forbidden(
                "visitor_token",
                "This request carries no visitor token that is good for this chat. Get one with POST …/visitors and \
                 send it as `Authorization: Bearer <token>`.",
            )
        })?;
        self.registry.limits().admit(act, LimitKey::Visitor(visitor.id), self.request.now)?;
        Ok(visitor)
    }

    /// Refuses a disconnected connection.
    pub(super) fn connected(&self) -> Result<()> {
        if self.connection.is_connected() {
            return Ok(());
        }
        Err(Failure::channel_not_connected(
            "This chat is closed: its connection was ended. Its owner can open another with `frontdesk channel connect`.",
        ))
    }

    pub(super) fn tokens(&self) -> Tokens<'_> {
        Tokens::of(&self.server.services)
    }

    fn bearer(&self) -> Option<&str> {
        self.request.header(AUTHORIZATION.as_str())?.strip_prefix("Bearer ").map(str::trim)
    }

    /// The body; an empty one is an empty object.
    pub(super) fn body<T: Input>(&self) -> Result<T> {
        read(&self.request.body)
    }
}

fn read<T: Input>(body: &Bytes) -> Result<T> {
    let value: Value = match body.trim_ascii() {
        [] => json!({}),
        body => serde_json::from_slice(body).map_err(|wrong| {
            Failure::bad_request(format!("The body is not JSON: {wrong}. Correct it and send it again."))
        })?,
    };
    let mut problems = Problems::new();
    match T::read(Some(&value), &mut FieldPath::root(), &mut problems) {
        Some(read) if problems.is_empty() => Ok(read),
        _ => Err(Failure::validation(problems)),
    }
}
