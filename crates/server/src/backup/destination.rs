//! Where scheduled backups go: a directory, or a bucket of S3-compatible storage.
//!
//! A backup has its final name only when it is complete. Older ones are deleted only after a newer one is there, and only
//! files with the names that [`name`](Destination::name) gives.

use std::fs;
use std::path::{Path, PathBuf};

use frontdesk_db::DatabaseUrl;
use frontdesk_files::s3::{S3, S3Config, S3Error};
use frontdesk_kernel::Timestamp;

use super::writer::PARTIAL;
use crate::clock;
use crate::error::{Error, Result};

const PREFIX: &str = "frontdesk-";
const SUFFIX: &str = ".backup";
/// The extension of a file on its way to a bucket.
const OUTGOING: &str = "outgoing";
/// `20261118T202038Z`
const MOMENT_CHARS: usize = 16;

#[derive(Clone, Debug)]
pub(crate) enum Destination {
    Directory(PathBuf),
    Bucket(Box<S3>),
}

impl Destination {
    pub(super) fn read(
        text: &str,
        variable: impl Fn(&str) -> Option<String>,
    ) -> std::result::Result<Self, String> {
        if text.starts_with("s3:") {
            return Ok(Self::Bucket(Box::new(S3::new(S3Config::read(text, variable)?, clock::now))));
        }
        let directory = PathBuf::from(text);
        if text.contains("://") || !directory.is_absolute() {
            return Err(format!(
                "FRONTDESK_BACKUP_TO is a directory such as /backups, or s3://BUCKET/PREFIX, not {text:?}"
            ));
        }
        Ok(Self::Directory(directory))
    }

    /// The name of a backup of this moment.
    pub(crate) fn name(now: Timestamp) -> String {
        // 2026-11-18T20:20:38.000Z
        let digits: String = now.to_string().chars().filter(char::is_ascii_digit).take(14).collect();
        format!("{PREFIX}{}T{}Z{SUFFIX}", &digits[..8], &digits[8..])
    }

    /// The file to write a backup to. What servers that died have left there is removed: one server at a time takes
    /// backups.
    pub(crate) fn file(&self, name: &str, database: &DatabaseUrl) -> Result<OutgoingFile> {
        match (self, database) {
            (Self::Directory(directory), _) => {
                let made = fs::create_dir_all(directory);
                made.map_err(Error::doing(format!("create {}", directory.display())))?;
                remove_left(directory, PREFIX, PARTIAL);
                Ok(OutgoingFile { path: directory.join(name), is_on_its_way: false })
            }
            // On the way to a bucket, next to a database that has a directory.
            (Self::Bucket(_), DatabaseUrl::Sqlite(database)) => {
                let path = database.with_added_extension(outgoing(name));
                if let (Some(directory), Some(database)) = (path.parent(), database.file_name()) {
                    let ours = format!("{}.{PREFIX}", database.to_string_lossy());
                    remove_left(directory, &ours, OUTGOING);
                    remove_left(directory, &ours, PARTIAL);
                }
                Ok(OutgoingFile { path, is_on_its_way: true })
            }
            (Self::Bucket(_), DatabaseUrl::Postgres(_)) => {
                Ok(OutgoingFile { path: std::env::temp_dir().join(outgoing(name)), is_on_its_way: true })
            }
        }
    }

    /// Stores the complete file.
    pub(crate) async fn store(&self, file: &OutgoingFile, name: &str) -> Result<()> {
        match self {
            Self::Directory(_) => Ok(()),
            Self::Bucket(s3) => s3.put_file(name, &file.path).await.map_err(in_bucket),
        }
    }

    /// Deletes the oldest backups, so that this many stay. Returns how many were deleted.
    pub(crate) async fn keep_newest(&self, keep: usize) -> Result<usize> {
        let mut names = match self {
            Self::Directory(directory) => {
                let failed = || Error::doing(format!("list {}", directory.display()));
                let mut names = Vec::new();
                for entry in fs::read_dir(directory).map_err(failed())? {
                    names.push(entry.map_err(failed())?.file_name().to_string_lossy().into_owned());
                }
                names
            }
            Self::Bucket(s3) => s3.list().await.map_err(in_bucket)?,
        };
        names.retain(|name| is_ours(name));
        names.sort_unstable();
        let old = &names[..names.len().saturating_sub(keep)];
        for name in old {
            match self {
                Self::Directory(directory) => {
                    let file = directory.join(name);
                    fs::remove_file(&file).map_err(Error::doing(format!("remove {}", file.display())))?;
                }
                Self::Bucket(s3) => s3.delete(name).await.map_err(in_bucket)?,
            }
        }
        Ok(old.len())
    }
}

/// The file of a backup. On its way to a bucket it is removed when this is dropped.
#[derive(Debug)]
pub(crate) struct OutgoingFile {
    pub(crate) path: PathBuf,
    is_on_its_way: bool,
}

impl Drop for OutgoingFile {
    fn drop(&mut self) {
        if self.is_on_its_way {
            let _gone_already_is_fine = fs::remove_file(&self.path);
        }
    }
}

fn outgoing(name: &str) -> String {
    format!("{name}.{:016x}.{OUTGOING}", rand::random::<u64>())
}

fn in_bucket(error: S3Error) -> Error {
    Error::Invalid(error.to_string())
}

/// Whether it is the name of a scheduled backup.
fn is_ours(name: &str) -> bool {
    let moment = name.strip_prefix(PREFIX).and_then(|rest| rest.strip_suffix(SUFFIX));
    moment.is_some_and(|moment| {
        moment.len() == MOMENT_CHARS && moment.chars().all(|c| c.is_ascii_digit() || c == 'T' || c == 'Z')
    })
}

/// Removes the files of scheduled backups whose names begin and end so.
fn remove_left(directory: &Path, begins: &str, ends: &str) {
    for entry in fs::read_dir(directory).into_iter().flatten().flatten() {
        let name = entry.file_name().to_string_lossy().into_owned();
        if name.starts_with(begins) && name.contains(SUFFIX) && name.ends_with(ends) {
            let _gone_already_is_fine = fs::remove_file(entry.path());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_name_of_a_backup_is_its_moment() {
        let name = Destination::name(Timestamp::from_millis(1_795_033_238_123));
        assert_eq!(name, "frontdesk-20261118T202038Z.backup");
        assert!(is_ours(&name));
        for other in
            ["frontdesk-mine.backup", "frontdesk-20261118T202038Z.backup.partial", "x", "frontdesk-.backup"]
        {
            assert!(!is_ours(other), "{other}");
        }
    }
}
