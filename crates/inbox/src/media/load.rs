//! Reads the bytes of media.

use frontdesk_db::{self as db, ReadTx, only};
use frontdesk_kernel::ids::AccountId;

use super::MediaId;
use super::sql::{PIECES, STATE};

/// A file, or why it cannot be loaded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Loaded {
    /// It is still being fetched.
    Pending,
    /// It was never fetched, is deleted, or is larger than requested.
    Gone,
    Whole {
        content_type: String,
        bytes: Vec<u8>,
    },
}

/// Loads media of at most this size.
pub fn load(tx: &mut ReadTx<'_>, account: AccountId, media: MediaId, bytes_max: usize) -> db::Result<Loaded> {
    let found = tx.find(STATE, &[&account, &media], |row| {
        Ok((row.next::<String>()?, row.next::<Option<String>>()?, row.next::<Option<i64>>()?))
    })?;
    match found {
        Some((state, ..)) if state == "pending" => Ok(Loaded::Pending),
        Some((state, content_type, Some(size))) if state == "stored" && size <= bytes_max as i64 => {
            let pieces = tx.query(PIECES, &[&account, &media], only::<Vec<u8>>)?;
            let content_type = content_type.unwrap_or_else(|| "application/octet-stream".to_owned());
            Ok(Loaded::Whole { content_type, bytes: pieces.concat() })
        }
        _ => Ok(Loaded::Gone),
    }
}
