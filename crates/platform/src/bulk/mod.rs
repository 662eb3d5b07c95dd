//! Changes of many rows in the background, with progress.
//!
//! A job is a row with the request. A worker changes a batch of rows at a time, each together with the job's
//! progress in one transaction, so a crash neither skips a row nor changes one twice. Rows are processed in a
//! fixed order, and rows that are created after the job was accepted are not part of it.

mod job;
mod request;
mod sql;
mod worker;

use std::sync::Arc;

use frontdesk_db::{self as db, Tx};
use frontdesk_kernel::Timestamp;
use frontdesk_kernel::ids::AccountId;
use frontdesk_web::{Kept, Result as WebResult};
use serde_json::value::RawValue;
use uuid::Uuid;

pub use job::{BulkJob, BulkJobId, BulkStatus};
pub use request::{BulkError, BulkIds, BulkKind, BulkRequest, IDS_MAX, check_ids, chooses_once, refuse};
pub use sql::STATEMENTS;
pub use worker::start;

use crate::caller::Caller;
use crate::error::Error;
use crate::export::{Exported, ExportedRows, export_columns};

/// Rows that are counted at a time.
const COUNT_ROWS_MAX: i64 = 1_000;
/// Old jobs deleted in one transaction.
const FORGET_ROWS_MAX: i64 = 1_000;

pub(crate) const EXPORTED: &[&dyn Exported] = &[&ExportedRows::new(
    "bulk_jobs",
    &["bulk_jobs"],
    export_columns!(
        "id": BulkJobId, "kind": String, "request": Box<RawValue>, "total": i64, "done": i64, "failed": i64,
        "status": BulkStatus, "updated_at": Timestamp,
    ),
)];

/// Accepts a request, which runs in the background.
pub async fn accept<T: BulkRequest + 'static>(
    caller: &Caller,
    kind: BulkKind,
    asked: Kept<T>,
) -> WebResult<BulkJob> {
    let (request, json) = (Arc::new(asked.value), asked.json.to_string());
    let checked = request.clone();
    caller.read(move |tx, by| checked.check(tx, by)).await?;
    // Rows that are created from now on are not part of it.
    let below: Uuid = caller.by.new_id::<BulkJob>().uuid();
    let total = match request.ids() {
        Some(ids) => ids.len() as i64,
        None => count(caller, &request, below).await?,
    };
    caller
        .write(move |tx, by| -> Result<BulkJob, BulkError> {
            let status = if total == 0 { BulkStatus::Done } else { BulkStatus::Running };
            let job = BulkJob { id: by.new_id(), total, done: 0, failed: 0, status };
            let params: &[&dyn db::Param] =
                &[&by.account, &job.id, &kind.name, &json, &total, &status, &below, &by.now];
            tx.execute(sql::INSERT, params)?.exactly(1)?;
            tx.wake(job::ACCEPTED);
            Ok(job)
        })
        .await
}

async fn count<T: BulkRequest + 'static>(caller: &Caller, request: &Arc<T>, below: Uuid) -> WebResult<i64> {
    let (mut total, mut below) = (0, below);
    loop {
        let (request, from) = (request.clone(), below);
        let ids = caller.scan(move |tx, by| request.chosen(tx, by, from, COUNT_ROWS_MAX)).await?;
        total += ids.len() as i64;
        match ids.last() {
            Some(last) if ids.len() as i64 == COUNT_ROWS_MAX => below = *last,
            _ => return Ok(total),
        }
    }
}

/// A job of the account and of this kind.
pub async fn get(caller: &Caller, kind: BulkKind, id: BulkJobId) -> WebResult<BulkJob> {
    caller
        .read(move |tx, by| -> Result<BulkJob, Error> {
            let found = tx.find(sql::FIND, &[&by.account, &id], sql::read)?;
            let found = found.filter(|job| job.kind == kind.name);
            Ok(found.ok_or(Error::Missing("bulk job"))?.resource)
        })
        .await
}

/// Deletes some of an account's jobs that are over and were accepted before a moment. Returns true when there may be
/// more.
pub fn forget(tx: &mut Tx<'_>, account: AccountId, before: Timestamp) -> db::Result<bool> {
    let before = BulkJobId::first_at(before);
    Ok(tx.execute(sql::FORGET, &[&account, &before, &FORGET_ROWS_MAX])?.rows() == FORGET_ROWS_MAX as u64)
}
