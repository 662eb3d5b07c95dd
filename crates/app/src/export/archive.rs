//! The ZIP archive, written from the beginning to the end into memory that is taken out while it grows.

use std::io::{self, Write};
use std::sync::{Arc, Mutex, PoisonError};

use bytes::Bytes;
use frontdesk_kernel::Timestamp;
use sha2::{Digest, Sha256};
use zip::write::{SimpleFileOptions, StreamWriter};
use zip::{CompressionMethod, DateTime, ZipWriter};

use super::ExportError;

/// Fast rather than small: lines of JSON shrink to a tenth in any case.
const LEVEL: i64 = 3;

/// A file that was written.
#[derive(Clone, Debug)]
pub(super) struct WrittenFile {
    pub(super) path: String,
    pub(super) bytes: u64,
    pub(super) sha256: [u8; 32],
}

pub(super) struct Archive {
    /// None once it is finished.
    zip: Option<ZipWriter<StreamWriter<Outbox>>>,
    outbox: Outbox,
    at: DateTime,
    path: String,
    bytes: u64,
    hash: Sha256,
}

impl Archive {
    pub(super) fn new(at: Timestamp) -> Self {
        let outbox = Outbox::default();
        Self {
            zip: Some(ZipWriter::new_stream(outbox.clone())),
            outbox,
            at: date_time(at),
            path: String::new(),
            bytes: 0,
            hash: Sha256::new(),
        }
    }

    /// Begins a file.
    pub(super) fn begin(&mut self, path: &str, compressed: bool) -> Result<(), ExportError> {
        let options = SimpleFileOptions::default()
            .last_modified_time(self.at)
            // Its size is not known yet, so it may be larger than the first version of the format allows.
            .large_file(true);
        let options = if compressed {
            options.compression_method(CompressionMethod::Deflated).compression_level(Some(LEVEL))
        } else {
            options.compression_method(CompressionMethod::Stored)
        };
        self.zip()?.start_file(path, options)?;
        (self.path, self.bytes, self.hash) = (path.to_owned(), 0, Sha256::new());
        Ok(())
    }

    pub(super) fn write(&mut self, bytes: &[u8]) -> Result<(), ExportError> {
        self.bytes += bytes.len() as u64;
        self.hash.update(bytes);
        Ok(self.zip()?.write_all(bytes)?)
    }

    /// Ends the file that was begun.
    pub(super) fn end(&mut self) -> WrittenFile {
        let hash = std::mem::replace(&mut self.hash, Sha256::new());
        WrittenFile {
            path: std::mem::take(&mut self.path),
            bytes: self.bytes,
            sha256: hash.finalize().into(),
        }
    }

    /// Ends the archive.
    pub(super) fn finish(&mut self) -> Result<(), ExportError> {
        if let Some(zip) = self.zip.take() {
            zip.finish()?;
        }
        Ok(())
    }

    /// What was written since the last time.
    pub(super) fn take(&self) -> Bytes {
        Bytes::from(std::mem::take(&mut *self.outbox.bytes()))
    }

    fn zip(&mut self) -> Result<&mut ZipWriter<StreamWriter<Outbox>>, ExportError> {
        self.zip.as_mut().ok_or_else(|| io::Error::other("it is finished").into())
    }
}

/// Bytes that wait to be taken.
#[derive(Clone, Default)]
struct Outbox(Arc<Mutex<Vec<u8>>>);

impl Outbox {
    fn bytes(&self) -> std::sync::MutexGuard<'_, Vec<u8>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Write for Outbox {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.bytes().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// The time of the files, in UTC. ZIP knows no time before 1980.
fn date_time(at: Timestamp) -> DateTime {
    let text = at.to_string();
    let part = |from: usize, to: usize| text.get(from..to).and_then(|digits| digits.parse::<u16>().ok());
    let read = || {
        let small = |from, to| Some(part(from, to)? as u8);
        let (year, month, day) = (part(0, 4)?, small(5, 7)?, small(8, 10)?);
        DateTime::from_date_and_time(year, month, day, small(11, 13)?, small(14, 16)?, small(17, 19)?).ok()
    };
    read().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Read;

    #[test]
    fn an_archive_is_taken_out_in_pieces_and_read_as_one() {
        let mut archive = Archive::new(Timestamp::from_millis(1_800_000_000_000));
        let mut whole = Vec::new();
        for (path, compressed) in [("a.jsonl", true), ("media/b.bin", false), ("empty.jsonl", true)] {
            archive.begin(path, compressed).unwrap();
            whole.extend(archive.take());
            if !path.starts_with("empty") {
                for _ in 0..1_000 {
                    archive.write(path.as_bytes()).unwrap();
                    whole.extend(archive.take());
                }
            }
            let written = archive.end();
            let expected: Vec<u8> =
                if path.starts_with("empty") { Vec::new() } else { path.as_bytes().repeat(1_000) };
            assert_eq!((written.path.as_str(), written.bytes), (path, expected.len() as u64));
            assert_eq!(written.sha256, <[u8; 32]>::from(Sha256::digest(&expected)));
        }
        archive.finish().unwrap();
        whole.extend(archive.take());
        let mut read = zip::ZipArchive::new(io::Cursor::new(whole)).unwrap();
        let mut text = String::new();
        read.by_name("a.jsonl").unwrap().read_to_string(&mut text).unwrap();
        assert_eq!((text.len(), read.len()), (7_000, 3));
        let entry = read.by_name("media/b.bin").unwrap();
        assert_eq!((entry.size(), entry.compressed_size()), (11_000, 11_000));
        let date = entry.last_modified().unwrap();
        assert_eq!((date.year(), date.month(), date.day(), date.hour()), (2027, 1, 15, 8));
    }
}
