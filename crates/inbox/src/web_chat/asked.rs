//! A visitor's request, and what it must pass before it is looked into.

use std::sync::Arc;

use bytes::Bytes;
use frontdesk_platform::{Means, Visit};
use frontdesk_web::{At, Failure, Input, Pairs, Problems, Result};
use http::header::AUTHORIZATION;
use serde_json::{Value, json};

use super::Shared;
use super::limits::{Act, Who};
use super::lobby::Lobby;
use super::token::{Tokens, Visitor};
use crate::connections::Line;
use crate::inbound::Words;

/// The longest text in the widest script, twice over for its escapes.
const BODY_BYTES_MAX: usize = 64 << 10;

/// A request of a visitor to one connection.
pub(super) struct Asked<'m> {
    pub(super) means: &'m Means,
    pub(super) words: &'m Arc<Words>,
    pub(super) line: Line,
    pub(super) lobby: &'m Lobby,
    pub(super) visit: Visit,
}

impl<'m> Asked<'m> {
    pub(super) fn new(means: &'m Means, shared: &'m Shared, line: Line, visit: Visit) -> Result<Self> {
        if visit.body.len() > BODY_BYTES_MAX {
            return Err(Failure::too_large(BODY_BYTES_MAX));
        }
        Ok(Self { means, words: &shared.words, line, lobby: &shared.lobby, visit })
    }

    /// Refuses an address that does too much.
    pub(super) fn admit(&self, act: Act) -> Result<()> {
        self.lobby.limits().admit(act, Who::at(self.visit.address), self.visit.now)
    }

    /// The visitor whose token this request carries, if neither they nor their address do too much.
    pub(super) fn visitor(&self, act: Act) -> Result<Visitor> {
        self.admit(act)?;
        let visitor =
            self.bearer().and_then(|token| self.tokens().open(token, self.line.id(), self.visit.now));
        self.counted(act, visitor)
    }

    /// The same for what a browser asks by an address alone, which can carry no header: the token may be in the query.
    pub(super) fn visitor_by_address(&self, act: Act) -> Result<Visitor> {
        self.admit(act)?;
        let query = Pairs::parse(&self.visit.query);
        let token = self.bearer().or_else(|| query.given("token"));
        let visitor = token.and_then(|token| self.tokens().open(token, self.line.id(), self.visit.now));
        self.counted(act, visitor)
    }

    fn counted(&self, act: Act, visitor: Option<Visitor>) -> Result<Visitor> {
        let visitor = visitor.ok_or_else(|| {
            Failure::forbidden(
                "visitor_token",
                "This request carries no visitor token that is good for this chat. Get one with POST …/visitors and \
                 send it as `Authorization: Bearer <token>`.",
            )
        })?;
        self.lobby.limits().admit(act, Who::Visitor(visitor.id), self.visit.now)?;
        Ok(visitor)
    }

    /// Refuses what cannot reach anybody.
    pub(super) fn connected(&self) -> Result<()> {
        if self.line.is_connected() {
            return Ok(());
        }
        Err(Failure::channel_not_connected(
            "This chat is closed: its connection was ended. Its owner can open another with `frontdesk channel connect`.",
        ))
    }

    pub(super) fn tokens(&self) -> Tokens<'_> {
        Tokens::of(&self.means.services)
    }

    fn bearer(&self) -> Option<&str> {
        self.visit.header(AUTHORIZATION.as_str())?.strip_prefix("Bearer ").map(str::trim)
    }

    /// The body; an empty one is an empty object.
    pub(super) fn body<T: Input>(&self) -> Result<T> {
        read(&self.visit.body)
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
    match T::read(Some(&value), &mut At::root(), &mut problems) {
        Some(read) if problems.is_empty() => Ok(read),
        _ => Err(Failure::validation(problems)),
    }
}
