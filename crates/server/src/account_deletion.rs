//! Deletes an account: every row of every table, the entries of search indexes, and at last the account itself.
//!
//! Servers may run meanwhile. The account is suspended, and the ways by which others add to it are closed, in one transaction. When
//! servers have put down what they had taken, rows are deleted in batches, each of which counts itself in the row of the
//! deletion. An interrupted deletion goes on when it is run again. Tables come from the database itself, so no list of them
//! can miss one. Rows that a server was still writing are found by another round.

use std::time::Duration;

use frontdesk_db::tables::{AccountTable, account_tables};
use frontdesk_db::{self as db, ReadTx, Store, Tx};
use frontdesk_inbox::media;
use frontdesk_kernel::Timestamp;
use frontdesk_kernel::ids::AccountId;
use frontdesk_platform::accounts::{self, AccountError};
use frontdesk_platform::deletions::{self, Deletion};
use frontdesk_platform::servers;
use frontdesk_platform::sign_in::orphans;
use frontdesk_search as search;
use tokio::time::sleep;

use crate::backup::{Phase, Step};
use crate::clock;
use crate::error::{Error, Result};

/// The ways in. They are closed when a deletion begins, beside the channels' addresses, which lead nowhere from then on.
const WAYS_IN: &[&str] =
    &["api_keys", "member_links", "push_devices", "forms", "booking_sources", "triggers"];
/// Rows of small tables that are deleted in one transaction.
const WAYS_IN_ROWS_MAX: i64 = 100_000;
/// Rows that are deleted in one transaction, so that other writers wait for milliseconds.
const BATCH_ROWS: i64 = 1_000;
/// A row of these is large.
const LARGE: &[&str] = &["media_chunks", "brands"];
const BATCH_ROWS_LARGE: i64 = 16;
/// Tables that are left for the last transaction, or that have rows of people who belong to other accounts too.
const LAST: &[&str] = &["account_deletions"];
const LOGINS: &str = "logins";
/// What a worker is to delete outside the database. It needs no account, and each row ends when its file is gone.
const FILE_REMOVALS: &str = "file_removals";
const MEDIA: &str = "media";
/// Servers read twice a second which accounts are suspended, and act on nothing of them after that.
const PAUSE: Duration = Duration::from_millis(1_500);
/// How often and how many times it is looked whether servers have put down what they had taken.
const LOOK_PAUSE: Duration = Duration::from_millis(250);
const LOOKS_MAX: usize = 60;
/// Rounds over all tables. A second one finds what was written during the first.
const ROUNDS_MAX: usize = 20;

/// Is told of every batch.
pub(crate) type Progress<'p> = &'p mut dyn FnMut(Step);

/// What was deleted.
#[derive(Debug)]
pub(crate) struct Deleted {
    pub(crate) name: String,
    /// With those of earlier runs.
    pub(crate) rows: u64,
    /// The rows that this run has deleted, by table.
    pub(crate) tables: Vec<(String, u64)>,
    /// People who are members of other accounts and keep their login.
    pub(crate) logins_kept: u64,
}

/// The name of an account that is there or being deleted.
pub(crate) fn name_of(tx: &mut ReadTx<'_>, account: AccountId) -> std::result::Result<String, AccountError> {
    if let Some(Deletion { name, .. }) = deletions::find(tx, account)? {
        return Ok(name);
    }
    accounts::find(tx, account)?.map(|account| account.name).ok_or(AccountError::NoAccount(account))
}

/// Suspends the account and closes the ways in, unless a run before has. Returns the rows that this has deleted, by table. The
/// caller tells the servers.
pub(crate) async fn begin(store: &Store, account: AccountId, now: Timestamp) -> Result<Vec<(String, u64)>> {
    let begun = store.write(move |tx| {
        deletions::begin(tx, account, now)?;
        let mut closed = Vec::new();
        for table in account_tables(tx)?.iter().filter(|table| WAYS_IN.contains(&table.name.as_str())) {
            let rows = table.delete(tx, account, WAYS_IN_ROWS_MAX)?;
            deletions::count(tx, account, rows)?;
            closed.push((table.name.clone(), rows));
        }
        closed.retain(|(_, rows)| *rows > 0);
        Ok::<_, AccountError>(closed)
    });
    Ok(begun.await?)
}

/// Deletes everything of an account whose deletion has begun, which has deleted `closed`.
pub(crate) async fn delete(
    store: &Store,
    account: AccountId,
    closed: Vec<(String, u64)>,
    progress: Progress<'_>,
) -> Result<Deleted> {
    let is_served = store.read(move |tx| servers::any(tx, clock::now())).await?;
    if is_served {
        wait_for_servers(store, account).await?;
    }
    let found = store.scan(move |tx| {
        let deletion = deletions::find(tx, account)?.ok_or(db::Error::Decode("deletion"))?;
        let mut left = 0;
        for table in account_tables(tx)? {
            left += table.count(tx, account)?;
        }
        Ok::<_, db::Error>((deletion.name, deletion.rows, accounts::number(tx, account)?, left))
    });
    let (name, before, number, left) = found.await?;
    let mut run = Run { store, account, total: before + left, done: before, tables: closed };
    for _ in 0..ROUNDS_MAX {
        run.round(progress).await?;
        if let Some(number) = number.filter(|_| store.has_side_files()) {
            forget_in_indexes(store, number).await?;
        }
        let Some(logins_kept) = run.end().await? else { continue };
        // A request that had begun before may end now. Its rows have no account, so they are deleted at once.
        if is_served {
            sleep(PAUSE).await;
            run.delete_stragglers().await?;
        }
        let Run { done, tables, .. } = run;
        return Ok(Deleted { name, rows: done, tables, logins_kept });
    }
    Err(Error::Invalid(format!(
        "something still writes rows of this account: stop the servers, and run `frontdesk account delete {account}` again"
    )))
}

