//! One connection to PostgreSQL. Statements that are sent together take one round trip.
//!
//! A group of statements ends with one Sync, so PostgreSQL responds to all of them at once. If one fails,
//! those after it are not run.

mod messages;
mod statements;

use std::time::{Duration, Instant};

use bytes::BytesMut;
use fallible_iterator::FallibleIterator;
use postgres_protocol::message::backend::Message;
use postgres_protocol::message::frontend;

pub(crate) use self::statements::{BoundStatement, Statement, StatementResult};
use super::refusal::Refusal;
use super::socket::Socket;
use crate::error::Result;

/// A server that is silent for longer is gone: our statements take at most a quarter of it.
const SILENCE_MAX: Duration = Duration::from_mins(2);
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

    /// Whether another job can be run: no transaction is open, and the connection is not spoiled.
    pub(crate) fn is_reusable(&self) -> bool {
        self.transaction_status == TransactionStatus::Idle && !self.spoiled
    }

    /// Whether a transaction is open that a COMMIT can end, and the connection is not spoiled.
    pub(crate) fn is_sound_inside(&self) -> bool {
        self.transaction_status == TransactionStatus::Open && !self.spoiled
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
