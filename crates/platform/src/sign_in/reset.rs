//! The operator's reset of a login: for a person who has lost password and second factor, or whose email address
//! somebody else has registered first.

use frontdesk_db::{self as db, Tx};
use frontdesk_kernel::{Ids, Timestamp};

use super::audit::{self, Author};
use super::links::{self, LinkAuthor, NewLink, Purpose};
use super::{logins, sessions};
use crate::auth_version::raise_version;
use crate::mails::{self, Queued};
use crate::members::MemberError;

/// A login that was reset.
#[derive(Debug)]
pub struct ResetLogin {
    /// Sets the new password; none if it is mailed.
    pub link: Option<NewLink>,
    /// What is to be said about the mail, if one was to be queued.
    pub mailed: Option<Queued>,
    /// The number of accounts in which its owner is a member.
    pub accounts: usize,
}

/// Serialises the creation and the reset of the logins of an email address.
pub fn lock_email(tx: &mut Tx<'_>, email_key: &str) -> db::Result<()> {
    tx.lock(format!("logins of {email_key}"))
}

/// Ends every session of an email address's logins, removes their password and second factor, joins them into one, and
/// creates a link that sets its password, or mails one if `mails_it`. Links from before stop working. None if the address
/// has no login.
pub fn by_email(
    tx: &mut Tx<'_>,
    ids: &Ids,
    random: &[u8; 32],
    (email_key, mails_it): (&str, bool),
    now: Timestamp,
) -> Result<Option<ResetLogin>, MemberError> {
    lock_email(tx, email_key)?;
    let logins = logins::by_email(tx, email_key)?;
    let Some(kept) = logins.first().map(|login| login.id) else { return Ok(None) };
    for login in &logins {
        sessions::end_all(tx, login.id)?;
        logins::void(tx, login.id, now)?;
        for used in logins::uses(tx, login.id)? {
            links::void(tx, used.account, used.user)?;
            let operator = Author { account: used.account, user: None, address: None };
            audit::write(tx, ids, &operator, "login.reset", Some(&used.user.to_string()), now)?;
        }
    }
    logins::join_all(tx, email_key, kept, now)?;
    // Open streams of the ended sessions close.
    raise_version(tx)?;
    let uses = logins::uses(tx, kept)?;
    let Some(owner) = uses.iter().find(|used| used.email_key.as_deref() == Some(email_key)) else {
        return Ok(None);
    };
    let (to, accounts) = ((owner.account, owner.user), uses.len());
    if mails_it {
        let mailed = Some(mails::queue_link(tx, ids, to, None, now)?);
        return Ok(Some(ResetLogin { link: None, mailed, accounts }));
    }
    let link = links::create(tx, random, to, Purpose::Password, LinkAuthor::Operator, now)?;
    Ok(Some(ResetLogin { link: Some(link), mailed: None, accounts }))
}