/// Waits until servers have read that the account is suspended, and a while longer for jobs that were under way.
async fn wait_for_servers(store: &Store, account: AccountId) -> Result<()> {
    sleep(PAUSE).await;
    for _ in 0..LOOKS_MAX {
        let is_held = store.scan(move |tx| {
            for table in account_tables(tx)? {
                if table.is_leased(tx, account)? {
                    return Ok::<_, db::Error>(true);
                }
            }
            Ok(false)
        });
        if !is_held.await? {
            break;
        }
        sleep(LOOK_PAUSE).await;
    }
    Ok(())
}

/// Removes the account's words from SQLite's indexes, and proves it.
async fn forget_in_indexes(store: &Store, number: i64) -> Result<()> {
    search::catch_up(store).await?;
    let left = store.scan(move |tx| {
        Ok::<_, db::Error>(
            search::contacts::indexed(tx, number)? + search::messages::not_forgotten(tx, number)?,
        )
    });
    match left.await? {
        0 => Ok(()),
        left => Err(Error::Invalid(format!(
            "the search indexes still have {left} entries of this account: run the command again"
        ))),
    }
}

/// One run of the command.
struct Run<'s> {
    store: &'s Store,
    account: AccountId,
    total: u64,
    done: u64,
    tables: Vec<(String, u64)>,
}

impl Run<'_> {
    /// Deletes what all tables have.
    async fn round(&mut self, progress: Progress<'_>) -> Result<()> {
        let account = self.account;
        self.batches(LOGINS, progress, move |tx| orphans::forget_of(tx, account)).await?;
        for table in self.store.read(account_tables).await? {
            if LAST.contains(&table.name.as_str()) || [LOGINS, FILE_REMOVALS].contains(&table.name.as_str()) {
                continue;
            }
            let name = table.name.clone();
            self.batches(&name, progress, move |tx| delete_batch(tx, &table, account)).await?;
        }
        Ok(())
    }

    /// Runs transactions until one of them deletes nothing.
    async fn batches(
        &mut self,
        table: &str,
        progress: Progress<'_>,
        delete: impl Fn(&mut Tx<'_>) -> db::Result<u64> + Clone + Send + 'static,
    ) -> Result<()> {
        let account = self.account;
        loop {
            let delete = delete.clone();
            let deleted = self.store.write(move |tx| {
                let rows = delete(tx)?;
                if rows > 0 {
                    deletions::count(tx, account, rows)?;
                }
                Ok::<_, db::Error>(rows)
            });
            let rows = deleted.await?;
            if rows == 0 {
                return Ok(());
            }
            self.add(table, rows);
            let (done, total) = (self.done, self.total.max(self.done));
            progress(Step { done, total, bytes: 0, phase: Phase::Delete });
        }
    }

    fn add(&mut self, table: &str, rows: u64) {
        self.done += rows;
        match self.tables.iter_mut().find(|(name, _)| name == table) {
            Some((_, count)) => *count += rows,
            None => self.tables.push((table.to_owned(), rows)),
        }
    }

    /// Deletes the account itself if no table has a row of it any more. Returns how many logins stay.
    async fn end(&mut self) -> Result<Option<u64>> {
        let account = self.account;
        let ended = self.store.write(move |tx| {
            let kept = orphans::kept_of(tx, account)?;
            for table in account_tables(tx)? {
                let is_left = match table.name.as_str() {
                    LOGINS => table.count(tx, account)? != kept,
                    FILE_REMOVALS => false,
                    name if LAST.contains(&name) => false,
                    _ => table.has_any(tx, account)?,
                };
                if is_left {
                    return Ok::<_, db::Error>(None);
                }
            }
            deletions::end(tx, account)?;
            Ok(Some(kept))
        });
        let ended = ended.await?;
        if ended.is_some() {
            self.add("accounts", 1);
        }
        Ok(ended)
    }

    /// Deletes rows that were committed after the account had gone.
    async fn delete_stragglers(&mut self) -> Result<()> {
        let account = self.account;
        for table in self.store.read(account_tables).await? {
            if [LOGINS, FILE_REMOVALS].contains(&table.name.as_str()) {
                continue;
            }
            let name = table.name.clone();
            let rows = self.store.write(move |tx| delete_batch(tx, &table, account)).await?;
            if rows > 0 {
                self.add(&name, rows);
            }
        }
        Ok(())
    }
}

/// Deletes some rows of a table. SQLite's indexes are told of what they have.
fn delete_batch(tx: &mut Tx<'_>, table: &AccountTable, account: AccountId) -> db::Result<u64> {
    let rows_max = if LARGE.contains(&table.name.as_str()) { BATCH_ROWS_LARGE } else { BATCH_ROWS };
    match table.name.as_str() {
        "contacts" => search::contacts::erasing_first(tx, account, rows_max)?,
        "messages" => search::messages::erasing_first(tx, account, rows_max)?,
        // Files outside the database are deleted after their rows.
        MEDIA => return media::delete_some_of_account(tx, account, clock::now()),
        _ => {}
    }
    table.delete(tx, account, rows_max)
}
