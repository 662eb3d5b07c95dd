//! Our own media, such as a spoken reply. It is stored like customers' media.

use frontdesk_db::{self as db, Tx};
use frontdesk_platform::By;

use super::MediaId;
use super::fetch::CHUNK_BYTES;
use super::sql::{KEEP, KEEP_PIECE};
use crate::connections::ConnectionId;

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
