//! The line to PostgreSQL: what is asked together is sent together, and answered in one round trip.
//!
//! A group of statements ends with one Sync, so PostgreSQL answers all of them at once. Where one fails, those after it
//! are not run.

use std::io::{self, Read, Write};
use std::sync::Arc;
use std::time::Duration;

use bytes::BytesMut;
use postgres::Config;
use postgres::config::TargetSessionAttrs;
use postgres::fallible_iterator::FallibleIterator;
use postgres::types::{ToSql, Type};
use postgres_protocol::IsNull;
use postgres_protocol::message::backend::{DataRowBody, ErrorResponseBody, Message};
use postgres_protocol::message::frontend::{self, BindError};

use super::login;
use super::socket::Socket;
use crate::{Error, Result, Value};

/// What has been silent for longer, though a statement of ours takes a quarter of it at most, is not there any more.
const SILENCE_MAX: Duration = Duration::from_mins(2);
const READ_BYTES: usize = 8 * 1024;
/// A statement, not a portal; and the format of all values.
const STATEMENT: u8 = b'S';
const BINARY: i16 = 1;

pub(crate) struct Line {
    socket: Socket,
    out: BytesMut,
    arrived: BytesMut,
    standing: Standing,
    /// How many statements were prepared: their names are numbers.
    prepared: u64,
}

/// What PostgreSQL stands ready for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Standing {
    Idle,
    /// Inside a transaction, which may have failed.
    Open,
    /// Nothing: the line is cut.
    Cut,
}

/// A statement that PostgreSQL has prepared.
pub(crate) struct Statement {
    name: String,
    params: Vec<Type>,
    pub(crate) columns: Vec<Type>,
}

/// A statement that is to be run with these values.
pub(crate) struct Ask<'a> {
    pub(crate) statement: Arc<Statement>,
    pub(crate) values: Vec<Value<'a>>,
}

#[derive(Default)]
pub(crate) struct Answer {
    pub(crate) rows: Vec<DataRowBody>,
    /// How many rows were changed, or found.
    pub(crate) touched: u64,
}

impl Line {
    /// Connects to the first of the hosts that takes us.
    pub(crate) fn connect(config: &Config) -> Result<Self> {
        let patience = config.get_connect_timeout().copied().unwrap_or(SILENCE_MAX);
        let mut failure = Error::Unavailable("name a host: postgres://USER:PASSWORD@HOST/NAME".into());
        for address in Socket::addresses(config) {
            let line = address.connect(patience).map_err(|error| Error::Unavailable(error.to_string()));
            match line.and_then(|socket| Self::begin(socket, config, patience)) {
                Ok(line) => return Ok(line),
                Err(error) => failure = error,
            }
        }
        Err(failure)
    }

    fn begin(socket: Socket, config: &Config, patience: Duration) -> Result<Self> {
        let (out, arrived) = (BytesMut::new(), BytesMut::new());
        let mut line = Self { socket, out, arrived, standing: Standing::Open, prepared: 0 };
        line.set_patience(patience)?;
        login::log_in(&mut line, config)?;
        line.set_patience(SILENCE_MAX)?;
        let read_only = match config.get_target_session_attrs() {
            TargetSessionAttrs::ReadWrite => Some(false),
            TargetSessionAttrs::ReadOnly => Some(true),
            _ => None,
        };
        if let Some(wanted) = read_only
            && line.is_read_only()? != wanted
        {
            return Err(Error::Unavailable("it is not what target_session_attrs asks for".into()));
        }
        Ok(line)
    }

    pub(crate) fn standing(&self) -> Standing {
        self.standing
    }

    /// Runs text that takes no parameters and answers nothing.
    pub(crate) fn batch(&mut self, sql: &str) -> Result<()> {
        self.send(|out| frontend::query(sql, out))?;
        self.settle()
    }

    pub(crate) fn prepare(&mut self, sql: &str) -> Result<Statement> {
        self.prepared += 1;
        let name = self.prepared.to_string();
        self.send(|out| {
            frontend::parse(&name, sql, [], out)?;
            frontend::describe(STATEMENT, &name, out)?;
            frontend::sync(out);
            Ok(())
        })?;
        let (mut params, mut columns) = (Vec::new(), Vec::new());
        self.answers(|message| {
            match message {
                Message::ParameterDescription(body) => params = body.parameters().map(type_of).collect()?,
                Message::RowDescription(body) => {
                    columns = body.fields().map(|field| type_of(field.type_oid())).collect()?;
                }
                _ => {}
            }
            Ok(())
        })?;
        Ok(Statement { name, params, columns })
    }

    /// Lets PostgreSQL forget statements.
    pub(crate) fn forget(&mut self, statements: &[Arc<Statement>]) -> Result<()> {
        self.send(|out| {
            statements.iter().try_for_each(|statement| frontend::close(STATEMENT, &statement.name, out))?;
            frontend::sync(out);
            Ok(())
        })?;
        self.settle()
    }

