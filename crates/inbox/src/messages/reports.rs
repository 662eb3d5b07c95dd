//! Effects of a report on other messages, and on a message once its id is known.

use frontdesk_channels::ReportStatus;
use frontdesk_db::{self as db, Tx, only};
use frontdesk_kernel::Timestamp;
use frontdesk_platform::By;

use super::early;
use super::message::{MessageId, MessageStatus};
use super::sql::BEFORE;
use super::status::{Change, advance, locate};
use crate::connections::{Channel, ConnectionId, StoredConnection};
use crate::media::Links;

/// Messages that one report updates; an earlier report has updated older ones.
pub(crate) const REPORT_ROWS_MAX: i64 = 500;

impl From<ReportStatus> for MessageStatus {
    fn from(status: ReportStatus) -> Self {
        match status {
            ReportStatus::Sent => Self::Sent,
            ReportStatus::Delivered => Self::Delivered,
            ReportStatus::Read => Self::Read,
            ReportStatus::Failed => Self::Failed,
        }
    }
}

/// Instagram names only the last message that was read, so the messages before it are read too.
pub(crate) fn read_before(
    tx: &mut Tx<'_>,
    by: &By,
    links: &Links,
    connection: ConnectionId,
    last: MessageId,
    at: Option<Timestamp>,
) -> db::Result<()> {
    for id in tx.query(BEFORE, &[&by.account, &last, &REPORT_ROWS_MAX], only::<MessageId>)? {
        if let Some(known) = locate(tx, by, connection, Some(id), None)? {
            let read = Change { status: MessageStatus::Read, channel_message_id: None, error: None, at };
            advance(tx, by, links, &known, &read)?;
        }
    }
    Ok(())
}

/// A message has got the channel's id with this try: earlier reports of a page that did not name it apply
/// now.
pub(crate) fn catch_up(
    tx: &mut Tx<'_>,
    by: &By,
    links: &Links,
    connection: &StoredConnection,
    message: MessageId,
    tries: i64,
) -> db::Result<()> {
    match connection.channel() {
        Channel::Messenger => early::apply_unnamed(tx, by, links, connection.id(), message, tries),
        Channel::Instagram => match locate(tx, by, connection.id(), Some(message), None)? {
            Some(known) if known.is_read() => read_before(tx, by, links, connection.id(), message, None),
            _ => Ok(()),
        },
        Channel::Whatsapp | Channel::PersonalWhatsapp | Channel::WebChat => Ok(()),
    }
}
