//! Compares two databases: counts and hashes of every table, and the first row that differs.
//!
//! The hash of a table is the sum of the hashes of its rows, so it does not depend on the order in which an engine sorts them.
//! Search columns are not in it, because the engines differ in them; they are compared for themselves.

use std::sync::mpsc::{Sender, channel};
use std::thread;

use frontdesk_db::Dialect;
use frontdesk_db::tables::{Pages, Snapshot, StoredRow, StoredValue, TableSchema};
use frontdesk_kernel::hex;
use serde::Serialize;
use sha2::{Digest, Sha256};

use super::Progress;
use super::rows::is_secret_key;
use super::search_columns::{SearchColumns, is_computed};
use crate::backup::{Phase, Step, put_row};
use crate::error::{Error, Result};

/// Parts of a sum of hashes.
const PARTS: usize = 4;
const PART_BYTES: usize = 8;

/// A table that is equal in both databases.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(crate) struct ComparedTable {
    pub(crate) table: String,
    pub(crate) rows: u64,
    /// The same for the same rows on every engine.
    pub(crate) hash: String,
}

/// The sums of a table's rows.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Sums {
    rows: u64,
    content: [u64; PARTS],
    search: [u64; PARTS],
}

/// A row in the form in which it is compared: the columns by their names, and those of the search for themselves.
struct RowForm {
    content: Vec<usize>,
    search: Vec<usize>,
}

impl RowForm {
    fn of(table: &TableSchema) -> Self {
        let mut by_name: Vec<usize> = (0..table.columns.len()).collect();
        by_name.sort_by_key(|at| &table.columns[*at].name);
        let (search, content) =
            by_name.into_iter().partition(|at| is_computed(&table.name, &table.columns[*at].name));
        Self { content, search }
    }

    fn add(&self, sums: &mut Sums, row: &StoredRow) {
        sums.rows += 1;
        add_hash(&mut sums.content, &encode(&self.content, row));
        if !self.search.is_empty() {
            add_hash(&mut sums.search, &encode(&self.search, row));
        }
    }

    fn encode(&self, row: &StoredRow) -> Vec<u8> {
        [encode(&self.content, row), encode(&self.search, row)].concat()
    }
}

fn encode(places: &[usize], row: &StoredRow) -> Vec<u8> {
    let mut encoded = Vec::new();
    let values: StoredRow = places.iter().map(|at| row[*at].clone()).collect();
    put_row(&mut encoded, &values);
    encoded
}

fn add_hash(sum: &mut [u64; PARTS], bytes: &[u8]) {
    let hash = Sha256::digest(bytes);
    for (part, bytes) in sum.iter_mut().zip(hash.chunks_exact(PART_BYTES)) {
        let bytes = bytes.try_into().expect("a part has so many bytes");
        *part = part.wrapping_add(u64::from_le_bytes(bytes));
    }
}

/// A database and how its rows look in the target.
struct ComparedSide {
    snapshot: Snapshot,
    /// For the source, whose search columns are computed as the target has them.
    columns: Option<SearchColumns>,
}

impl ComparedSide {
    /// Computes the search columns of a row. False if the row is not compared.
    fn prepare(&mut self, table: &TableSchema, row: &mut StoredRow) -> Result<bool> {
        if let Some(columns) = &mut self.columns {
            columns.fill(&mut self.snapshot, table, row)?;
        }
        Ok(!is_secret_key(table, row))
    }

    fn table(&self, name: &str) -> Result<TableSchema> {
        let found = self.snapshot.tables().iter().find(|table| table.name == name);
        found.cloned().ok_or_else(|| Error::Invalid(format!("a database has no table {name}")))
    }

    /// The sums of all tables, in the order of the source. Tells how many rows it has read.
    fn sums(&mut self, names: &[String], read: &Sender<u64>) -> Result<Vec<Sums>> {
        let mut all = Vec::with_capacity(names.len());
        for name in names {
            let table = self.table(name)?;
            let (form, mut sums, mut pages) = (RowForm::of(&table), Sums::default(), Pages::after(None));
            while let Some(mut page) = pages.next(&mut self.snapshot, &table)? {
                for row in &mut page {
                    if self.prepare(&table, row)? {
                        form.add(&mut sums, row);
                    }
                }
                if read.send(page.len() as u64).is_err() {
                    return Ok(all);
                }
            }
            all.push(sums);
        }
        Ok(all)
    }

