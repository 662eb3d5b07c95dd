//! A key as requests use it, with its account, its author and its budget.

use frontdesk_db::{self as db, ReadTx, Row};
use frontdesk_kernel::Timestamp;
use frontdesk_kernel::ids::{AccountId, ApiKeyId, UserId};
use frontdesk_kernel::key::KeyHash;
use frontdesk_kernel::scope::Scopes;

use super::sql::{FIND, FIND_BY_ID};
use crate::address::Network;

/// Everything the gate needs about a key, from one query.
#[derive(Clone, Debug)]
pub struct KeyRecord {
    pub account: AccountId,
    pub account_name: String,
    pub timezone: String,
    pub suspended: bool,
    pub id: ApiKeyId,
    pub name: String,
    pub scopes: Scopes,
    /// The granted scopes with the reads they include.
    pub effective: Scopes,
    pub expires_at: Option<Timestamp>,
    pub revoked: bool,
    /// None allows every address. A list that cannot be parsed allows none.
    pub allowlist: Option<Vec<Network>>,
    /// Units a minute: the account's, or the key's own when that is lower.
    pub budget: i64,
    /// The member to whom the key's writes are attributed.
    pub author: UserId,
    pub author_name: String,
    pub author_email: Option<String>,
    /// Whether it carries out at once what otherwise waits for a person's approval.
    pub unattended: bool,
}

impl KeyRecord {
    /// Whether the key is neither revoked nor expired.
    pub fn is_good(&self, now: Timestamp) -> bool {
        !self.revoked && self.expires_at.is_none_or(|end| end > now)
    }
}

pub fn find(tx: &mut ReadTx<'_>, hash: &KeyHash) -> db::Result<Option<KeyRecord>> {
    tx.find(FIND, &[&hash.as_bytes()], read_record)
}

/// Finds a key of an account by its id.
pub fn find_by_id(tx: &mut ReadTx<'_>, account: AccountId, id: ApiKeyId) -> db::Result<Option<KeyRecord>> {
    tx.find(FIND_BY_ID, &[&account, &id], read_record)
}

pub(crate) fn read_record(row: &mut Row<'_>) -> db::Result<KeyRecord> {
    let (account, account_name, timezone) = (row.next()?, row.next()?, row.next()?);
    let (suspended, id, name) = (row.next()?, row.next()?, row.next()?);
    let scopes = Scopes::parse(&row.next::<String>()?).map_err(|_| db::Error::Decode("scope"))?;
    let (expires_at, revoked) = (row.next()?, row.next()?);
    let allowlist = row.next::<Option<String>>()?.map(|list| Network::parse_list(&list).unwrap_or_default());
    Ok(KeyRecord {
        account,
        account_name,
        timezone,
        suspended,
        id,
        name,
        scopes,
        effective: scopes.effective(),
        expires_at,
        revoked,
        allowlist,
        budget: row.next()?,
        author: row.next()?,
        author_name: row.next()?,
        author_email: row.next()?,
        unattended: row.next()?,
    })
}
