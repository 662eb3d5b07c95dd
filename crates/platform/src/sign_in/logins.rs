//! Logins: a person's password and second factor, and the memberships that share them.

use base64::Engine;
use base64::engine::general_purpose::STANDARD_NO_PAD;
use frontdesk_db::{self as db, ReadTx, Row, Tx, only};
use frontdesk_kernel::ids::{AccountId, UserId};
use frontdesk_kernel::{Id, Ids, Timestamp};

use super::sql::{
    ADD_CODE, CLEAR_CODES, CLEAR_IDENTITIES, CONFIRM_FACTOR, FIND_LOGIN, INSERT_LOGIN, JOIN_LOGIN,
    JOIN_LOGINS, LOGIN_HAS_EMAIL, LOGIN_IS_ELSEWHERE, LOGIN_OF_MEMBER, LOGIN_USES, LOGINS_BY_EMAIL,
    MEMBERSHIPS, REMOVE_FACTOR, SET_PASSWORD, SET_PENDING_FACTOR, USE_CODE, USE_STEP, VOID_LOGIN,
};
use super::totp;
use crate::members::Role;
use crate::sealing::{Keyring, SealedColumn, sealed_column};

/// Marks the id of a login.
pub enum LoginRow {}
pub type LoginId = Id<LoginRow>;

/// Maximum logins that are tried for one email address. A person has one, unless several were created before an
/// address could have only one, or the operator has changed an owner's address.
const LOGINS_PER_EMAIL_MAX: i64 = 10;

/// The secret shared with the authenticator app.
pub const TOTP_SECRET: SealedColumn =
    sealed_column!("logins", "id", "totp_secret", Uuid, bound_as "totp_secret", only "");
/// A secret that is not confirmed yet. Confirming copies it, so both columns bind to the same name.
pub const TOTP_PENDING: SealedColumn =
    sealed_column!("logins", "id", "totp_pending", Uuid, bound_as "totp_secret", only "");

/// A person who can sign in.
#[derive(Clone)]
pub struct Login {
    pub account: AccountId,
    pub id: LoginId,
    /// None until a password is set.
    pub password_hash: Option<String>,
    totp_secret: Option<String>,
    totp_pending: Option<String>,
    totp_step: Option<i64>,
}

/// A login's membership in one account.
#[derive(Clone, Debug)]
pub struct Membership {
    pub account: AccountId,
    pub user: UserId,
    pub name: String,
    pub email: Option<String>,
    pub role: Role,
    pub account_name: String,
    pub timezone: String,
}

/// A member who uses a login, also in a suspended account.
#[derive(Clone, Debug)]
pub struct LoginUse {
    pub account: AccountId,
    pub user: UserId,
    pub email_key: Option<String>,
}

/// The proof of a second factor.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Proof {
    /// A code of the app, of this time step.
    Step(i64),
    Recovery,
}

impl Login {
    pub fn has_second_factor(&self) -> bool {
        self.totp_secret.is_some()
    }

    /// The proof of a code, before [`spend`] uses it up. A code that is not the app's may be a recovery code.
    pub fn proof(&self, keys: &Keyring, code: &str, now: Timestamp) -> Proof {
        let sealed = self.totp_secret.as_deref();
        let secret = sealed.and_then(|sealed| open(keys, self, sealed)).unwrap_or_default();
        match totp::step_of(&secret, code, now, self.totp_step).filter(|_| !secret.is_empty()) {
            Some(step) => Proof::Step(step),
            None => Proof::Recovery,
        }
    }

    /// The step of a code that confirms the pending secret.
    pub fn pending_step(&self, keys: &Keyring, code: &str, now: Timestamp) -> Option<i64> {
        let secret = open(keys, self, self.totp_pending.as_deref()?)?;
        totp::step_of(&secret, code, now, None)
    }
}

fn open(keys: &Keyring, login: &Login, sealed: &str) -> Option<Vec<u8>> {
    let text = keys.open(&TOTP_SECRET.at(login.account, login.id.to_string()), sealed)?;
    STANDARD_NO_PAD.decode(text).ok()
}

pub fn find(tx: &mut ReadTx<'_>, id: LoginId) -> db::Result<Option<Login>> {
    tx.find(FIND_LOGIN, &[&id], read)
}

/// The login, locked until the transaction ends.
pub fn find_to_change(tx: &mut Tx<'_>, id: LoginId) -> db::Result<Option<Login>> {
    tx.find_to_change(FIND_LOGIN, &[&id], read)
}

/// The logins with this email address.
pub fn by_email(tx: &mut ReadTx<'_>, email_key: &str) -> db::Result<Vec<Login>> {
    tx.query(LOGINS_BY_EMAIL, &[&email_key, &LOGINS_PER_EMAIL_MAX], read)
}

/// A login's memberships in all accounts that are not suspended.
pub fn memberships(tx: &mut ReadTx<'_>, login: LoginId) -> db::Result<Vec<Membership>> {
    tx.query(MEMBERSHIPS, &[&login], |row| {
        Ok(Membership {
            account: row.next()?,
            user: row.next()?,
            name: row.next()?,
            email: row.next()?,
            role: row.next()?,
            account_name: row.next()?,
            timezone: row.next()?,
        })
    })
}

