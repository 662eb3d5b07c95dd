//! Limits on failed sign-ins, by address and by login, shared by all servers.
//!
//! An attempt is counted before its password or code is checked, so concurrent attempts cannot exceed the limit. If it
//! succeeds, only its own units are reverted, so nobody can clear the failures of others. Logins that share an email
//! address have separate counts. An unknown email address is counted like a login, so that responses do not tell
//! whether it is known. An address that is over its limit adds no further counts.

use std::net::IpAddr;

use frontdesk_db::{self as db, Tx, only};
use frontdesk_kernel::Timestamp;

use super::logins::{self, Login, LoginId};
use super::sql::{FORGET_ATTEMPTS, GIVE_BACK_ATTEMPT, TAKE_ATTEMPT};
use crate::address::client_network;

/// Failed attempts in a quarter of an hour.
pub const PER_ADDRESS_MAX: i64 = 30;
pub const PER_LOGIN_MAX: i64 = 10;
/// New passwords that are asked for in a quarter of an hour, by mail.
pub const REQUESTS_PER_ADDRESS_MAX: i64 = 10;
pub const REQUESTS_PER_EMAIL_MAX: i64 = 3;
const SPAN_MINUTES: i64 = 15;
/// Expired counts deleted in one transaction.
const FORGET_ROWS_MAX: i64 = 1_000;

/// An attempt to sign in, or to prove a password or a code otherwise.
#[derive(Clone, Debug)]
pub struct Attempt {
    address: String,
    /// The logins that it is counted against, in the order in which they are tried, or the unknown email address.
    subjects: Vec<String>,
    span: i64,
    now: Timestamp,
}

/// Too many attempts have failed; retry after this many seconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TooMany {
    pub seconds_left: i64,
}

/// What was counted, or that too many attempts have failed. Both are committed: an error would undo the count.
pub type Counted<T> = db::Result<Result<T, TooMany>>;

impl Attempt {
    /// Counts an attempt of an address as failed.
    pub fn take(tx: &mut Tx<'_>, address: IpAddr, now: Timestamp) -> Counted<Self> {
        let attempt = Self {
            address: format!("address {}", client_network(address)),
            subjects: Vec::new(),
            span: now.minute().div_euclid(SPAN_MINUTES),
            now,
        };
        let failed = attempt.count(tx, &attempt.address)?;
        Ok(if failed > PER_ADDRESS_MAX { Err(attempt.too_many()) } else { Ok(attempt) })
    }

    /// Counts it against every login of an email address: the logins whose password may be tried. Too many if there is
    /// none left, or if the address is unknown and was tried too often.
    pub fn take_email(&mut self, tx: &mut Tx<'_>, email_key: &str) -> Counted<Vec<Login>> {
        let mut logins = logins::by_email(tx, email_key)?;
        if logins.is_empty() {
            let is_open = self.take_subject(tx, format!("email {email_key}"))?;
            return Ok(if is_open { Ok(logins) } else { Err(self.too_many()) });
        }
        let ids: Vec<LoginId> = logins.iter().map(|login| login.id).collect();
        Ok(self.take_logins(tx, &ids)?.map(|open| {
            logins.retain(|login| open.contains(&login.id));
            logins
        }))
    }

    /// Counts it against these logins: those that may be tried. Too many if there is none left.
    pub fn take_logins(&mut self, tx: &mut Tx<'_>, logins: &[LoginId]) -> Counted<Vec<LoginId>> {
        let mut open = Vec::new();
        for login in logins {
            if self.take_subject(tx, subject(*login))? {
                open.push(*login);
            }
        }
        Ok(if open.is_empty() { Err(self.too_many()) } else { Ok(open) })
    }

    /// Counts it against a subject. False if the subject is over its limit.
    fn take_subject(&mut self, tx: &mut Tx<'_>, subject: String) -> db::Result<bool> {
        let is_open = self.count(tx, &subject)? <= PER_LOGIN_MAX;
        if is_open {
            self.subjects.push(subject);
        }
        Ok(is_open)
    }

    fn count(&self, tx: &mut Tx<'_>, subject: &str) -> db::Result<i64> {
        tx.find(TAKE_ATTEMPT, &[&subject, &self.span], only::<i64>)?.ok_or(db::Error::Decode("failures"))
    }

    fn too_many(&self) -> TooMany {
        let end = Timestamp::of_minute((self.span + 1) * SPAN_MINUTES);
        TooMany { seconds_left: (end.seconds() - self.now.seconds()).max(1) }
    }

    /// The password of this login was right. The logins that were tried before it have failed, and stay counted.
    #[must_use]
    pub fn passed(mut self, login: LoginId) -> Self {
        let failed = self.subjects.iter().position(|counted| *counted == subject(login));
        self.subjects.drain(..failed.unwrap_or(0));
        self
    }

    /// Reverts this attempt's own units: it did not fail.
    pub fn give_back(&self, tx: &mut Tx<'_>) -> db::Result<()> {
        std::iter::once(&self.address).chain(&self.subjects).try_for_each(|subject| {
            let _gone_is_fine = tx.execute(GIVE_BACK_ATTEMPT, &[subject, &self.span])?;
            Ok(())
        })
    }
}

/// Counts a request for a new password. False if there were too many for this email address, known or not. It does the
/// same for every address, so its time does not tell whether somebody has it.
pub fn take_request(tx: &mut Tx<'_>, address: IpAddr, email_key: &str, now: Timestamp) -> Counted<bool> {
    let span = now.minute().div_euclid(SPAN_MINUTES);
    let request = Attempt { address: String::new(), subjects: Vec::new(), span, now };
    if request.count(tx, &format!("request from {}", client_network(address)))? > REQUESTS_PER_ADDRESS_MAX {
        return Ok(Err(request.too_many()));
    }
    Ok(Ok(request.count(tx, &format!("request for {email_key}"))? <= REQUESTS_PER_EMAIL_MAX))
}

fn subject(login: LoginId) -> String {
    format!("login {login}")
}

/// Deletes expired counts. True if there may be more.
pub fn forget(tx: &mut Tx<'_>, now: Timestamp) -> db::Result<bool> {
    let span = now.minute().div_euclid(SPAN_MINUTES);
    Ok(tx.execute(FORGET_ATTEMPTS, &[&span, &FORGET_ROWS_MAX])?.rows() == FORGET_ROWS_MAX as u64)
}
