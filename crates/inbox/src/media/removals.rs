//! The queue of files outside the database that are to be deleted.
//!
//! A file that is being written is in it before its first byte, and leaves it in the transaction in which a row of media
//! begins to refer to the file. A file that a row referred to enters it in the transaction that deletes or changes the row.
//! So a file is never deleted before that commit, and whatever a crash leaves is in the queue. A deletion is tried until the
//! place confirms it; then its row is gone.

use std::sync::Arc;
use std::time::Duration;

use frontdesk_db::{self as db, ReadTx, Tx, only};
use frontdesk_files::{FileError, FileId, FileKey};
use frontdesk_jobs::{
    self as jobs, Claim, Claimed, Context, Done, Health, Kind, LeasedRow, LeasedRows, Limits, Worker,
};
use frontdesk_kernel::Timestamp;
use frontdesk_kernel::ids::AccountId;
use frontdesk_platform::ServerContext;
use uuid::Uuid;

use super::MediaId;
use super::files::{Location, MediaFiles};
use super::sql::{
    REMOVAL_ADD, REMOVAL_DUE, REMOVAL_FAILED, REMOVAL_NOW, REMOVAL_OF_CONVERSATION, REMOVAL_OF_MEDIA,
    REMOVAL_OVER, REMOVAL_ROWS, REMOVAL_WITHDRAW,
};
use crate::ids::ConversationId;

/// The topic that wakes the worker.
const QUEUED: db::Topic = "file removals";
/// Maximum concurrent deletions: of one account, and of all.
const ACCOUNT_SLOTS_MAX: usize = 4;
const SLOTS_MAX: usize = 16;
const SPARE_SLOTS_MAX: usize = 16;
/// The deadline of one deletion, and its lease, which is longer.
const ACT_TIME_MAX: Duration = Duration::from_mins(1);
const LEASE: Duration = Duration::from_mins(5);
/// The pause before the next try, which doubles up to `PAUSE_MAX`.
const PAUSE: Duration = Duration::from_secs(5);
const PAUSE_MAX: Duration = Duration::from_hours(1);
/// A file that was begun this long ago is not being written any more. It is longer than any file takes.
pub(super) const WRITE_TIME_MAX: Duration = Duration::from_hours(6);
const ERROR_CHARS_MAX: usize = 500;

const _: () = assert!(LEASE.as_secs() > ACT_TIME_MAX.as_secs());

/// Notes a file that is about to be written.
pub(super) fn begin(tx: &mut Tx<'_>, account: AccountId, file: &Location, now: Timestamp) -> db::Result<()> {
    add(tx, account, file, "unfinished", now + WRITE_TIME_MAX)
}

/// A row refers to the file from now on. False if the file is being deleted, so that no row may.
pub(super) fn withdraw(tx: &mut Tx<'_>, account: AccountId, file: FileId) -> db::Result<bool> {
    Ok(tx.execute(REMOVAL_WITHDRAW, &[&account, &file])?.any())
}

/// Queues the deletion of a file that was begun and will not be finished.
pub(super) fn give_up(tx: &mut Tx<'_>, account: AccountId, file: FileId, now: Timestamp) -> db::Result<()> {
    let _gone_already_is_fine = tx.execute(REMOVAL_NOW, &[&account, &file, &now])?;
    wake(tx, account);
    Ok(())
}

/// Queues the deletion of the old copy of a file that was moved.
pub(super) fn add_moved(
    tx: &mut Tx<'_>,
    account: AccountId,
    file: &Location,
    now: Timestamp,
) -> db::Result<()> {
    add(tx, account, file, "moved", now)?;
    wake(tx, account);
    Ok(())
}

fn add(tx: &mut Tx<'_>, account: AccountId, file: &Location, reason: &str, due: Timestamp) -> db::Result<()> {
    tx.execute(REMOVAL_ADD, &[&account, &file.file, &file.place, &reason, &due])?.exactly(1)
}

/// Queues the deletion of the file of a row that this transaction deletes afterwards.
pub(super) fn add_of(tx: &mut Tx<'_>, account: AccountId, media: MediaId, now: Timestamp) -> db::Result<()> {
    if tx.execute(REMOVAL_OF_MEDIA, &[&account, &media, &now])?.any() {
        wake(tx, account);
    }
    Ok(())
}

