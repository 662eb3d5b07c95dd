//! Files in a directory, which several servers may share.
//!
//! A file is written under a name that ends in `.partial`, and gets its own when all of it is on the disk. The directories
//! above it are on the disk then too. Everything runs on threads that may block, under a time limit, because a directory of
//! another machine may hang.

use std::fs::{self, DirBuilder, File, OpenOptions};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::time::Duration;

use bytes::Bytes;
use tokio::time::timeout;

use crate::error::{FileError, Result};
use crate::key::FileKey;

/// The time limit of one step: to open a file, to read or write a piece, to put it on the disk.
const STEP_TIME_MAX: Duration = Duration::from_secs(20);
/// How much is read at a time.
const PIECE_BYTES: usize = 256 << 10;
const PARTIAL: &str = "partial";
/// Another server may remove a directory that has just become empty.
const TRIES_MAX: usize = 5;
/// Only the server's user reads customers' files.
const DIRECTORY_MODE: u32 = 0o700;
const FILE_MODE: u32 = 0o600;

#[derive(Clone, Debug)]
pub(crate) struct Directory {
    root: PathBuf,
}

/// Runs on a thread that may block.
async fn blocking<T: Send + 'static>(
    what: &'static str,
    work: impl FnOnce() -> io::Result<T> + Send + 'static,
) -> Result<T> {
    match timeout(STEP_TIME_MAX, tokio::task::spawn_blocking(work)).await {
        Ok(Ok(done)) => done.map_err(|error| FileError::of_io(what, &error)),
        Ok(Err(_)) => Err(FileError::Unavailable(format!("cannot {what}: the thread panicked"))),
        Err(_) => Err(FileError::Unavailable(format!(
            "cannot {what}: it took longer than {} seconds",
            STEP_TIME_MAX.as_secs()
        ))),
    }
}

impl Directory {
    pub(crate) fn new(root: PathBuf) -> Self {
        Self { root }
    }

    fn path(&self, key: &FileKey) -> PathBuf {
        self.root.join(key.to_string())
    }

    pub(crate) async fn write(&self, key: &FileKey) -> Result<DirectoryWriter> {
        let (path, root) = (self.path(key), self.root.clone());
        let begun = blocking("create a file", move || {
            let file = create(&root, &path)?;
            Ok((file, path))
        });
        // A directory that is missing is no missing file.
        let (file, path) =
            begun.await.map_err(|error| unavailable(error, "the directory cannot be created"))?;
        Ok(DirectoryWriter { file: Some(file), path })
    }

    pub(crate) async fn open(&self, key: &FileKey, from: u64) -> Result<DirectoryReader> {
        let (path, root) = (self.path(key), self.root.clone());
        let file = blocking("open a file", move || match File::open(&path) {
            Ok(mut file) => {
                file.seek(SeekFrom::Start(from))?;
                Ok(file)
            }
            // A disk that is not mounted has no files, and none of them is lost.
            Err(error) if error.kind() == io::ErrorKind::NotFound && !root.is_dir() => {
                Err(io::Error::other(format!("{} is not there", root.display())))
            }
            Err(error) => Err(error),
        });
        Ok(DirectoryReader { file: Some(file.await?) })
    }

    /// Removes a file, complete or not. One that is gone already is fine.
    pub(crate) async fn delete(&self, key: &FileKey) -> Result<()> {
        let (path, root) = (self.path(key), self.root.clone());
        blocking("remove a file", move || {
            if !root.is_dir() {
                return Err(io::Error::other(format!("{} is not there", root.display())));
            }
            for path in [&path, &partial(&path)] {
                match fs::remove_file(path) {
                    Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
                    _ => {}
                }
            }
            // The directories above go with their last file.
            for above in path.ancestors().skip(1).take_while(|above| *above != root) {
                if fs::remove_dir(above).is_err() {
                    break;
                }
            }
            Ok(())
        })
        .await
    }
}

fn unavailable(error: FileError, what: &str) -> FileError {
    match error {
        FileError::Missing => FileError::Unavailable(what.to_owned()),
        other => other,
    }
}

fn partial(path: &Path) -> PathBuf {
    path.with_added_extension(PARTIAL)
}

/// Creates the file under its first name, and the directories above it.
fn create(root: &Path, path: &Path) -> io::Result<File> {
    let mut last = io::Error::from(io::ErrorKind::NotFound);
    for _ in 0..TRIES_MAX {
        make_directories(root, path.parent().unwrap_or(root))?;
        let opened =
            OpenOptions::new().write(true).create(true).truncate(true).mode(FILE_MODE).open(partial(path));
        match opened {
            Err(error) if error.kind() == io::ErrorKind::NotFound => last = error,
            opened => return opened,
        }
    }
    Err(last)
}

/// Creates the directories between the root and `directory`, and the root itself. A new one is on the disk when this returns.
fn make_directories(root: &Path, directory: &Path) -> io::Result<()> {
    if directory.is_dir() {
        return Ok(());
    }
    if let Some(above) = directory.parent().filter(|_| directory != root) {
        make_directories(root, above)?;
    }
    let mut builder = DirBuilder::new();
    builder.mode(DIRECTORY_MODE).recursive(directory == root);
    match builder.create(directory) {
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
        made => made?,
    }
    match directory.parent() {
        Some(above) => File::open(above).and_then(|above| above.sync_all()),
        None => Ok(()),
    }
}

