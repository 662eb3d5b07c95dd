//! Idempotency: the response of an operation is stored in the operation's transaction, and a retry with the
//! same key gets the same bytes back.
//!
//! A key in flight is marked in memory, and on PostgreSQL also by a lock of the transaction, so the mark ends
//! with its request. Responses are stored for 24 hours.

use std::collections::HashSet;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use frontdesk_db::{self as db, ReadTx, Tx};
use frontdesk_kernel::Timestamp;
use frontdesk_kernel::ids::AccountId;
use frontdesk_web::{Failure, Problems, Reply, RequestId};
use http::{HeaderName, HeaderValue, Method, StatusCode};
use sha2::{Digest, Sha256};
use uuid::Uuid;

use crate::error::store_failure;
use crate::sealing::{Keyring, SealedColumn, sealed_column};

const KEY_CHARS_MAX: usize = 255;
pub const RETENTION: Duration = Duration::from_hours(24);
/// Expired responses deleted in one transaction.
const FORGET_ROWS_MAX: i64 = 1_000;
pub(crate) const HEADER: &str = "Idempotency-Key";

frontdesk_db::statements! {
    FIND = "SELECT fingerprint, status, body FROM idempotency WHERE account_id = $1 AND key = $2 AND created_at > $3";
    STORE = "INSERT INTO idempotency (account_id, key, fingerprint, status, body, created_at)
        VALUES ($1, $2, $3, $4, $5, $6)
        ON CONFLICT (account_id, key) DO UPDATE SET fingerprint = excluded.fingerprint, status = excluded.status,
            body = excluded.body, created_at = excluded.created_at
        WHERE idempotency.created_at <= $7";
    FORGET = "DELETE FROM idempotency WHERE created_at <= $1 AND (account_id, key) IN
        (SELECT account_id, key FROM idempotency WHERE created_at <= $1 LIMIT $2)";
    MENTIONING = "SELECT key FROM idempotency WHERE account_id = $1 AND body LIKE $2";
    FORGET_KEY = "DELETE FROM idempotency WHERE account_id = $1 AND key = $2";
}

/// Bodies that hold a secret are sealed. The others are JSON.
pub const SEALED_BODY: SealedColumn =
    sealed_column!("idempotency", "key", "body", Text, bound_as "body", only " AND body NOT LIKE '{%'");

/// The keys whose stored responses mention an id. Reads all of the account's stored responses.
pub fn mentioning(tx: &mut ReadTx<'_>, account: AccountId, id: Uuid) -> db::Result<Vec<String>> {
    tx.query(MENTIONING, &[&account, &format!("%{id}%")], db::only)
}

/// Deletes stored responses before they expire.
pub fn forget_keys(tx: &mut Tx<'_>, account: AccountId, keys: &[String]) -> db::Result<()> {
    for key in keys {
        let _gone_already_is_fine = tx.execute(FORGET_KEY, &[&account, key])?;
    }
    Ok(())
}

/// The keys in flight in this process.
#[derive(Clone, Default)]
pub struct InFlight(Arc<Mutex<HashSet<(AccountId, String)>>>);

/// The idempotency key of one request.
pub struct Record {
    account: AccountId,
    key: String,
    fingerprint: [u8; 32],
    pub(crate) request_id: RequestId,
    /// Encrypts the stored response, if it contains a secret.
    seal: Option<Keyring>,
}

/// The in-flight mark of a key. It belongs to the request and not to the work that the request has queued, so
/// it ends when the response is sent.
pub struct Mark {
    marked: (AccountId, String),
    marks: InFlight,
}

impl Drop for Mark {
    fn drop(&mut self) {
        self.marks.0.lock().unwrap_or_else(PoisonError::into_inner).remove(&self.marked);
    }
}

/// Parses a key as it was sent.
pub fn read_key(bytes: &[u8]) -> frontdesk_web::Result<String> {
    if (1..=KEY_CHARS_MAX).contains(&bytes.len()) && bytes.iter().all(u8::is_ascii_graphic) {
        return Ok(String::from_utf8_lossy(bytes).into_owned());
    }
    Err(Failure::validation(Problems::one(
        HEADER,
        format!("must be 1 to {KEY_CHARS_MAX} visible ASCII characters"),
    )))
}

/// The reason by which a caller tells this conflict from others: the same request may be sent again.
const IN_FLIGHT: &str = "idempotency_key_in_flight";

/// Marks the key as in flight, or fails if it already is.
pub fn mark(
    marks: &InFlight,
    account: AccountId,
    key: String,
    request: (&Method, &str, &[u8]),
    request_id: &RequestId,
    seal: Option<Keyring>,
) -> frontdesk_web::Result<(Mark, Record)> {
    let (method, path, body) = request;
    let fingerprint = Sha256::new()
        .chain_update(method.as_str())
        .chain_update([0])
        .chain_update(path)
        .chain_update([0])
        .chain_update(body)
        .finalize()
        .into();
    if !marks.0.lock().unwrap_or_else(PoisonError::into_inner).insert((account, key.clone())) {
        return Err(in_flight());
    }
    let mark = Mark { marked: (account, key.clone()), marks: marks.clone() };
    Ok((mark, Record { account, key, fingerprint, request_id: request_id.clone(), seal }))
}

fn in_flight() -> Failure {
    Failure::conflict(
        "A request with this Idempotency-Key is still in flight. Wait for its answer, then send this one again.",
    )
    .because(IN_FLIGHT)
}

