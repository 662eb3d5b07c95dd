//! Makes a new database from a backup.

use std::path::Path;
use std::time::{Duration, Instant};

use frontdesk_db::DatabaseUrl;
use frontdesk_db::tables::{NewDatabase, StoredValue};
use frontdesk_kernel::Timestamp;
use frontdesk_search::SIDE_FILES;

use super::format::{self, Engine, FrameBytes, Header, Summing, TableStart, TableSum};
use super::reader::{BackupFile, Frames};
use super::{Phase, Progress, Step};
use crate::error::{Error, Result};
use crate::secret_key::{self, PlacedKey};

/// The marks of calls, which belong to a machine's last run.
const MARKS: &str = "calls";

/// What was restored.
#[derive(Debug)]
pub(crate) struct Restored {
    pub(crate) header: Header,
    pub(crate) rows: u64,
    pub(crate) took: Duration,
    pub(crate) tables: Vec<TableSum>,
    pub(crate) key: PlacedKey,
    /// Whether the work of all accounts waits.
    pub(crate) is_held: bool,
}

/// Restores a backup into a database without accounts. Unless `resumes`, queued work waits afterwards. Blocks.
pub(crate) fn restore(
    database: &DatabaseUrl,
    file: &Path,
    resumes: bool,
    progress: Progress<'_>,
) -> Result<Restored> {
    let began = Instant::now();
    let mut backup = BackupFile::open(file)?;
    let header = backup.header.clone();
    let engine = match database {
        DatabaseUrl::Sqlite(_) => Engine::Sqlite,
        DatabaseUrl::Postgres(_) => Engine::Postgres,
    };
    if engine != header.engine {
        return Err(Error::Invalid(format!(
            "{} is a backup of a {} database, and --database names a {} one",
            file.display(),
            header.engine.name(),
            engine.name()
        )));
    }
    backup.verify(progress)?;
    let key = secret_key::check_place(database, header.secret_key_id.as_deref(), header.has_secret_key)?;
    let side_files: Vec<&str> = SIDE_FILES.iter().map(|file| file.name).chain([MARKS]).collect();
    let mut new = NewDatabase::create(database, &header.migrations, &side_files)?;
    let (tables, key_text) = fill(&mut new, backup.frames()?, header.rows_about, progress)?;
    if let Some(text) = key_text.filter(|_| key == PlacedKey::FromBackup) {
        // On PostgreSQL the key is a row.
        if secret_key::place_text(database, &text)?.is_none() {
            let row = vec![StoredValue::Text(secret_key::SETTING.to_owned()), StoredValue::Text(text)];
            new.insert("settings", &["name".to_owned(), "value".to_owned()], &[row])?;
        }
    }
    let held_at = (!resumes).then(|| Timestamp::from_millis(header.created_at_millis));
    new.finish(held_at)?;
    let rows = tables.iter().map(|table| table.rows).sum();
    Ok(Restored { header, rows, took: began.elapsed(), tables, key, is_held: !resumes })
}

/// Inserts the rows of all tables. Returns their sums, and the secret key if the backup has it.
fn fill(
    new: &mut NewDatabase,
    mut frames: Frames,
    rows_about: u64,
    progress: Progress<'_>,
) -> Result<(Vec<TableSum>, Option<String>)> {
    let (mut frame, mut key, mut found) = (Vec::new(), None, Vec::new());
    let mut table: Option<(TableStart, Summing)> = None;
    let mut done = 0;
    while let Some(kind) = frames.next(&mut frame)? {
        match kind {
            format::KEY => key = String::from_utf8(frame.clone()).ok(),
            format::TABLE => {
                found.extend(table.take().map(|(_, sum)| sum.end()));
                let start: TableStart = serde_json::from_slice(&frame).map_err(|_| frames.unreadable())?;
                let sum = Summing::new(&start.name);
                table = Some((start, sum));
            }
            format::ROWS => {
                let (start, sum) = table.as_mut().ok_or_else(|| frames.unreadable())?;
                let mut bytes = FrameBytes(&frame);
                let count = bytes.number().ok_or_else(|| frames.unreadable())?;
                sum.add(count, bytes.0);
                let mut rows = Vec::new();
                for _ in 0..count {
                    rows.push(bytes.row(start.columns.len()).ok_or_else(|| frames.unreadable())?);
                }
                new.insert(&start.name, &start.columns, &rows)?;
                done += count;
                progress(Step {
                    done,
                    total: rows_about.max(done),
                    bytes: frames.bytes(),
                    phase: Phase::Rows,
                });
            }
            format::SUMS => {
                found.extend(table.take().map(|(_, sum)| sum.end()));
                let sums: Vec<TableSum> = serde_json::from_slice(&frame).map_err(|_| frames.unreadable())?;
                return if sums == found { Ok((found, key)) } else { Err(frames.unreadable()) };
            }
            _ => return Err(frames.unreadable()),
        }
    }
    Err(frames.unreadable())
}
