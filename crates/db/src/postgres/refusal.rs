//! Errors that PostgreSQL sends: their meaning for the caller and for the connection.

use fallible_iterator::FallibleIterator;
use postgres_protocol::message::backend::{ErrorResponseBody, NoticeResponseBody};

use crate::error::Error;

const SERIALIZATION_FAILURE: &str = "40001";
const DEADLOCK: &str = "40P01";
const LOCK_NOT_AVAILABLE: &str = "55P03";
/// The server has become a standby: another one accepts writes now.
const READ_ONLY: &str = "25006";
/// A prepared statement is missing: a pooler has assigned us another session.
const STATEMENT_UNKNOWN: &str = "26000";
/// Among others: a table has changed since a statement was prepared.
const NOT_SUPPORTED: &str = "0A000";
/// The function of PostgreSQL that detects such a change. Its message may be in any language.
const PLAN_CHECK: &str = "RevalidateCachedQuery";
/// The function of PostgreSQL that waits for synchronous standbys. A commit whose wait is cancelled is only on this server.
const REPLICATION_WAIT: &str = "SyncRepWaitForLSN";
/// The server shuts down, has crashed, or has not started yet.
const SHUTDOWN: [&str; 3] = ["57P01", "57P02", "57P03"];
const TOO_MANY_CONNECTIONS: &str = "53300";
/// Class 53: the disk is full, memory ran out or a configured limit was reached.
const INSUFFICIENT_RESOURCES: &str = "53";
const IO_ERROR: &str = "58030";
/// No rule of `pg_hba.conf` allows this login, or the password is wrong.
const NO_RULE: &str = "28000";
const LOGIN_CLASS: &str = "28";

/// Whether a notice says that the wait for synchronous standbys was cancelled.
pub(super) fn is_unreplicated(notice: &NoticeResponseBody) -> bool {
    let mut fields = notice.fields();
    std::iter::from_fn(|| fields.next().ok().flatten())
        .any(|field| field.type_() == b'R' && field.value_bytes() == REPLICATION_WAIT.as_bytes())
}

#[derive(Debug, Default)]
pub(super) struct Refusal {
    code: String,
    constraint: Option<String>,
    text: String,
    routine: String,
    /// The server closes the connection.
    fatal: bool,
}

impl Refusal {
    pub(super) fn read(body: &ErrorResponseBody) -> Self {
        let mut refusal = Self::default();
        let mut fields = body.fields();
        while let Ok(Some(field)) = fields.next() {
            let value = || String::from_utf8_lossy(field.value_bytes()).into_owned();
            match field.type_() {
                b'C' => refusal.code = value(),
                b'n' => refusal.constraint = Some(value()),
                // Details are left out: they contain values of rows.
                b'M' => refusal.text = value(),
                b'R' => refusal.routine = value(),
                // The severity in English, whatever the language of the messages.
                b'V' => refusal.fatal = matches!(field.value_bytes(), b"FATAL" | b"PANIC"),
                _ => {}
            }
        }
        refusal
    }

    /// Whether the connection must not be used again.
    pub(super) fn spoils_connection(&self) -> bool {
        let code = self.code.as_str();
        self.fatal
            || SHUTDOWN.contains(&code)
            || [READ_ONLY, STATEMENT_UNKNOWN, NOT_SUPPORTED].contains(&code)
    }

    /// Whether this login would fail at any other address too.
    pub(super) fn is_about_login(&self) -> bool {
        self.code.starts_with(LOGIN_CLASS)
    }

    /// Whether a login without TLS may succeed.
    pub(super) fn is_without_rule(&self) -> bool {
        self.code == NO_RULE
    }

    pub(super) fn meaning(&self) -> Error {
        let stale_plan = self.code == NOT_SUPPORTED && self.routine == PLAN_CHECK;
        match (self.code.as_str(), &self.constraint) {
            // Nothing was changed. The last may work over another connection.
            (SERIALIZATION_FAILURE | DEADLOCK | STATEMENT_UNKNOWN, _) => Error::Undone,
            (READ_ONLY, _) => Error::ReadOnly(self.text.clone()),
            _ if stale_plan => Error::Undone,
            (LOCK_NOT_AVAILABLE, _) => Error::LockTimeout,
            (TOO_MANY_CONNECTIONS, _) => Error::Unavailable(self.text.clone()),
            (code, _) if code == IO_ERROR || code.starts_with(INSUFFICIENT_RESOURCES) => {
                Error::Disk(self.text.clone())
            }
            (code, _) if self.fatal || SHUTDOWN.contains(&code) => Error::Unavailable(self.text.clone()),
            (_, Some(constraint)) => Error::Constraint(constraint.clone()),
            _ => Error::Engine(self.text.clone()),
        }
    }

    pub(super) fn code(&self) -> &str {
        &self.code
    }

    pub(super) fn text(&self) -> &str {
        &self.text
    }
}
