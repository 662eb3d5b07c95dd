//! Files of another system, stored piece by piece before their messages, which then take them. One that no message takes is
//! deleted after a day.

use std::io::{self, Read};

use frontdesk_db::{self as db, Store, Tx};
use frontdesk_platform::By;
use sha2::{Digest, Sha256};

use crate::media::{self, ArrivingFile, CHUNK_BYTES, MediaId};

/// The largest file that is brought.
pub const FILE_BYTES_MAX: u64 = 512 << 20;

#[derive(Debug, thiserror::Error)]
pub enum FileFailure {
    #[error("it cannot be read: {0}")]
    Read(#[from] io::Error),
    #[error("it is larger than {} MiB", FILE_BYTES_MAX >> 20)]
    TooLarge,
    #[error(transparent)]
    Store(#[from] db::Error),
}

/// Stores a file. `by` has the current time. `moves` says whether it is then moved out of the database.
pub async fn store_file(
    store: &Store,
    by: &By,
    file: ArrivingFile,
    mut bytes: impl Read,
    moves: bool,
) -> Result<MediaId, FileFailure> {
    let id: MediaId = by.new_id();
    let begun = by.clone();
    store.write(move |tx: &mut Tx<'_>| media::begin_received(tx, &begun, id, &file)).await?;
    let (mut n, mut size, mut hash) = (0_i64, 0_u64, Sha256::new());
    loop {
        let mut piece = Vec::with_capacity(CHUNK_BYTES);
        (&mut bytes).take(CHUNK_BYTES as u64).read_to_end(&mut piece)?;
        if piece.is_empty() {
            break;
        }
        size += piece.len() as u64;
        if size > FILE_BYTES_MAX {
            return Err(FileFailure::TooLarge);
        }
        hash.update(&piece);
        let account = by.account;
        store.write(move |tx: &mut Tx<'_>| media::put_part(tx, account, id, n, &piece)).await?;
        n += 1;
    }
    let (by, sha256) = (by.clone(), hash.finalize());
    let finish = move |tx: &mut Tx<'_>| media::finish_received(tx, &by, id, size as i64, &sha256[..], moves);
    store.write(finish).await?;
    Ok(id)
}
