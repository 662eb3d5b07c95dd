//! The statuses of a message, with their times and errors.
//!
//! A status is written in the transaction that changes the message, together with its next statement, so it
//! costs no round trip. Rows never change. The initial `sending` has no row: its time is the message's.

use frontdesk_db::{self as db, Query, ReadTx, Tx};
use frontdesk_kernel::Timestamp;
use frontdesk_kernel::ids::AccountId;
use frontdesk_platform::By;
use frontdesk_web::resource;
use serde::{Deserialize, Serialize};

use super::message::{Direction, MessageId, MessageStatus};
use super::sql::{INSERT_STATUS, LIST, MESSAGE};

/// The row of a message whose first status is not `sending`.
const FIRST: i64 = 0;

resource! {
    /// A status that a message has, or has had.
    pub struct StatusChange {
        pub status: MessageStatus,
        /// The channel's own time, if it reported one. Null for messages from before times were recorded.
        pub at: Option<Timestamp>,
        /// Why it failed; null for every other status.
        pub error: Option<StatusError>,
    }
}

resource! {
    /// Why a message failed.
    pub struct StatusError {
        /// The channel's own code, or the reason if there is none.
        pub code: String,
        /// A stable value for programs, such as `outside_window`.
        pub reason: String,
        /// What happened, for a person.
        pub message: String,
    }
}

/// Why a message failed, as the API reports it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct MessageFailure {
    pub(crate) code: String,
    pub(crate) reason: String,
    pub(crate) message: String,
}

impl From<frontdesk_channels::Refusal> for MessageFailure {
    fn from(refusal: frontdesk_channels::Refusal) -> Self {
        Self { code: refusal.code, reason: refusal.reason.to_owned(), message: refusal.message }
    }
}

impl From<MessageFailure> for StatusError {
    fn from(failure: MessageFailure) -> Self {
        Self { code: failure.code, reason: failure.reason, message: failure.message }
    }
}

/// A message has reached a status, the `n`th since it was created.
pub(super) fn write(
    tx: &mut Tx<'_>,
    by: &By,
    message: MessageId,
    n: i64,
    status: MessageStatus,
    at: Timestamp,
    error: Option<String>,
) -> db::Result<()> {
    let params: Vec<db::OwnedParam> = vec![
        Box::new(by.account),
        Box::new(message),
        Box::new(n),
        Box::new(status),
        Box::new(at),
        Box::new(error),
    ];
    tx.insert_along(Query::whole(INSERT_STATUS, params))
}

/// A status of a message, the `n`th since it was created.
pub(super) struct Entry {
    pub(super) account: AccountId,
    pub(super) message: MessageId,
    pub(super) n: i64,
    pub(super) status: MessageStatus,
    pub(super) at: Timestamp,
    pub(super) error: Option<String>,
}

/// Writes the statuses of many messages.
pub(super) fn write_many(tx: &mut Tx<'_>, entries: &[Entry]) -> db::Result<()> {
    let rows: Vec<[&dyn db::Param; 6]> = entries
        .iter()
        .map(|it| [&it.account as &dyn db::Param, &it.message, &it.n, &it.status, &it.at, &it.error])
        .collect();
    tx.insert_each(INSERT_STATUS, &rows)
}

/// A message was created as `sent`: the business sent it from another device.
pub(crate) fn began_as_sent(tx: &mut Tx<'_>, by: &By, message: MessageId, at: Timestamp) -> db::Result<()> {
    write(tx, by, message, FIRST, MessageStatus::Sent, at, None)
}

/// Every status of a message, oldest first. None if there is no such message.
pub(super) fn list(
    tx: &mut ReadTx<'_>,
    account: AccountId,
    message: MessageId,
) -> db::Result<Option<Vec<StatusChange>>> {
    let found = tx.find(MESSAGE, &[&account, &message], |row| {
        Ok((row.next::<Direction>()?, row.next::<MessageStatus>()?, row.next::<Option<String>>()?))
    })?;
    let Some((direction, status, error)) = found else { return Ok(None) };
    let rows = tx.query(LIST, &[&account, &message], |row| {
        let (n, status, at) = (row.next::<i64>()?, row.next()?, row.next()?);
        Ok((n, StatusChange { status, at: Some(at), error: read_error(row.next()?) }))
    })?;
    let last = StatusChange { status, at: None, error: read_error(error) };
    Ok(Some(whole(message.created_at(), direction, rows, last)))
}

fn read_error(error: Option<String>) -> Option<StatusError> {
    serde_json::from_str::<MessageFailure>(&error?).ok().map(Into::into)
}

/// The complete statuses: with the initial one, and with the current one if it was not recorded.
fn whole(
    created_at: Timestamp,
    direction: Direction,
    rows: Vec<(i64, StatusChange)>,
    last: StatusChange,
) -> Vec<StatusChange> {
    let began_otherwise = rows.first().is_some_and(|(n, _)| *n == FIRST);
    let first = match direction {
        // A customer's message has its status from the start.
        Direction::Inbound => Some(last.status),
        Direction::Outbound => (!began_otherwise).then_some(MessageStatus::Sending),
    };
    let first = first.map(|status| StatusChange { status, at: Some(created_at), error: None });
    let mut all: Vec<StatusChange> = first.into_iter().chain(rows.into_iter().map(|(_, row)| row)).collect();
    if all.last().is_none_or(|known| known.status != last.status) {
        all.push(last);
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    const MADE: Timestamp = Timestamp::from_millis(1_000);

    fn change(status: MessageStatus, at: Option<i64>) -> StatusChange {
        StatusChange { status, at: at.map(Timestamp::from_millis), error: None }
    }

    fn words(all: &[StatusChange]) -> Vec<(&'static str, Option<i64>)> {
        all.iter().map(|one| (one.status.as_str(), one.at.map(Timestamp::millis))).collect()
    }

    #[test]
    fn a_message_begins_as_sending_unless_it_began_otherwise() {
        use MessageStatus::{Delivered, Sending, Sent};
        let sent = |n| (n, change(Sent, Some(2_000)));
        for (direction, rows, last, expected) in [
            (Direction::Outbound, vec![], Sending, vec![("sending", Some(1_000))]),
            (Direction::Outbound, vec![sent(1)], Sent, vec![("sending", Some(1_000)), ("sent", Some(2_000))]),
            (Direction::Outbound, vec![sent(0)], Sent, vec![("sent", Some(2_000))]),
            (Direction::Inbound, vec![], Delivered, vec![("delivered", Some(1_000))]),
            // From before statuses were recorded.
            (Direction::Outbound, vec![], Delivered, vec![("sending", Some(1_000)), ("delivered", None)]),
        ] {
            assert_eq!(words(&whole(MADE, direction, rows, change(last, None))), expected);
        }
    }
}
