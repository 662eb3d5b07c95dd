//! Moves one file from the database or a place to another, while it is read.
//!
//! The new copy is written and read back before the row changes. One transaction makes the row refer to the new copy and
//! queues the deletion of the old one. A crash before it leaves a copy that is in the queue of removals already, or chunks
//! that the next attempt overwrites; a crash after it leaves nothing to do.

use std::time::Duration;

use frontdesk_db::{self as db, Tx, only};
use frontdesk_files::{FileError, FileId, FileKey, Place, PlaceClient};
use frontdesk_kernel::ids::AccountId;
use sha2::{Digest, Sha256};
use tokio::sync::Mutex;

use super::MediaId;
use super::fetch::CHUNK_BYTES;
use super::files::{LocatedFile, Location, MediaFiles, locate, remember};
use super::reader::{MediaReader, ReadError};
use super::removals;
use super::sql::{CHUNK, CLEAR_ERASED, CLEAR_OUTSIDE, DELETE_PIECES, HOLD, PUT_CHUNK, STAYS, SWITCH};

/// What became of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Transferred {
    Moved {
        bytes: u64,
    },
    /// It is there already, was deleted, or has been moved by somebody else meanwhile.
    NothingToDo,
}

#[derive(Debug, thiserror::Error)]
pub enum TransferError {
    #[error("it cannot be read from {0}")]
    Read(#[from] ReadError),
    #[error("it cannot be written: {0}")]
    Write(FileError),
    #[error(transparent)]
    Store(#[from] db::Error),
}

/// Limits the rate at which files are copied.
#[derive(Debug, Default)]
pub struct Pace {
    bytes_per_second: Option<u64>,
    turn: Mutex<()>,
}

impl Pace {
    pub fn new(bytes_per_second: Option<u64>) -> Self {
        Self { bytes_per_second, turn: Mutex::default() }
    }

    /// Waits as long as these bytes may take. Copies that run at the same time wait one after the other.
    async fn wait(&self, bytes: usize) {
        if let Some(rate) = self.bytes_per_second {
            let _turn = self.turn.lock().await;
            tokio::time::sleep(Duration::from_secs_f64(bytes as f64 / rate.max(1) as f64)).await;
        }
    }
}

/// Moves a file to a place; none is the database.
pub async fn transfer(
    files: &MediaFiles,
    account: AccountId,
    id: MediaId,
    to: Option<&Place>,
    pace: &Pace,
) -> Result<Transferred, TransferError> {
    let found = files.store.read(move |tx| locate(tx, account, id)).await?;
    let Some(file) = found else { return Ok(Transferred::NothingToDo) };
    if file.location.as_ref().map(|location| &location.place) == to.map(|place| &place.name) {
        files.store.write(move |tx| tx.execute(STAYS, &[&account, &id]).map(drop)).await?;
        return Ok(Transferred::NothingToDo);
    }
    let transfer = Transfer { files, account, id, pace };
    match to {
        Some(place) => transfer.outside(file, place).await,
        None => transfer.move_home(file).await,
    }
}

struct Transfer<'t> {
    files: &'t MediaFiles,
    account: AccountId,
    id: MediaId,
    pace: &'t Pace,
}

impl Transfer<'_> {
    async fn outside(&self, file: LocatedFile, place: &Place) -> Result<Transferred, TransferError> {
        let client = self.files.places.client(&place.url).map_err(TransferError::Write)?;
        let (account, now) = (self.account, (self.files.clock)());
        let copy = Location { place: place.name.clone(), file: self.files.recorder.next(now) };
        let (begun, named) = (copy.clone(), place.clone());
        let begin = move |tx: &mut Tx<'_>| {
            remember(tx, &named)?;
            removals::begin(tx, account, &begun, now)
        };
        self.files.store.write(begin).await?;
        let copied = self.copy(&file, &client, copy.key(account)).await;
        let moved = match copied {
            Ok(sha256) => self.switch(&file, Some(&copy), sha256).await.map_err(Into::into),
            Err(error) => Err(error),
        };
        if !matches!(moved, Ok(Transferred::Moved { .. })) {
            let (now, unused) = ((self.files.clock)(), copy.file);
            let given_up = move |tx: &mut Tx<'_>| removals::give_up(tx, account, unused, now);
            self.files.store.write(given_up).await?;
        }
        moved
    }

    /// Writes the copy and reads it back. Returns its checksum.
    async fn copy(
        &self,
        file: &LocatedFile,
        client: &PlaceClient,
        key: FileKey,
    ) -> Result<[u8; 32], TransferError> {
        let mut reader = MediaReader::new(self.files.clone(), self.account, self.id, file.clone());
        let mut writer = client.write(&key).await.map_err(TransferError::Write)?;
        loop {
            let written = match reader.next().await {
                Ok(None) => break,
                Ok(Some(piece)) => {
                    self.pace.wait(piece.len()).await;
                    writer.write(piece).await.map_err(TransferError::Write)
                }
                Err(error) => Err(error.into()),
            };
            if let Err(error) = written {
                writer.abort().await;
                return Err(error);
            }
        }
        writer.finish().await.map_err(TransferError::Write)?;
        let sha256 = reader.sha256();
        verify(client, &key, file.bytes, sha256).await.map_err(TransferError::Write)?;
        Ok(sha256)
    }

    async fn move_home(&self, file: LocatedFile) -> Result<Transferred, TransferError> {
        let (account, id) = (self.account, self.id);
        let mut reader = MediaReader::new(self.files.clone(), account, id, file.clone());
        let (mut n, mut chunk) = (0, Vec::with_capacity(CHUNK_BYTES));
        while let Some(piece) = reader.next().await? {
            self.pace.wait(piece.len()).await;
            let mut rest = &piece[..];
            while chunk.len() + rest.len() >= CHUNK_BYTES {
                let (fits, more) = rest.split_at(CHUNK_BYTES - chunk.len());
                chunk.extend_from_slice(fits);
                let full = std::mem::replace(&mut chunk, Vec::with_capacity(CHUNK_BYTES));
                if !self.put(n, full).await? {
                    return Ok(Transferred::NothingToDo);
                }
                n += 1;
                rest = more;
            }
            chunk.extend_from_slice(rest);
        }
        if !chunk.is_empty() {
            if !self.put(n, chunk).await? {
                return Ok(Transferred::NothingToDo);
            }
            n += 1;
        }
        let sha256 = reader.sha256();
        let mut read = Sha256::new();
        for at in 0..n {
            let stored =
                move |tx: &mut db::ReadTx<'_>| tx.find(CHUNK, &[&account, &id, &at], only::<Vec<u8>>);
            read.update(self.files.store.scan(stored).await?.unwrap_or_default());
        }
        if sha256[..] != read.finalize()[..] {
            let error = FileError::Damaged("the chunks that were read back are others".to_owned());
            return Err(TransferError::Write(error));
        }
        let moved = self.switch(&file, None, sha256).await?;
        if moved == Transferred::NothingToDo {
            let clear = move |tx: &mut Tx<'_>| {
                let _any_number_is_fine = tx.execute(CLEAR_ERASED, &[&account, &id])?;
                tx.execute(CLEAR_OUTSIDE, &[&account, &id]).map(drop)
            };
            self.files.store.write(clear).await?;
        }
        Ok(moved)
    }

    /// Stores a chunk. False if the file was deleted meanwhile.
    async fn put(&self, n: i64, bytes: Vec<u8>) -> db::Result<bool> {
        let (account, id) = (self.account, self.id);
        let put = move |tx: &mut Tx<'_>| {
            // Nobody deletes the row, with its chunks, before this commit.
            if tx.find_to_change(HOLD, &[&account, &id], only::<MediaId>)?.is_none() {
                return Ok(false);
            }
            tx.execute(PUT_CHUNK, &[&account, &id, &n, &bytes])?.exactly(1)?;
            db::Result::Ok(true)
        };
        self.files.store.write(put).await
    }

    /// Makes the row refer to the new copy, and queues the deletion of the old one.
    async fn switch(
        &self,
        old: &LocatedFile,
        new: Option<&Location>,
        sha256: [u8; 32],
    ) -> db::Result<Transferred> {
        let (account, id, now, bytes) = (self.account, self.id, (self.files.clock)(), old.bytes);
        let (old, new) = (old.location.clone(), new.cloned());
        let switch = move |tx: &mut Tx<'_>| {
            let place = new.as_ref().map(|new| new.place.clone());
            let file: Option<FileId> = new.as_ref().map(|new| new.file);
            let old_file: Option<FileId> = old.as_ref().map(|old| old.file);
            let params: &[&dyn db::Param] = &[&account, &id, &place, &file, &&sha256[..], &old_file];
            if let Some(file) = file
                && !removals::withdraw(tx, account, file)?
            {
                return Ok(Transferred::NothingToDo);
            }
            if !tx.execute(SWITCH, params)?.any() {
                if let Some(new) = &new {
                    removals::add_moved(tx, account, new, now)?;
                }
                return Ok(Transferred::NothingToDo);
            }
            match &old {
                Some(old) => removals::add_moved(tx, account, old, now)?,
                None => {
                    let _any_number_is_fine = tx.execute(DELETE_PIECES, &[&account, &id])?;
                }
            }
            db::Result::Ok(Transferred::Moved { bytes })
        };
        self.files.store.write(switch).await
    }
}

/// Reads a copy back.
async fn verify(client: &PlaceClient, key: &FileKey, bytes: u64, sha256: [u8; 32]) -> Result<(), FileError> {
    let mut reader = client.open(key, 0).await?;
    let (mut read, mut hash) = (0, Sha256::new());
    while let Some(piece) = reader.next().await? {
        read += piece.len() as u64;
        hash.update(&piece);
    }
    if read == bytes && hash.finalize()[..] == sha256[..] {
        return Ok(());
    }
    Err(FileError::Damaged(format!(
        "{read} bytes were read back, which are not the {bytes} that were written"
    )))
}
