//! The ceiling of writes on SQLite: a loop that does nothing but what a request has to write, many to a commit.
//!
//! The rows are made on another thread, so that the loop's time is the database's alone.

use std::cell::RefCell;
use std::path::Path;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread;
use std::time::Instant;

use frontdesk_crm::contacts::search;
use frontdesk_kernel::Ids;
use frontdesk_platform::events::EventType;
use rusqlite::{CachedStatement, Connection, params};

use crate::histogram::Histogram;
use crate::load::Load;
use crate::newcomer::Newcomer;
use crate::run::Run;
use crate::site::{self, Account};
use crate::{Result, process, statements};

/// Batches made ahead.
const AHEAD: usize = 8;

/// The inserts of a POST of a contact. The full-text index is told of many contacts at once, as the server does it.
pub(crate) fn posts(file: &Path, accounts: &[Account], load: &Load) -> Result<Run> {
    let (ids, mut turns) = (Ids::new(), accounts.iter().cycle());
    let make = || Newcomer::new(turns.next().ok_or("no accounts")?, &ids);
    let statements =
        [statements::insert_contact(), statements::index_contact(), statements::insert_event_on_sqlite()];
    let behind = RefCell::new(Vec::with_capacity(search::BATCH));
    run(file, load, statements, make, |statements, newcomer| {
        insert(statements, newcomer)?;
        let mut behind = behind.borrow_mut();
        behind.push((newcomer.id.sequence(), newcomer.words.clone()));
        if behind.len() == search::BATCH {
            let [_, index, _] = statements;
            for (sequence, words) in behind.drain(..).rev() {
                index.execute(params![search::index::row(sequence), words])?;
            }
        }
        Ok(())
    })
}

/// Writes into the database for as long as a load runs, as many rows to a commit as the load has connections.
pub(crate) fn run<R: Send, const N: usize>(
    file: &Path,
    load: &Load,
    statements: [&str; N],
    make: impl FnMut() -> Result<R> + Send,
    write: impl Fn(&mut [CachedStatement<'_>; N], &R) -> Result<()>,
) -> Result<Run> {
    let connection = site::connect_sqlite(file)?;
    // SQLite takes $1 for a name, and numbers what it meets in the order it meets it.
    let prepared = statements.map(|statement| connection.prepare_cached(&statement.replace('$', "?")));
    let prepared = prepared.into_iter().collect::<rusqlite::Result<Vec<_>>>()?;
    let mut prepared: [CachedStatement<'_>; N] = prepared.try_into().map_err(|_| "statements were lost")?;
    let (sender, batches) = sync_channel(AHEAD);
    thread::scope(|scope| {
        let maker = scope.spawn(|| make_ahead(make, load.connections, sender));
        let outcome = commit(&connection, batches, load, |row| write(&mut prepared, row));
        maker.join().map_err(|_| "making rows panicked")??;
        outcome
    })
}

fn make_ahead<R>(
    mut make: impl FnMut() -> Result<R>,
    size: usize,
    batches: SyncSender<Vec<R>>,
) -> Result<()> {
    loop {
        let batch: Result<Vec<R>> = (0..size).map(|_| make()).collect();
        if batches.send(batch?).is_err() {
            // Nobody waits for more.
            return Ok(());
        }
    }
}

/// Takes the batches to itself, so that their maker hears when it is done.
fn commit<R>(
    connection: &Connection,
    batches: Receiver<Vec<R>>,
    load: &Load,
    mut write: impl FnMut(&R) -> Result<()>,
) -> Result<Run> {
    let begin = Instant::now() + load.warm_up;
    let end = begin + load.measured;
    let (mut latencies, mut rows, mut cpu) = (Histogram::new(), 0, None);
    let mut started = Instant::now();
    while started < end {
        let batch = batches.recv()?;
        connection.prepare_cached("BEGIN IMMEDIATE")?.execute([])?;
        batch.iter().try_for_each(&mut write)?;
        connection.prepare_cached("COMMIT")?.execute([])?;
        let ended = Instant::now();
        if ended >= begin && ended < end {
            if cpu.is_none() {
                cpu = Some(process::thread_cpu()?);
            }
            latencies.record(ended - started);
            rows += batch.len();
        }
        started = ended;
    }
    let used =
        cpu.map(|before| process::thread_cpu().map(|after| after.saturating_sub(before))).transpose()?;
    Ok(Run {
        rate: rows as f64 / load.measured.as_secs_f64(),
        p50: Some(latencies.quantile(0.5)),
        p99: Some(latencies.quantile(0.99)),
        cpu: used.map(|used| used.div_f64(rows.max(1) as f64)),
        ..Run::default()
    })
}

fn insert(statements: &mut [CachedStatement<'_>; 3], newcomer: &Newcomer<'_>) -> Result<()> {
    let [contact, _, event_insert] = statements;
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
    ])?;
    if inserted != 1 {
        return Err("a contact was there already".into());
    }
    let kind = EventType::ContactCreated.name();
    event_insert.execute(params![account_id.as_bytes(), event_id.uuid().as_bytes(), kind, event])?;
    Ok(())
}
