//! The marks of SQLite's server: a file next to the database.
//!
//! It is written without waiting for the disk. The operating system keeps what was written when the process is killed,
//! and loses it when the machine loses power. So the file names the boot of the machine, and after another boot nothing
//! can be told. The same holds for a file that is missing, cut off or damaged.

use std::collections::HashSet;
use std::fs::{self, File, OpenOptions};
use std::io;
use std::os::unix::fs::{FileExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use sha2::{Digest, Sha256};
use uuid::Uuid;

use super::{BegunCalls, Mark, MarkSlot};
use crate::incarnation::Incarnation;

/// What a file of this format begins with.
const FORMAT: &[u8; 16] = b"frontdesk calls1";
/// A record never crosses a page, so a write is not divided.
const RECORD_BYTES: usize = 64;
const SUM_BYTES: usize = 8;
const BOOT_FILE: &str = "/proc/sys/kernel/random/boot_id";

type Record = [u8; RECORD_BYTES];

pub(super) struct Journal {
    path: PathBuf,
    /// What the last server left.
    left: Option<(Incarnation, HashSet<Mark>)>,
    /// None until it has begun, and when it cannot be written.
    file: Mutex<Option<File>>,
}

impl Journal {
    /// Reads the file that the last server left.
    pub(super) fn open(path: PathBuf) -> Self {
        let left = fs::read(&path).ok().zip(boot_id()).and_then(|(bytes, boot)| read(&bytes, boot));
        Self { path, left, file: Mutex::new(None) }
    }

    pub(super) fn left(&self) -> BegunCalls {
        match &self.left {
            Some((server, begun)) => BegunCalls { known: Some(server.leases()), begun: begun.clone() },
            None => BegunCalls::default(),
        }
    }

    /// Replaces the file by an empty one.
    pub(super) fn begin(&self, server: Incarnation) {
        let created = boot_id().ok_or_else(|| io::Error::other(format!("{BOOT_FILE} cannot be read")));
        let created = created.and_then(|boot| create(&self.path, server, boot));
        if let Err(error) = &created {
            tracing::warn!(%error, file = %self.path.display(), "calls are not marked: after a crash, messages that were being sent may fail as unknown_outcome although their call had not begun");
            let _missing_is_as_good = fs::remove_file(&self.path);
        }
        *self.file.lock().unwrap_or_else(PoisonError::into_inner) = created.ok();
    }

    /// Writes a mark. A file that cannot be written is removed, so that nobody trusts it.
    pub(super) fn write(&self, slot: MarkSlot, mark: &Mark) {
        let mut file = self.file.lock().unwrap_or_else(PoisonError::into_inner);
        let at = (slot.0 + 1) * RECORD_BYTES as u64;
        let Some(Err(error)) = file.as_ref().map(|file| file.write_all_at(&written(mark), at)) else {
            return;
        };
        tracing::warn!(%error, file = %self.path.display(), "calls are no longer marked until the server is restarted");
        if let Some(file) = file.take() {
            let _removed_below = file.set_len(0);
        }
        let _emptied_above = fs::remove_file(&self.path);
    }
}

/// The boot of this machine, where the operating system tells it.
fn boot_id() -> Option<Uuid> {
    fs::read_to_string(BOOT_FILE).ok()?.trim().parse().ok()
}

fn create(path: &Path, server: Incarnation, boot: Uuid) -> io::Result<File> {
    let new = path.with_added_extension("new");
    let _left_by_a_crash = fs::remove_file(&new);
    let file = OpenOptions::new().write(true).create_new(true).mode(0o600).open(&new)?;
    file.write_all_at(&header(server, boot), 0)?;
    fs::rename(&new, path)?;
    Ok(file)
}

fn header(server: Incarnation, boot: Uuid) -> Record {
    let mut record = [0; RECORD_BYTES];
    record[..16].copy_from_slice(FORMAT);
    record[16..32].copy_from_slice(boot.as_bytes());
    record[32..48].copy_from_slice(server.leases().first.as_bytes());
    summed(record)
}

fn written(mark: &Mark) -> Record {
    let mut record = [0; RECORD_BYTES];
    record[..16].copy_from_slice(mark.lease.as_bytes());
    record[16..32].copy_from_slice(mark.row.as_bytes());
    record[32..40].copy_from_slice(&mark.part.to_be_bytes());
    summed(record)
}

/// The record with its checksum at the end.
fn summed(mut record: Record) -> Record {
    let (content, sum) = record.split_at_mut(RECORD_BYTES - SUM_BYTES);
    sum.copy_from_slice(&Sha256::digest(content)[..SUM_BYTES]);
    record
}

/// The server that wrote a file on this boot, and its marks. None if anything is wrong with the file.
fn read(bytes: &[u8], boot: Uuid) -> Option<(Incarnation, HashSet<Mark>)> {
    let (records, rest) = bytes.as_chunks::<RECORD_BYTES>();
    let (first, records) = records.split_first().filter(|_| rest.is_empty())?;
    let server = Incarnation::of(uuid_at(first, 32));
    if *first != header(server, boot) {
        return None;
    }
    let used = records.iter().filter(|record| record.iter().any(|byte| *byte != 0));
    let begun = used.map(|record| {
        let part = i64::from_be_bytes(record[32..40].try_into().ok()?);
        let mark = Mark { lease: uuid_at(record, 0), row: uuid_at(record, 16), part };
        (*record == written(&mark)).then_some(mark)
    });
    Some((server, begun.collect::<Option<_>>()?))
}

fn uuid_at(record: &Record, at: usize) -> Uuid {
    Uuid::from_slice(&record[at..at + 16]).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::new_lease;

    const BOOT: Uuid = Uuid::from_u128(7);

    fn mark(row: u128) -> Mark {
        Mark { lease: new_lease(), row: Uuid::from_u128(row), part: 0 }
    }

    /// A file with these marks; one slot was never used.
    fn file(marks: &[Mark]) -> Vec<u8> {
        let mut bytes = header(Incarnation::current(), BOOT).to_vec();
        bytes.extend([0; RECORD_BYTES]);
        for mark in marks {
            bytes.extend(written(mark));
        }
        bytes
    }

    #[test]
    fn marks_are_read_back() {
        let marks = [mark(1), mark(2)];
        let (server, begun) = read(&file(&marks), BOOT).unwrap();
        assert_eq!((server, begun), (Incarnation::current(), marks.into_iter().collect()));
    }

    #[test]
    fn nothing_is_read_from_another_boot_or_a_damaged_file() {
        let whole = file(&[mark(1)]);
        assert!(read(&whole, BOOT).is_some());
        assert!(read(&whole, Uuid::from_u128(8)).is_none());
        for length in 1..RECORD_BYTES {
            assert!(read(&whole[..whole.len() - length], BOOT).is_none(), "{length}");
        }
        assert!(read(&[], BOOT).is_none());
        for at in (0..whole.len()).filter(|at| !(RECORD_BYTES..2 * RECORD_BYTES).contains(at)) {
            let mut damaged = whole.clone();
            damaged[at] ^= 1;
            assert!(read(&damaged, BOOT).is_none(), "{at}");
        }
    }

    #[test]
    fn only_the_calls_of_the_server_that_wrote_it_are_known() {
        let directory = std::env::temp_dir().join(format!("frontdesk-calls-{}", std::process::id()));
        fs::create_dir_all(&directory).unwrap();
        let path = directory.join("test.db.calls");
        let (begun, other) = (mark(1), mark(2));
        let journal = Journal::open(path.clone());
        assert!(!journal.left().has_not_begun(&other), "there was no file");
        journal.begin(Incarnation::current());
        journal.write(MarkSlot(3), &begun);
        let left = Journal::open(path).left();
        assert!(left.has_not_begun(&other));
        assert!(!left.has_not_begun(&begun));
        let stranger = Mark { lease: Uuid::from_u128(5), ..other };
        assert!(!left.has_not_begun(&stranger));
        fs::remove_dir_all(&directory).unwrap();
    }
}
