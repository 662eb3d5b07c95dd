//! Reads a file piece by piece, wherever it is, also while it is moved.
//!
//! A file that is not where its row said is looked for once more, and read on from the same byte. The last piece is given
//! out only if the whole file has the size and the checksum of its row, so a file that is truncated or altered is never
//! taken for a whole one.

use bytes::Bytes;
use frontdesk_db::{self as db, only};
use frontdesk_files::{FileError, FileReader};
use frontdesk_kernel::ids::AccountId;
use sha2::{Digest, Sha256};

use super::MediaId;
use super::fetch::CHUNK_BYTES;
use super::files::{LocatedFile, Location, MediaFiles, locate};
use super::sql::CHUNK;

/// How often a file is looked for again, or a connection that broke is made again.
const LOOKS_MAX: u32 = 4;

#[derive(Debug, thiserror::Error)]
pub enum ReadError {
    /// The file was deleted.
    #[error("the file was deleted")]
    Gone,
    #[error(transparent)]
    Store(#[from] db::Error),
    #[error("{place}: {error}")]
    Place { place: String, error: FileError },
}

impl ReadError {
    /// Whether a later attempt may succeed.
    pub fn is_for_now(&self) -> bool {
        match self {
            Self::Gone => false,
            Self::Store(_) => true,
            Self::Place { error, .. } => matches!(error, FileError::Unavailable(_)),
        }
    }
}

/// A file that is being read.
pub struct MediaReader {
    files: MediaFiles,
    account: AccountId,
    id: MediaId,
    file: LocatedFile,
    position: u64,
    hash: Sha256,
    source: Source,
    looks: u32,
}

enum Source {
    Closed,
    /// The next chunk in the database, and how much of it was read before.
    Chunks {
        n: i64,
        skip: usize,
    },
    Outside(FileReader),
}

impl MediaReader {
    /// A reader of a file that was found in the account.
    pub fn new(files: MediaFiles, account: AccountId, id: MediaId, file: LocatedFile) -> Self {
        let (hash, source) = (Sha256::new(), Source::Closed);
        Self { files, account, id, file, position: 0, hash, source, looks: 0 }
    }

    /// A reader of a file; none if it is not stored.
    pub async fn find(files: &MediaFiles, account: AccountId, id: MediaId) -> db::Result<Option<Self>> {
        let found = files.store.read(move |tx| locate(tx, account, id)).await?;
        Ok(found.map(|file| Self::new(files.clone(), account, id, file)))
    }

    /// The size of the whole file.
    pub fn bytes(&self) -> u64 {
        self.file.bytes
    }

    /// The checksum of what was read so far.
    pub(super) fn sha256(&self) -> [u8; 32] {
        self.hash.clone().finalize().into()
    }

    /// Opens the file, so that a place that does not work is known before anything was read.
    pub async fn open(&mut self) -> Result<(), ReadError> {
        while matches!(self.source, Source::Closed) {
            let Some(location) = self.file.location.clone() else {
                let (n, skip) = (self.position / CHUNK_BYTES as u64, self.position % CHUNK_BYTES as u64);
                self.source = Source::Chunks { n: n as i64, skip: skip as usize };
                break;
            };
            let opened = match self.files.client(&location.place).await? {
                Ok(client) => client.open(&location.key(self.account), self.position).await,
                Err(error) => Err(error),
            };
            match opened {
                Ok(reader) => self.source = Source::Outside(reader),
                Err(FileError::Missing) => self.look_again().await?,
                Err(error) => return Err(failed(&location, error)),
            }
        }
        Ok(())
    }

    /// The next piece; none at the end.
    pub async fn next(&mut self) -> Result<Option<Bytes>, ReadError> {
        while self.position < self.file.bytes {
            self.open().await?;
            let piece = match &mut self.source {
                Source::Closed => None,
                Source::Chunks { n, skip } => {
                    let (account, id, at, skipped) = (self.account, self.id, *n, *skip);
                    let read = self
                        .files
                        .store
                        .scan(move |tx| tx.find(CHUNK, &[&account, &id, &at], only::<Vec<u8>>))
                        .await?;
                    *n += 1;
                    *skip = 0;
                    read.map(|chunk| after(Bytes::from(chunk), skipped))
                }
                Source::Outside(reader) => match reader.next().await {
                    Ok(Some(piece)) => Some(piece),
                    Ok(None) => return Err(self.damaged(self.position)),
                    Err(error) => {
                        self.reconnect(error)?;
                        continue;
                    }
                },
            };
            match piece.filter(|piece| !piece.is_empty()) {
                Some(piece) => return self.checked(piece).map(Some),
                None => self.look_again().await?,
            }
        }
        Ok(None)
    }

    /// Counts a piece. The last one is checked with the whole file.
    fn checked(&mut self, piece: Bytes) -> Result<Bytes, ReadError> {
        let end = self.position + piece.len() as u64;
        if end > self.file.bytes {
            return Err(self.damaged(end));
        }
        self.hash.update(&piece);
        if end == self.file.bytes && self.file.sha256.is_some_and(|sha256| sha256 != self.sha256()) {
            let error = FileError::Damaged("its checksum is another one".to_owned());
            return Err(self.failed(error));
        }
        self.position = end;
        Ok(piece)
    }

    fn damaged(&self, end: u64) -> ReadError {
        let bytes = self.file.bytes;
        self.failed(FileError::Damaged(format!("it has {end} bytes or more, and its row says {bytes}")))
    }

    fn failed(&self, error: FileError) -> ReadError {
        match &self.file.location {
            Some(location) => failed(location, error),
            None => ReadError::Place { place: "database".to_owned(), error },
        }
    }

    /// Goes on from the same byte with another connection.
    fn reconnect(&mut self, error: FileError) -> Result<(), ReadError> {
        self.looks += 1;
        if self.looks > LOOKS_MAX {
            return Err(self.failed(error));
        }
        self.source = Source::Closed;
        Ok(())
    }

    /// Looks where the file is now. Fails if it should be where it was not found.
    async fn look_again(&mut self) -> Result<(), ReadError> {
        self.looks += 1;
        let (account, id) = (self.account, self.id);
        let found = self.files.store.read(move |tx| locate(tx, account, id)).await?;
        let found = found.ok_or(ReadError::Gone)?;
        if found.location == self.file.location || self.looks > LOOKS_MAX {
            return Err(self.failed(FileError::Missing));
        }
        self.file = found;
        self.source = Source::Closed;
        Ok(())
    }
}

fn failed(location: &Location, error: FileError) -> ReadError {
    ReadError::Place { place: format!("{}/{}", location.place, location.file), error }
}

/// What follows the first bytes of a chunk; nothing if there are not so many.
fn after(chunk: Bytes, start: usize) -> Bytes {
    if start < chunk.len() { chunk.slice(start..) } else { Bytes::new() }
}
