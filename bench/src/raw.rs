//! The ceiling of writes on SQLite: a loop that does nothing but the inserts of a POST, many to a commit.
//!
//! The rows are made on another thread, so that the loop's time is the database's alone.

use std::path::Path;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread;
use std::time::Instant;

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

type Batch<'s> = Vec<Newcomer<'s>>;

/// Inserts into the database for as long as a load runs, as many to a commit as the load has connections.
pub(crate) fn run(file: &Path, accounts: &[Account], load: &Load) -> Result<Run> {
    let connection = site::connect_sqlite(file)?;
    let (sender, batches) = sync_channel(AHEAD);
    thread::scope(|scope| {
        let maker = scope.spawn(|| make(accounts, load.connections, sender));
        let outcome = commit(&connection, batches, load);
        maker.join().map_err(|_| "making rows panicked")??;
        outcome
    })
}

fn make<'s>(accounts: &'s [Account], size: usize, batches: SyncSender<Batch<'s>>) -> Result<()> {
    let ids = Ids::new();
    let mut turns = accounts.iter().cycle();
    loop {
        let batch = turns.by_ref().take(size).map(|account| Newcomer::new(account, &ids));
        if batches.send(batch.collect::<Result<_>>()?).is_err() {
            // Nobody waits for more.
            return Ok(());
        }
    }
}

/// Takes the batches to itself, so that their maker hears when it is done.
fn commit(connection: &Connection, batches: Receiver<Batch<'_>>, load: &Load) -> Result<Run> {
    let begin = Instant::now() + load.warm_up;
    let end = begin + load.measured;
    let mut statements = Statements::prepare(connection)?;
    let (mut latencies, mut rows, mut cpu) = (Histogram::new(), 0, None);
    let mut started = Instant::now();
    while started < end {
        let batch = batches.recv()?;
        connection.prepare_cached("BEGIN IMMEDIATE")?.execute([])?;
        for newcomer in &batch {
            statements.insert(newcomer)?;
        }
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

struct Statements<'c> {
    contact: CachedStatement<'c>,
    index: CachedStatement<'c>,
    event: CachedStatement<'c>,
}

impl<'c> Statements<'c> {
    fn prepare(connection: &'c Connection) -> Result<Self> {
        Ok(Self {
            contact: connection.prepare_cached(statements::insert_contact())?,
            index: connection.prepare_cached(statements::INDEX_CONTACT)?,
            event: connection.prepare_cached(statements::insert_event())?,
        })
    }

    fn insert(&mut self, newcomer: &Newcomer<'_>) -> Result<()> {
        let Newcomer { account, id, person, grams, starts, event_id, event } = newcomer;
        let account_id = account.id.uuid();
        let inserted = self.contact.execute(params![
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
            id.created_at().millis(),
        ])?;
        if inserted != 1 {
            return Err("a contact was there already".into());
        }
        self.index.execute(params![id.sequence(), grams, starts])?;
        let kind = EventType::ContactCreated.name();
        self.event.execute(params![account_id.as_bytes(), event_id.uuid().as_bytes(), kind, event])?;
        Ok(())
    }
}
