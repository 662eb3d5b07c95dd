//! The files of canned replies. Each counts as a use of its upload.

use std::collections::HashMap;

use frontdesk_db::{self as db, ReadTx, Row, Tx};
use frontdesk_kernel::Timestamp;
use frontdesk_kernel::ids::AccountId;
use frontdesk_platform::By;
use frontdesk_web::Problems;

use super::reply::{CannedReplyError, CannedReplyFile, CannedReplyId};
use super::sql::{ALL, DELETE_FILES, INSERT_FILE, OF_ONE};
use crate::media::{self, Claim, Links, MediaId};

pub(super) const FIELD: &str = "media_ids";
const UNAVAILABLE: &str =
    "must be an upload of this account that has not expired; upload the file again with POST /media";
const REPEATED: &str = "must not name an upload twice";

/// The files of all canned replies of an account.
pub(super) fn of_all(
    tx: &mut ReadTx<'_>,
    by: &By,
    links: &Links,
) -> db::Result<HashMap<CannedReplyId, Vec<CannedReplyFile>>> {
    let mut found: HashMap<CannedReplyId, Vec<CannedReplyFile>> = HashMap::new();
    for (reply, file) in tx.query(ALL, &[&by.account], |row| read(row, links, by.now))? {
        found.entry(reply).or_default().push(file);
    }
    Ok(found)
}

pub(super) fn of_one(
    tx: &mut ReadTx<'_>,
    by: &By,
    links: &Links,
    reply: CannedReplyId,
) -> db::Result<Vec<CannedReplyFile>> {
    let rows = tx.query(OF_ONE, &[&by.account, &reply], |row| read(row, links, by.now))?;
    Ok(rows.into_iter().map(|(_, file)| file).collect())
}

fn read(row: &mut Row<'_>, links: &Links, now: Timestamp) -> db::Result<(CannedReplyId, CannedReplyFile)> {
    let (reply, id): (CannedReplyId, MediaId) = (row.next()?, row.next()?);
    let content_type: Option<String> = row.next()?;
    let file = CannedReplyFile {
        id,
        url: links.to(id, now),
        content_type: content_type.unwrap_or_else(|| "application/octet-stream".to_owned()),
        filename: row.next()?,
        size: row.next::<Option<i64>>()?.unwrap_or(0),
    };
    Ok((reply, file))
}

/// Replaces the files of a canned reply. Uploads that it no longer has expire, unless messages have them.
pub(super) fn replace(
    tx: &mut Tx<'_>,
    by: &By,
    reply: CannedReplyId,
    before: &[MediaId],
    after: &[MediaId],
) -> Result<(), CannedReplyError> {
    let mut problems = Problems::new();
    for (at, id) in after.iter().enumerate() {
        if after[..at].contains(id) {
            problems.add(format!("{FIELD}.{at}"), REPEATED);
        } else if !before.contains(id)
            && !matches!(media::claim(tx, by.account, *id, by.now)?, Claim::Taken { .. })
        {
            problems.add(format!("{FIELD}.{at}"), UNAVAILABLE);
        }
    }
    if !problems.is_empty() {
        return Err(CannedReplyError::Invalid(problems));
    }
    for id in before.iter().filter(|id| !after.contains(id)) {
        media::release(tx, by, *id)?;
    }
    let _any_number_is_fine = tx.execute(DELETE_FILES, &[&by.account, &reply])?;
    for (n, id) in after.iter().enumerate() {
        tx.execute(INSERT_FILE, &[&by.account, &reply, &(n as i64), id])?.exactly(1)?;
    }
    Ok(())
}

/// The uploads among these that cannot be used, for a body that has other problems too.
pub(super) fn unavailable(
    tx: &mut ReadTx<'_>,
    account: AccountId,
    ids: Vec<(usize, MediaId)>,
    now: Timestamp,
) -> db::Result<Problems> {
    let mut problems = Problems::new();
    for (at, id) in ids {
        if !media::is_upload(tx, account, id, now)? {
            problems.add(format!("{FIELD}.{at}"), UNAVAILABLE);
        }
    }
    Ok(problems)
}
