//! Held calls: what a program asked for, and a person has to approve first.
//!
//! A held call is the call of one operation, with an ask that no run owns. It is carried out in the transaction that
//! approves the ask, as the key that asked (`answers/carry_out.rs`). So it is carried out once or not at all, whoever
//! answers and wherever a server is killed.

mod sql;

use frontdesk_crm::contacts::{self, ContactId};
use frontdesk_db::{self as db, ReadTx, Row, Tx, only};
use frontdesk_kernel::Timestamp;
use frontdesk_kernel::ids::{AccountId, ApiKeyId};
use frontdesk_platform::sign_in::audit::{self, Author};
use frontdesk_platform::{Actor, By, Error as PlatformError};
use frontdesk_web::Failure;
use serde_json::value::RawValue;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use crate::asks::{self, ASK_TIME_MAX, Ask, AskKind, AskRow, AskStatus};
use crate::ids::AskId;

pub use sql::STATEMENTS;

/// Maximum calls of one key that wait for a person at a time.
pub const WAITING_MAX: i64 = 100;
/// Bytes of a stored response. What a person approved is short; a longer response is left out.
const OUTCOME_BYTES_MAX: usize = 32 * 1024;
/// Held calls deleted in one transaction.
const PURGED_MAX: i64 = 50;

/// What a program asks for.
#[derive(Clone, Debug)]
pub struct NewHeldCall {
    /// The tool, as the ask names it.
    pub tool: &'static str,
    /// What would happen, for people.
    pub prompt: String,
    /// What would happen, as the ask shows it.
    pub arguments: Value,
    pub operation: &'static str,
    pub params: Vec<String>,
    pub body: Option<Value>,
    /// The program's name for this call. A further call with the name is the same call.
    pub call_key: Option<String>,
    /// Whom it is about, if it is one contact.
    pub contact: Option<ContactId>,
}

/// A call that waits, or waited, for a person.
#[derive(Clone, Debug)]
pub struct HeldCall {
    pub ask: Ask,
    /// The response of the operation as JSON, once it was carried out.
    pub outcome: Option<String>,
}

/// The stored half of a held call.
pub(crate) struct StoredCall {
    pub(crate) ask_id: AskId,
    pub(crate) key_id: ApiKeyId,
    pub(crate) operation: String,
    pub(crate) params: Vec<String>,
    pub(crate) body: Option<Value>,
    fingerprint: Vec<u8>,
    outcome: Option<String>,
}

