//! `manifest.json`: what the archive is, and its files with their sizes and hashes. It is the archive's last file.

use frontdesk_kernel::{Timestamp, hex};
use frontdesk_platform::export::Subject;
use serde::Serialize;
use serde_json::{Value, json};

use super::ExportError;
use super::archive::WrittenFile;

const FORMAT: &str = "frontdesk-export";
/// The version of the format. A change that breaks readers increases it.
const FORMAT_VERSION: u32 = 1;

/// Where an export comes from.
#[derive(Clone, Debug)]
pub struct Origin {
    pub account_name: String,
    /// The version of the program.
    pub version: &'static str,
    pub at: Timestamp,
}

pub(super) struct Manifest {
    origin: Origin,
    subject: Subject,
    /// Rows of the file that is being written.
    rows: u64,
    files: Vec<ManifestFile>,
}

#[derive(Serialize)]
struct ManifestFile {
    path: String,
    /// Lines; none for media.
    #[serde(skip_serializing_if = "Option::is_none")]
    rows: Option<u64>,
    bytes: u64,
    sha256: String,
    /// True if the file was deleted while it was read, or is lost or damaged.
    #[serde(skip_serializing_if = "Option::is_none")]
    incomplete: Option<bool>,
}

impl Manifest {
    pub(super) fn new(origin: Origin, subject: Subject) -> Self {
        Self { origin, subject, rows: 0, files: Vec::new() }
    }

    /// Counts rows of the file that is being written.
    pub(super) fn add_rows(&mut self, rows: u64) {
        self.rows += rows;
    }

    /// A file of rows is complete.
    pub(super) fn add_rows_file(&mut self, file: WrittenFile) {
        let rows = Some(std::mem::take(&mut self.rows));
        self.add(file, rows, None);
    }

    /// A media file is written, which should have this size.
    pub(super) fn add_media(&mut self, file: WrittenFile, bytes: u64) {
        let incomplete = (file.bytes != bytes).then_some(true);
        self.add(file, None, incomplete);
    }

    fn add(&mut self, file: WrittenFile, rows: Option<u64>, incomplete: Option<bool>) {
        let WrittenFile { path, bytes, sha256 } = file;
        self.files.push(ManifestFile { path, rows, bytes, sha256: hex(&sha256), incomplete });
    }

    pub(super) fn written(&self) -> Result<Vec<u8>, ExportError> {
        let Self { origin, subject, files, .. } = self;
        let contact: Option<Value> = subject.contact.map(|id| json!({ "id": id }));
        let manifest = json!({
            "format": FORMAT,
            "format_version": FORMAT_VERSION,
            "frontdesk_version": origin.version,
            "exported_at": origin.at,
            "account": { "id": subject.account, "name": origin.account_name },
            "contact": contact,
            "files": files,
        });
        serde_json::to_vec_pretty(&manifest).map_err(|error| std::io::Error::from(error).into())
    }
}
