//! Takes a backup of a database, while servers run.

use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use frontdesk_db::DatabaseUrl;
use frontdesk_db::tables::{Pages, Snapshot, StoredRow, StoredValue, TableSchema};
use frontdesk_kernel::Timestamp;
use frontdesk_platform::sealing::key_id_of;

use super::format::{self, Engine, FORMAT, Header, Summing, TableStart, TableSum, put_number, put_row};
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
}

/// Writes a backup to a file that is not there yet. It stops when `is_cancelled` becomes true. Blocks.
pub(crate) fn write(
    database: &DatabaseUrl,
    file: &Path,
    with_secret_key: bool,
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
    let key = if with_secret_key {
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
        secret_key_id: canary.as_deref().and_then(key_id_of).map(str::to_owned),
        rows_about,
    };
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
        while let Some(page) = pages.next(&mut snapshot, table)? {
            if is_cancelled.load(Ordering::Relaxed) {
                return Err(Error::Invalid("the backup was stopped before it was complete".to_owned()));
            }
            let (rows, encoded) = encode(table, &page);
            sum.add(rows, &encoded);
            done += rows;
            let mut frame = Vec::with_capacity(encoded.len() + 8);
            put_number(&mut frame, rows);
            frame.extend_from_slice(&encoded);
            out.frame(format::ROWS, &frame)?;
            progress(Step { done, total: rows_about.max(done), bytes: out.bytes(), phase: Phase::Rows });
        }
        sums.push(sum.end());
    }
    out.frame(format::SUMS, &serde_json::to_vec(&sums).expect("sums are plain data"))?;
    let bytes = out.finish()?;
    Ok(Summary { header, bytes, rows: done, took: began.elapsed(), tables: sums })
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
