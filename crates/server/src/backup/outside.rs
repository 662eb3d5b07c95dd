//! Files outside the database, in a backup: as if they were in the database.
//!
//! Their rows are written without their place, and their bytes as chunks. So a restore needs nothing but the backup. A file
//! that was moved since the snapshot is read where it is now. One that was deleted since has no chunks, like one that is
//! lost or damaged; the summary counts them.

use std::time::Duration;

use frontdesk_db::DatabaseUrl;
use frontdesk_db::tables::{Snapshot, StoredRow, StoredValue, TableSchema};
use frontdesk_files::{FileError, FileKey, FilePlaces};
use frontdesk_inbox::media::{CHUNK_BYTES, place_setting};
use frontdesk_kernel::Id;
use serde::Serialize;
use sha2::{Digest, Sha256};
use tokio::runtime::Runtime;
use uuid::Uuid;

use crate::error::{Error, Result};
use crate::installation::runtime;

pub(super) const MEDIA: &str = "media";
pub(super) const CHUNKS: &str = "media_chunks";
/// How often a file is tried, and the pause in between.
const TRIES_MAX: u32 = 5;
const PAUSE: Duration = Duration::from_secs(2);
/// How many damaged files are named.
const NAMED_MAX: usize = 20;

/// What a backup has of files outside the database.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub(crate) struct OutsideSummary {
    /// Files and bytes that are in the backup.
    pub(crate) files: u64,
    pub(crate) bytes: u64,
    /// Files that were left out on request.
    pub(crate) left_out_files: u64,
    /// Files that were deleted while the backup was taken.
    pub(crate) deleted_meanwhile: u64,
    /// Files that are lost or damaged, and some of them, with what is wrong.
    pub(crate) damaged_files: u64,
    pub(crate) damaged: Vec<String>,
}

/// Is given the chunks of a file, as rows.
type PutRow<'p> = &'p mut dyn FnMut(StoredRow) -> Result<()>;

/// Reads files for a backup. Blocks.
pub(super) struct OutsideFiles<'b> {
    database: &'b DatabaseUrl,
    places: &'b FilePlaces,
    runtime: Runtime,
    media: TableSchema,
    chunks: TableSchema,
    pub(super) summary: OutsideSummary,
}

/// Where a row of media says that its file is.
#[derive(Clone, Debug, PartialEq, Eq)]
struct OutsideRow {
    place: String,
    file: Uuid,
}

/// A file as far as it was read.
struct Reading {
    account: Uuid,
    id: Uuid,
    bytes: u64,
    sha256: Option<Vec<u8>>,
    position: u64,
    hash: Sha256,
    chunk: Vec<u8>,
    n: i64,
}

/// Why a file ends early.
enum Ending {
    Deleted,
    Damaged(String),
}

impl<'b> OutsideFiles<'b> {
    /// None if the database is older than files outside of it.
    pub(super) fn of(
        snapshot: &Snapshot,
        database: &'b DatabaseUrl,
        places: &'b FilePlaces,
    ) -> Result<Option<Self>> {
        let table = |name: &str| snapshot.tables().iter().find(|table| table.name == name).cloned();
        let (Some(media), Some(chunks)) = (table(MEDIA), table(CHUNKS)) else { return Ok(None) };
        if media.place("place").is_none() {
            return Ok(None);
        }
        let summary = OutsideSummary::default();
        Ok(Some(Self { database, places, runtime: runtime()?, media, chunks, summary }))
    }

    /// Makes a row of media say that its file is in the database. Returns whether it was elsewhere.
    pub(super) fn bring_home(table: &TableSchema, row: &mut StoredRow) -> bool {
        let mut was_outside = false;
        for column in ["place", "file_id"] {
            if let Some(value) = table.place(column).and_then(|at| row.get_mut(at)) {
                was_outside |= *value != StoredValue::Null;
                *value = StoredValue::Null;
            }
        }
        was_outside
    }

