//! One connection to PostgreSQL. Statements that are sent together take one round trip.
//!
//! A group of statements ends with one Sync, so PostgreSQL responds to all of them at once. If one fails,
//! those after it are not run.

use std::io::{self, Read, Write};
use std::sync::Arc;
use std::time::{Duration, Instant};

use bytes::BytesMut;
use fallible_iterator::FallibleIterator;
use postgres_protocol::IsNull;
use postgres_protocol::message::backend::{DataRowBody, Message, NotificationResponseBody};
use postgres_protocol::message::frontend::{self, BindError};
use postgres_types::{ToSql, Type};

use super::refusal::Refusal;
use super::socket::Socket;
use crate::{Error, Result, Value};

/// A server that is silent for longer is gone: our statements take at most a quarter of it.
const SILENCE_MAX: Duration = Duration::from_mins(2);
const READ_BYTES: usize = 8 * 1024;
/// A statement, not a portal; and the format of all values.
const STATEMENT: u8 = b'S';
const BINARY: i16 = 1;
const COMMITTED: &str = "COMMIT";
const ROLLED_BACK: &str = "ROLLBACK";
const SILENT: &str = "it does not answer";
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

/// A prepared statement.
pub(crate) struct Statement {
    name: String,
    params: Vec<Type>,
    pub(crate) columns: Vec<Type>,
}

/// A statement with its values.
pub(crate) struct BoundStatement<'a> {
    pub(crate) statement: Arc<Statement>,
    pub(crate) values: Vec<Value<'a>>,
}

