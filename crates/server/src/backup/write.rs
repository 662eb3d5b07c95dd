//! Takes a backup of a database, while servers run.

use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use frontdesk_db::DatabaseUrl;
use frontdesk_db::tables::{Pages, Snapshot, StoredRow, StoredValue, TableSchema};
use frontdesk_files::FilePlaces;
use frontdesk_kernel::Timestamp;
use frontdesk_platform::sealing::key_id_of;

use super::format::{self, Engine, FORMAT, Header, Summing, TableStart, TableSum, put_number, put_row};
use super::outside::{CHUNKS, MEDIA, OutsideFiles, OutsideSummary};
use super::writer::BackupWriter;
use super::{Phase, Progress, Step};
use crate::error::{Error, Result};
use crate::secret_key;

/// What was written.
#[derive(Debug)]
pub(crate) struct Summary {
    pub(crate) header: Header,
    pub(crate) bytes: u64,
    pub(crate) rows: u64,
    pub(crate) took: Duration,
    pub(crate) tables: Vec<TableSum>,
    pub(crate) outside: OutsideSummary,
}

/// What a backup has besides rows.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Contents<'c> {
    pub(crate) secret_key: bool,
    /// How files outside the database are read; none leaves them out.
    pub(crate) files: Option<&'c FilePlaces>,
}

/// Writes a backup to a file that is not there yet. It stops when `is_cancelled` becomes true. Blocks.
pub(crate) fn write(
    database: &DatabaseUrl,
    file: &Path,
    contents: Contents<'_>,
    now: Timestamp,
    is_cancelled: &AtomicBool,
    progress: Progress<'_>,
) -> Result<Summary> {
    let began = Instant::now();
    let mut snapshot = Snapshot::open(database)?;
    if snapshot.is_incomplete_copy()? {
        return Err(Error::Invalid(format!(
            "the database {} is not complete: a copy into it has not ended. Finish it before you take a backup",
            database.place()
        )));
    }
    let tables: Vec<TableSchema> = snapshot.tables().to_vec();
    let mut rows_about = 0;
    for table in &tables {
        rows_about += snapshot.rows_about(table)?;
    }
    let canary = snapshot.setting(secret_key::CANARY)?;
    let key = if contents.secret_key {
        let stored = snapshot.setting(secret_key::SETTING)?;
        Some(secret_key::text_that_opens(database, stored, canary.as_deref())?)
    } else {
        None
    };
    let header = Header {
        format: FORMAT,
        created_at_millis: now.millis(),
        version: env!("CARGO_PKG_VERSION").to_owned(),
        engine: Engine::of(snapshot.dialect()),
        migrations: snapshot.migrations().to_vec(),
        has_secret_key: key.is_some(),
        has_outside_files: contents.files.is_some(),
        secret_key_id: canary.as_deref().and_then(key_id_of).map(str::to_owned),
        rows_about,
    };
    let mut outside = match contents.files {
        Some(places) => OutsideFiles::of(&snapshot, database, places)?,
        None => None,
    };
    // How many files are outside the database.
    let mut outside_files = 0;
    let mut out = BackupWriter::create(file, &header)?;
    if let Some(key) = key {
        out.frame(format::KEY, key.as_bytes())?;
    }
    let (mut done, mut sums) = (0, Vec::new());
    for table in &tables {
        let start = TableStart {
            name: table.name.clone(),
            columns: table.columns.iter().map(|column| column.name.clone()).collect(),
        };
        out.frame(format::TABLE, &serde_json::to_vec(&start).expect("a table is plain data"))?;
        let mut sum = Summing::new(&table.name);
        let mut pages = Pages::after(None);
        while let Some(mut page) = pages.next(&mut snapshot, table)? {
            if is_cancelled.load(Ordering::Relaxed) {
                return Err(stopped());
            }
            if table.name == MEDIA {
                for row in &mut page {
                    outside_files += match &outside {
                        Some(_) => u64::from(OutsideFiles::bring_home(table, row)),
                        None => u64::from(OutsideFiles::bring_home(table, &mut row.clone())),
                    };
                }
            }
            if let Some(outside) = outside.as_ref().filter(|_| table.name == CHUNKS && outside_files > 0) {
                page = without_left_over(outside, &mut snapshot, page)?;
            }
            done += put_rows(&mut out, table, &page, &mut sum)?;
            progress(Step { done, total: rows_about.max(done), bytes: out.bytes(), phase: Phase::Rows });
        }
        if let Some(outside) = outside.as_mut().filter(|_| table.name == CHUNKS && outside_files > 0) {
            let media = tables.iter().find(|table| table.name == MEDIA);
            let mut pages = Pages::after(None);
            while let Some(media) = media
                && let Some(page) = pages.next(&mut snapshot, media)?
            {
                for row in &page {
                    if is_cancelled.load(Ordering::Relaxed) {
                        return Err(stopped());
                    }
                    outside.copy(&mut snapshot, row, &mut |chunk| {
                        done += put_rows(&mut out, table, &[chunk], &mut sum)?;
                        let total = rows_about.max(done);
                        progress(Step { done, total, bytes: out.bytes(), phase: Phase::Rows });
                        Ok(())
                    })?;
                }
            }
        }
        sums.push(sum.end());
    }
    out.frame(format::SUMS, &serde_json::to_vec(&sums).expect("sums are plain data"))?;
    let bytes = out.finish()?;
    let outside = match outside {
        Some(outside) => outside.summary,
        None => OutsideSummary { left_out_files: outside_files, ..OutsideSummary::default() },
    };
    Ok(Summary { header, bytes, rows: done, took: began.elapsed(), tables: sums, outside })
}

fn stopped() -> Error {
    Error::Invalid("the backup was stopped before it was complete".to_owned())
}

/// Writes rows as a frame, and adds them up. Returns how many there are.
fn put_rows(
    out: &mut BackupWriter,
    table: &TableSchema,
    page: &[StoredRow],
    sum: &mut Summing,
) -> Result<u64> {
    let (rows, encoded) = encode(table, page);
    sum.add(rows, &encoded);
    let mut frame = Vec::with_capacity(encoded.len() + 8);
    put_number(&mut frame, rows);
    frame.extend_from_slice(&encoded);
    out.frame(format::ROWS, &frame)?;
    Ok(rows)
}

/// The chunks of files that are in the database. Those of the others are written from the files.
fn without_left_over(
    outside: &OutsideFiles<'_>,
    snapshot: &mut Snapshot,
    page: Vec<StoredRow>,
) -> Result<Vec<StoredRow>> {
    let mut kept = Vec::with_capacity(page.len());
    for chunk in page {
        if !outside.is_left_over(snapshot, &chunk)? {
            kept.push(chunk);
        }
    }
    Ok(kept)
}

/// The rows of a page, without the secret key.
fn encode(table: &TableSchema, page: &[StoredRow]) -> (u64, Vec<u8>) {
    let (mut rows, mut encoded) = (0, Vec::new());
    for row in page.iter().filter(|row| !(table.name == "settings" && is_secret_key(row))) {
        put_row(&mut encoded, row);
        rows += 1;
    }
    (rows, encoded)
}

fn is_secret_key(row: &StoredRow) -> bool {
    matches!(row.first(), Some(StoredValue::Text(name)) if name == secret_key::SETTING)
}
