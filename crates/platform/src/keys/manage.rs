//! Commands for keys.

use std::str::FromStr;

use frontdesk_db::{self as db, ReadTx, Row, Tx};
use frontdesk_kernel::ids::{AccountId, ApiKeyId, UserId};
use frontdesk_kernel::key::{self, KeyHash};
use frontdesk_kernel::scope::Scopes;
use frontdesk_kernel::{Ids, Patch, Secret, Timestamp};
use serde::Serialize;

use crate::address::Network;
use crate::auth_version::raise_version;
use crate::export::{Columns, ExportedRows, line};
use crate::{accounts, members};

use super::sql::{CREATE, LIST, LOCATE, REGENERATE, REVOKE, UPDATE};

const EXPIRY_DAYS_MAX: i64 = 365;
const HINT_CHARS: usize = 4;

#[derive(Debug, thiserror::Error)]
pub enum KeyError {
    #[error(transparent)]
    Store(#[from] db::Error),
    #[error("there is no account {0}")]
    NoAccount(AccountId),
    #[error("there is no key {0}")]
    NoKey(ApiKeyId),
    #[error("there is no member {0} in that account")]
    NoMember(UserId),
    #[error("a key needs at least one scope")]
    NoScope,
    #[error("a key's limit must be 1 or more a minute")]
    LimitTooLow,
    #[error("a key may expire at most {EXPIRY_DAYS_MAX} days from now, or never")]
    TooFarAhead,
    #[error("the key is revoked: make a new one")]
    Revoked,
}

/// How long a new key works.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Expiry {
    Days(i64),
    Never,
}

impl Expiry {
    /// The default.
    pub const USUAL: Self = Self::Days(90);
}

impl FromStr for Expiry {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        match text {
            "never" => Ok(Self::Never),
            "30" | "90" | "180" | "365" => Ok(Self::Days(text.parse().unwrap_or(90))),
            _ => Err("choose 30, 90, 180 or 365 days, or never".to_owned()),
        }
    }
}

/// The options of a new key.
#[derive(Clone, Debug)]
pub struct CreateKey {
    pub account: AccountId,
    pub name: String,
    pub scopes: Scopes,
    pub member: Option<UserId>,
    pub expiry: Expiry,
    pub allowlist: Vec<Network>,
    pub rate_limit: Option<i64>,
    /// Whether it carries out at once what otherwise waits for a person's approval. Only the command line makes such keys.
    pub unattended: bool,
}

/// A new key with its secret, which is shown once.
#[derive(Debug)]
pub struct NewKey {
    pub id: ApiKeyId,
    pub key: Secret,
    pub expires_at: Option<Timestamp>,
}

/// What an edit changes.
#[derive(Clone, Debug, Default)]
pub struct EditKey {
    pub name: Option<String>,
    pub scopes: Option<Scopes>,
    /// An empty list allows every address again.
    pub allowlist: Option<Vec<Network>>,
    pub rate_limit: Patch<i64>,
    pub expires_at: Patch<Timestamp>,
}

/// A key as it is listed.
#[derive(Clone, Debug, Serialize)]
pub struct KeyInfo {
    pub id: ApiKeyId,
    pub account_id: AccountId,
    pub name: String,
    pub scopes: Scopes,
    pub member_id: Option<UserId>,
    pub ip_allowlist: Vec<Network>,
    pub rate_limit: Option<i64>,
    pub expires_at: Option<Timestamp>,
    pub revoked_at: Option<Timestamp>,
    pub revoked_by: Option<UserId>,
    pub revoked_reason: Option<String>,
    /// The last characters of the key; none for keys made before they were kept.
    pub hint: Option<String>,
    /// When it was last used, to the minute.
    pub last_used_at: Option<Timestamp>,
    /// Whether it carries out at once what otherwise waits for a person's approval.
    pub unattended: bool,
    pub created_at: Timestamp,
}

pub fn create(
    tx: &mut Tx<'_>,
    ids: &Ids,
    random: &[u8; 32],
    wanted: &CreateKey,
    now: Timestamp,
) -> Result<NewKey, KeyError> {
    if accounts::find(tx, wanted.account)?.is_none() {
        return Err(KeyError::NoAccount(wanted.account));
    }
    if let Some(member) = wanted.member
        && !members::is_active(tx, wanted.account, member)?
    {
        return Err(KeyError::NoMember(member));
    }
    check(wanted.scopes, wanted.rate_limit)?;
    let expires_at = match wanted.expiry {
        Expiry::Days(days) => Some(now.plus_days(days)),
        Expiry::Never => None,
    };
    let id = ids.next(now);
    let (key, hash) = mint(random);
    let params: &[&dyn db::Param] = &[
        &wanted.account,
        &id,
        &hash.as_bytes(),
        &wanted.name,
        &wanted.scopes.to_string(),
        &wanted.member,
        &expires_at,
        &written(&wanted.allowlist),
        &wanted.rate_limit,
        &now,
        &hint(&key),
        &wanted.unattended,
    ];
    tx.execute(CREATE, params)?.exactly(1)?;
    raise_version(tx)?;
    Ok(NewKey { id, key, expires_at })
}

