//! The audit log: who did what in an account, when, and from where. Entries are written in the transaction of
//! the action, and never change.

use super::sql::{FORGET_AUDIT, INSERT_AUDIT};
use frontdesk_db::{self as db, Query, ReadTx, Row, Tx};
use frontdesk_kernel::ids::{AccountId, UserId};
use frontdesk_kernel::{Id, Ids, Timestamp};
use frontdesk_web::{Page, resource};

use crate::export::{Columns, ExportedRows, line};

/// Entries deleted in one transaction.
const FORGET_ROWS_MAX: i64 = 1_000;

pub type AuditEntryId = Id<AuditEntry>;

resource! {
    /// Something that somebody did.
    pub struct AuditEntry {
        pub id: AuditEntryId,
        pub at: Timestamp,
        /// The member who did it; null for the operator.
        pub user_id: Option<UserId>,
        /// Such as `member.removed`.
        pub action: String,
        /// The id of what it was done to, where there is one.
        pub subject: Option<String>,
        /// The address from which it was done.
        pub address: Option<String>,
    }
}

/// The actor and their address.
#[derive(Clone, Debug)]
pub struct Author {
    pub account: AccountId,
    pub user: Option<UserId>,
    pub address: Option<String>,
}

/// Writes an entry.
pub fn write(
    tx: &mut Tx<'_>,
    ids: &Ids,
    author: &Author,
    action: &str,
    subject: Option<&str>,
    now: Timestamp,
) -> db::Result<()> {
    let id: AuditEntryId = ids.next(now);
    let params: &[&dyn db::Param] = &[&author.account, &id, &author.user, &action, &subject, &author.address];
    tx.execute(INSERT_AUDIT, params)?.exactly(1)
}

/// Deletes some of an account's entries from before a moment. Returns true when there may be more.
pub fn forget(tx: &mut Tx<'_>, account: AccountId, before: Timestamp) -> db::Result<bool> {
    let before = AuditEntryId::first_at(before);
    Ok(tx.execute(FORGET_AUDIT, &[&account, &before, &FORGET_ROWS_MAX])?.rows() == FORGET_ROWS_MAX as u64)
}

/// A page of the log, newest first.
pub fn list(tx: &mut ReadTx<'_>, account: AccountId, page: &Page) -> db::Result<Vec<AuditEntry>> {
    let mut query =
        Query::new("SELECT id, user_id, action, subject, address FROM audit_log WHERE account_id = ");
    query.bind(account);
    if let Some(before) = page.before {
        query.push(" AND id < ").bind(before);
    }
    query.push(" ORDER BY id DESC LIMIT ").bind(page.fetch());
    tx.run(&query, read)
}

fn read(row: &mut Row<'_>) -> db::Result<AuditEntry> {
    let id: AuditEntryId = row.next()?;
    Ok(AuditEntry {
        id,
        at: id.created_at(),
        user_id: row.next()?,
        action: row.next()?,
        subject: row.next()?,
        address: row.next()?,
    })
}

pub(crate) const EXPORTED: ExportedRows = ExportedRows::new(
    "audit_log",
    &["audit_log"],
    Columns { sql: "t.id, t.user_id, t.action, t.subject, t.address", line: |row, _| line(&read(row)?) },
);
