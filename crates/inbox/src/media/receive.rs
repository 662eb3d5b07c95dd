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
    let (account, connection, until) = (connection.account, connection.id(), now.plus_days(KEPT_DAYS));
    let id: MediaId = server.recorder.next(now);
    let (kind, content_type, filename) = (file.kind, file.content_type, file.filename.clone());
    let begin = move |tx: &mut Tx<'_>| {
        let params: &[&dyn db::Param] =
            &[&account, &id, &connection, &kind, &content_type, &filename, &now, &until];
        tx.execute(RECEIVE, params)?.exactly(1)
    };
    server.store.write(begin).await?;
    let size = file.bytes.len();
    for (n, start) in (0..size).step_by(CHUNK_BYTES).enumerate() {
        let (n, piece) = (n as i64, file.bytes.slice(start..size.min(start + CHUNK_BYTES)));
        let put = move |tx: &mut Tx<'_>| tx.execute(PUT_PART, &[&account, &id, &n, &&piece[..]])?.exactly(1);
        server.store.write(put).await?;
    }
    let size = size as i64;
    let (sha256, moves) = (Sha256::digest(&file.bytes), moves_new_files(&server.services));
    let finish = move |tx: &mut Tx<'_>| {
        if moves {
            mover::wake(tx, account);
        }
        tx.execute(FINISH, &[&account, &id, &size, &until, &&sha256[..], &moves])?.exactly(1)
    };
    server.store.write(finish).await?;
    Ok(id)
}

/// Takes a stored file for its message.
pub(crate) fn take(tx: &mut Tx<'_>, by: &By, id: MediaId) -> db::Result<()> {
    let taken = tx.find(CLAIM, &[&by.account, &id, &by.now], only::<Option<String>>)?;
    taken.map(drop).ok_or(db::Error::Decode("media"))
}
