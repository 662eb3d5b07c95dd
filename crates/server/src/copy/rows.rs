//! Copies the rows of all tables: one thread reads pages while another one writes them.

use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread;

use frontdesk_db::tables::{CopiedTable, CopyTarget, Pages, Snapshot, StoredRow, StoredValue, TableSchema};

use super::Progress;
use super::search_columns::SearchColumns;
use crate::backup::{Phase, Step};
use crate::error::{Error, Result};
use crate::secret_key;

/// Pages that were read and wait to be written.
const PAGES_WAITING_MAX: usize = 3;
/// The table with the row of the secret key, which is not copied but put in its place.
const SETTINGS: &str = "settings";

/// A page of a table, or its end.
struct Page {
    table: usize,
    rows: Vec<StoredRow>,
    /// None at the end.
    last_key: Option<Vec<StoredValue>>,
}

/// Whether a row is the one of the secret key.
pub(super) fn is_secret_key(table: &TableSchema, row: &StoredRow) -> bool {
    table.name == SETTINGS
        && matches!(row.first(), Some(StoredValue::Text(name)) if name == secret_key::SETTING)
}

/// Copies what the target does not have yet, and the row of the secret key if there is one. Returns how many rows it copied.
pub(super) fn copy(
    source: &mut Snapshot,
    target: &mut CopyTarget,
    key_row: Option<String>,
    progress: Progress<'_>,
) -> Result<u64> {
    let tables = source.tables().to_vec();
    let (mut total, mut reached) = (0, Vec::new());
    for table in &tables {
        check_columns(table, target)?;
        let there = target.progress(&table.name)?;
        // A complete table counts as it is, and another one is estimated.
        total += if there.is_complete { there.rows } else { source.rows_about(table)?.max(there.rows) };
        reached.push(there);
    }
    let before: u64 = reached.iter().map(|table| table.rows).sum();
    let columns = SearchColumns::of(target.dialect(), source);
    let starts: Vec<CopiedTable> = reached.clone();
    thread::scope(|scope| {
        let (sender, pages) = sync_channel(PAGES_WAITING_MAX);
        let (source, listed) = (&mut *source, &tables);
        let reading = scope.spawn(move || read(source, listed, &starts, columns, &sender));
        let written = write(target, &tables, &mut reached, pages, key_row, &mut |step| {
            progress(Step { total: total.max(step.done), ..step })
        });
        let read = reading.join().map_err(|_| Error::Invalid("the reader of the source panicked".to_owned()));
        // A reader stops when nobody writes any more.
        written.and(read?)
    })?;
    Ok(reached.iter().map(|table| table.rows).sum::<u64>() - before)
}

/// Both sides have the same migrations, so they have the same columns.
fn check_columns(table: &TableSchema, target: &CopyTarget) -> Result<()> {
    let names = |table: &TableSchema| {
        let mut names: Vec<String> = table.columns.iter().map(|column| column.name.clone()).collect();
        names.sort();
        names
    };
    let there = target.tables().iter().find(|there| there.name == table.name);
    if there.map(names) == Some(names(table)) {
        return Ok(());
    }
    Err(Error::Invalid(format!("the columns of {} differ between the two databases", table.name)))
}

/// Reads pages until there is none, or nobody takes them.
fn read(
    source: &mut Snapshot,
    tables: &[TableSchema],
    starts: &[CopiedTable],
    mut columns: SearchColumns,
    sender: &SyncSender<Page>,
) -> Result<()> {
    for (number, (table, start)) in tables.iter().zip(starts).enumerate() {
        if start.is_complete {
            continue;
        }
        let mut pages = Pages::after(start.last_key.as_deref().map(|key| table.row_with_key(key)));
        while let Some(mut rows) = pages.next(source, table)? {
            let last_key = rows.last().map(|row| table.key_of(row));
            rows.retain(|row| !is_secret_key(table, row));
            for row in &mut rows {
                columns.fill(source, table, row)?;
            }
            if sender.send(Page { table: number, rows, last_key }).is_err() {
                return Ok(());
            }
        }
        if sender.send(Page { table: number, rows: Vec::new(), last_key: None }).is_err() {
            return Ok(());
        }
    }
    Ok(())
}

fn write(
    target: &mut CopyTarget,
    tables: &[TableSchema],
    reached: &mut [CopiedTable],
    pages: Receiver<Page>,
    key_row: Option<String>,
    progress: Progress<'_>,
) -> Result<()> {
    let there: Vec<TableSchema> = target.tables().to_vec();
    let mut bytes = 0;
    for page in pages {
        let (table, reached_now) = (&tables[page.table], &mut reached[page.table]);
        let names: Vec<String> = table.columns.iter().map(|column| column.name.clone()).collect();
        let into = there.iter().find(|there| there.name == table.name);
        let into = into.ok_or_else(|| Error::Invalid(format!("the target has no table {}", table.name)))?;
        let mut rows = page.rows;
        reached_now.rows += rows.len() as u64;
        if let Some(key) = page.last_key {
            reached_now.last_key = Some(key);
        } else {
            reached_now.is_complete = true;
            // It commits with the end of its table, so it is there once.
            if let Some(text) = key_row.as_ref().filter(|_| table.name == SETTINGS) {
                let name = StoredValue::Text(secret_key::SETTING.to_owned());
                rows.push(vec![name, StoredValue::Text(text.clone())]);
            }
        }
        target.add(into, &names, &rows, reached_now)?;
        bytes += rows.iter().flatten().map(StoredValue::size).sum::<usize>() as u64;
        let done = reached.iter().map(|table| table.rows).sum();
        progress(Step { done, total: 0, bytes, phase: Phase::Rows })?;
    }
    Ok(())
}
