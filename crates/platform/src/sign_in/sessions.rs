//! Sessions: a member who is signed in with a browser.
//!
//! A session is valid for 14 days after its last use and for at most 90 days. It ends with its member, its
//! account's suspension and a changed password. Signing in always creates a new token, which prevents session
//! fixation.

use std::time::Duration;

use frontdesk_db::{self as db, ReadTx, Row, Tx};
use frontdesk_kernel::ids::{AccountId, UserId};
use frontdesk_kernel::key::KeyHash;
use frontdesk_kernel::{Country, Id, Ids, Timestamp};
use frontdesk_web::resource;

use super::logins::{LoginId, Membership};
use super::sql::{
    END_ALL_SESSIONS, END_OTHER_SESSIONS, END_SESSION, END_SESSION_OF_TOKEN, FIND_SESSION, FORGET_SESSIONS,
    INSERT_SESSION, LIST_SESSIONS, MOVE_SESSION, RENEW_SESSION, TOUCH_SESSION,
};
use crate::accounts::effective_country;
use crate::members::Role;
use crate::principal::Principal;

/// Days that a session lives without use, and in total.
pub const IDLE_DAYS_MAX: i64 = 14;
pub const AGE_DAYS_MAX: i64 = 90;
/// How often the last use of a session is stored.
const TOUCH_PERIOD: Duration = Duration::from_mins(5);
/// Maximum characters of a browser's name that are stored.
const USER_AGENT_CHARS_MAX: usize = 300;
/// Ended sessions deleted in one transaction.
const FORGET_ROWS_MAX: i64 = 1_000;

/// Marks the id of a session.
pub enum SessionRow {}
pub type SessionId = Id<SessionRow>;

/// A valid session.
#[derive(Clone, Debug)]
pub struct ActiveSession {
    pub id: SessionId,
    pub login: LoginId,
    pub account: AccountId,
    pub user: UserId,
    last_used_at: Timestamp,
    pub name: String,
    pub email: Option<String>,
    pub role: Role,
    pub account_name: String,
    pub timezone: String,
    pub country: Option<Country>,
    pub has_second_factor: bool,
    /// Not yet for a person who came by a sign-in link.
    pub has_password: bool,
}

impl ActiveSession {
    /// The principal of this session.
    pub fn principal(&self) -> Principal {
        Principal::of_member(self.account, self.user, self.role.scopes())
    }

    /// Whether the last use must be stored again.
    pub fn is_to_be_touched(&self, now: Timestamp) -> bool {
        self.last_used_at + TOUCH_PERIOD <= now
    }
}

/// The browser of a session.
#[derive(Clone, Debug)]
pub struct Browser {
    pub user_agent: String,
    pub address: String,
}

resource! {
    /// A browser in which the member is signed in.
    pub struct SessionInfo {
        pub id: SessionId,
        /// Whether it is the one that asks.
        pub current: bool,
        pub user_agent: String,
        pub address: String,
        pub created_at: Timestamp,
        pub last_used_at: Timestamp,
    }
}

pub fn create(
    tx: &mut Tx<'_>,
    ids: &Ids,
    hash: &KeyHash,
    (login, membership): (LoginId, &Membership),
    browser: &Browser,
    now: Timestamp,
) -> db::Result<SessionId> {
    let id: SessionId = ids.next(now);
    let user_agent: String = browser.user_agent.chars().take(USER_AGENT_CHARS_MAX).collect();
    let params: &[&dyn db::Param] = &[
        &id,
        &hash.as_bytes(),
        &login,
        &membership.account,
        &membership.user,
        &user_agent,
        &browser.address,
        &now,
    ];
    tx.execute(INSERT_SESSION, params)?.exactly(1)?;
    Ok(id)
}

/// The session of a token, if it is valid.
pub fn find(tx: &mut ReadTx<'_>, hash: &KeyHash, now: Timestamp) -> db::Result<Option<ActiveSession>> {
    let (used_after, made_after) = bounds(now);
    tx.find(FIND_SESSION, &[&hash.as_bytes(), &used_after, &made_after], read)
}

