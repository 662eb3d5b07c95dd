//! The ceiling of writes on SQLite: a loop that only writes what a request has to write, many rows to a commit.
//!
//! It has everything that helps the server's writer: the same settings, as many rows to a commit, a thread that
//! checkpoints the log, and a thread that writes the full-text index. Another thread builds the rows, so that the
//! loop's time is the database's alone.

use std::iter;
use std::path::Path;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, SyncSender, channel, sync_channel};
use std::thread;
use std::time::{Duration, Instant};

use frontdesk_crm::contacts::{event_types, stored_labels};
use frontdesk_kernel::Ids;
use frontdesk_kernel::text::sort_key;
use frontdesk_search as search;
use rusqlite::{CachedStatement, Connection, params};

use crate::error::Result;
use crate::histogram::Histogram;
use crate::load::Load;
use crate::run::Run;
use crate::site::{self, Account, Newcomer};
use crate::{process, statements};

/// Maximum rows in one commit, as in the server's writer (`db/src/sqlite/writer.rs`). Where each caller waits for its
/// commit before it sends the next request, a commit has at most one row per caller.
pub(crate) const BATCH_ROWS_MAX: usize = 256;
/// The settings of the server's writer.
const SET_UP: &str = "PRAGMA wal_autocheckpoint = 16384; PRAGMA cache_size = -4096";
/// Rows after which the log is checkpointed, and how long fewer rows wait, as in the server
/// (`db/src/sqlite/checkpointer.rs`).
const CHECKPOINT_ROWS: usize = 512;
const CHECKPOINT_PERIOD: Duration = Duration::from_secs(1);
/// Maximum rows that are built ahead of the loop.
const AHEAD: usize = 8 * BATCH_ROWS_MAX;

/// A contact for the full-text index: its position in the order of creation, and its words.
type Indexed = (i64, String);

/// The inserts of the POST of a contact. Another thread adds contacts to the full-text index in batches.
pub(crate) fn posts(file: &Path, accounts: &[Account], load: &Load) -> Result<Run> {
    let (ids, mut turns) = (Ids::new(), accounts.iter().cycle());
    let make = || Newcomer::new(turns.next().ok_or("no accounts")?, &ids);
    let statements = [statements::insert_contact(), statements::insert_event_on_sqlite()];
    let (behind, contacts) = channel();
    thread::scope(|scope| {
        let indexer = scope.spawn(|| index(file, contacts));
        let outcome = run(file, load, load.connections, statements, make, move |statements, newcomer| {
            insert(statements, newcomer)?;
            Ok(behind.send((newcomer.id.sequence(), newcomer.words.clone()))?)
        });
        indexer.join().map_err(|_| "indexing panicked")??;
        outcome
    })
}

/// Writes contacts into the index's own file until the channel closes. Each batch is written newest first, as the
/// server's indexer does.
fn index(file: &Path, contacts: Receiver<Indexed>) -> Result<()> {
    let connection = site::open_sqlite_index(file)?;
    while let Ok(first) = contacts.recv() {
        let mut batch = vec![first];
        batch.extend(contacts.iter().take(search::contacts::BATCH - 1));
        connection.prepare_cached("BEGIN IMMEDIATE")?.execute([])?;
        let mut add = connection.prepare_cached(&numbered(statements::index_contact()))?;
        for (sequence, words) in batch.into_iter().rev() {
            add.execute(params![search::contacts::index::row(sequence), words])?;
        }
        connection.prepare_cached("COMMIT")?.execute([])?;
    }
    Ok(())
}