    /// Whether a chunk belongs to a file outside the database: an interrupted move has left it there.
    pub(super) fn is_left_over(&self, snapshot: &mut Snapshot, chunk: &StoredRow) -> Result<bool> {
        let Some(key) = chunk.get(..2) else { return Ok(false) };
        let row = snapshot.find(&self.media, key)?;
        Ok(row.is_some_and(|row| self.location(&row).is_some()))
    }

    /// Reads the file of a row, if it is outside the database.
    pub(super) fn copy(&mut self, snapshot: &mut Snapshot, row: &StoredRow, put: PutRow<'_>) -> Result<()> {
        let Some(location) = self.location(row) else { return Ok(()) };
        let mut reading = self.reading(row)?;
        match self.read(snapshot, location, &mut reading, put)? {
            None => {
                self.summary.files += 1;
                self.summary.bytes += reading.position;
            }
            Some(Ending::Deleted) => self.summary.deleted_meanwhile += 1,
            Some(Ending::Damaged(why)) => {
                tracing::error!(media = %reading.id, why, "a file is lost or damaged, and not whole in the backup");
                self.summary.damaged_files += 1;
                if self.summary.damaged.len() < NAMED_MAX {
                    self.summary.damaged.push(format!("{}: {why}", reading.id));
                }
            }
        }
        Ok(())
    }

    fn read(
        &self,
        snapshot: &mut Snapshot,
        mut location: OutsideRow,
        reading: &mut Reading,
        put: PutRow<'_>,
    ) -> Result<Option<Ending>> {
        let mut url = snapshot.setting(&place_setting(&location.place))?;
        let mut tries = 0;
        loop {
            tries += 1;
            let error = match self.read_on(url.as_deref(), &location, reading, put)? {
                Ok(()) => return self.finish(reading, put),
                Err(error) => error,
            };
            match error {
                FileError::Unavailable(why) if tries >= TRIES_MAX => {
                    return Err(Error::Invalid(format!(
                        "a file cannot be read from {}: {why}; see that it works, or leave these files out with \
                         --without-media",
                        url.as_deref().unwrap_or(&location.place)
                    )));
                }
                FileError::Damaged(why) => return Ok(Some(Ending::Damaged(why))),
                FileError::Unavailable(_) => std::thread::sleep(PAUSE),
                FileError::Missing => {
                    // It may have been moved or deleted since the snapshot.
                    let mut now = Snapshot::open(self.database)?;
                    let key = [bytes_of(reading.account), bytes_of(reading.id)];
                    let Some(row) = now.find(&self.media, &key)? else { return Ok(Some(Ending::Deleted)) };
                    match self.location(&row) {
                        None => return self.read_chunks(&mut now, reading, put),
                        Some(found) if found == location => {
                            return Ok(Some(Ending::Damaged(FileError::Missing.to_string())));
                        }
                        Some(found) => location = found,
                    }
                    url = now.setting(&place_setting(&location.place))?;
                }
            }
        }
    }

    /// Reads what is left of a file at a place.
    fn read_on(
        &self,
        url: Option<&str>,
        location: &OutsideRow,
        reading: &mut Reading,
        put: PutRow<'_>,
    ) -> Result<std::result::Result<(), FileError>> {
        let client = match url.map(|url| self.places.client(url)) {
            None => {
                let why = "its address is not among the settings".to_owned();
                return Ok(Err(FileError::Unavailable(why)));
            }
            Some(Err(error)) => return Ok(Err(error)),
            Some(Ok(client)) => client,
        };
        let key = FileKey { account: Id::from_uuid(reading.account), file: Id::from_uuid(location.file) };
        let mut reader = match self.runtime.block_on(client.open(&key, reading.position)) {
            Ok(reader) => reader,
            Err(error) => return Ok(Err(error)),
        };
        loop {
            match self.runtime.block_on(reader.next()) {
                Ok(None) => return Ok(Ok(())),
                Ok(Some(piece)) => self.take(reading, &piece, put)?,
                Err(error) => return Ok(Err(error)),
            }
        }
    }

