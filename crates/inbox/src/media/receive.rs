//! Files that website visitors send. They arrive whole, and are stored before the message that has them: the
//! message then takes the file. A file that no message takes is deleted, like an upload.

use bytes::Bytes;
use frontdesk_db::{self as db, ReadTx, Tx, only};
use frontdesk_kernel::Timestamp;
use frontdesk_kernel::ids::AccountId;
use frontdesk_platform::{By, ServerContext};
use sha2::{Digest, Sha256};

use super::fetch::CHUNK_BYTES;
use super::sql::{CLAIM, FINISH, PUT_PART, RECEIVE, STORED_BYTES};
use super::{MediaId, mover, moves_new_files};
use crate::connections::{ConnectionId, StoredConnection};

/// How long a file waits for its message.
const KEPT_DAYS: i64 = 1;

/// A file of a visitor.
pub(crate) struct ReceivedFile {
    /// The kind of its message.
    pub(crate) kind: &'static str,
    pub(crate) content_type: &'static str,
    pub(crate) filename: String,
    pub(crate) bytes: Bytes,
}

/// Whether the files that arrived on a connection take this many bytes or more.
pub(crate) fn is_full(
    tx: &mut ReadTx<'_>,
    account: AccountId,
    connection: ConnectionId,
    bytes_max: i64,
) -> db::Result<bool> {
    Ok(tx.find(STORED_BYTES, &[&account, &connection], only::<i64>)?.unwrap_or(0) >= bytes_max)
}

/// Stores a file, a piece at a time, so that it does not hold up other writes.
pub(crate) async fn receive(
    server: &ServerContext,
    connection: &StoredConnection,
    file: &ReceivedFile,
    now: Timestamp,
) -> db::Result<MediaId> {
    let (by, id) = (By::system(connection.account, now, &server.recorder), server.recorder.next(now));
    let arriving = ArrivingFile {
        connection: connection.id(),
        kind: file.kind,
        content_type: file.content_type.to_owned(),
        filename: Some(file.filename.clone()),
    };
    let begun = by.clone();
    server.store.write(move |tx: &mut Tx<'_>| begin_received(tx, &begun, id, &arriving)).await?;
    let size = file.bytes.len();
    for (n, start) in (0..size).step_by(CHUNK_BYTES).enumerate() {
        let (n, piece) = (n as i64, file.bytes.slice(start..size.min(start + CHUNK_BYTES)));
        let account = connection.account;
        server.store.write(move |tx: &mut Tx<'_>| put_part(tx, account, id, n, &piece)).await?;
    }
    let (sha256, moves) = (Sha256::digest(&file.bytes), moves_new_files(&server.services));
    let finish = move |tx: &mut Tx<'_>| finish_received(tx, &by, id, size as i64, &sha256[..], moves);
    server.store.write(finish).await?;
    Ok(id)
}

/// A file that arrives in pieces.
#[derive(Clone, Debug)]
pub struct ArrivingFile {
    pub connection: ConnectionId,
    /// The kind of its message.
    pub kind: &'static str,
    pub content_type: String,
    pub filename: Option<String>,
}

/// Creates the row of a file, before its first piece.
pub(crate) fn begin_received(tx: &mut Tx<'_>, by: &By, id: MediaId, file: &ArrivingFile) -> db::Result<()> {
    let until = by.now.plus_days(KEPT_DAYS);
    let ArrivingFile { connection, kind, content_type, filename } = file;
    let params: &[&dyn db::Param] =
        &[&by.account, &id, connection, kind, content_type, filename, &by.now, &until];
    tx.execute(RECEIVE, params)?.exactly(1)
}

pub(crate) fn put_part(
    tx: &mut Tx<'_>,
    account: AccountId,
    id: MediaId,
    n: i64,
    piece: &[u8],
) -> db::Result<()> {
    tx.execute(PUT_PART, &[&account, &id, &n, &piece])?.exactly(1)
}

/// The file is complete. It waits for its message.
pub(crate) fn finish_received(
    tx: &mut Tx<'_>,
    by: &By,
    id: MediaId,
    size: i64,
    sha256: &[u8],
    moves: bool,
) -> db::Result<()> {
    if moves {
        mover::wake(tx, by.account);
    }
    let until = by.now.plus_days(KEPT_DAYS);
    tx.execute(FINISH, &[&by.account, &id, &size, &until, &sha256, &moves])?.exactly(1)
}

/// Takes a stored file for its message.
pub(crate) fn take(tx: &mut Tx<'_>, by: &By, id: MediaId) -> db::Result<()> {
    let taken = tx.find(CLAIM, &[&by.account, &id, &by.now], only::<Option<String>>)?;
    taken.map(drop).ok_or(db::Error::Decode("media"))
}
