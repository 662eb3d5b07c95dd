//! Stored bulk jobs.

use frontdesk_db::{self as db, Row};
use frontdesk_kernel::ids::AccountId;
use serde_json::Value;
use uuid::Uuid;

use super::job::BulkJob;
use crate::suspensions::not_suspended;

frontdesk_db::statements! {
    INSERT = "INSERT INTO bulk_jobs (account_id, id, kind, request, total, done, failed, status, below, updated_at)
        VALUES ($1, $2, $3, $4, $5, 0, 0, $6, $7, $8)";
    FIND = "SELECT account_id, id, kind, request, total, done, failed, status, below FROM bulk_jobs WHERE account_id = $1 AND id = $2";
    NEXT = concat!("SELECT account_id, id, kind, request, total, done, failed, status, below FROM bulk_jobs
        WHERE status = 'running' AND ", not_suspended!("bulk_jobs.account_id"), " ORDER BY updated_at LIMIT 1");
    ADVANCE = "UPDATE bulk_jobs SET total = $3, done = $4, failed = $5, status = $6, below = $7, updated_at = $8, faults = 0 WHERE account_id = $1 AND id = $2";
    FORGET = "DELETE FROM bulk_jobs WHERE status <> 'running' AND (account_id, id) IN
        (SELECT account_id, id FROM bulk_jobs WHERE account_id = $1 AND id < $2 AND status <> 'running' LIMIT $3)";
    /// A job whose batch failed goes behind the others. One that keeps failing ends.
    PUT_OFF = "UPDATE bulk_jobs SET faults = faults + 1, status = CASE WHEN faults + 1 >= $3 THEN 'failed' ELSE status END, updated_at = $4
        WHERE account_id = $1 AND id = $2 AND status = 'running' RETURNING status";
}

/// A stored job.
pub(super) struct StoredJob {
    pub(super) account: AccountId,
    pub(super) kind: String,
    pub(super) request: Value,
    /// Rows with this id and above are processed, or are not part of the job.
    pub(super) below: Uuid,
    pub(super) resource: BulkJob,
}

impl StoredJob {
    /// The number of processed rows.
    pub(super) fn processed(&self) -> i64 {
        self.resource.done + self.resource.failed
    }
}

pub(super) fn read(row: &mut Row<'_>) -> db::Result<StoredJob> {
    let (account, id, kind) = (row.next()?, row.next()?, row.next()?);
    let request = serde_json::from_str(&row.next::<String>()?).map_err(|_| db::Error::Decode("request"))?;
    let resource =
        BulkJob { id, total: row.next()?, done: row.next()?, failed: row.next()?, status: row.next()? };
    Ok(StoredJob { account, kind, request, below: row.next()?, resource })
}