    /// Reads the rest of a file that is in the database now.
    fn read_chunks(
        &self,
        now: &mut Snapshot,
        reading: &mut Reading,
        put: PutRow<'_>,
    ) -> Result<Option<Ending>> {
        let mut n = (reading.position / CHUNK_BYTES as u64) as i64;
        let mut skip = (reading.position % CHUNK_BYTES as u64) as usize;
        while reading.position < reading.bytes {
            let key = [bytes_of(reading.account), bytes_of(reading.id), StoredValue::Int(n)];
            let Some(row) = now.find(&self.chunks, &key)? else { break };
            let at = self.chunks.place("bytes").and_then(|at| row.get(at));
            let Some(StoredValue::Bytes(bytes)) = at else { break };
            self.take(reading, bytes.get(skip..).unwrap_or_default(), put)?;
            (n, skip) = (n + 1, 0);
        }
        self.finish(reading, put)
    }

    fn take(&self, reading: &mut Reading, mut bytes: &[u8], put: PutRow<'_>) -> Result<()> {
        reading.position += bytes.len() as u64;
        reading.hash.update(bytes);
        while reading.chunk.len() + bytes.len() >= CHUNK_BYTES {
            let (fits, rest) = bytes.split_at(CHUNK_BYTES - reading.chunk.len());
            reading.chunk.extend_from_slice(fits);
            self.put(reading, put)?;
            bytes = rest;
        }
        reading.chunk.extend_from_slice(bytes);
        Ok(())
    }

    /// Checks that the file is whole.
    fn finish(&self, reading: &mut Reading, put: PutRow<'_>) -> Result<Option<Ending>> {
        if !reading.chunk.is_empty() {
            self.put(reading, put)?;
        }
        let Reading { position, bytes, sha256, hash, .. } = reading;
        if position != bytes {
            return Ok(Some(Ending::Damaged(format!("it has {position} bytes, and its row says {bytes}"))));
        }
        if sha256.as_deref().is_some_and(|sha256| hash.clone().finalize()[..] != *sha256) {
            return Ok(Some(Ending::Damaged("its checksum is another one".to_owned())));
        }
        Ok(None)
    }

    fn put(&self, reading: &mut Reading, put: PutRow<'_>) -> Result<()> {
        let mut row = vec![StoredValue::Null; self.chunks.columns.len()];
        let values = [
            ("account_id", bytes_of(reading.account)),
            ("media_id", bytes_of(reading.id)),
            ("n", StoredValue::Int(reading.n)),
            ("bytes", StoredValue::Bytes(std::mem::take(&mut reading.chunk))),
        ];
        for (column, value) in values {
            if let Some(at) = self.chunks.place(column) {
                row[at] = value;
            }
        }
        reading.n += 1;
        put(row)
    }

    fn location(&self, row: &StoredRow) -> Option<OutsideRow> {
        let value = |column: &str| self.media.place(column).and_then(|at| row.get(at));
        match (value("place")?, value("file_id")?) {
            (StoredValue::Text(place), StoredValue::Bytes(file)) => {
                Some(OutsideRow { place: place.clone(), file: Uuid::from_slice(file).ok()? })
            }
            _ => None,
        }
    }

    fn reading(&self, row: &StoredRow) -> Result<Reading> {
        let value = |column: &str| self.media.place(column).and_then(|at| row.get(at));
        let id = |column: &str| match value(column) {
            Some(StoredValue::Bytes(bytes)) => Uuid::from_slice(bytes).ok(),
            _ => None,
        };
        let size = match value("bytes") {
            Some(StoredValue::Int(bytes)) => Some(*bytes as u64),
            _ => None,
        };
        let sha256 = match value("sha256") {
            Some(StoredValue::Bytes(sha256)) => Some(sha256.clone()),
            _ => None,
        };
        let found = id("account_id").zip(id("id")).zip(size);
        let ((account, id), bytes) =
            found.ok_or_else(|| Error::Invalid("a row of media cannot be read".to_owned()))?;
        let (hash, chunk) = (Sha256::new(), Vec::new());
        Ok(Reading { account, id, bytes, sha256, position: 0, hash, chunk, n: 0 })
    }
}

fn bytes_of(id: Uuid) -> StoredValue {
    StoredValue::Bytes(id.as_bytes().to_vec())
}
