//! Recipients: each person that a broadcast is for, once, with the status of their message.

use frontdesk_crm::contacts::ContactId;
use frontdesk_db::{self as db, Column, Param, Query, ReadTx, Row, Tx, Value as Stored};
use frontdesk_inbox::messages::{MessageId, StatusError};
use frontdesk_kernel::ids::AccountId;
use frontdesk_kernel::{Id, Phone, Timestamp};
use frontdesk_platform::By;
use frontdesk_platform::export::{Columns, ExportedRows, LineFields, line_with};
use frontdesk_web::example::{self, Example};
use frontdesk_web::{Page, choice, filters, resource};
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use crate::broadcast::BroadcastId;
use crate::sql::{CONTACT, INSERT_RECIPIENT};

pub(crate) type RecipientId = Id<BroadcastRecipient>;

choice! {
    /// The status of a recipient.
    pub enum RecipientStatus {
        Pending => "pending",
        Sent => "sent",
        Delivered => "delivered",
        Read => "read",
        Replied => "replied",
        Failed => "failed",
        Cancelled => "cancelled",
    }
}

resource! {
    /// A recipient of a broadcast.
    pub struct BroadcastRecipient {
        pub id: RecipientId,
        /// Null once the contact was erased.
        pub contact_id: Option<ContactId>,
        /// The recipient's number; null once the contact was erased.
        pub phone: Option<Phone>,
        /// The message, once it exists.
        pub message_id: Option<MessageId>,
        pub status: RecipientStatus,
        /// Why it failed or was cancelled.
        pub error: Option<StatusError>,
        pub created_at: Timestamp,
        pub updated_at: Timestamp,
    }
}

filters! {
    /// Which recipients to list.
    pub struct RecipientFilters {
        pub status: Option<RecipientStatus>,
    }
}

impl Example for BroadcastRecipient {
    fn example() -> Self {
        Self {
            id: example::id(),
            contact_id: Some(example::id()),
            phone: "+14155550123".parse().ok(),
            message_id: Some(example::id()),
            status: RecipientStatus::Delivered,
            error: None,
            created_at: example::MOMENT,
            updated_at: example::MOMENT,
        }
    }
}

/// The stored status of a recipient. A `queued` recipient has a message that is not handed over yet; the API shows it
/// as pending.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum State {
    Pending,
    Queued,
    Reached(RecipientStatus),
}

impl State {
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Self::Pending => "pending",
            Self::Queued => "queued",
            Self::Reached(status) => status.as_str(),
        }
    }

    pub(crate) fn public(self) -> RecipientStatus {
        match self {
            Self::Pending | Self::Queued => RecipientStatus::Pending,
            Self::Reached(status) => status,
        }
    }
}

impl Param for State {
    fn value(&self) -> Stored<'_> {
        Stored::Text(self.as_str())
    }
}

impl Column for State {
    fn read(cell: db::Cell<'_>) -> db::Result<Self> {
        Ok(match cell.text()? {
            "pending" => Self::Pending,
            "queued" => Self::Queued,
            word => Self::Reached(word.parse().map_err(|_| db::Error::Decode("recipient"))?),
        })
    }
}

/// Everything that has happened to a recipient, one bit each. The migration lists the bits too.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct RecipientFlags(pub(crate) i64);

impl RecipientFlags {
    pub(crate) const NONE: Self = Self(0);
    pub(crate) const SENT: Self = Self(1);
    pub(crate) const DELIVERED: Self = Self(2);
    pub(crate) const READ: Self = Self(4);
    pub(crate) const REPLIED: Self = Self(8);
    pub(crate) const FAILED: Self = Self(16);

    pub(crate) fn has(self, mark: Self) -> bool {
        self.0 & mark.0 == mark.0
    }

    pub(crate) const fn with(self, marks: Self) -> Self {
        Self(self.0 | marks.0)
    }

    pub(crate) fn without(self, marks: Self) -> Self {
        Self(self.0 & !marks.0)
    }

    /// The status of a recipient with these flags; none if no flag is set.
    pub(crate) fn status(self) -> Option<RecipientStatus> {
        let order = [
            (Self::REPLIED, RecipientStatus::Replied),
            (Self::FAILED, RecipientStatus::Failed),
            (Self::READ, RecipientStatus::Read),
            (Self::DELIVERED, RecipientStatus::Delivered),
            (Self::SENT, RecipientStatus::Sent),
        ];
        order.into_iter().find(|(mark, _)| self.has(*mark)).map(|(_, status)| status)
    }
}

/// Why a recipient failed or was cancelled, as it is stored.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct FailureReason {
    pub(crate) code: String,
    pub(crate) reason: String,
    pub(crate) message: String,
}

impl FailureReason {
    pub(crate) fn new(reason: &str, message: impl Into<String>) -> Self {
        Self { code: reason.to_owned(), reason: reason.to_owned(), message: message.into() }
    }

    pub(crate) fn written(&self) -> String {
        serde_json::to_string(self).unwrap_or_default()
    }

    pub(crate) fn stored(text: &str) -> Option<Self> {
        serde_json::from_str(text).ok()
    }
}

impl From<FailureReason> for StatusError {
    fn from(failure: FailureReason) -> Self {
        Self { code: failure.code, reason: failure.reason, message: failure.message }
    }
}

