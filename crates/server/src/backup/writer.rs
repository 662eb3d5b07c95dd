//! Writes the file of a backup.
//!
//! It has a temporary name, and its owner alone may read it, until it is complete. A file that is there is never replaced.

use std::fs::{self, File, OpenOptions};
use std::io::{self, BufWriter, ErrorKind, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use flate2::Compression;
use flate2::write::GzEncoder;
use sha2::{Digest, Sha256};

use super::format::{END, Header, MAGIC, put_number};
use crate::error::{Error, Result};

/// The extension of a file that is not complete.
pub(super) const PARTIAL: &str = "partial";
const OWNER_ONLY: u32 = 0o600;

/// Counts and hashes what passes.
struct Hashing<W> {
    inner: W,
    sha256: Sha256,
    bytes: u64,
}

impl<W: Write> Write for Hashing<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.inner.write(bytes)?;
        self.sha256.update(&bytes[..written]);
        self.bytes += written as u64;
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.inner.flush()
    }
}

/// A file that is being written. It is removed if it is dropped before it is complete.
pub(super) struct BackupWriter {
    path: PathBuf,
    partial: PathBuf,
    /// None once it is complete.
    out: Option<GzEncoder<Hashing<BufWriter<File>>>>,
}

impl BackupWriter {
    pub(super) fn create(path: &Path, header: &Header) -> Result<Self> {
        if path.exists() {
            return Err(taken(path));
        }
        let partial = path.with_added_extension(format!("{:016x}.{PARTIAL}", rand::random::<u64>()));
        let file = OpenOptions::new().write(true).create_new(true).mode(OWNER_ONLY).open(&partial);
        let file = file.map_err(Error::doing(format!("create {}", partial.display())))?;
        let mut out =
            Hashing { inner: BufWriter::with_capacity(1 << 18, file), sha256: Sha256::new(), bytes: 0 };
        let header = serde_json::to_vec(header).expect("a header is plain data");
        let begun = out
            .write_all(MAGIC)
            .and_then(|()| out.write_all(&(header.len() as u32).to_le_bytes()))
            .and_then(|()| out.write_all(&header));
        let writer =
            Self { path: path.to_owned(), partial, out: Some(GzEncoder::new(out, Compression::fast())) };
        begun.map_err(writer.failed())?;
        Ok(writer)
    }

    pub(super) fn frame(&mut self, kind: u8, bytes: &[u8]) -> Result<()> {
        let mut head = vec![kind];
        put_number(&mut head, bytes.len() as u64);
        let written = match &mut self.out {
            Some(out) => out.write_all(&head).and_then(|()| out.write_all(bytes)),
            None => Ok(()),
        };
        written.map_err(self.failed())
    }

    /// The bytes that were written so far.
    pub(super) fn bytes(&self) -> u64 {
        self.out.as_ref().map_or(0, |out| out.get_ref().bytes)
    }

    /// Completes the file, makes it durable, and gives it its name. Returns its size.
    pub(super) fn finish(mut self) -> Result<u64> {
        let Some(out) = self.out.take() else { return Ok(0) };
        let finished = finish(out);
        let bytes = finished.map_err(self.failed())?;
        // A link fails where a file is, and a rename would replace it.
        match fs::hard_link(&self.partial, &self.path) {
            Ok(()) => fs::remove_file(&self.partial).map_err(self.failed())?,
            Err(error) if error.kind() == ErrorKind::AlreadyExists => return Err(taken(&self.path)),
            // Some file systems have no hard links.
            Err(_) if !self.path.exists() => fs::rename(&self.partial, &self.path).map_err(self.failed())?,
            Err(_) => return Err(taken(&self.path)),
        }
        let directory = self.path.parent().filter(|directory| !directory.as_os_str().is_empty());
        let synced =
            File::open(directory.unwrap_or(Path::new("."))).and_then(|directory| directory.sync_all());
        synced.map_err(self.failed())?;
        Ok(bytes)
    }

    fn failed(&self) -> impl FnOnce(io::Error) -> Error + use<> {
        Error::doing(format!("write {}", self.path.display()))
    }
}

fn finish(out: GzEncoder<Hashing<BufWriter<File>>>) -> io::Result<u64> {
    let mut out = out.finish()?;
    out.write_all(END)?;
    let Hashing { mut inner, sha256, bytes } = out;
    let checksum = sha256.finalize();
    inner.write_all(&checksum)?;
    let file = inner.into_inner().map_err(io::IntoInnerError::into_error)?;
    file.sync_all()?;
    Ok(bytes + checksum.len() as u64)
}

fn taken(path: &Path) -> Error {
    Error::Invalid(format!("{} exists, and a backup replaces no file: choose another name", path.display()))
}

impl Drop for BackupWriter {
    fn drop(&mut self) {
        self.out.take();
        let _gone_already_is_fine = fs::remove_file(&self.partial);
    }
}