    /// The row with this key, in the form in which it is compared.
    fn same(&mut self, table: &TableSchema, key: &[StoredValue]) -> Result<Option<Vec<u8>>> {
        let Some(mut row) = self.snapshot.same(table, &table.row_with_key(key))? else { return Ok(None) };
        self.prepare(table, &mut row)?;
        Ok(Some(RowForm::of(table).encode(&row)))
    }
}

/// Compares every table. `place` is where the target is.
pub(super) fn compare(
    source: Snapshot,
    target: Snapshot,
    place: &str,
    progress: Progress<'_>,
) -> Result<Vec<ComparedTable>> {
    let dialect: Dialect = target.dialect();
    let columns = Some(SearchColumns::of(dialect, &source));
    let names: Vec<String> = source.tables().iter().map(|table| table.name.clone()).collect();
    let mut source = ComparedSide { snapshot: source, columns };
    let mut target = ComparedSide { snapshot: target, columns: None };
    let (here, there) = both_sums(&mut source, &mut target, &names, progress)?;
    let mut equal = Vec::with_capacity(names.len());
    for ((name, here), there) in names.iter().zip(here).zip(there) {
        if here != there {
            let first = first_difference(&mut source, &mut target, name)?;
            return Err(Error::Invalid(format!(
                "the copy is not equal: {name} has {} rows in the source and {} in {place}{first}. Nothing is lost: remove \
                 {place}, and begin again with an empty one",
                here.rows, there.rows
            )));
        }
        let bytes: Vec<u8> = here.content.iter().flat_map(|part| part.to_le_bytes()).collect();
        equal.push(ComparedTable { table: name.clone(), rows: here.rows, hash: hex(&bytes) });
    }
    Ok(equal)
}

/// Reads both databases at once.
fn both_sums(
    source: &mut ComparedSide,
    target: &mut ComparedSide,
    names: &[String],
    progress: Progress<'_>,
) -> Result<(Vec<Sums>, Vec<Sums>)> {
    let mut total = 0;
    for table in source.snapshot.tables().to_vec() {
        total += 2 * source.snapshot.rows_about(&table)?;
    }
    thread::scope(|scope| {
        let (read, reads) = channel();
        let read_there = read.clone();
        let here = scope.spawn(move || source.sums(names, &read));
        let there = scope.spawn(move || target.sums(names, &read_there));
        let mut done = 0;
        for rows in reads {
            done += rows;
            progress(Step { done, total: total.max(done), bytes: 0, phase: Phase::Compare })?;
        }
        let panicked = |_| Error::Invalid("a comparison panicked".to_owned());
        Ok((here.join().map_err(panicked)??, there.join().map_err(panicked)??))
    })
}

/// Where the first difference of a table is, for people.
fn first_difference(source: &mut ComparedSide, target: &mut ComparedSide, name: &str) -> Result<String> {
    if let Some(key) = first_missing(source, target, name)? {
        return Ok(format!("; the row {key} is missing or different there"));
    }
    let unknown = first_missing(target, source, name)?;
    Ok(unknown.map_or_else(String::new, |key| format!("; the row {key} is not in the source")))
}

/// The key of the first row that one side has and the other has not, or has otherwise.
fn first_missing(one: &mut ComparedSide, other: &mut ComparedSide, name: &str) -> Result<Option<String>> {
    let (table, theirs) = (one.table(name)?, other.table(name)?);
    let (form, mut pages) = (RowForm::of(&table), Pages::after(None));
    while let Some(mut page) = pages.next(&mut one.snapshot, &table)? {
        for row in &mut page {
            let is_compared = one.prepare(&table, row)?;
            if is_compared && other.same(&theirs, &table.key_of(row))? != Some(form.encode(row)) {
                return Ok(Some(table.key_text(row)));
            }
        }
    }
    Ok(None)
}