/// The login of a member, if there is one.
pub fn of_member(tx: &mut ReadTx<'_>, account: AccountId, user: UserId) -> db::Result<Option<LoginId>> {
    Ok(tx.find(LOGIN_OF_MEMBER, &[&account, &user], only::<Option<LoginId>>)?.flatten())
}

/// Whether a login is used in other accounts too.
pub fn is_used_elsewhere(tx: &mut ReadTx<'_>, login: LoginId, account: AccountId) -> db::Result<bool> {
    Ok(tx.find(LOGIN_IS_ELSEWHERE, &[&login, &account], only::<i64>)?.is_some())
}

/// Whether an active membership of this login has this email address.
pub fn has_email(tx: &mut ReadTx<'_>, login: LoginId, email_key: &str) -> db::Result<bool> {
    Ok(tx.find(LOGIN_HAS_EMAIL, &[&login, &email_key], only::<i64>)?.is_some())
}

/// The members who use a login, those of suspended accounts last.
pub(crate) fn uses(tx: &mut ReadTx<'_>, login: LoginId) -> db::Result<Vec<LoginUse>> {
    tx.query(LOGIN_USES, &[&login], |row| {
        Ok(LoginUse { account: row.next()?, user: row.next()?, email_key: row.next()? })
    })
}

/// Creates a login for a member who has none.
pub fn create(
    tx: &mut Tx<'_>,
    ids: &Ids,
    account: AccountId,
    user: UserId,
    password_hash: Option<&str>,
    now: Timestamp,
) -> db::Result<LoginId> {
    let id: LoginId = ids.next(now);
    tx.execute(INSERT_LOGIN, &[&account, &id, &password_hash, &now])?.exactly(1)?;
    join(tx, account, user, id, now)?;
    Ok(id)
}

/// The member uses this login from now on.
pub fn join(
    tx: &mut Tx<'_>,
    account: AccountId,
    user: UserId,
    login: LoginId,
    now: Timestamp,
) -> db::Result<()> {
    tx.execute(JOIN_LOGIN, &[&account, &user, &login, &now])?.exactly(1)
}

/// The members with this email address who have a login use this one from now on.
pub(crate) fn join_all(tx: &mut Tx<'_>, email_key: &str, login: LoginId, now: Timestamp) -> db::Result<()> {
    tx.execute(JOIN_LOGINS, &[&email_key, &login, &now]).map(|_any_number| ())
}

/// Removes the password, the second factor, the recovery codes and the identities at providers: nobody can sign in until a link sets a password.
pub(crate) fn void(tx: &mut Tx<'_>, login: LoginId, now: Timestamp) -> db::Result<()> {
    for statement in [CLEAR_CODES, CLEAR_IDENTITIES] {
        let _any_number_is_fine = tx.execute(statement, &[&login])?;
    }
    tx.execute(VOID_LOGIN, &[&login, &now])?.exactly(1)
}

/// Sets the password. A second factor that is not confirmed yet is dropped.
pub fn set_password(tx: &mut Tx<'_>, login: LoginId, hash: &str, now: Timestamp) -> db::Result<()> {
    tx.execute(SET_PASSWORD, &[&login, &hash, &now])?.exactly(1)
}

/// Stores a secret for the second factor until a code of it is confirmed.
pub fn set_pending(
    tx: &mut Tx<'_>,
    keys: &Keyring,
    login: &Login,
    secret: &[u8],
    now: Timestamp,
) -> db::Result<()> {
    let place = TOTP_PENDING.at(login.account, login.id.to_string());
    let sealed = keys.seal(&place, &STANDARD_NO_PAD.encode(secret));
    tx.execute(SET_PENDING_FACTOR, &[&login.id, &sealed, &now])?.exactly(1)
}

/// Activates the pending secret, with these recovery codes.
pub fn confirm(
    tx: &mut Tx<'_>,
    login: LoginId,
    step: i64,
    recovery_codes: &[String],
    now: Timestamp,
) -> db::Result<()> {
    tx.execute(CONFIRM_FACTOR, &[&login, &step, &now])?.exactly(1)?;
    let _any_number_is_fine = tx.execute(CLEAR_CODES, &[&login])?;
    recovery_codes.iter().try_for_each(|code| {
        tx.execute(ADD_CODE, &[&login, &totp::recovery_hash(code).as_bytes()])?.exactly(1)
    })
}

/// Removes the second factor: the password alone is enough from now on.
pub fn remove_second_factor(tx: &mut Tx<'_>, login: LoginId, now: Timestamp) -> db::Result<()> {
    let _any_number_is_fine = tx.execute(CLEAR_CODES, &[&login])?;
    tx.execute(REMOVE_FACTOR, &[&login, &now])?.exactly(1)
}

/// Uses up a proof. False if it was already used, or never valid.
pub fn spend(tx: &mut Tx<'_>, login: LoginId, proof: &Proof, code: &str) -> db::Result<bool> {
    let touched = match proof {
        Proof::Step(step) => tx.execute(USE_STEP, &[&login, step])?,
        Proof::Recovery => tx.execute(USE_CODE, &[&login, &totp::recovery_hash(code).as_bytes()])?,
    };
    Ok(touched.any())
}

fn read(row: &mut Row<'_>) -> db::Result<Login> {
    Ok(Login {
        account: row.next()?,
        id: row.next()?,
        password_hash: row.next()?,
        totp_secret: row.next()?,
        totp_pending: row.next()?,
        totp_step: row.next()?,
    })
}