/// Queues the deletion of the files of a conversation's messages that nothing uses any more. This transaction deletes their
/// rows afterwards.
pub(crate) fn add_of_conversation(
    tx: &mut Tx<'_>,
    account: AccountId,
    conversation: ConversationId,
    now: Timestamp,
) -> db::Result<()> {
    if tx.execute(REMOVAL_OF_CONVERSATION, &[&account, &conversation, &now])?.any() {
        wake(tx, account);
    }
    Ok(())
}

fn wake(tx: &mut Tx<'_>, account: AccountId) {
    tx.wake_about(QUEUED, account.uuid());
}

/// Starts the worker that deletes files.
pub fn start(server: &ServerContext, context: &Context) -> Worker {
    jobs::start(Remover { files: MediaFiles::of(server) }, context)
}

struct Remover {
    files: MediaFiles,
}

struct Job {
    account: AccountId,
    file: FileId,
    place: String,
    tries: i64,
    lease: Uuid,
}

impl Kind for Remover {
    const NAME: &'static str = "file removals";
    const TOPIC: db::Topic = QUEUED;
    const LIMITS: Limits = Limits {
        lane: ACCOUNT_SLOTS_MAX,
        overall: SLOTS_MAX,
        spare: SPARE_SLOTS_MAX,
        lease: LEASE,
        act_time_max: ACT_TIME_MAX,
        ..Limits::DEFAULT
    };
    const ROWS: Option<LeasedRows> = Some(REMOVAL_ROWS);

    type Lane = AccountId;
    type Job = Job;
    type Outcome = Result<(), FileError>;
    type Settled = ();

    // Files of suspended accounts are deleted too.
    fn due(&self, tx: &mut ReadTx<'_>, now: Timestamp) -> db::Result<Vec<AccountId>> {
        tx.query(REMOVAL_DUE, &[&now], only)
    }

    fn claim(&self, tx: &mut Tx<'_>, claim: &Claim<AccountId>) -> db::Result<Claimed<Job>> {
        let jobs = REMOVAL_ROWS.claim(tx, claim, claim.most, &[&claim.lane], |row| {
            Ok(Job {
                account: claim.lane,
                file: row.next()?,
                place: row.next()?,
                tries: row.next()?,
                lease: claim.lease,
            })
        })?;
        Ok(Claimed::jobs(jobs))
    }

    async fn act(&self, job: Arc<Job>) -> Self::Outcome {
        let late = || FileError::Unavailable(format!("it took longer than {} s", ACT_TIME_MAX.as_secs()));
        let removed = tokio::time::timeout(ACT_TIME_MAX, self.remove(&job)).await;
        removed.unwrap_or_else(|_| Err(late()))
    }

    fn settle(&self, tx: &mut Tx<'_>, batch: &[Arc<Done<Self>>], now: Timestamp) -> db::Result<()> {
        for done in batch {
            let Job { account, file, lease, tries, .. } = &*done.job;
            let _lost_lease_changes_nothing = match &done.outcome {
                Ok(()) => tx.execute(REMOVAL_OVER, &[account, file, lease])?,
                Err(error) => {
                    let pause = (PAUSE * (1 << (*tries).clamp(0, 12))).min(PAUSE_MAX);
                    let why: String = error.to_string().chars().take(ERROR_CHARS_MAX).collect();
                    tracing::warn!(%file, why, "a file was not deleted; retrying in {} s", pause.as_secs());
                    tx.execute(REMOVAL_FAILED, &[account, file, lease, &(now + pause), &why])?
                }
            };
        }
        Ok(())
    }

    fn health(&self, outcome: &Self::Outcome) -> Health {
        if outcome.is_ok() { Health::Fine } else { Health::Failing }
    }

    fn rows(&self, job: &Job) -> Vec<LeasedRow> {
        vec![LeasedRow::new(job.account, job.file, job.lease)]
    }
}

impl Remover {
    async fn remove(&self, job: &Job) -> Result<(), FileError> {
        let client = self.files.client(&job.place).await;
        let client = client.map_err(|error| FileError::Unavailable(error.to_string()))??;
        client.delete(&FileKey { account: job.account, file: job.file }).await
    }
}
