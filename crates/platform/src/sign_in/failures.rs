//! Limits on failed sign-ins, by address and by email address, shared by all servers.
//!
//! An attempt is counted before its password is checked, so concurrent attempts cannot exceed the limit, and
//! the count is reverted if it succeeds. An unknown email address is counted like any other.

use std::net::IpAddr;

use frontdesk_db::{self as db, Tx, only};
use frontdesk_kernel::Timestamp;

use crate::client_network;

/// Failed attempts in a quarter of an hour.
pub const PER_ADDRESS_MAX: i64 = 30;
pub const PER_EMAIL_MAX: i64 = 10;
const SPAN_MINUTES: i64 = 15;
/// Expired counts deleted in one transaction.
const FORGET_ROWS_MAX: i64 = 1_000;

frontdesk_db::statements! {
    TAKE = "INSERT INTO sign_in_failures AS f (subject, span, failed) VALUES ($1, $2, 1)
        ON CONFLICT (subject) DO UPDATE SET span = excluded.span,
            failed = CASE WHEN f.span = excluded.span THEN f.failed ELSE 0 END + 1
        RETURNING failed";
    GIVE_BACK = "UPDATE sign_in_failures SET failed = failed - 1 WHERE subject = $1 AND span = $2 AND failed > 0";
    CLEAR = "DELETE FROM sign_in_failures WHERE subject = $1";
    FORGET = "DELETE FROM sign_in_failures WHERE subject IN (SELECT subject FROM sign_in_failures WHERE span < $1 LIMIT $2)";
}

/// An attempt to sign in.
#[derive(Clone, Debug)]
pub struct Attempt {
    address: String,
    /// None if no email address is given, as with a one-time link.
    email: Option<String>,
    span: i64,
    now: Timestamp,
}

/// Too many attempts have failed; retry after this many seconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TooMany {
    pub seconds_left: i64,
}

impl Attempt {
    pub fn new(address: IpAddr, email_key: Option<&str>, now: Timestamp) -> Self {
        Self {
            address: format!("address {}", client_network(address)),
            email: email_key.map(|key| format!("email {key}")),
            span: now.minute().div_euclid(SPAN_MINUTES),
            now,
        }
    }

    /// Counts the attempt as failed.
    pub fn take(&self, tx: &mut Tx<'_>) -> db::Result<Result<(), TooMany>> {
        let mut count = |subject: &String| {
            let failed = tx.find(TAKE, &[subject, &self.span], only::<i64>)?;
            failed.ok_or(db::Error::Decode("failures"))
        };
        let by_address = count(&self.address)?;
        let by_email = self.email.as_ref().map_or(Ok(0), count)?;
        if by_address > PER_ADDRESS_MAX || by_email > PER_EMAIL_MAX {
            let end = Timestamp::of_minute((self.span + 1) * SPAN_MINUTES);
            return Ok(Err(TooMany { seconds_left: (end.seconds() - self.now.seconds()).max(1) }));
        }
        Ok(Ok(()))
    }

    /// Reverts the count: the attempt did not fail.
    pub fn give_back(&self, tx: &mut Tx<'_>) -> db::Result<()> {
        let _gone_is_fine = tx.execute(GIVE_BACK, &[&self.address, &self.span])?;
        if let Some(email) = &self.email {
            let _gone_is_fine = tx.execute(GIVE_BACK, &[email, &self.span])?;
        }
        Ok(())
    }

    /// Reverts the count of the address and deletes that of the email address.
    pub fn succeed(&self, tx: &mut Tx<'_>) -> db::Result<()> {
        let _gone_is_fine = tx.execute(GIVE_BACK, &[&self.address, &self.span])?;
        if let Some(email) = &self.email {
            let _gone_is_fine = tx.execute(CLEAR, &[email])?;
        }
        Ok(())
    }
}

/// Deletes expired counts. True if there may be more.
pub fn forget(tx: &mut Tx<'_>, now: Timestamp) -> db::Result<bool> {
    let span = now.minute().div_euclid(SPAN_MINUTES);
    Ok(tx.execute(FORGET, &[&span, &FORGET_ROWS_MAX])?.rows() == FORGET_ROWS_MAX as u64)
}
