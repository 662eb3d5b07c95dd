//! Booking sources: a calendar, with an address to call and a secret to sign with.

use frontdesk_db::{self as db, ReadTx, Row, Tx, only};
use frontdesk_kernel::ids::AccountId;
use frontdesk_kernel::{Id, Ids, Secret, Text, Timestamp, mac};
use frontdesk_platform::accounts;
use frontdesk_platform::sealed_column;
use frontdesk_platform::sealing::{Keyring, SealedColumn};
use serde::Serialize;

use super::sql::{DELETE_SOURCE, INSERT_SOURCE, LIST_SOURCES, LOCATE_SOURCE, SOURCE_BY_TOKEN};
use crate::token;

/// The secret with which a calendar signs.
pub const SECRET: SealedColumn = sealed_column!("booking_sources", "id", "secret", Uuid);

pub type SourceId = Id<BookingSource>;

/// A calendar.
#[derive(Clone, Debug, Serialize)]
pub struct BookingSource {
    pub account_id: AccountId,
    pub id: SourceId,
    pub name: String,
    /// The last part of its address.
    pub token: String,
    pub created_at: Timestamp,
}

#[derive(Debug, thiserror::Error)]
pub enum SourceError {
    #[error(transparent)]
    Store(#[from] db::Error),
    #[error("there is no account {0}")]
    NoAccount(AccountId),
    #[error("there is no booking source {0}")]
    NoSource(SourceId),
}

/// Creates a source. Its secret is returned once and stored encrypted.
pub fn create(
    tx: &mut Tx<'_>,
    ids: &Ids,
    random: &([u8; 32], [u8; 32]),
    keys: &Keyring,
    account: AccountId,
    name: &Text<200>,
    now: Timestamp,
) -> Result<(BookingSource, Secret), SourceError> {
    accounts::find(tx, account)?.ok_or(SourceError::NoAccount(account))?;
    let (id, secret): (SourceId, _) = (ids.next(now), Secret::new(token::mint(&random.1)));
    let source = BookingSource {
        account_id: account,
        id,
        name: name.as_str().to_owned(),
        token: token::mint(&random.0),
        created_at: id.created_at(),
    };
    let sealed = keys.seal(&SECRET.at(account, id.to_string()), secret.reveal());
    let params: &[&dyn db::Param] = &[&account, &id, &source.name, &source.token, &sealed];
    tx.execute(INSERT_SOURCE, params)?.exactly(1)?;
    Ok((source, secret))
}

/// The account's sources, newest first.
pub fn list(tx: &mut ReadTx<'_>, account: AccountId) -> Result<Vec<BookingSource>, SourceError> {
    accounts::find(tx, account)?.ok_or(SourceError::NoAccount(account))?;
    Ok(tx.query(LIST_SOURCES, &[&account], read)?)
}

/// Deletes a source with its address; its bookings stay, and complete when their end passes.
pub fn delete(tx: &mut Tx<'_>, id: SourceId) -> Result<(), SourceError> {
    let account: AccountId = tx.find(LOCATE_SOURCE, &[&id], only)?.ok_or(SourceError::NoSource(id))?;
    Ok(tx.execute(DELETE_SOURCE, &[&account, &id])?.exactly(1)?)
}

/// The source at an address, with its sealed secret.
pub(super) fn by_token(tx: &mut ReadTx<'_>, token: &str) -> db::Result<Option<(BookingSource, String)>> {
    tx.find(SOURCE_BY_TOKEN, &[&token], |row| Ok((read(row)?, row.next()?)))
}

fn read(row: &mut Row<'_>) -> db::Result<BookingSource> {
    let (account_id, id) = (row.next()?, row.next::<SourceId>()?);
    Ok(BookingSource { account_id, id, name: row.next()?, token: row.next()?, created_at: id.created_at() })
}

/// Whether this is the hexadecimal HMAC-SHA256 of the body under the secret.
pub(super) fn is_signed(secret: &str, signature: &str, body: &[u8]) -> bool {
    mac::is_hex_sha256(secret, body, signature.trim())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_signature_fits_its_body_and_its_secret_alone() {
        // RFC 4231, test case 2.
        let (secret, body) = ("Jefe", b"what do ya want for nothing?");
        let right = "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843";
        assert!(is_signed(secret, right, body) && is_signed(secret, &right.to_uppercase(), body));
        assert!(!is_signed("jefe", right, body) && !is_signed(secret, right, b"what do ya want?"));
        for wrong in ["", "5b", &right[2..], &right.replace('5', "6"), &format!("{right}00"), "xyz", "é"] {
            assert!(!is_signed(secret, wrong, body), "{wrong}");
        }
    }
}