/// The contacts are locked, so that none is erased before its recipient is visible.
const CONTACTS_STAY: &str = "FOR KEY SHARE";

/// A recipient to add.
#[derive(Clone, Debug)]
pub(crate) struct NewRecipient {
    pub(crate) contact: ContactId,
    pub(crate) phone: Phone,
    /// The values that differ from recipient to recipient, as JSON.
    pub(crate) params: Option<String>,
    /// Why nothing can be sent to them.
    pub(crate) error: Option<FailureReason>,
}

impl NewRecipient {
    fn state(&self) -> State {
        if self.error.is_some() { State::Reached(RecipientStatus::Failed) } else { State::Pending }
    }

    fn marks(&self) -> i64 {
        if self.error.is_some() { RecipientFlags::FAILED.0 } else { RecipientFlags::NONE.0 }
    }

    fn error(&self) -> Option<String> {
        self.error.as_ref().map(FailureReason::written)
    }
}

/// How many recipients were added, and how many of them have failed already.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Added {
    pub(crate) total: i64,
    pub(crate) failed: i64,
}

/// Adds recipients. Existing recipients stay unchanged, and contacts that were erased meanwhile are skipped.
pub(crate) fn insert(
    tx: &mut Tx<'_>,
    by: &By,
    broadcast: BroadcastId,
    new: &[NewRecipient],
) -> db::Result<Added> {
    let contacts: Vec<[&dyn Param; 2]> =
        new.iter().map(|it| [&by.account as &dyn Param, &it.contact]).collect();
    let found = tx.find_each_locked(CONTACT, CONTACTS_STAY, &contacts, db::only::<ContactId>)?;
    let new: Vec<_> = (new.iter().zip(found))
        .filter(|(_, contact)| contact.is_some())
        .map(|(it, _)| (it, by.new_id::<BroadcastRecipient>(), it.state(), it.marks(), it.error()))
        .collect();
    let mut rows: Vec<[&dyn Param; 10]> = Vec::with_capacity(new.len());
    for (NewRecipient { contact, phone, params, .. }, id, state, marks, error) in &new {
        rows.push([&by.account, &broadcast, id, contact, phone, params, state, marks, error, &by.now]);
    }
    let mut added = Added::default();
    for ((.., marks, _), inserted) in new.iter().zip(tx.execute_each(INSERT_RECIPIENT, &rows)?) {
        if inserted.any() {
            added.total += 1;
            added.failed += i64::from(*marks != 0);
        }
    }
    Ok(added)
}

pub(crate) fn list(
    tx: &mut ReadTx<'_>,
    account: AccountId,
    broadcast: BroadcastId,
    filters: &RecipientFilters,
    page: &Page,
) -> db::Result<Vec<BroadcastRecipient>> {
    let mut query = Query::new(
        "SELECT id, contact_id, phone, message_id, status, error, updated_at FROM broadcast_recipients WHERE account_id = ",
    );
    query.bind(account).push(" AND broadcast_id = ").bind(broadcast);
    match filters.status {
        Some(RecipientStatus::Pending) => {
            query.push(" AND status IN ('pending', 'queued')");
        }
        Some(status) => {
            query.push(" AND status = ").bind(status.as_str().to_owned());
        }
        None => {}
    }
    frontdesk_platform::listing::newest_first(&mut query, page);
    tx.run(&query, read)
}

pub(crate) const EXPORTED: ExportedRows = ExportedRows::new(
    "broadcast_recipients",
    &["broadcast_recipients"],
    Columns {
        sql: "t.id, t.contact_id, t.phone, t.message_id, t.status, t.error, t.updated_at, t.broadcast_id, t.params",
        line: |row, _| {
            let recipient = read(row)?;
            let more = LineFields::default()
                .with("broadcast_id", &row.next::<BroadcastId>()?)?
                .with("params", &row.next::<Option<Box<RawValue>>>()?)?;
            line_with(&recipient, more)
        },
    },
)
.keyed(&["t.broadcast_id", "t.id"])
.of_contact("t.contact_id = {contact}");

fn read(row: &mut Row<'_>) -> db::Result<BroadcastRecipient> {
    let id: RecipientId = row.next()?;
    let (contact_id, phone, message_id) = (row.next()?, row.next()?, row.next()?);
    let state: State = row.next()?;
    let error: Option<String> = row.next()?;
    Ok(BroadcastRecipient {
        id,
        contact_id,
        phone,
        message_id,
        status: state.public(),
        error: error.and_then(|error| FailureReason::stored(&error)).map(Into::into),
        created_at: id.created_at(),
        updated_at: row.next()?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_status_is_the_most_that_has_happened() {
        let read = RecipientFlags::SENT.with(RecipientFlags::DELIVERED).with(RecipientFlags::READ);
        for (marks, status) in [
            (RecipientFlags::NONE, None),
            (RecipientFlags::SENT, Some(RecipientStatus::Sent)),
            (read, Some(RecipientStatus::Read)),
            (RecipientFlags::SENT.with(RecipientFlags::FAILED), Some(RecipientStatus::Failed)),
            (read.with(RecipientFlags::REPLIED), Some(RecipientStatus::Replied)),
            (read.without(RecipientFlags::READ), Some(RecipientStatus::Delivered)),
        ] {
            assert_eq!(marks.status(), status, "{marks:?}");
        }
    }
}
