//! Identities: which person at an OpenID provider a login belongs to.

use frontdesk_db::{self as db, ReadTx, Tx, only};
use frontdesk_kernel::Timestamp;

use super::logins::LoginId;
use super::sql::{FIND_IDENTITY, IDENTITY_OF_LOGIN, LINK_IDENTITY};

/// A person at a provider.
pub struct Identity<'a> {
    pub issuer: &'a str,
    /// The provider's id of the person, which never changes.
    pub subject: &'a str,
}

/// The outcome of linking an identity to a login.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Linked {
    New,
    /// The login belongs to somebody else at this provider.
    AnotherPerson,
}

/// The login of a person.
pub fn find(tx: &mut ReadTx<'_>, identity: &Identity<'_>) -> db::Result<Option<LoginId>> {
    tx.find(FIND_IDENTITY, &[&identity.issuer, &identity.subject], only)
}

/// Ties a person who has no login yet to one.
pub fn link(tx: &mut Tx<'_>, identity: &Identity<'_>, login: LoginId, now: Timestamp) -> db::Result<Linked> {
    let Identity { issuer, subject } = identity;
    if tx.find(IDENTITY_OF_LOGIN, &[&login, issuer], only::<String>)?.is_some() {
        return Ok(Linked::AnotherPerson);
    }
    tx.execute(LINK_IDENTITY, &[issuer, subject, &login, &now])?.exactly(1)?;
    Ok(Linked::New)
}