/// Looks the key up before an operation: none, or the stored response or an error.
pub fn recall(tx: &mut ReadTx<'_>, record: &Record, now: Timestamp) -> db::Result<Option<Failure>> {
    let found = tx.find(FIND, &[&record.account, &record.key, &(now - RETENTION)], |row| {
        Ok((row.next::<Vec<u8>>()?, row.next::<i64>()?, row.next::<String>()?))
    })?;
    let Some((fingerprint, status, body)) = found else { return Ok(None) };
    if fingerprint != record.fingerprint {
        return Ok(Some(Failure::unprocessable(
            "idempotency_key_reused",
            "This Idempotency-Key was used for a different request. Use a new key for a new request.",
        )));
    }
    let body = match &record.seal {
        Some(seal) => seal
            .open(&SEALED_BODY.at(record.account, record.key.as_str()), &body)
            .ok_or(db::Error::Decode("sealed answer"))?,
        None => body,
    };
    let status = u16::try_from(status)
        .ok()
        .and_then(|status| StatusCode::from_u16(status).ok())
        .unwrap_or(StatusCode::OK);
    let headers = vec![(HeaderName::from_static("idempotent-replayed"), HeaderValue::from_static("true"))];
    Ok(Some(Failure::stored(Reply { headers, ..Reply::new(status, body) })))
}

/// Ensures, inside the operation's transaction, that no other transaction runs the same key.
pub fn enter(tx: &mut Tx<'_>, record: &Record, now: Timestamp) -> Result<(), Failure> {
    let lock =
        Sha256::new().chain_update(record.account.uuid().as_bytes()).chain_update(&record.key).finalize();
    let number = i64::from_be_bytes(lock[..8].try_into().expect("eight bytes"));
    if !tx.try_lock(number).map_err(|error| store_failure(&error))? {
        return Err(in_flight());
    }
    recall(tx, record, now).map_err(|error| store_failure(&error))?.map_or(Ok(()), Err)
}

/// Whether a response with this status is stored.
pub fn is_kept(status: StatusCode) -> bool {
    status.is_success() || matches!(status.as_u16(), 402 | 404 | 409 | 422)
}

/// Stores the response. A response that is already stored stays.
pub fn store(
    tx: &mut Tx<'_>,
    record: &Record,
    status: StatusCode,
    body: &[u8],
    now: Timestamp,
) -> db::Result<()> {
    let body = std::str::from_utf8(body).map_err(|_| db::Error::Decode("body"))?;
    let sealed = record
        .seal
        .as_ref()
        .map(|seal| seal.seal(&SEALED_BODY.at(record.account, record.key.as_str()), body));
    let body = sealed.as_deref().unwrap_or(body);
    let status = i64::from(status.as_u16());
    let params: &[&dyn db::Param] = &[
        &record.account,
        &record.key,
        &record.fingerprint.as_slice(),
        &status,
        &body,
        &now,
        &(now - RETENTION),
    ];
    let _first_wins = tx.execute(STORE, params)?;
    Ok(())
}

/// Deletes some of the expired responses; true if there may be more. A response that was stored again in the
/// meantime stays.
pub fn forget(tx: &mut Tx<'_>, now: Timestamp) -> db::Result<bool> {
    let deleted = tx.execute(FORGET, &[&(now - RETENTION), &FORGET_ROWS_MAX])?.rows();
    Ok(deleted >= FORGET_ROWS_MAX as u64)
}

#[cfg(test)]
mod tests {
    use frontdesk_testdb::TestDatabase;

    use super::*;

    #[test]
    fn keys_are_visible_ascii_of_a_bounded_length() {
        assert_eq!(read_key(b"order-42").unwrap(), "order-42");
        assert_eq!(read_key(&[b'a'; 255]).unwrap().len(), 255);
        for wrong in [&b""[..], &[b'a'; 256], b"a b", b"\xc3\xa9", b"a\tb"] {
            assert_eq!(read_key(wrong).unwrap_err().code(), "validation_error");
        }
    }

    #[test]
    fn expired_results_are_deleted_a_few_at_a_time() {
        const KEPT: &str = "SELECT count(*) FROM idempotency";
        let database = TestDatabase::sqlite();
        let store = db::Store::open(&db::Options::new(database.url().parse().unwrap())).unwrap();
        let now = Timestamp::from_millis(RETENTION.as_millis() as i64 * 2);
        let count = async || store.read(|tx| tx.find(KEPT, &[], db::only::<i64>)).await.unwrap().unwrap();
        let forget = async || store.write(move |tx| forget(tx, now)).await.unwrap();
        tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(async {
            let expired = FORGET_ROWS_MAX + 7;
            let fill = store.write(move |tx| -> db::Result<()> {
                for number in 0..=expired {
                    let made = if number == expired { now } else { now - RETENTION };
                    let params: &[&dyn db::Param] = &[
                        &Uuid::nil(),
                        &number.to_string(),
                        &[0_u8; 32].as_slice(),
                        &200_i64,
                        &"{}",
                        &made,
                        &now,
                    ];
                    tx.execute(STORE, params)?.exactly(1)?;
                }
                Ok(())
            });
            fill.await.unwrap();
            assert!(forget().await);
            assert_eq!(count().await, 8);
            assert!(!forget().await);
            assert_eq!(count().await, 1);
        });
        store.close();
    }

    #[test]
    fn a_mark_lives_as_long_as_its_guard() {
        let marks = InFlight::default();
        let account = AccountId::from_uuid(Uuid::nil());
        let id = RequestId::from_uuid(Uuid::nil());
        let take = || mark(&marks, account, "k".into(), (&Method::POST, "/contacts", b"{}"), &id, None);
        let first = take().unwrap();
        assert_eq!(take().map(|_| ()).unwrap_err().status(), StatusCode::CONFLICT);
        drop(first);
        assert!(take().is_ok());
    }
}
