//! Messages of the wire protocol: sent, received and framed.

use std::io::{self, Read, Write};
use std::time::{Duration, Instant};

use bytes::BytesMut;
use postgres_protocol::message::backend::{Message, NotificationResponseBody};

use super::{PgConnection, TransactionStatus};
use crate::error::{Error, Result};
use crate::postgres::refusal::{Refusal, is_unreplicated};

const READ_BYTES: usize = 8 * 1024;
/// The longest message while logging in, when it may be anybody who answers, and afterwards: no value of PostgreSQL is
/// larger. Memory is taken for as many bytes as a message says that it has.
const LOGIN_MESSAGE_BYTES_MAX: u32 = 64 << 10;
const MESSAGE_BYTES_MAX: u32 = 1 << 30;
const TOO_LONG: &str = "it announces a message that is too long: is it PostgreSQL?";
const SILENT: &str = "it does not answer";

impl PgConnection {
    /// Waits for a notification, up to a time limit.
    pub(crate) fn next_notification(
        &mut self,
        timeout: Duration,
    ) -> Result<Option<NotificationResponseBody>> {
        self.set_timeout(Some(timeout))?;
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
    pub(super) fn responses(&mut self, mut visit: impl FnMut(Message) -> io::Result<()>) -> Result<()> {
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

    /// Reads responses and ignores their content.
    pub(in crate::postgres) fn settle(&mut self) -> Result<()> {
        self.responses(|_| Ok(()))
    }

    /// The next message while logging in.
    pub(in crate::postgres) fn receive_welcome(&mut self) -> Result<Message> {
        match self.receive()? {
            Message::ErrorResponse(body) => Err(self.refuse(Refusal::read(&body))),
            message => Ok(message),
        }
    }

    /// Sends a message. A message that cannot be encoded is not sent at all.
    pub(in crate::postgres) fn send(
        &mut self,
        write: impl FnOnce(&mut BytesMut) -> io::Result<()>,
    ) -> Result<()> {
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
                Some(Message::NoticeResponse(notice)) => self.is_unreplicated |= is_unreplicated(&notice),
                Some(Message::ParameterStatus(_) | Message::NotificationResponse(_)) => {}
                Some(message) => return Ok(message),
                None => self.read()?,
            }
        }
    }

    /// The next complete message.
    fn parse(&mut self) -> Result<Option<Message>> {
        let bytes_max =
            if self.login_deadline.is_some() { LOGIN_MESSAGE_BYTES_MAX } else { MESSAGE_BYTES_MAX };
        // The length comes after the tag.
        if let Some([_, length @ ..]) = self.arrived.first_chunk::<5>()
            && u32::from_be_bytes(*length) > bytes_max
        {
            return Err(self.cut(TOO_LONG));
        }
        Message::parse(&mut self.arrived).map_err(|error| self.cut(error))
    }

    #[expect(clippy::disallowed_methods, reason = "a deadline, which is not stored")]
    fn read(&mut self) -> Result<()> {
        if let Some(deadline) = self.login_deadline {
            let left = deadline.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return Err(self.cut(SILENT));
            }
            self.set_timeout(Some(left))?;
        }
        loop {
            return match self.read_some() {
                Err(error) if is_silence(&error) && self.may_wait_on() => continue,
                Err(error) if is_silence(&error) => Err(self.cut(SILENT)),
                read => read.map_err(|error| self.cut(error)),
            };
        }
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

    pub(in crate::postgres) fn set_timeout(&mut self, timeout: Option<Duration>) -> Result<()> {
        let set = self.socket.set_timeout(timeout);
        set.map_err(|error| self.cut(error))
    }

    pub(super) fn cut(&mut self, why: impl ToString) -> Error {
        self.transaction_status = TransactionStatus::Cut;
        Error::Unavailable(why.to_string())
    }
}

fn is_silence(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut)
}

pub(super) fn unexpected() -> io::Error {
    io::Error::other("it sent a message that answers nothing: is it PostgreSQL?")
}