#[derive(Debug, thiserror::Error)]
pub enum HeldCallError {
    #[error(transparent)]
    Platform(#[from] PlatformError),
    #[error("only a key asks")]
    NoKey,
    #[error("the name belongs to another call")]
    Reused,
    #[error("too many calls wait")]
    TooMany,
}

impl From<db::Error> for HeldCallError {
    fn from(error: db::Error) -> Self {
        Self::Platform(error.into())
    }
}

impl From<HeldCallError> for Failure {
    fn from(error: HeldCallError) -> Self {
        match error {
            HeldCallError::Platform(error) => error.into(),
            HeldCallError::NoKey => {
                Self::forbidden("key", "Only a program with an API key can ask for this.")
            }
            HeldCallError::Reused => Self::unprocessable(
                "idempotency_key_reused",
                "This idempotency_key was used for a different call. Use a new one for a new call.",
            ),
            HeldCallError::TooMany => Self::conflict(format!(
                "{WAITING_MAX} calls of this key wait for a person's approval already. Have some of them answered first."
            )),
        }
    }
}

/// Holds a call, and raises the ask about it. A call that is alike and still waits, or one with the same name, is not
/// raised again.
pub fn hold(tx: &mut Tx<'_>, by: &By, new: &NewHeldCall) -> Result<HeldCall, HeldCallError> {
    let Actor::Key(key) = by.actor else { return Err(HeldCallError::NoKey) };
    if let Some(contact) = new.contact
        && !contacts::hold(tx, by.account, contact)?
    {
        return Err(PlatformError::Missing("contact").into());
    }
    let fingerprint = fingerprint(new);
    // Calls of one key come one after the other here, so that two which are alike do not miss each other.
    tx.lock(format!("held calls of {key}"))?;
    if let Some(known) = find_known(tx, by.account, key, new.call_key.as_deref(), &fingerprint)? {
        return if known.fingerprint == fingerprint {
            with_ask(tx, by.account, known).map_err(Into::into)
        } else {
            Err(HeldCallError::Reused)
        };
    }
    if tx.find(sql::WAITING, &[&by.account, &key, &WAITING_MAX], only::<i64>)?.unwrap_or(0) >= WAITING_MAX {
        return Err(HeldCallError::TooMany);
    }
    let id: AskId = by.new_id();
    let ask = Ask {
        id,
        run_id: None,
        assistant_id: None,
        kind: AskKind::Approval,
        prompt: new.prompt.clone(),
        tool: Some(new.tool.to_owned()),
        arguments: RawValue::from_string(new.arguments.to_string()).ok(),
        status: AskStatus::Pending,
        answer: None,
        answered_by: None,
        expires_at: by.now + ASK_TIME_MAX,
        answered_at: None,
        created_at: id.created_at(),
    };
    asks::raise(tx, by, &AskRow { ask: ask.clone(), raised_by: None, call: String::new() })?;
    let params: &[&dyn db::Param] = &[
        &by.account,
        &id,
        &key,
        &new.operation,
        &json!(new.params).to_string(),
        &new.body.as_ref().map(ToString::to_string),
        &new.call_key,
        &fingerprint.as_slice(),
        &new.contact,
    ];
    tx.execute(sql::INSERT, params)?.exactly(1)?;
    note(tx, by, "ask.raised", id)?;
    Ok(HeldCall { ask, outcome: None })
}

/// A call that a key has held already: the one with the same name, or the newest that is alike and still waits.
pub fn known(
    tx: &mut ReadTx<'_>,
    account: AccountId,
    key: ApiKeyId,
    new: &NewHeldCall,
) -> Result<Option<HeldCall>, HeldCallError> {
    let fingerprint = fingerprint(new);
    match find_known(tx, account, key, new.call_key.as_deref(), &fingerprint)? {
        Some(known) if known.fingerprint != fingerprint => Err(HeldCallError::Reused),
        Some(known) => Ok(Some(with_ask(tx, account, known)?)),
        None => Ok(None),
    }
}

/// The held call of an ask, if this key asked for exactly this.
pub fn same(
    tx: &mut ReadTx<'_>,
    account: AccountId,
    key: ApiKeyId,
    ask: AskId,
    new: &NewHeldCall,
) -> db::Result<Option<HeldCall>> {
    let is_it = |stored: &StoredCall| stored.key_id == key && stored.fingerprint == fingerprint(new);
    match look(tx, account, ask)?.filter(is_it) {
        Some(stored) => with_ask(tx, account, stored).map(Some),
        None => Ok(None),
    }
}

/// Writes an entry about an ask of a program into the audit log.
pub(crate) fn note(tx: &mut Tx<'_>, by: &By, action: &str, ask: AskId) -> db::Result<()> {
    let author = Author { account: by.account, user: Some(by.author(tx)?), address: None };
    audit::write(tx, by.ids(), &author, action, Some(&ask.to_string()), by.now)
}

/// A held call by its ask.
pub fn find(tx: &mut ReadTx<'_>, account: AccountId, ask: AskId) -> db::Result<Option<HeldCall>> {
    let Some(stored) = look(tx, account, ask)? else { return Ok(None) };
    with_ask(tx, account, stored).map(Some)
}

pub(crate) fn look(tx: &mut ReadTx<'_>, account: AccountId, ask: AskId) -> db::Result<Option<StoredCall>> {
    tx.find(sql::FIND, &[&account, &ask], read)
}

/// Stores the response of the operation.
pub(crate) fn finish(tx: &mut Tx<'_>, account: AccountId, ask: AskId, outcome: &[u8]) -> db::Result<()> {
    let outcome = std::str::from_utf8(outcome).map_err(|_| db::Error::Decode("body"))?;
    let kept = if outcome.len() > OUTCOME_BYTES_MAX { "{}" } else { outcome };
    tx.execute(sql::FINISH, &[&account, &ask, &kept])?.exactly(1)
}

/// Cancels the calls about an erased contact that wait, and deletes what all of them say.
pub(crate) fn erase_of(tx: &mut Tx<'_>, by: &By, contact: ContactId) -> db::Result<()> {
    for id in tx.query(sql::OF_CONTACT, &[&by.account, &contact], only::<AskId>)? {
        let _any_number_is_fine = tx.execute(sql::BLANK_ASK, &[&by.account, &id])?;
        if let Some(ask) = asks::find(tx, by.account, id)?.filter(|ask| ask.status == AskStatus::Pending) {
            let _answered_meanwhile_is_fine = asks::settle(tx, by, ask, AskStatus::Cancelled)?;
        }
        let _any_number_is_fine = tx.execute(sql::DELETE, &[&by.account, &id])?;
    }
    Ok(())
}

/// Moves the calls about a contact to the one that it was merged into.
pub(crate) fn repoint(
    tx: &mut Tx<'_>,
    account: AccountId,
    from: ContactId,
    into: ContactId,
) -> db::Result<()> {
    let _any_number_is_fine = tx.execute(sql::REPOINT, &[&account, &from, &into])?;
    Ok(())
}

/// Deletes some of an account's calls, with their asks, that were made before a moment and no longer wait. Returns true
/// when there may be more.
pub(crate) fn purge(tx: &mut Tx<'_>, account: AccountId, before: Timestamp) -> db::Result<bool> {
    let old = tx.query(sql::OLD, &[&account, &AskId::first_at(before), &PURGED_MAX], only::<AskId>)?;
    for id in &old {
        for statement in [sql::DELETE, sql::DELETE_ASK] {
            let _any_number_is_fine = tx.execute(statement, &[&account, id])?;
        }
    }
    Ok(old.len() as i64 == PURGED_MAX)
}

fn find_known(
    tx: &mut ReadTx<'_>,
    account: AccountId,
    key: ApiKeyId,
    name: Option<&str>,
    fingerprint: &[u8],
) -> db::Result<Option<StoredCall>> {
    if let Some(name) = name {
        return tx.find(sql::NAMED, &[&account, &key, &name], read);
    }
    match tx.find(sql::ALIKE, &[&account, &key, &fingerprint], only::<AskId>)? {
        Some(ask) => look(tx, account, ask),
        None => Ok(None),
    }
}

fn with_ask(tx: &mut ReadTx<'_>, account: AccountId, stored: StoredCall) -> db::Result<HeldCall> {
    let ask = asks::find(tx, account, stored.ask_id)?.ok_or(db::Error::Decode("ask"))?;
    Ok(HeldCall { ask, outcome: stored.outcome })
}

fn fingerprint(new: &NewHeldCall) -> Vec<u8> {
    let call = json!([new.operation, new.params, new.body]);
    Sha256::digest(call.to_string()).to_vec()
}

fn read(row: &mut Row<'_>) -> db::Result<StoredCall> {
    let (ask_id, key_id, operation) = (row.next()?, row.next()?, row.next()?);
    let params: String = row.next()?;
    let body: Option<String> = row.next()?;
    let parsed = |text: &str| serde_json::from_str(text).map_err(|_| db::Error::Decode("held call"));
    Ok(StoredCall {
        ask_id,
        key_id,
        operation,
        params: serde_json::from_str(&params).map_err(|_| db::Error::Decode("held call"))?,
        body: body.as_deref().map(parsed).transpose()?,
        fingerprint: row.next()?,
        outcome: row.next()?,
    })
}
