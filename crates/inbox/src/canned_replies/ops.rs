//! Lists and changes canned replies.

use frontdesk_crm::quota::TooMany;
use frontdesk_db::{self as db, ReadTx, Row, Tx, only};
use frontdesk_kernel::{Text, Timestamp};
use frontdesk_platform::export::{Exported, ExportedRows};
use frontdesk_platform::export_columns;
use frontdesk_platform::{By, Error as PlatformError};
use frontdesk_web::Deleted;

use super::files;
use super::reply::{CannedReply, CannedReplyError, CannedReplyId, CannedReplyPatch, NewCannedReply};
use super::sql::{COUNT, DELETE, FIND, INSERT, LIST, UPDATE};
use crate::media::{Links, MediaId};

/// Maximum canned replies of an account.
const REPLIES_MAX: i64 = 1_000;
const MISSING: PlatformError = PlatformError::Missing("canned reply");

pub fn list(tx: &mut ReadTx<'_>, by: &By, links: &Links) -> db::Result<Vec<CannedReply>> {
    let mut files = files::of_all(tx, by, links)?;
    let mut replies = tx.query(LIST, &[&by.account], read)?;
    for reply in &mut replies {
        reply.media = files.remove(&reply.id).unwrap_or_default();
    }
    Ok(replies)
}

pub fn create(
    tx: &mut Tx<'_>,
    by: &By,
    links: &Links,
    new: &NewCannedReply,
) -> Result<CannedReply, CannedReplyError> {
    let count = tx.find(COUNT, &[&by.account], only)?.unwrap_or(0);
    TooMany::check("canned replies", count, REPLIES_MAX)?;
    let id: CannedReplyId = by.new_id();
    let key = new.shortcut.as_str().to_lowercase();
    tx.execute(INSERT, &[&by.account, &id, &new.shortcut, &key, &new.body, &by.now])?.exactly(1)?;
    let wanted = new.media_ids.as_ref().map_or(&[][..], |ids| &ids.0);
    files::replace(tx, by, id, &[], wanted)?;
    Ok(CannedReply {
        id,
        shortcut: new.shortcut.as_str().to_owned(),
        body: new.body.as_str().to_owned(),
        media: files::of_one(tx, by, links, id)?,
        created_at: id.created_at(),
        updated_at: by.now,
    })
}

pub fn patch(
    tx: &mut Tx<'_>,
    by: &By,
    links: &Links,
    id: CannedReplyId,
    patch: &CannedReplyPatch,
) -> Result<CannedReply, CannedReplyError> {
    let mut reply = tx.find_to_change(FIND, &[&by.account, &id], read)?.ok_or(MISSING)?;
    reply.media = files::of_one(tx, by, links, id)?;
    let before: Vec<MediaId> = reply.media.iter().map(|file| file.id).collect();
    let shortcut = patch.shortcut.as_ref().into_option().map_or(reply.shortcut.as_str(), Text::as_str);
    let body = patch.body.as_ref().into_option().map_or(reply.body.as_str(), Text::as_str);
    let after = patch.media_ids.as_ref().into_option().map_or(&before, |ids| &ids.0);
    if (shortcut, body, after) == (reply.shortcut.as_str(), reply.body.as_str(), &before) {
        return Ok(reply);
    }
    tx.execute(UPDATE, &[&by.account, &id, &shortcut, &shortcut.to_lowercase(), &body, &by.now])?
        .exactly(1)?;
    files::replace(tx, by, id, &before, after)?;
    Ok(CannedReply {
        id,
        shortcut: shortcut.to_owned(),
        body: body.to_owned(),
        media: files::of_one(tx, by, links, id)?,
        created_at: reply.created_at,
        updated_at: by.now,
    })
}

pub fn delete(
    tx: &mut Tx<'_>,
    by: &By,
    links: &Links,
    id: CannedReplyId,
) -> Result<Deleted, CannedReplyError> {
    tx.find_to_change(FIND, &[&by.account, &id], read)?.ok_or(MISSING)?;
    let files: Vec<MediaId> = files::of_one(tx, by, links, id)?.iter().map(|file| file.id).collect();
    files::replace(tx, by, id, &files, &[])?;
    tx.execute(DELETE, &[&by.account, &id])?.exactly(1)?;
    Ok(Deleted::new(id))
}

/// Canned replies and their files. The file of a row is `media/<media_id>` with its extension.
pub(crate) const EXPORTED: &[&dyn Exported] = &[
    &ExportedRows::new(
        "canned_reply_files",
        &["canned_reply_files"],
        export_columns!("reply_id": CannedReplyId, "n": i64, "media_id": MediaId),
    )
    .keyed(&["t.reply_id", "t.n"]),
    &ExportedRows::new(
        "canned_replies",
        &["canned_replies"],
        export_columns!("id": CannedReplyId, "shortcut": String, "body": String, "updated_at": Timestamp),
    ),
];

/// A row, without its files.
fn read(row: &mut Row<'_>) -> db::Result<CannedReply> {
    let id: CannedReplyId = row.next()?;
    Ok(CannedReply {
        id,
        shortcut: row.next()?,
        body: row.next()?,
        media: Vec::new(),
        created_at: id.created_at(),
        updated_at: row.next()?,
    })
}