pub(crate) struct DirectoryWriter {
    /// None only while a piece is being written.
    file: Option<File>,
    path: PathBuf,
}

impl DirectoryWriter {
    pub(crate) async fn write(&mut self, bytes: Bytes) -> Result<()> {
        let mut file = self.file.take().ok_or_else(broken)?;
        let written = blocking("write a file", move || file.write_all(&bytes).map(|()| file));
        self.file = Some(written.await?);
        Ok(())
    }

    pub(crate) async fn finish(mut self) -> Result<()> {
        let (file, path) = (self.file.take().ok_or_else(broken)?, self.path.clone());
        let finished = blocking("put a file on the disk", move || {
            file.sync_all()?;
            fs::rename(partial(&path), &path)?;
            File::open(path.parent().unwrap_or(&path))?.sync_all()
        });
        finished.await.map_err(|error| unavailable(error, "the file was removed while it was written"))
    }
}

/// An earlier piece was not written.
fn broken() -> FileError {
    FileError::Unavailable("an earlier piece could not be written or read".to_owned())
}

pub(crate) struct DirectoryReader {
    /// None only while a piece is being read, and after a failure.
    file: Option<File>,
}

impl DirectoryReader {
    pub(crate) async fn next(&mut self) -> Result<Option<Bytes>> {
        let mut file = self.file.take().ok_or_else(broken)?;
        let read = blocking("read a file", move || {
            let mut piece = Vec::with_capacity(PIECE_BYTES);
            (&mut file).take(PIECE_BYTES as u64).read_to_end(&mut piece)?;
            Ok((file, piece))
        });
        let (file, piece) = read.await?;
        self.file = Some(file);
        Ok((!piece.is_empty()).then(|| piece.into()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Scratch(PathBuf);

    impl Scratch {
        fn new(name: &str) -> Self {
            let path = std::env::temp_dir().join(format!("frontdesk-files-{name}-{}", std::process::id()));
            let _not_there_is_fine = fs::remove_dir_all(&path);
            Self(path)
        }
    }

    impl Drop for Scratch {
        fn drop(&mut self) {
            let _gone_is_fine = fs::remove_dir_all(&self.0);
        }
    }

    fn key(last: u8) -> FileKey {
        let id =
            |last: u8| uuid::Uuid::from_u128(0x0189_0a5d_ac96_774b_bcce_b302_099a_8000 + u128::from(last));
        FileKey {
            account: frontdesk_kernel::Id::from_uuid(id(0)),
            file: frontdesk_kernel::Id::from_uuid(id(last)),
        }
    }

    async fn read(directory: &Directory, key: &FileKey, from: u64) -> Result<Vec<u8>> {
        let mut reader = directory.open(key, from).await?;
        let mut all = Vec::new();
        while let Some(piece) = reader.next().await? {
            all.extend_from_slice(&piece);
        }
        Ok(all)
    }

    #[tokio::test]
    async fn a_file_is_there_only_when_it_is_finished_and_its_directories_go_with_it() {
        let scratch = Scratch::new("whole");
        let directory = Directory::new(scratch.0.join("media"));
        let content: Vec<u8> = (0..700_000_u32).map(|n| (n % 251) as u8).collect();
        let mut writer = directory.write(&key(7)).await.unwrap();
        for piece in content.chunks(100_000) {
            writer.write(Bytes::copy_from_slice(piece)).await.unwrap();
        }
        assert_eq!(read(&directory, &key(7), 0).await, Err(FileError::Missing));
        writer.finish().await.unwrap();
        assert_eq!(read(&directory, &key(7), 0).await.unwrap(), content);
        assert_eq!(read(&directory, &key(7), 699_990).await.unwrap(), content[699_990..]);
        let begun = directory.write(&key(8)).await.unwrap();
        drop(begun);
        directory.delete(&key(7)).await.unwrap();
        directory.delete(&key(7)).await.unwrap();
        directory.delete(&key(8)).await.unwrap();
        assert_eq!(fs::read_dir(scratch.0.join("media")).unwrap().count(), 0, "nothing is left");
    }

    #[tokio::test]
    async fn a_directory_that_is_not_mounted_has_lost_no_file() {
        let scratch = Scratch::new("unmounted");
        let directory = Directory::new(scratch.0.join("media"));
        let unavailable = |error: FileError| matches!(error, FileError::Unavailable(_));
        assert!(unavailable(read(&directory, &key(7), 0).await.unwrap_err()));
        assert!(unavailable(directory.delete(&key(7)).await.unwrap_err()));
        fs::create_dir_all(&scratch.0).unwrap();
        fs::write(scratch.0.join("media"), "a file is in the way").unwrap();
        assert!(unavailable(directory.write(&key(7)).await.err().unwrap()));
    }
}