/// Writes rows into the database for as long as the load lasts. A commit takes the rows that wait, up to `rows_max`.
pub(crate) fn run<R: Send, const N: usize>(
    file: &Path,
    load: &Load,
    rows_max: usize,
    statements: [&str; N],
    make: impl FnMut() -> Result<R> + Send,
    write: impl Fn(&mut [CachedStatement<'_>; N], &R) -> Result<()>,
) -> Result<Run> {
    let connection = site::open_sqlite(file)?;
    connection.execute_batch(SET_UP)?;
    let prepared = statements.map(|statement| connection.prepare_cached(&numbered(statement)));
    let prepared = prepared.into_iter().collect::<rusqlite::Result<Vec<_>>>()?;
    let mut prepared: [CachedStatement<'_>; N] = prepared.try_into().map_err(|_| "statements were lost")?;
    let (sender, rows) = sync_channel(AHEAD);
    let (committed, heard) = channel();
    thread::scope(|scope| {
        let maker = scope.spawn(|| make_ahead(make, sender));
        let checkpointer = scope.spawn(|| checkpoint(file, heard));
        let outcome = commit(&connection, rows, rows_max, committed, load, |row| write(&mut prepared, row));
        checkpointer.join().map_err(|_| "checkpointing panicked")??;
        maker.join().map_err(|_| "making rows panicked")??;
        outcome
    })
}

/// SQLite reads `$1` as a name and numbers parameters in the order in which it meets them, so `?1` replaces it.
fn numbered(statement: &str) -> String {
    statement.replace('$', "?")
}

fn make_ahead<R>(mut make: impl FnMut() -> Result<R>, rows: SyncSender<R>) -> Result<()> {
    loop {
        if rows.send(make()?).is_err() {
            // The receiver is gone, so no more rows are needed.
            return Ok(());
        }
    }
}

/// Checkpoints the log while the writer runs, until the writer ends.
fn checkpoint(file: &Path, committed: Receiver<usize>) -> Result<()> {
    let connection = site::open_sqlite(file)?;
    let mut rows = 0;
    loop {
        match committed.recv_timeout(CHECKPOINT_PERIOD) {
            Ok(more) => {
                rows += more + committed.try_iter().sum::<usize>();
                if rows < CHECKPOINT_ROWS {
                    continue;
                }
            }
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => return Ok(()),
        }
        rows = 0;
        connection.query_row("PRAGMA wal_checkpoint(PASSIVE)", [], |_| Ok(()))?;
    }
}

/// Commits rows until the load ends. It takes ownership of the receiver, so that the sender fails when this returns.
fn commit<R>(
    connection: &Connection,
    rows: Receiver<R>,
    rows_max: usize,
    committed: Sender<usize>,
    load: &Load,
    mut write: impl FnMut(&R) -> Result<()>,
) -> Result<Run> {
    let begin = Instant::now() + load.warm_up;
    let end = begin + load.measured;
    let (mut latencies, mut written, mut cpu) = (Histogram::new(), 0, None);
    let mut started = Instant::now();
    while started < end {
        let mut batch = 0;
        let mut next = Some(rows.recv()?);
        connection.prepare_cached("BEGIN IMMEDIATE")?.execute([])?;
        while let Some(row) = next {
            write(&row)?;
            batch += 1;
            next = if batch < rows_max { rows.try_recv().ok() } else { None };
        }
        connection.prepare_cached("COMMIT")?.execute([])?;
        committed.send(batch)?;
        let ended = Instant::now();
        if ended >= begin && ended < end {
            if cpu.is_none() {
                cpu = Some(process::thread_cpu()?);
            }
            latencies.record(ended - started);
            written += batch;
        }
        started = ended;
    }
    let used =
        cpu.map(|before| process::thread_cpu().map(|after| after.saturating_sub(before))).transpose()?;
    Ok(Run {
        rate: written as f64 / load.measured.as_secs_f64(),
        p50: Some(latencies.quantile(0.5)),
        p99: Some(latencies.quantile(0.99)),
        cpu: used.map(|used| used.div_f64(written.max(1) as f64)),
        ..Run::default()
    })
}

fn insert(statements: &mut [CachedStatement<'_>; 2], newcomer: &Newcomer<'_>) -> Result<()> {
    let [contact, event_insert] = statements;
    let Newcomer { account, id, person, event_id, event, .. } = newcomer;
    let account_id = account.id.uuid();
    let inserted = contact.execute(params![
        account_id.as_bytes(),
        id.uuid().as_bytes(),
        id.sequence(),
        person.name,
        person.phone.as_str(),
        person.phone.key(),
        person.email.as_str(),
        person.email.key(),
        person.company,
        None::<String>,
        None::<String>,
        id.created_at().millis(),
        stored_labels::encode(id.created_at(), iter::empty(), iter::empty()),
        sort_key(&person.name),
        sort_key(&person.company),
    ])?;
    if inserted != 1 {
        return Err("a contact was there already".into());
    }
    let kind = event_types::CREATED.name();
    event_insert.execute(params![account_id.as_bytes(), event_id.uuid().as_bytes(), kind, event])?;
    Ok(())
}
