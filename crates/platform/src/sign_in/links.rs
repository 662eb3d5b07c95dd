//! One-time links: to set the first password or a new one, and for the owner's first sign-in.
//!
//! A link works once, for 72 hours. A new link of the same purpose replaces the previous one. Only the hash
//! of its token is stored. A person whose email address has a login already signs in to it and joins the account with
//! the link, instead of setting a password: see [`LinkRights`].

use frontdesk_db::{self as db, ReadTx, Tx};
use frontdesk_kernel::ids::{AccountId, UserId};
use frontdesk_kernel::key::KeyHash;
use frontdesk_kernel::{Secret, Timestamp};
use frontdesk_web::choice;

use super::logins::{self, LoginId};
use super::sql::{FIND_LINK, FORGET_LINKS, INSERT_LINK, REPLACE_LINK, USE_LINK, VOID_LINKS};
use super::{token, token_hash};
use crate::members::{self, MemberError};

pub const LINK_HOURS: i64 = 72;
const HOUR_MILLIS: i64 = 60 * 60 * 1_000;
/// Expired links deleted in one transaction.
const FORGET_ROWS_MAX: i64 = 1_000;

choice! {
    /// The purpose of a link.
    pub enum Purpose {
        /// To set the first password, or a new one.
        Password => "password",
        /// To sign in once.
        SignIn => "sign_in",
    }
}

frontdesk_db::text_column!(Purpose);

/// Who makes a link.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LinkAuthor {
    /// Whoever runs the server, by the command line.
    Operator,
    /// An owner or an admin of the account.
    Member(UserId),
}

/// A new link. Its token is shown once.
#[derive(Debug)]
pub struct NewLink {
    token: Secret,
    purpose: Purpose,
    pub expires_at: Timestamp,
}

impl NewLink {
    /// The link's URL. The token is after `#`, so that no server and no proxy sees it.
    pub fn url(&self, base_url: &str) -> String {
        let page = match self.purpose {
            Purpose::Password => "password",
            Purpose::SignIn => "sign-in",
        };
        format!("{base_url}/app/{page}#token={}", self.token.reveal())
    }
}

/// A link that was opened.
#[derive(Clone, Debug)]
pub struct Link {
    pub account: AccountId,
    pub user: UserId,
    /// Whether the operator created it, and not an admin of the account.
    pub by_operator: bool,
    pub email: Option<String>,
    pub email_key: Option<String>,
    pub account_name: String,
    /// The name of the member who created it; none for the operator.
    pub created_by_name: Option<String>,
}

/// What a link for a password may do.
///
/// A link never changes a login that its member does not use, and never checks a password. A link that an admin made
/// does not change a login that is used in other accounts, because the admin would get access to them.
#[derive(Clone, Debug)]
pub struct LinkRights {
    /// The login that the member uses.
    pub own: Option<LoginId>,
    /// Other logins with the member's email address that a person can sign in to.
    pub others: Vec<LoginId>,
    /// Whether it sets the password of the member's own login, or creates the login.
    pub sets_password: bool,
}

impl LinkRights {
    /// The logins whose password somebody who uses the link may be guessing, in the order in which a sign-in counts them,
    /// so that concurrent transactions lock their counts in one order.
    pub fn logins(&self) -> Vec<LoginId> {
        let mut logins: Vec<LoginId> = self.own.iter().chain(&self.others).copied().collect();
        logins.sort_unstable();
        logins
    }

    /// Whether the person has a login that must not be changed by the link, or that the member can join.
    pub fn has_login(&self) -> bool {
        !self.sets_password || !self.others.is_empty()
    }
}

/// Creates a link for an active member. A password needs an email address to sign in with.
pub fn create(
    tx: &mut Tx<'_>,
    random: &[u8; 32],
    (account, user): (AccountId, UserId),
    purpose: Purpose,
    author: LinkAuthor,
    now: Timestamp,
) -> Result<NewLink, MemberError> {
    if !members::is_active(tx, account, user)? {
        return Err(MemberError::NoMember(user));
    }
    if purpose == Purpose::Password && !members::has_email(tx, account, user)? {
        return Err(MemberError::NoEmail(account));
    }
    let (by_operator, created_by) = match author {
        LinkAuthor::Operator => (true, None),
        LinkAuthor::Member(member) => (false, Some(member)),
    };
    let _any_number_is_fine = tx.execute(REPLACE_LINK, &[&account, &user, &purpose])?;
    let token = token(random);
    let expires_at = Timestamp::from_millis(now.millis() + LINK_HOURS * HOUR_MILLIS);
    let hash = token_hash(token.reveal());
    let params: &[&dyn db::Param] =
        &[&hash.as_bytes(), &account, &user, &purpose, &by_operator, &created_by, &expires_at];
    tx.execute(INSERT_LINK, params)?.exactly(1)?;
    Ok(NewLink { token, purpose, expires_at })
}

/// The link of a token, if it is still valid.
pub fn find(
    tx: &mut ReadTx<'_>,
    hash: &KeyHash,
    purpose: Purpose,
    now: Timestamp,
) -> db::Result<Option<Link>> {
    tx.find(FIND_LINK, &[&hash.as_bytes(), &purpose, &now], |row| {
        Ok(Link {
            account: row.next()?,
            user: row.next()?,
            by_operator: row.next()?,
            email: row.next()?,
            email_key: row.next()?,
            account_name: row.next()?,
            created_by_name: row.next()?,
        })
    })
}

/// What a link may do now.
pub fn rights(tx: &mut ReadTx<'_>, link: &Link) -> db::Result<LinkRights> {
    let own = logins::of_member(tx, link.account, link.user)?;
    let mut others = Vec::new();
    for login in link.email_key.as_deref().map_or(Ok(Vec::new()), |key| logins::by_email(tx, key))? {
        // Nobody can sign in to a login that is used in suspended accounts only.
        if Some(login.id) != own && !logins::memberships(tx, login.id)?.is_empty() {
            others.push(login.id);
        }
    }
    let sets_password = match own {
        Some(login) => link.by_operator || !logins::is_used_elsewhere(tx, login, link.account)?,
        None => others.is_empty(),
    };
    Ok(LinkRights { own, others, sets_password })
}

/// Deletes every link of a member.
pub(crate) fn void(tx: &mut Tx<'_>, account: AccountId, user: UserId) -> db::Result<()> {
    tx.execute(VOID_LINKS, &[&account, &user]).map(|_any_number| ())
}

/// Uses a link up. False if another request has done so.
pub fn spend(tx: &mut Tx<'_>, hash: &KeyHash) -> db::Result<bool> {
    Ok(tx.execute(USE_LINK, &[&hash.as_bytes()])?.any())
}

/// Deletes expired links. True if there may be more.
pub fn forget(tx: &mut Tx<'_>, now: Timestamp) -> db::Result<bool> {
    Ok(tx.execute(FORGET_LINKS, &[&now, &FORGET_ROWS_MAX])?.rows() == FORGET_ROWS_MAX as u64)
}
