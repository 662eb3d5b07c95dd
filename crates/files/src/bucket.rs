//! Files in a bucket of S3-compatible storage.

use std::time::Duration;

use bytes::Bytes;
use http::StatusCode;

use crate::error::{FileError, Result};
use crate::key::FileKey;
use crate::s3::{ObjectReader, ObjectWriter, S3, S3Error};

/// The time in which a file must begin to arrive, and in which each of its pieces must.
const READ_TIME_MAX: Duration = Duration::from_secs(10);

impl From<S3Error> for FileError {
    fn from(error: S3Error) -> Self {
        Self::Unavailable(error.to_string())
    }
}

pub(crate) fn write(s3: &S3, key: &FileKey) -> ObjectWriter {
    s3.writer(&key.to_string(), s3.part_bytes())
}

pub(crate) async fn open(s3: &S3, key: &FileKey, from: u64) -> Result<ObjectReader> {
    match s3.open(&key.to_string(), from, READ_TIME_MAX).await {
        Err(S3Error::Refused { status: StatusCode::NOT_FOUND, code, .. }) if code != "NoSuchBucket" => {
            Err(FileError::Missing)
        }
        opened => Ok(opened?),
    }
}

pub(crate) async fn next(reader: &mut ObjectReader) -> Result<Option<Bytes>> {
    reader.next().await.map_err(|error| FileError::Unavailable(format!("the storage broke off: {error}")))
}

/// A file that is gone already is fine.
pub(crate) async fn delete(s3: &S3, key: &FileKey) -> Result<()> {
    match s3.delete(&key.to_string()).await {
        Err(S3Error::Refused { status: StatusCode::NOT_FOUND, code, .. }) if code != "NoSuchBucket" => Ok(()),
        deleted => Ok(deleted?),
    }
}