    /// Runs statements in this order; the answers have the same.
    pub(crate) fn exchange(&mut self, asks: &[Ask<'_>]) -> Result<Vec<Answer>> {
        self.send(|out| {
            asks.iter().try_for_each(|ask| ask.write(out))?;
            frontend::sync(out);
            Ok(())
        })?;
        let (mut answers, mut rows) = (Vec::with_capacity(asks.len()), Vec::new());
        self.answers(|message| {
            match message {
                Message::DataRow(row) => rows.push(row),
                Message::CommandComplete(body) => {
                    // Such as `INSERT 0 1`, `UPDATE 3`, `BEGIN`.
                    let count = body.tag()?.rsplit(' ').next().and_then(|count| count.parse().ok());
                    answers.push(Answer { rows: std::mem::take(&mut rows), touched: count.unwrap_or(0) });
                }
                _ => {}
            }
            Ok(())
        })?;
        if answers.len() == asks.len() { Ok(answers) } else { Err(self.cut("answers are missing")) }
    }

    /// Reads answers until PostgreSQL is ready for more.
    fn answers(&mut self, mut visit: impl FnMut(Message) -> io::Result<()>) -> Result<()> {
        let mut failure = None;
        loop {
            match self.receive() {
                Ok(Message::ReadyForQuery(body)) => {
                    self.standing = if body.status() == b'I' { Standing::Idle } else { Standing::Open };
                    return failure.map_or(Ok(()), Err);
                }
                Ok(Message::ErrorResponse(body)) => failure = failure.or_else(|| Some(meaning(&body))),
                Ok(message) => visit(message).map_err(|error| self.cut(error))?,
                // Before it hangs up, PostgreSQL says why.
                Err(error) => return Err(failure.unwrap_or(error)),
            }
        }
    }

    /// The same, where there is nothing to be told.
    pub(super) fn settle(&mut self) -> Result<()> {
        self.answers(|_| Ok(()))
    }

    /// The next message while logging in.
    pub(super) fn receive_welcome(&mut self) -> Result<Message> {
        match self.receive()? {
            Message::ErrorResponse(body) => Err(meaning(&body)),
            message => Ok(message),
        }
    }

    /// Sends what is written. Nothing is sent of what cannot be written whole.
    pub(super) fn send(&mut self, write: impl FnOnce(&mut BytesMut) -> io::Result<()>) -> Result<()> {
        self.out.clear();
        write(&mut self.out).map_err(|error| Error::Engine(error.to_string()))?;
        let sent = self.socket.write_all(&self.out);
        sent.map_err(|error| self.cut(error))
    }

    /// The next message that answers something.
    fn receive(&mut self) -> Result<Message> {
        loop {
            match Message::parse(&mut self.arrived) {
                Ok(Some(
                    Message::NoticeResponse(_)
                    | Message::ParameterStatus(_)
                    | Message::NotificationResponse(_),
                )) => {}
                Ok(Some(message)) => return Ok(message),
                Ok(None) => self.read()?,
                Err(error) => return Err(self.cut(error)),
            }
        }
    }

    fn read(&mut self) -> Result<()> {
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
            Ok(0) => Err(self.cut("it closed the connection")),
            Ok(_) => Ok(()),
            Err(error) if matches!(error.kind(), io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut) => {
                Err(self.cut("it does not answer"))
            }
            Err(error) => Err(self.cut(error)),
        }
    }

    fn is_read_only(&mut self) -> Result<bool> {
        let statement = Arc::new(self.prepare("SELECT current_setting('transaction_read_only')::boolean")?);
        let answers = self.exchange(&[Ask { statement, values: Vec::new() }])?;
        Ok(answers.iter().flat_map(|answer| &answer.rows).any(|row| row.buffer().ends_with(&[1])))
    }

    fn set_patience(&mut self, patience: Duration) -> Result<()> {
        let set = self.socket.set_patience(patience);
        set.map_err(|error| self.cut(error))
    }

    fn cut(&mut self, why: impl ToString) -> Error {
        self.standing = Standing::Cut;
        Error::Unavailable(why.to_string())
    }
}

impl Drop for Line {
    fn drop(&mut self) {
        if self.standing != Standing::Cut {
            let _unheard_is_fine = self.send(|out| {
                frontend::terminate(out);
                Ok(())
            });
        }
    }
}

impl Ask<'_> {
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
                postgres::types::IsNull::Yes => IsNull::Yes,
                postgres::types::IsNull::No => IsNull::No,
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

/// What a refusal means to those who asked.
fn meaning(refusal: &ErrorResponseBody) -> Error {
    const SERIALIZATION_FAILURE: &str = "40001";
    const DEADLOCK: &str = "40P01";
    /// An operator intervened, as when the server shuts down; or has not started yet.
    const SHUTDOWN: [&str; 3] = ["57P01", "57P02", "57P03"];
    const TOO_MANY_CONNECTIONS: &str = "53300";
    /// Class 53: the disk is full, memory ran out or a configured limit was reached.
    const INSUFFICIENT_RESOURCES: &str = "53";
    const IO_ERROR: &str = "58030";
    const READ_ONLY_TRANSACTION: &str = "25006";

    let (mut code, mut constraint, mut text) = (String::new(), None, String::new());
    let mut fields = refusal.fields();
    while let Ok(Some(field)) = fields.next() {
        let value = || String::from_utf8_lossy(field.value_bytes()).into_owned();
        match field.type_() {
            b'C' => code = value(),
            b'n' => constraint = Some(value()),
            // Not the details: they tell of what is in the rows.
            b'M' => text = value(),
            _ => {}
        }
    }
    match (code.as_str(), constraint) {
        (SERIALIZATION_FAILURE | DEADLOCK, _) => Error::Undone,
        (code, _) if SHUTDOWN.contains(&code) => Error::Unavailable(text),
        (TOO_MANY_CONNECTIONS, _) => Error::Unavailable(text),
        (READ_ONLY_TRANSACTION, _) => Error::ReadOnly(text),
        (code, _) if code == IO_ERROR || code.starts_with(INSUFFICIENT_RESOURCES) => Error::Disk(text),
        (_, Some(constraint)) => Error::Constraint(constraint),
        _ => Error::Engine(text),
    }
}
