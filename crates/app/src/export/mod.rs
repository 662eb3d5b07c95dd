//! Exports: everything that an account owns, or everything about one contact, as one ZIP archive.
//!
//! `docs/export.md` describes the archive. It is made a page of rows or a piece of a file at a time, each when the one
//! before was taken, so an export of any size needs little memory and holds no transaction. Rows that are written
//! meanwhile may be in it or not. Rows that refer to others are read before those, so a row's parent is in the archive
//! unless it was deleted meanwhile.

mod api;
mod archive;
mod manifest;

use std::collections::VecDeque;
use std::time::Duration;

use bytes::Bytes;
use frontdesk_db::{self as db, ReadTx};
use frontdesk_inbox::media::exported::{self as media, MediaFile};
use frontdesk_inbox::media::{self as inbox_media, MediaFiles, MediaReader, ReadError};
use frontdesk_platform::export::{ExportPage, Exported, Exports, PageKey, Subject};

pub(crate) use api::routes;
use archive::Archive;
use manifest::Manifest;
pub use manifest::Origin;

/// How often a read is tried, and the pause in between. Long reads of others may use all slots for a while.
const READ_TRIES_MAX: u32 = 10;
const PAUSE: Duration = Duration::from_secs(1);

#[derive(Debug, thiserror::Error)]
pub enum ExportError {
    #[error(transparent)]
    Store(#[from] db::Error),
    #[error("a file cannot be read from {0}; see that its storage works, and export again")]
    File(#[from] ReadError),
    #[error("the archive cannot be written: {0}")]
    Archive(#[from] zip::result::ZipError),
    #[error("the archive cannot be written: {0}")]
    Write(#[from] std::io::Error),
}

/// How much an export has written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Progress {
    /// What is being written, such as `messages`.
    pub part: &'static str,
    pub rows: u64,
    pub files: u64,
    /// Bytes of the archive.
    pub bytes: u64,
}

/// An export that is under way.
pub struct Export {
    files: MediaFiles,
    subject: Subject,
    kinds: Exports,
    manifest: Manifest,
    archive: Archive,
    next: Step,
    progress: Progress,
}

/// What is written next.
enum Step {
    /// The rows of a kind after a key.
    Rows {
        kind: usize,
        after: Option<PageKey>,
    },
    /// Files: those of a page of rows, and the first one if it is being read.
    Files {
        files: VecDeque<MediaFile>,
        open: Option<Box<MediaReader>>,
        next: NextFiles,
    },
    Manifest,
    Over,
}

/// The rows whose files come next.
enum NextFiles {
    First,
    After(PageKey),
    None,
}

impl Export {
    /// An export of everything in `kinds`, or of what of it is about the subject's contact.
    pub fn new(files: MediaFiles, subject: Subject, mut kinds: Exports, origin: Origin) -> Self {
        kinds.retain(|kind| subject.contact.is_none() || kind.is_about_contacts());
        let archive = Archive::new(origin.at);
        Self {
            files,
            subject,
            kinds,
            manifest: Manifest::new(origin, subject),
            archive,
            next: Step::Rows { kind: 0, after: None },
            progress: Progress::default(),
        }
    }

    pub fn progress(&self) -> Progress {
        self.progress
    }

    /// The next bytes of the archive; none when it is complete.
    pub async fn next(&mut self) -> Result<Option<Bytes>, ExportError> {
        loop {
            self.next = match std::mem::replace(&mut self.next, Step::Over) {
                Step::Rows { kind, after } => self.rows(kind, after).await?,
                Step::Files { files, open, next } => self.files(files, open, next).await?,
                Step::Manifest => {
                    self.progress.part = "manifest";
                    let manifest = self.manifest.written()?;
                    self.archive.begin("manifest.json", true)?;
                    self.archive.write(&manifest)?;
                    self.archive.end();
                    self.archive.finish()?;
                    Step::Over
                }
                Step::Over => return Ok(None),
            };
            let bytes = self.archive.take();
            self.progress.bytes += bytes.len() as u64;
            if !bytes.is_empty() {
                return Ok(Some(bytes));
            }
        }
    }

    async fn rows(&mut self, kind: usize, after: Option<PageKey>) -> Result<Step, ExportError> {
        let Some(exported) = self.kinds.get(kind).copied() else {
            return Ok(Step::Files { files: VecDeque::new(), open: None, next: NextFiles::First });
        };
        self.progress.part = exported.name();
        if after.is_none() {
            self.archive.begin(&format!("{}.jsonl", exported.name()), true)?;
        }
        let ExportPage { lines, next } = self.page(exported, after).await?;
        for line in &lines {
            self.archive.write(line.as_bytes())?;
            self.archive.write(b"\n")?;
        }
        self.manifest.add_rows(lines.len() as u64);
        self.progress.rows += lines.len() as u64;
        if next.is_some() {
            return Ok(Step::Rows { kind, after: next });
        }
        self.manifest.add_rows_file(self.archive.end());
        Ok(Step::Rows { kind: kind + 1, after: None })
    }

    async fn files(
        &mut self,
        mut files: VecDeque<MediaFile>,
        open: Option<Box<MediaReader>>,
        next: NextFiles,
    ) -> Result<Step, ExportError> {
        self.progress.part = "files";
        let Some(file) = files.front() else { return self.next_files(next).await };
        let mut reader = if open.is_some() {
            open
        } else {
            // Most media are compressed already.
            self.archive.begin(&file.path, false)?;
            let (account, id) = (self.subject.account, file.id);
            let located = self.read(move |tx| inbox_media::locate(tx, account, id)).await?;
            located.map(|found| Box::new(MediaReader::new(self.files.clone(), account, id, found)))
        };
        if let Some(bytes) = read_piece(reader.as_deref_mut()).await? {
            self.archive.write(&bytes)?;
            return Ok(Step::Files { files, open: reader, next });
        }
        self.manifest.add_media(self.archive.end(), file.bytes as u64);
        self.progress.files += 1;
        files.pop_front();
        Ok(Step::Files { files, open: None, next })
    }

    /// Finds the files of the next page of rows.
    async fn next_files(&self, next: NextFiles) -> Result<Step, ExportError> {
        let after = match next {
            NextFiles::First => None,
            NextFiles::After(after) => Some(after),
            NextFiles::None => return Ok(Step::Manifest),
        };
        let rows = self.kinds.iter().copied().find(|kind| kind.name() == media::LINES);
        let Some(rows) = rows else { return Ok(Step::Manifest) };
        let ExportPage { lines, next } = self.page(rows, after).await?;
        let files = lines.iter().filter_map(|line| MediaFile::of_line(line)).collect();
        Ok(Step::Files { files, open: None, next: next.map_or(NextFiles::None, NextFiles::After) })
    }

    async fn page(
        &self,
        exported: &'static dyn Exported,
        after: Option<PageKey>,
    ) -> Result<ExportPage, ExportError> {
        let subject = self.subject;
        self.read(move |tx| exported.page(tx, subject, after.as_ref())).await
    }

    /// Reads in a slot of the account's long reads. Waits while there is none, or the database cannot be reached.
    async fn read<T: Send + 'static>(
        &self,
        operation: impl Fn(&mut ReadTx<'_>) -> db::Result<T> + Clone + Send + 'static,
    ) -> Result<T, ExportError> {
        let mut tries = 1;
        loop {
            match self.files.store.scan_for(self.subject.account.uuid(), operation.clone()).await {
                Err(db::Error::Busy | db::Error::Unavailable(_) | db::Error::TooLong)
                    if tries < READ_TRIES_MAX =>
                {
                    tries += 1;
                    tokio::time::sleep(PAUSE).await;
                }
                read => return Ok(read?),
            }
        }
    }
}

/// The next piece of a file; none at its end. A file that was deleted meanwhile, or is lost or damaged, ends early, and the
/// manifest says so. Waits while the place of the file, or the database, cannot be reached.
async fn read_piece(reader: Option<&mut MediaReader>) -> Result<Option<Bytes>, ExportError> {
    let Some(reader) = reader else { return Ok(None) };
    let mut tries = 1;
    loop {
        match reader.next().await {
            Ok(piece) => return Ok(piece),
            Err(ReadError::Gone) => return Ok(None),
            Err(error) if !error.is_for_now() => {
                tracing::error!(%error, "an export has a file that is lost or damaged; its manifest says so");
                return Ok(None);
            }
            Err(error) if tries >= READ_TRIES_MAX => return Err(error.into()),
            Err(_) => {
                tries += 1;
                tokio::time::sleep(PAUSE).await;
            }
        }
    }
}
