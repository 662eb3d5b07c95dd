//! Reads the file of a backup: first its header, then every byte for the checksum, then its frames.

use std::fs::File;
use std::io::{BufReader, Read, Seek, SeekFrom, Take};
use std::path::{Path, PathBuf};

use flate2::read::GzDecoder;
use sha2::{Digest, Sha256};

use super::format::{CHECKSUM_BYTES, END, FORMAT, HEADER_BYTES_MAX, Header, MAGIC, read_frame};
use super::{Phase, Progress, Step};
use crate::error::{Error, Result};

const BUFFER_BYTES: usize = 1 << 18;

/// A file whose header was read.
pub(super) struct BackupFile {
    path: PathBuf,
    file: File,
    pub(super) header: Header,
    /// Where the frames begin, and the size of the file.
    frames_at: u64,
    bytes: u64,
}

impl BackupFile {
    pub(super) fn open(path: &Path) -> Result<Self> {
        let mut file = File::open(path).map_err(Error::doing(format!("read {}", path.display())))?;
        let bytes = file.metadata().map_err(Error::doing(format!("read {}", path.display())))?.len();
        let (header, frames_at) = read_header(&mut file).ok_or_else(|| {
            Error::Invalid(format!(
                "{} is not a backup of Frontdesk, or its beginning is damaged",
                path.display()
            ))
        })?;
        if header.format > FORMAT {
            return Err(Error::Invalid(format!(
                "{} was made by version {} of frontdesk, in a newer format: use a newer frontdesk",
                path.display(),
                header.version
            )));
        }
        Ok(Self { path: path.to_owned(), file, header, frames_at, bytes })
    }

    /// Checks that the file is complete and not altered.
    pub(super) fn verify(&mut self, progress: Progress<'_>) -> Result<()> {
        let tail = (END.len() + CHECKSUM_BYTES) as u64;
        let failed = || Error::doing(format!("read {}", self.path.display()));
        if self.bytes < self.frames_at + tail {
            return Err(self.cut_off());
        }
        self.file.seek(SeekFrom::Start(0)).map_err(failed())?;
        let hashed = self.bytes - CHECKSUM_BYTES as u64;
        let (mut sha256, mut done, mut last) = (Sha256::new(), 0_u64, Vec::new());
        let mut buffer = vec![0; BUFFER_BYTES];
        while done < hashed {
            let wanted = (hashed - done).min(BUFFER_BYTES as u64) as usize;
            let read = self.file.read(&mut buffer[..wanted]).map_err(failed())?;
            if read == 0 {
                return Err(self.cut_off());
            }
            sha256.update(&buffer[..read]);
            last.extend_from_slice(&buffer[..read]);
            last.drain(..last.len().saturating_sub(END.len()));
            done += read as u64;
            progress(Step { done, total: hashed, bytes: done, phase: Phase::Check });
        }
        let mut checksum = [0; CHECKSUM_BYTES];
        self.file.read_exact(&mut checksum).map_err(failed())?;
        if last != END {
            return Err(self.cut_off());
        }
        if sha256.finalize()[..] != checksum {
            return Err(Error::Invalid(format!(
                "{} is damaged: its checksum is not that of its content. Nothing was restored; use another backup",
                self.path.display()
            )));
        }
        Ok(())
    }

    /// The frames, from the first one on.
    pub(super) fn frames(self) -> Result<Frames> {
        let Self { path, mut file, frames_at, bytes, .. } = self;
        file.seek(SeekFrom::Start(frames_at)).map_err(Error::doing(format!("read {}", path.display())))?;
        let length = bytes - frames_at - (END.len() + CHECKSUM_BYTES) as u64;
        let compressed = BufReader::with_capacity(BUFFER_BYTES, file).take(length);
        Ok(Frames { path, from: GzDecoder::new(compressed), length })
    }

    fn cut_off(&self) -> Error {
        Error::Invalid(format!(
            "{} is incomplete: its end is missing. Nothing was restored; copy it again, or use another backup",
            self.path.display()
        ))
    }
}

/// The frames of a file.
pub(super) struct Frames {
    path: PathBuf,
    from: GzDecoder<Take<BufReader<File>>>,
    length: u64,
}

impl Frames {
    /// Reads the next frame into the buffer; none at the end.
    pub(super) fn next(&mut self, frame: &mut Vec<u8>) -> Result<Option<u8>> {
        read_frame(&mut self.from, frame).map_err(Error::doing(format!("read {}", self.path.display())))
    }

    /// The bytes that were read so far.
    pub(super) fn bytes(&self) -> u64 {
        self.length - self.from.get_ref().limit()
    }

    /// The error of a frame that the checksum has let pass: the program that wrote it was wrong.
    pub(super) fn unreadable(&self) -> Error {
        Error::Invalid(format!("{} has content that this version cannot read", self.path.display()))
    }
}

fn read_header(file: &mut File) -> Option<(Header, u64)> {
    let (mut magic, mut length) = ([0; MAGIC.len()], [0; 4]);
    file.read_exact(&mut magic).ok()?;
    file.read_exact(&mut length).ok()?;
    let length = u32::from_le_bytes(length);
    if magic != *MAGIC || length > HEADER_BYTES_MAX {
        return None;
    }
    let mut header = vec![0; length as usize];
    file.read_exact(&mut header).ok()?;
    let frames_at = (MAGIC.len() + 4) as u64 + u64::from(length);
    Some((serde_json::from_slice(&header).ok()?, frames_at))
}
