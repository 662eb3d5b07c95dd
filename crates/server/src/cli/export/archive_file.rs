//! The file of an archive. It has its name only when it is complete; until then it is called `….partial`.

use std::fs::{self, File, OpenOptions};
use std::io::{ErrorKind, Write};
use std::path::PathBuf;

use crate::error::{Error, Result};

/// The extension of an incomplete file.
const PARTIAL: &str = "partial";

/// A file that is being written. Dropped before it is complete, it is removed.
pub(super) struct ArchiveFile {
    path: PathBuf,
    partial: PathBuf,
    file: Option<File>,
}

impl ArchiveFile {
    /// Creates the file, readable by its owner alone. Fails if there is one already.
    pub(super) fn create(path: PathBuf) -> Result<Self> {
        if fs::symlink_metadata(&path).is_ok() {
            return Err(exists(&path.display().to_string(), "choose another with --output, or move it away"));
        }
        let partial = path.with_added_extension(PARTIAL);
        let mut options = OpenOptions::new();
        options.write(true).create_new(true);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        match options.open(&partial) {
            Ok(file) => Ok(Self { path, partial, file: Some(file) }),
            Err(error) if error.kind() == ErrorKind::AlreadyExists => Err(exists(
                &partial.display().to_string(),
                "another export writes it, or one was killed. If none is running, delete it",
            )),
            Err(cause) => Err(Error::System { doing: format!("create {}", partial.display()), cause }),
        }
    }

    pub(super) fn write(&mut self, bytes: &[u8]) -> Result<()> {
        let written = self.file.as_mut().map_or(Ok(()), |file| file.write_all(bytes));
        written.map_err(Error::doing(format!("write {}", self.partial.display())))
    }

    /// Makes the file durable, and gives it its name.
    pub(super) fn complete(mut self) -> Result<PathBuf> {
        let doing = format!("complete {}", self.path.display());
        if let Some(file) = &self.file {
            file.sync_all().map_err(Error::doing(doing.clone()))?;
        }
        if fs::symlink_metadata(&self.path).is_ok() {
            return Err(exists(&self.path.display().to_string(), "it was created meanwhile"));
        }
        fs::rename(&self.partial, &self.path).map_err(Error::doing(doing))?;
        self.file = None;
        Ok(self.path.clone())
    }
}

impl Drop for ArchiveFile {
    fn drop(&mut self) {
        if self.file.take().is_some() {
            // The error that is reported is the one that ended the export.
            let _ = fs::remove_file(&self.partial);
        }
    }
}

fn exists(path: &str, next: &str) -> Error {
    Error::Invalid(format!("{path} exists already: {next}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_appears_when_it_is_complete_and_nothing_is_overwritten() {
        let directory = std::env::temp_dir().join(format!("frontdesk-export-{}", std::process::id()));
        fs::create_dir_all(&directory).unwrap();
        let path = directory.join("a.zip");
        let mut file = ArchiveFile::create(path.clone()).unwrap();
        file.write(b"half").unwrap();
        assert!(!path.exists() && directory.join("a.zip.partial").exists());
        let second = ArchiveFile::create(path.clone()).err().unwrap().to_string();
        assert!(second.contains("a.zip.partial exists already"), "{second}");
        drop(file);
        assert!(!directory.join("a.zip.partial").exists(), "an incomplete file is removed");
        let mut file = ArchiveFile::create(path.clone()).unwrap();
        file.write(b"whole").unwrap();
        assert_eq!(file.complete().unwrap(), path);
        assert_eq!(fs::read(&path).unwrap(), b"whole");
        let refused = ArchiveFile::create(path.clone()).err().unwrap().to_string();
        assert!(refused.contains("exists already"), "{refused}");
        fs::remove_dir_all(&directory).unwrap();
    }
}
