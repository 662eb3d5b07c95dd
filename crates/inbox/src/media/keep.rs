//! Our own media, such as a spoken reply. It is stored like customers' media.

use frontdesk_db::{self as db, Tx};
use frontdesk_platform::By;
use sha2::{Digest, Sha256};

use super::fetch::CHUNK_BYTES;
use super::sql::{KEEP, KEEP_PIECE};
use super::{MediaId, mover};
use crate::connections::ConnectionId;

/// Stores complete media. It belongs to the message that it is then attached to. `moves` says whether it is then moved out
/// of the database ([`moves_new_files`](super::moves_new_files)).
pub fn keep(
    tx: &mut Tx<'_>,
    by: &By,
    connection: ConnectionId,
    kind: &str,
    content_type: &str,
    bytes: &[u8],
    moves: bool,
) -> db::Result<MediaId> {
    let id: MediaId = by.new_id();
    let size = bytes.len() as i64;
    let sha256 = Sha256::digest(bytes);
    let params: &[&dyn db::Param] =
        &[&by.account, &id, &connection, &kind, &content_type, &size, &&sha256[..], &moves, &by.now];
    tx.execute(KEEP, params)?.exactly(1)?;
    for (n, piece) in bytes.chunks(CHUNK_BYTES).enumerate() {
        tx.execute(KEEP_PIECE, &[&by.account, &id, &(n as i64), &piece])?.exactly(1)?;
    }
    if moves {
        mover::wake(tx, by.account);
    }
    Ok(id)
}
