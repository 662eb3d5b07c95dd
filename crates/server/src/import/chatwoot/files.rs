//! Chatwoot's files in a directory: its own `storage`, or a copy of its bucket.
//!
//! A file's name there is its key. A key with anything but letters and digits in it is refused, so no path leads out of the
//! directory, and neither does a symbolic link.

use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use md5::{Digest, Md5};

use super::attachments::Blob;

const KEY_CHARS_MAX: usize = 200;

/// The directory with the files.
#[derive(Clone, Debug)]
pub(crate) struct FileDirectory(PathBuf);

/// Why a file does not come along.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum NoFile {
    Missing,
    /// Its size or its checksum are not those of the database.
    Damaged,
}

impl FileDirectory {
    pub(crate) fn open(path: &Path) -> Result<Self, String> {
        match path.canonicalize() {
            Ok(found) if found.is_dir() => Ok(Self(found)),
            Ok(_) => Err(format!("{} is no directory: give Chatwoot's storage directory", path.display())),
            Err(error) => Err(format!("cannot read {}: {error}", path.display())),
        }
    }

    /// Opens a file that is as the database says. It is read once for its checksum.
    pub(super) fn open_file(&self, blob: &Blob) -> Result<File, NoFile> {
        let path = self.find(&blob.key).ok_or(NoFile::Missing)?;
        let mut file = File::open(&path).map_err(|_| NoFile::Missing)?;
        if let Some(checksum) = &blob.checksum {
            let (bytes, found) = checksum_of(&mut file).map_err(|_| NoFile::Missing)?;
            if bytes != blob.bytes as u64 || found != checksum.trim() {
                return Err(NoFile::Damaged);
            }
            return File::open(&path).map_err(|_| NoFile::Missing);
        }
        match file.metadata() {
            Ok(found) if found.len() == blob.bytes as u64 => Ok(file),
            Ok(_) => Err(NoFile::Damaged),
            Err(_) => Err(NoFile::Missing),
        }
    }

    fn find(&self, key: &str) -> Option<PathBuf> {
        let is_key =
            (4..=KEY_CHARS_MAX).contains(&key.len()) && key.bytes().all(|byte| byte.is_ascii_alphanumeric());
        if !is_key {
            return None;
        }
        let places = [self.0.join(&key[..2]).join(&key[2..4]).join(key), self.0.join(key)];
        let mut found = places.into_iter().filter_map(|path| path.canonicalize().ok());
        found.find(|path| path.starts_with(&self.0) && path.is_file())
    }
}

fn checksum_of(file: &mut File) -> io::Result<(u64, String)> {
    let (mut hash, mut bytes, mut piece) = (Md5::new(), 0, vec![0; 64 << 10]);
    loop {
        let read = file.read(&mut piece)?;
        if read == 0 {
            return Ok((bytes, STANDARD.encode(hash.finalize())));
        }
        bytes += read as u64;
        hash.update(&piece[..read]);
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn files_are_found_by_their_keys_and_nothing_else_is() {
        let root = std::env::temp_dir().join(format!("frontdesk-chatwoot-{}", std::process::id()));
        let storage = root.join("storage");
        fs::create_dir_all(storage.join("ab/cd")).unwrap();
        fs::write(storage.join("ab/cd/abcdef"), "hello").unwrap();
        fs::write(storage.join("flat1234"), "hello").unwrap();
        fs::write(root.join("secret12"), "hello").unwrap();
        let directory = FileDirectory::open(&storage).unwrap();
        let blob = |key: &str, checksum: Option<&str>, bytes| Blob {
            key: key.into(),
            filename: "a.txt".into(),
            bytes,
            checksum: checksum.map(ToOwned::to_owned),
            content_type: None,
        };
        let md5 = Some("XUFAKrxLKna5cZ2REBfFkg==");
        for key in ["abcdef", "flat1234"] {
            let mut text = String::new();
            directory.open_file(&blob(key, md5, 5)).unwrap().read_to_string(&mut text).unwrap();
            assert_eq!(text, "hello");
        }
        assert_eq!(directory.open_file(&blob("abcdef", md5, 6)).unwrap_err(), NoFile::Damaged);
        assert_eq!(directory.open_file(&blob("abcdef", None, 6)).unwrap_err(), NoFile::Damaged);
        assert_eq!(directory.open_file(&blob("abcdef", Some("AAAA"), 5)).unwrap_err(), NoFile::Damaged);
        for key in ["", "ab", "../secret12", "/etc/passwd", "ab/cd/abcdef", "gone1234", "abc\u{e9}1"] {
            assert_eq!(directory.open_file(&blob(key, md5, 5)).unwrap_err(), NoFile::Missing, "{key}");
        }
        #[cfg(unix)]
        {
            std::os::unix::fs::symlink(root.join("secret12"), storage.join("link1234")).unwrap();
            assert_eq!(directory.open_file(&blob("link1234", md5, 5)).unwrap_err(), NoFile::Missing);
        }
        assert!(FileDirectory::open(&root.join("gone")).is_err());
        fs::remove_dir_all(&root).unwrap();
    }
}