#[derive(Default)]
pub(crate) struct StatementResult {
    pub(crate) rows: Vec<DataRowBody>,
    /// The number of rows changed or found.
    pub(crate) touched: u64,
    /// COMMIT was answered with ROLLBACK, because the transaction had failed: nothing was changed.
    pub(crate) rolled_back: bool,
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
        self.set_patience(Some(time))
    }

    pub(super) fn end_login(&mut self) -> Result<()> {
        self.login_deadline = None;
        self.set_patience(Some(SILENCE_MAX))
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
    pub(crate) fn wait_forever(&mut self, forever: bool) -> Result<()> {
        self.set_patience(if forever { None } else { Some(SILENCE_MAX) })
    }

    /// Runs text without parameters and results.
    pub(crate) fn batch(&mut self, sql: &str) -> Result<()> {
        self.send(|out| frontend::query(sql, out))?;
        self.settle()
    }

    /// The first value that a text without parameters returns, as text.
    pub(crate) fn query_text(&mut self, sql: &str) -> Result<Option<String>> {
        self.send(|out| frontend::query(sql, out))?;
        let mut found = None;
        self.responses(|message| {
            if let Message::DataRow(row) = message {
                let range = row.ranges().next()?.flatten();
                let text = range.map(|range| String::from_utf8_lossy(&row.buffer()[range]).into_owned());
                found = found.take().or(text);
            }
            Ok(())
        })?;
        Ok(found)
    }

    pub(crate) fn prepare(&mut self, sql: &str) -> Result<Statement> {
        self.prepared += 1;
        let name = format!("{:08x}_{}", self.prefix, self.prepared);
        self.send(|out| {
            frontend::parse(&name, sql, [], out)?;
            frontend::describe(STATEMENT, &name, out)?;
            frontend::sync(out);
            Ok(())
        })?;
        let (mut params, mut columns, mut described) = (Vec::new(), Vec::new(), false);
        self.responses(|message| {
            match message {
                Message::ParseComplete => {}
                Message::ParameterDescription(body) => params = body.parameters().map(type_of).collect()?,
                Message::RowDescription(body) => {
                    columns = body.fields().map(|field| type_of(field.type_oid())).collect()?;
                    described = true;
                }
                Message::NoData => described = true,
                _ => return Err(unexpected()),
            }
            Ok(())
        })?;
        if described { Ok(Statement { name, params, columns }) } else { Err(self.cut("answers are missing")) }
    }

    /// Deallocates statements.
    pub(crate) fn forget(&mut self, statements: &[Arc<Statement>]) -> Result<()> {
        self.send(|out| {
            statements.iter().try_for_each(|statement| frontend::close(STATEMENT, &statement.name, out))?;
            frontend::sync(out);
            Ok(())
        })?;
        self.settle()
    }

    /// Runs statements in this order; the results have the same order.
    pub(crate) fn exchange(&mut self, asks: &[BoundStatement<'_>]) -> Result<Vec<StatementResult>> {
        self.send(|out| {
            asks.iter().try_for_each(|ask| ask.write(out))?;
            frontend::sync(out);
            Ok(())
        })?;
        let (mut responses, mut rows) = (Vec::with_capacity(asks.len()), Vec::new());
        let (mut bound, mut committed) = (0, false);
        let outcome = self.responses(|message| {
            let in_order = bound == responses.len() + 1;
            match message {
                Message::BindComplete if bound == responses.len() && bound < asks.len() => bound += 1,
                Message::DataRow(row) if in_order => rows.push(row),
                Message::CommandComplete(body) if in_order => {
                    // Such as `INSERT 0 1`, `UPDATE 3`, `BEGIN`.
                    let tag = body.tag()?;
                    let count = tag.rsplit(' ').next().and_then(|count| count.parse().ok());
                    committed = tag == COMMITTED;
                    responses.push(StatementResult {
                        rows: std::mem::take(&mut rows),
                        touched: count.unwrap_or(0),
                        rolled_back: tag == ROLLED_BACK,
                    });
                }
                _ => return Err(unexpected()),
            }
            Ok(())
        });
        let complete = responses.len() == asks.len();
        // A message after the response to COMMIT, such as a shutdown, cannot undo it.
        if outcome.is_err() && !(complete && committed) {
            outcome?;
        }
        if complete { Ok(responses) } else { Err(self.cut("answers are missing")) }
    }

    /// Waits for a notification, up to a time limit.
    pub(crate) fn next_notification(
        &mut self,
        patience: Duration,
    ) -> Result<Option<NotificationResponseBody>> {
        self.set_patience(Some(patience))?;
        loop {
            match self.parse()? {
                Some(Message::NotificationResponse(body)) => return Ok(Some(body)),
                Some(Message::NoticeResponse(_) | Message::ParameterStatus(_)) => {}
                Some(Message::ErrorResponse(body)) => return Err(self.refuse(Refusal::read(&body))),
                Some(_) => return Err(self.cut(unexpected())),
                None => match self.read_some() {
                    Ok(()) => {}
                    // A keepalive failure has another error kind.
                    Err(error) if error.kind() == io::ErrorKind::WouldBlock => return Ok(None),
                    Err(error) => return Err(self.cut(error)),
                },
            }
        }
    }

    /// Reads responses until PostgreSQL is ready for more.
    fn responses(&mut self, mut visit: impl FnMut(Message) -> io::Result<()>) -> Result<()> {
        self.round_trips.increment(1);
        let mut failure = None;
        loop {
            match self.receive() {
                Ok(Message::ReadyForQuery(body)) => {
                    self.transaction_status = match body.status() {
                        b'I' => TransactionStatus::Idle,
                        b'E' => TransactionStatus::Failed,
                        _ => TransactionStatus::Open,
                    };
                    return failure.map_or(Ok(()), Err);
                }
                Ok(Message::ErrorResponse(body)) => {
                    let error = self.refuse(Refusal::read(&body));
                    failure.get_or_insert(error);
                }
                Ok(message) => visit(message).map_err(|error| self.cut(error))?,
                // Before it closes the connection, PostgreSQL sends the reason.
                Err(error) => return Err(failure.unwrap_or(error)),
            }
        }
    }

    fn refuse(&mut self, refusal: Refusal) -> Error {
        if refusal.spoils_connection() && self.login_deadline.is_none() {
            let (code, text) = (refusal.code(), refusal.text());
            tracing::warn!(code, text, "PostgreSQL refused a statement; its connection is dropped");
            self.spoiled = true;
        }
        let error = refusal.meaning();
        self.last_refusal = Some(refusal);
        error
    }

    /// The same, without a result.
    pub(super) fn settle(&mut self) -> Result<()> {
        self.responses(|_| Ok(()))
    }

    /// The next message while logging in.
    pub(super) fn receive_welcome(&mut self) -> Result<Message> {
        match self.receive()? {
            Message::ErrorResponse(body) => Err(self.refuse(Refusal::read(&body))),
            message => Ok(message),
        }
    }

    /// Sends a message. A message that cannot be encoded is not sent at all.
    pub(super) fn send(&mut self, write: impl FnOnce(&mut BytesMut) -> io::Result<()>) -> Result<()> {
        if !self.arrived.is_empty() {
            self.drain()?;
        }
        self.out.clear();
        write(&mut self.out).map_err(|error| Error::Engine(error.to_string()))?;
        let sent = self.socket.write_all(&self.out).and_then(|()| self.socket.flush());
        sent.map_err(|error| self.cut(error))
    }

    /// Between two groups PostgreSQL may send notices, but no results: a result would be taken for that of
    /// the next statement.
    fn drain(&mut self) -> Result<()> {
        while let Some(message) = self.parse()? {
            match message {
                Message::NoticeResponse(_)
                | Message::ParameterStatus(_)
                | Message::NotificationResponse(_) => {}
                Message::ErrorResponse(body) => {
                    let why = Refusal::read(&body).text().to_owned();
                    return Err(self.cut(why));
                }
                _ => return Err(self.cut(unexpected())),
            }
        }
        Ok(())
    }

    /// The next message that is part of a response.
    fn receive(&mut self) -> Result<Message> {
        loop {
            match self.parse()? {
                Some(
                    Message::NoticeResponse(_)
                    | Message::ParameterStatus(_)
                    | Message::NotificationResponse(_),
                ) => {}
                Some(message) => return Ok(message),
                None => self.read()?,
            }
        }
    }

    /// The next complete message.
    fn parse(&mut self) -> Result<Option<Message>> {
        Message::parse(&mut self.arrived).map_err(|error| self.cut(error))
    }

    #[expect(clippy::disallowed_methods, reason = "a deadline, which is not stored")]
    fn read(&mut self) -> Result<()> {
        if let Some(deadline) = self.login_deadline {
            let left = deadline.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return Err(self.cut(SILENT));
            }
            self.set_patience(Some(left))?;
        }
        self.read_some().map_err(|error| {
            let silent = matches!(error.kind(), io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut);
            if silent { self.cut(SILENT) } else { self.cut(error) }
        })
    }

    fn read_some(&mut self) -> io::Result<()> {
        let filled = self.arrived.len();
        self.arrived.resize(filled + READ_BYTES, 0);
        let read = loop {
            match self.socket.read(&mut self.arrived[filled..]) {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                read => break read,
            }
        };
        self.arrived.truncate(filled + read.as_ref().map_or(0, |read| *read));
        match read {
            Ok(0) => Err(io::Error::other("it closed the connection")),
            read => read.map(|_| ()),
        }
    }

    pub(super) fn set_patience(&mut self, patience: Option<Duration>) -> Result<()> {
        let set = self.socket.set_patience(patience);
        set.map_err(|error| self.cut(error))
    }

    fn cut(&mut self, why: impl ToString) -> Error {
        self.transaction_status = TransactionStatus::Cut;
        Error::Unavailable(why.to_string())
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

impl BoundStatement<'_> {
    fn write(&self, out: &mut BytesMut) -> io::Result<()> {
        let Statement { name, params, .. } = &*self.statement;
        if params.len() != self.values.len() {
            return Err(io::Error::other(format!(
                "{} values for {} places",
                self.values.len(),
                params.len()
            )));
        }
        let values = self.values.iter().zip(params);
        let write = |(value, ty): (&Value<'_>, &Type), out: &mut BytesMut| {
            Ok(match value.to_sql_checked(ty, out)? {
                postgres_types::IsNull::Yes => IsNull::Yes,
                postgres_types::IsNull::No => IsNull::No,
            })
        };
        frontend::bind("", name, [BINARY], values, write, [BINARY], out).map_err(|error| match error {
            BindError::Conversion(error) => io::Error::other(error),
            BindError::Serialization(error) => error,
        })?;
        frontend::execute("", 0, out)
    }
}

fn type_of(oid: u32) -> io::Result<Type> {
    Type::from_oid(oid).ok_or_else(|| io::Error::other(format!("type {oid} is unknown")))
}

fn unexpected() -> io::Error {
    io::Error::other("it sent a message that answers nothing: is it PostgreSQL?")
}
