//! Our own media, such as a spoken reply. It is stored like customers' media.

use frontdesk_db::{self as db, Tx};
use frontdesk_platform::By;

use super::MediaId;
use super::fetch::CHUNK_BYTES;
use crate::connections::ConnectionId;

frontdesk_db::statements! {
    KEEP = "INSERT INTO media (account_id, id, connection_id, kind, source, state, content_type, bytes, tries, due_at)
        VALUES ($1, $2, $3, $4, '{}', 'stored', $5, $6, 0, $7)";
    KEEP_PIECE = "INSERT INTO media_chunks (account_id, media_id, n, bytes) VALUES ($1, $2, $3, $4)";
}

/// Stores complete media. It belongs to the message that it is then attached to.
pub fn keep(
    tx: &mut Tx<'_>,
    by: &By,
    connection: ConnectionId,
    kind: &str,
    content_type: &str,
    bytes: &[u8],
) -> db::Result<MediaId> {
    let id: MediaId = by.new_id();
    let size = bytes.len() as i64;
    tx.execute(KEEP, &[&by.account, &id, &connection, &kind, &content_type, &size, &by.now])?.exactly(1)?;
    for (n, piece) in bytes.chunks(CHUNK_BYTES).enumerate() {
        tx.execute(KEEP_PIECE, &[&by.account, &id, &(n as i64), &piece])?.exactly(1)?;
    }
    Ok(id)
}