pub fn list(tx: &mut ReadTx<'_>, account: AccountId) -> Result<Vec<KeyInfo>, KeyError> {
    if accounts::find(tx, account)?.is_none() {
        return Err(KeyError::NoAccount(account));
    }
    Ok(tx.query(LIST, &[&account], info)?)
}

/// A revoked key stays listed, with who revoked it and why. Revoking again changes nothing.
pub fn revoke(
    tx: &mut Tx<'_>,
    id: ApiKeyId,
    reason: &str,
    by: Option<UserId>,
    now: Timestamp,
) -> Result<KeyInfo, KeyError> {
    let key = locate(tx, id)?;
    if key.revoked_at.is_some() {
        return Ok(key);
    }
    if let Some(member) = by
        && !members::exists(tx, key.account_id, member)?
    {
        return Err(KeyError::NoMember(member));
    }
    tx.execute(REVOKE, &[&key.account_id, &id, &now, &by, &reason])?.exactly(1)?;
    raise_version(tx)?;
    locate(tx, id)
}

/// A new secret for the same key. The old one stops working with this transaction.
pub fn regenerate(
    tx: &mut Tx<'_>,
    id: ApiKeyId,
    random: &[u8; 32],
    now: Timestamp,
) -> Result<NewKey, KeyError> {
    let info = locate(tx, id)?;
    if info.revoked_at.is_some() {
        return Err(KeyError::Revoked);
    }
    let (key, hash) = mint(random);
    tx.execute(REGENERATE, &[&info.account_id, &id, &hash.as_bytes(), &now, &hint(&key)])?.exactly(1)?;
    raise_version(tx)?;
    Ok(NewKey { id, key, expires_at: info.expires_at })
}

pub fn edit(tx: &mut Tx<'_>, id: ApiKeyId, wanted: &EditKey, now: Timestamp) -> Result<KeyInfo, KeyError> {
    let key = locate(tx, id)?;
    if key.revoked_at.is_some() {
        return Err(KeyError::Revoked);
    }
    if matches!(&wanted.expires_at, Patch::Set(end) if *end > now.plus_days(EXPIRY_DAYS_MAX)) {
        return Err(KeyError::TooFarAhead);
    }
    let scopes = wanted.scopes.unwrap_or(key.scopes);
    let rate_limit = wanted.rate_limit.clone().apply(key.rate_limit);
    check(scopes, rate_limit)?;
    let params: &[&dyn db::Param] = &[
        &key.account_id,
        &id,
        wanted.name.as_ref().unwrap_or(&key.name),
        &scopes.to_string(),
        &written(wanted.allowlist.as_ref().unwrap_or(&key.ip_allowlist)),
        &rate_limit,
        &wanted.expires_at.clone().apply(key.expires_at),
        &now,
    ];
    tx.execute(UPDATE, params)?.exactly(1)?;
    raise_version(tx)?;
    locate(tx, id)
}

fn locate(tx: &mut Tx<'_>, id: ApiKeyId) -> Result<KeyInfo, KeyError> {
    tx.find_to_change(LOCATE, &[&id], info)?.ok_or(KeyError::NoKey(id))
}

fn check(scopes: Scopes, rate_limit: Option<i64>) -> Result<(), KeyError> {
    if scopes.is_empty() {
        return Err(KeyError::NoScope);
    }
    if rate_limit.is_some_and(|limit| limit < 1) {
        return Err(KeyError::LimitTooLow);
    }
    Ok(())
}

fn mint(random: &[u8; 32]) -> (Secret, KeyHash) {
    let key = key::mint(random);
    let hash = key::hash(key.reveal().as_bytes());
    (key, hash)
}

/// The last characters of a key, by which people tell keys apart.
fn hint(key: &Secret) -> &str {
    let key = key.reveal();
    &key[key.len() - HINT_CHARS..]
}

fn written(allowlist: &[Network]) -> Option<String> {
    let list: Vec<String> = allowlist.iter().map(ToString::to_string).collect();
    (!list.is_empty()).then(|| list.join(","))
}

pub(super) const EXPORTED: ExportedRows = ExportedRows::new(
    "api_keys",
    &["api_keys"],
    Columns {
        sql: "t.id, t.account_id, t.name, t.scopes, t.member_id, t.allowlist, t.rate_limit, t.expires_at, t.revoked_at, t.revoked_by,
            t.revoked_reason, t.hint, t.last_used_at, t.unattended",
        line: |row, _| line(&info(row)?),
    },
);

fn info(row: &mut Row<'_>) -> db::Result<KeyInfo> {
    let id: ApiKeyId = row.next()?;
    let (account_id, name) = (row.next()?, row.next()?);
    let scopes = Scopes::parse(&row.next::<String>()?).map_err(|_| db::Error::Decode("scope"))?;
    let member_id = row.next()?;
    let allowlist = row.next::<Option<String>>()?.unwrap_or_default();
    Ok(KeyInfo {
        id,
        account_id,
        name,
        scopes,
        member_id,
        ip_allowlist: Network::parse_list(&allowlist).map_err(|_| db::Error::Decode("allowlist"))?,
        rate_limit: row.next()?,
        expires_at: row.next()?,
        revoked_at: row.next()?,
        revoked_by: row.next()?,
        revoked_reason: row.next()?,
        hint: row.next()?,
        last_used_at: row.next()?,
        unattended: row.next()?,
        created_at: id.created_at(),
    })
}
