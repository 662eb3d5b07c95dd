//! Reads the bytes of media into memory.

use frontdesk_db::{self as db, ReadTx, only};
use frontdesk_kernel::ids::AccountId;
use frontdesk_platform::ServerContext;
use sha2::{Digest, Sha256};

use super::MediaId;
use super::files::{LocatedFile, MediaFiles, locate};
use super::reader::{MediaReader, ReadError};
use super::sql::{PIECES, STATE};

const TYPE_DEFAULT: &str = "application/octet-stream";

/// A file, or why it cannot be loaded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Loaded {
    /// It is still being fetched.
    Pending,
    /// It was never fetched, is deleted or damaged, or is larger than requested.
    Gone,
    /// The place where it is cannot be reached now.
    Unavailable(String),
    Whole {
        content_type: String,
        bytes: Vec<u8>,
    },
}

/// What one read of the database gives.
enum Found {
    Done(Loaded),
    Outside { content_type: String, file: LocatedFile },
}

/// Loads media of at most this size.
pub async fn load(
    server: &ServerContext,
    account: AccountId,
    media: MediaId,
    bytes_max: usize,
) -> db::Result<Loaded> {
    let found = server.store.scan(move |tx| look(tx, account, media, bytes_max)).await?;
    let (content_type, file) = match found {
        Found::Done(loaded) => return Ok(loaded),
        Found::Outside { content_type, file } => (content_type, file),
    };
    let mut bytes = Vec::with_capacity(file.bytes as usize);
    let mut reader = MediaReader::new(MediaFiles::of(server), account, media, file);
    loop {
        match reader.next().await {
            Ok(Some(piece)) => bytes.extend_from_slice(&piece),
            Ok(None) => return Ok(Loaded::Whole { content_type, bytes }),
            Err(ReadError::Gone) => return Ok(Loaded::Gone),
            Err(ReadError::Store(error)) => return Err(error),
            Err(error) if error.is_for_now() => {
                tracing::warn!(%media, %error, "a file cannot be read now");
                return Ok(Loaded::Unavailable(error.to_string()));
            }
            Err(error) => {
                tracing::error!(%media, %error, "a file is lost or damaged; restore it from a copy");
                return Ok(Loaded::Gone);
            }
        }
    }
}

fn look(tx: &mut ReadTx<'_>, account: AccountId, media: MediaId, bytes_max: usize) -> db::Result<Found> {
    let found = tx.find(STATE, &[&account, &media], |row| {
        Ok((row.next::<String>()?, row.next::<Option<String>>()?, row.next::<Option<i64>>()?))
    })?;
    let content_type = match found {
        Some((state, ..)) if state == "pending" => return Ok(Found::Done(Loaded::Pending)),
        Some((state, content_type, Some(size))) if state == "stored" && size <= bytes_max as i64 => {
            content_type.unwrap_or_else(|| TYPE_DEFAULT.to_owned())
        }
        _ => return Ok(Found::Done(Loaded::Gone)),
    };
    let Some(file) = locate(tx, account, media)? else { return Ok(Found::Done(Loaded::Gone)) };
    if file.location.is_some() {
        return Ok(Found::Outside { content_type, file });
    }
    let bytes = tx.query(PIECES, &[&account, &media], only::<Vec<u8>>)?.concat();
    let is_whole = bytes.len() as u64 == file.bytes
        && file.sha256.is_none_or(|sha256| sha256[..] == Sha256::digest(&bytes)[..]);
    if !is_whole {
        tracing::error!(%media, "a file in the database is not what its row says; restore it from a backup");
        return Ok(Found::Done(Loaded::Gone));
    }
    Ok(Found::Done(Loaded::Whole { content_type, bytes }))
}
