//! The places of an installation: where new files go, and how each place is reached.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use bytes::Bytes;
use frontdesk_kernel::{Secret, Timestamp};

use crate::directory::{Directory, DirectoryReader, DirectoryWriter};
use crate::error::{FileError, Result};
use crate::key::FileKey;
use crate::place::{Place, PlaceKind};
use crate::s3::{ObjectReader, ObjectWriter, S3, S3Config, VARIABLES};
use crate::{bucket, measured};

/// Says where new files go.
pub const VARIABLE: &str = "FRONTDESK_MEDIA";

/// Where new files go, and the credentials for buckets.
pub struct FilePlaces {
    target: Option<Place>,
    variables: HashMap<&'static str, Secret>,
    clock: fn() -> Timestamp,
    clients: Mutex<HashMap<String, PlaceClient>>,
}

impl FilePlaces {
    /// Reads the variables. `clock` is the machine's, because storages compare it with their own.
    pub fn read(
        variable: impl Fn(&str) -> Option<String>,
        clock: fn() -> Timestamp,
    ) -> std::result::Result<Self, String> {
        let target = match variable(VARIABLE) {
            None => None,
            Some(text) => {
                Place::read(&text, &variable).map_err(|problem| format!("{VARIABLE}: {problem}"))?
            }
        };
        let variables =
            VARIABLES.iter().filter_map(|name| Some((*name, Secret::new(variable(name)?)))).collect();
        Ok(Self { target, variables, clock, clients: Mutex::default() })
    }

    /// New files stay in the database, and no other place is reached with credentials.
    pub fn database() -> Self {
        Self {
            target: None,
            variables: HashMap::new(),
            clock: || Timestamp::from_millis(0),
            clients: Mutex::default(),
        }
    }

    /// Where new files go; none is the database.
    pub fn target(&self) -> Option<&Place> {
        self.target.as_ref()
    }

    /// Reads a place with these credentials; none is the database.
    pub fn place(&self, text: &str) -> std::result::Result<Option<Place>, String> {
        Place::read(text, |name| self.variables.get(name).map(|value| value.reveal().to_owned()))
    }

    /// What reaches the place of an address. Nothing is called yet.
    pub fn client(&self, url: &str) -> Result<PlaceClient> {
        if let Some(known) = self.clients.lock().unwrap_or_else(PoisonError::into_inner).get(url) {
            return Ok(known.clone());
        }
        let variable = |name: &str| self.variables.get(name).map(|value| value.reveal().to_owned());
        let place = Place::read(url, variable).map_err(FileError::Unavailable)?;
        let place =
            place.ok_or_else(|| FileError::Unavailable("the database is no other place".to_owned()))?;
        let access = if let Some(root) = place.directory() {
            Access::Directory(Directory::new(root))
        } else {
            let config = S3Config::read(url, variable).map_err(FileError::Unavailable)?;
            Access::Bucket(Box::new(S3::new(config, self.clock)))
        };
        let made = PlaceClient { kind: place.kind, access: Arc::new(access) };
        self.clients.lock().unwrap_or_else(PoisonError::into_inner).insert(url.to_owned(), made.clone());
        Ok(made)
    }
}

impl std::fmt::Debug for FilePlaces {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("FilePlaces").field(&self.target).finish()
    }
}

/// Reads and writes the files of one place. Clones share its connections.
#[derive(Clone)]
pub struct PlaceClient {
    kind: PlaceKind,
    access: Arc<Access>,
}

enum Access {
    Directory(Directory),
    Bucket(Box<S3>),
}

impl PlaceClient {
    /// Begins a file.
    pub async fn write(&self, key: &FileKey) -> Result<FileWriter> {
        let inner = match &*self.access {
            Access::Directory(directory) => Writer::Directory(directory.write(key).await?),
            Access::Bucket(s3) => Writer::Bucket(Box::new(bucket::write(s3, key))),
        };
        Ok(FileWriter { kind: self.kind, inner })
    }

    /// Opens a file from a byte on.
    pub async fn open(&self, key: &FileKey, from: u64) -> Result<FileReader> {
        let inner = measured::call(self.kind, "open", async {
            Ok(match &*self.access {
                Access::Directory(directory) => Reader::Directory(directory.open(key, from).await?),
                Access::Bucket(s3) => Reader::Bucket(Box::new(bucket::open(s3, key, from).await?)),
            })
        });
        Ok(FileReader { kind: self.kind, inner: inner.await? })
    }

    /// Deletes a file, complete or not. One that is gone already is fine.
    pub async fn delete(&self, key: &FileKey) -> Result<()> {
        measured::call(self.kind, "delete", async {
            match &*self.access {
                Access::Directory(directory) => directory.delete(key).await,
                Access::Bucket(s3) => bucket::delete(s3, key).await,
            }
        })
        .await
    }

    /// Writes a small file, reads it and deletes it.
    pub async fn check(&self, key: &FileKey) -> Result<()> {
        const PROBE: &[u8] = b"frontdesk doctor";
        let mut writer = self.write(key).await?;
        writer.write(Bytes::from_static(PROBE)).await?;
        writer.finish().await?;
        let mut reader = self.open(key, 0).await?;
        let mut read = Vec::new();
        while let Some(piece) = reader.next().await? {
            read.extend_from_slice(&piece);
        }
        self.delete(key).await?;
        if read == PROBE {
            Ok(())
        } else {
            Err(FileError::Damaged("what was read is not what was written".to_owned()))
        }
    }
}

/// A file that is being written. One that is not finished may leave something that only a deletion removes.
pub struct FileWriter {
    kind: PlaceKind,
    inner: Writer,
}

enum Writer {
    Directory(DirectoryWriter),
    Bucket(Box<ObjectWriter>),
}

impl FileWriter {
    pub async fn write(&mut self, bytes: Bytes) -> Result<()> {
        measured::bytes(self.kind, "written", bytes.len());
        match &mut self.inner {
            Writer::Directory(writer) => writer.write(bytes).await,
            Writer::Bucket(writer) => Ok(writer.write(&bytes).await?),
        }
    }

    /// Completes the file, which is durable when this returns.
    pub async fn finish(self) -> Result<()> {
        measured::call(self.kind, "write", async {
            match self.inner {
                Writer::Directory(writer) => writer.finish().await,
                Writer::Bucket(writer) => Ok(writer.finish().await?),
            }
        })
        .await
    }

    /// Gives the file up. What is left of it is deleted as soon as the place allows it.
    pub async fn abort(self) {
        if let Writer::Bucket(writer) = self.inner {
            writer.abort().await;
        }
    }
}

/// A file that is being read.
pub struct FileReader {
    kind: PlaceKind,
    inner: Reader,
}

enum Reader {
    Directory(DirectoryReader),
    Bucket(Box<ObjectReader>),
}

impl FileReader {
    /// The next piece; none at the end.
    pub async fn next(&mut self) -> Result<Option<Bytes>> {
        let piece = match &mut self.inner {
            Reader::Directory(reader) => reader.next().await?,
            Reader::Bucket(reader) => bucket::next(reader).await?,
        };
        measured::bytes(self.kind, "read", piece.as_ref().map_or(0, Bytes::len));
        Ok(piece)
    }
}
