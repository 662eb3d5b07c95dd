//! One connection to PostgreSQL. Statements that are sent together take one round trip.
//!
//! A group of statements ends with one Sync, so PostgreSQL responds to all of them at once. If one fails,
//! those after it are not run.

mod messages;
mod statements;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use bytes::BytesMut;
use fallible_iterator::FallibleIterator;
use postgres_protocol::message::backend::Message;
use postgres_protocol::message::frontend;

pub(crate) use self::statements::{BoundStatement, Statement, StatementResult};
use super::refusal::Refusal;
use super::socket::Socket;
use super::timelines::{Newest, Timeline};
use crate::error::Result;

/// A server that is silent for longer is gone: our statements take at most a third of it.
const SILENCE_MAX: Duration = Duration::from_mins(2);
/// How often a connection that waits for a watched server looks whether that is still believed to live.
const ALIVE_CHECK_PERIOD: Duration = Duration::from_millis(250);
/// Counts round trips to PostgreSQL.
const ROUND_TRIPS: &str = "frontdesk_db_round_trips_total";

pub(crate) struct PgConnection {
    socket: Socket,
    out: BytesMut,
    arrived: BytesMut,
    transaction_status: TransactionStatus,
    /// The connection must be dropped because of an error that PostgreSQL sent.
    spoiled: bool,
    /// The deadline of the login.
    login_deadline: Option<Instant>,
    last_refusal: Option<Refusal>,
    /// The prefix of our statements' names. Behind a pooler, other clients have statements in the same
    /// session.
    prefix: u32,
    /// The number of prepared statements, which is the suffix of their names.
    prepared: u64,
    round_trips: metrics::Counter,
    /// The server's timeline, if it is known, and the newest one of its hosts.
    timeline: Timeline,
    newest: Option<Newest>,
    /// Whether a commit of the current statements was not replicated to a synchronous standby.
    is_unreplicated: bool,
    /// Whether the server is believed to live. While it is, a silence may be long.
    is_alive: Option<Arc<AtomicBool>>,
}

/// The transaction status that PostgreSQL reports.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TransactionStatus {
    Idle,
    /// Inside a transaction.
    Open,
    /// Inside a transaction of which a statement has failed.
    Failed,
    /// The connection is closed.
    Cut,
}

impl PgConnection {
    /// A connection that has not logged in yet.
    #[expect(clippy::disallowed_methods, reason = "a prefix that keeps statement names of two clients apart")]
    pub(super) fn new(socket: Socket) -> Self {
        Self {
            socket,
            out: BytesMut::new(),
            arrived: BytesMut::new(),
            transaction_status: TransactionStatus::Open,
            spoiled: false,
            login_deadline: None,
            last_refusal: None,
            prefix: rand::random(),
            prepared: 0,
            round_trips: metrics::counter!(ROUND_TRIPS),
            timeline: 0,
            newest: None,
            is_unreplicated: false,
            is_alive: None,
        }
    }

    /// Limits the time of the whole login, however slowly its bytes arrive.
    #[expect(clippy::disallowed_methods, reason = "a deadline, which is not stored")]
    pub(super) fn limit_login(&mut self, time: Duration) -> Result<()> {
        self.login_deadline = Some(Instant::now() + time);
        self.set_timeout(Some(time))
    }

    pub(super) fn end_login(&mut self) -> Result<()> {
        self.login_deadline = None;
        self.set_timeout(Some(SILENCE_MAX))
    }

    /// The last error that PostgreSQL sent.
    pub(super) fn last_refusal(&self) -> Option<&Refusal> {
        self.last_refusal.as_ref()
    }

    pub(super) fn end_point(&self) -> Option<Vec<u8>> {
        self.socket.end_point()
    }

    pub(crate) fn transaction_status(&self) -> TransactionStatus {
        self.transaction_status
    }

    pub(super) fn timeline(&self) -> Timeline {
        self.timeline
    }

    pub(super) fn set_timeline(&mut self, timeline: Timeline) {
        self.timeline = timeline;
    }

    /// Notes its timeline. The connection is not used again once a newer one is known.
    pub(super) fn follow(&mut self, newest: &Newest) {
        newest.note(self.timeline);
        self.newest = Some(newest.clone());
    }

    /// Whether another host was promoted since.
    fn is_outdated(&self) -> bool {
        self.newest.as_ref().is_some_and(|newest| newest.is_older(self.timeline))
    }

    /// Whether another job can be run: no transaction is open, and the connection is neither spoiled nor to an old primary.
    pub(crate) fn is_reusable(&self) -> bool {
        self.transaction_status == TransactionStatus::Idle && !self.spoiled && !self.is_outdated()
    }

    /// Whether a transaction is open that a COMMIT can end, and the connection is neither spoiled nor to an old primary.
    pub(crate) fn is_sound_inside(&self) -> bool {
        self.transaction_status == TransactionStatus::Open && !self.spoiled && !self.is_outdated()
    }

    /// Whether no error has broken the connection or its transaction.
    pub(crate) fn is_sound(&self) -> bool {
        self.is_reusable() || self.is_sound_inside()
    }

    /// Waits for responses only while another thread believes that the server lives.
    pub(crate) fn wait_while(&mut self, is_alive: Arc<AtomicBool>) -> Result<()> {
        self.is_alive = Some(is_alive);
        self.set_timeout(Some(ALIVE_CHECK_PERIOD))
    }

    /// Whether to go on waiting for a server that is silent.
    fn may_wait_on(&self) -> bool {
        self.is_alive.as_ref().is_some_and(|is_alive| is_alive.load(Ordering::Acquire))
    }

    /// Removes the time limit of a statement, or sets the default again. Keepalive detects a server that is
    /// gone.
    pub(crate) fn set_wait_forever(&mut self, forever: bool) -> Result<()> {
        self.set_timeout(if forever { None } else { Some(SILENCE_MAX) })
    }

    /// Runs text without parameters and results.
    pub(crate) fn batch(&mut self, sql: &str) -> Result<()> {
        self.send(|out| frontend::query(sql, out))?;
        self.settle()
    }

    /// The first value that a text without parameters returns, as text.
    pub(crate) fn query_text(&mut self, sql: &str) -> Result<Option<String>> {
        Ok(self.query_texts(sql)?.into_iter().next())
    }

    /// The first value of each row, as text, without those that are NULL.
    pub(crate) fn query_texts(&mut self, sql: &str) -> Result<Vec<String>> {
        self.send(|out| frontend::query(sql, out))?;
        let mut found = Vec::new();
        self.responses(|message| {
            if let Message::DataRow(row) = message {
                let range = row.ranges().next()?.flatten();
                found.extend(range.map(|range| String::from_utf8_lossy(&row.buffer()[range]).into_owned()));
            }
            Ok(())
        })?;
        Ok(found)
    }
}

impl Drop for PgConnection {
    fn drop(&mut self) {
        if self.transaction_status != TransactionStatus::Cut {
            let _unheard_is_fine = self.send(|out| {
                frontend::terminate(out);
                Ok(())
            });
        }
    }
}