/// Sessions that were last used or created before these are not valid.
pub fn bounds(now: Timestamp) -> (Timestamp, SessionId) {
    (now.minus_days(IDLE_DAYS_MAX), SessionId::first_at(now.minus_days(AGE_DAYS_MAX)))
}

/// Stores the last use of a session.
pub fn touch(tx: &mut Tx<'_>, id: SessionId, address: &str, now: Timestamp) -> db::Result<()> {
    let _ended_meanwhile_is_fine = tx.execute(TOUCH_SESSION, &[&id, &now, &address])?;
    Ok(())
}

/// The sessions of a person, the last used first.
pub fn list(
    tx: &mut ReadTx<'_>,
    login: LoginId,
    current: SessionId,
    now: Timestamp,
) -> db::Result<Vec<SessionInfo>> {
    let (used_after, made_after) = bounds(now);
    tx.query(LIST_SESSIONS, &[&login, &used_after, &made_after], |row| {
        let id: SessionId = row.next()?;
        Ok(SessionInfo {
            id,
            current: id == current,
            user_agent: row.next()?,
            address: row.next()?,
            created_at: id.created_at(),
            last_used_at: row.next()?,
        })
    })
}

/// Moves a session to another membership of the same login, under a new token.
pub fn switch(
    tx: &mut Tx<'_>,
    id: SessionId,
    hash: &KeyHash,
    to: &Membership,
    now: Timestamp,
) -> db::Result<()> {
    tx.execute(MOVE_SESSION, &[&id, &hash.as_bytes(), &to.account, &to.user, &now])?.exactly(1)
}

/// Gives a session a new token.
pub fn renew(tx: &mut Tx<'_>, id: SessionId, hash: &KeyHash) -> db::Result<()> {
    tx.execute(RENEW_SESSION, &[&id, &hash.as_bytes()])?.exactly(1)
}

/// Ends one session of a person. False if there is none.
pub fn end(tx: &mut Tx<'_>, login: LoginId, id: SessionId) -> db::Result<bool> {
    Ok(tx.execute(END_SESSION, &[&id, &login])?.any())
}

/// Ends the session of a token, if there is one.
pub fn end_token(tx: &mut Tx<'_>, hash: &KeyHash) -> db::Result<()> {
    tx.execute(END_SESSION_OF_TOKEN, &[&hash.as_bytes()]).map(|_any_number| ())
}

/// Ends every other session of a person.
pub fn end_others(tx: &mut Tx<'_>, login: LoginId, kept: SessionId) -> db::Result<()> {
    tx.execute(END_OTHER_SESSIONS, &[&login, &kept]).map(|_any_number| ())
}

/// Ends every session of a person.
pub fn end_all(tx: &mut Tx<'_>, login: LoginId) -> db::Result<()> {
    tx.execute(END_ALL_SESSIONS, &[&login]).map(|_any_number| ())
}

/// Deletes expired sessions. True if there may be more.
pub fn forget(tx: &mut Tx<'_>, now: Timestamp) -> db::Result<bool> {
    let (used_after, _) = bounds(now);
    Ok(tx.execute(FORGET_SESSIONS, &[&used_after, &FORGET_ROWS_MAX])?.rows() == FORGET_ROWS_MAX as u64)
}

fn read(row: &mut Row<'_>) -> db::Result<ActiveSession> {
    let mut session = ActiveSession {
        id: row.next()?,
        login: row.next()?,
        account: row.next()?,
        user: row.next()?,
        last_used_at: row.next()?,
        name: row.next()?,
        email: row.next()?,
        role: row.next()?,
        account_name: row.next()?,
        timezone: row.next()?,
        country: None,
        has_second_factor: false,
        has_password: false,
    };
    session.country = effective_country(row.next()?, &session.timezone);
    (session.has_second_factor, session.has_password) = (row.next()?, row.next()?);
    Ok(session)
}
