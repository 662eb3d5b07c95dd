//! What an export has of media: a line for each file, and the files.

use frontdesk_db::{self as db, Row};
use frontdesk_kernel::Timestamp;
use frontdesk_platform::export::{Columns, Exported, ExportedRows, LineFields};

use super::MediaId;
use crate::connections::ConnectionId;

const EXTENSION_CHARS_MAX: usize = 8;
/// The extensions of usual types, for files without a name.
const EXTENSIONS: [(&str, &str); 16] = [
    ("image/jpeg", "jpg"),
    ("image/png", "png"),
    ("image/webp", "webp"),
    ("image/gif", "gif"),
    ("audio/ogg", "ogg"),
    ("audio/mpeg", "mp3"),
    ("audio/mp4", "m4a"),
    ("audio/aac", "aac"),
    ("audio/amr", "amr"),
    ("audio/wav", "wav"),
    ("video/mp4", "mp4"),
    ("video/3gpp", "3gp"),
    ("application/pdf", "pdf"),
    ("application/json", "json"),
    ("text/plain", "txt"),
    ("text/csv", "csv"),
];

/// Media of messages, and uploads that are complete. A row whose file is stored has its path in the archive.
pub(crate) const EXPORTED: &[&dyn Exported] = &[&ExportedRows::new(
    "media",
    &["media", "media_chunks"],
    Columns {
        sql: "t.id, t.connection_id, t.kind, t.state, t.content_type, t.filename, t.bytes, t.expires_at",
        line: |row, _| Ok(MediaRow::read(row)?.fields()?.finish()),
    },
)
.only("t.state <> 'uploading'")
.of_contact(
    "t.id IN (SELECT m.media_id FROM conversations v JOIN messages m ON m.account_id = v.account_id AND m.conversation_id = v.id
        WHERE v.account_id = {account} AND v.contact_id = {contact} AND m.media_id IS NOT NULL)",
)];

struct MediaRow {
    id: MediaId,
    connection: ConnectionId,
    kind: String,
    state: String,
    content_type: Option<String>,
    filename: Option<String>,
    bytes: Option<i64>,
    expires_at: Option<Timestamp>,
}

impl MediaRow {
    fn read(row: &mut Row<'_>) -> db::Result<Self> {
        Ok(Self {
            id: row.next()?,
            connection: row.next()?,
            kind: row.next()?,
            state: row.next()?,
            content_type: row.next()?,
            filename: row.next()?,
            bytes: row.next()?,
            expires_at: row.next()?,
        })
    }

    fn fields(&self) -> db::Result<LineFields> {
        let path = (self.state == "stored").then(|| self.path());
        LineFields::default()
            .with("id", &self.id)?
            .with("connection_id", &self.connection)?
            .with("kind", &self.kind)?
            .with("state", &self.state)?
            .with("content_type", &self.content_type)?
            .with("filename", &self.filename)?
            .with("bytes", &self.bytes)?
            .with("expires_at", &self.expires_at)?
            .with("path", &path)?
            .with("created_at", &self.id.created_at())
    }

    fn path(&self) -> String {
        let extension = extension(self.content_type.as_deref(), self.filename.as_deref());
        format!("media/{}.{extension}", self.id)
    }
}

/// The extension of a file's name, or else that of its type.
fn extension(content_type: Option<&str>, filename: Option<&str>) -> String {
    let named =
        filename.and_then(|name| name.rsplit_once('.')).map(|(_, extension)| extension.to_lowercase());
    let fits = |extension: &String| {
        (1..=EXTENSION_CHARS_MAX).contains(&extension.len())
            && extension.bytes().all(|byte| byte.is_ascii_alphanumeric())
    };
    let plain = content_type.and_then(|kind| kind.split(';').next()).map(str::trim).unwrap_or_default();
    let usual = || EXTENSIONS.iter().find(|(kind, _)| kind.eq_ignore_ascii_case(plain));
    named.filter(fits).unwrap_or_else(|| usual().map_or("bin", |(_, extension)| extension).to_owned())
}

/// A stored file of an export.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MediaFile {
    pub id: MediaId,
    /// Its path in the archive.
    pub path: String,
    pub bytes: i64,
}

impl MediaFile {
    /// The file of an exported line; none if it is not stored.
    pub fn of_line(line: &str) -> Option<Self> {
        let line: serde_json::Value = serde_json::from_str(line).ok()?;
        Some(Self {
            id: line["id"].as_str()?.parse().ok()?,
            path: line["path"].as_str()?.to_owned(),
            bytes: line["bytes"].as_i64().unwrap_or(0),
        })
    }
}

/// The name of the lines that have a file each.
pub const LINES: &str = "media";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_has_the_extension_of_its_name_or_of_its_type() {
        for (content_type, filename, expected) in [
            (Some("image/jpeg"), None, "jpg"),
            (Some("image/jpeg"), Some("Photo.JPEG"), "jpeg"),
            (Some("audio/ogg; codecs=opus"), None, "ogg"),
            (Some("application/pdf"), Some("../../etc/passwd"), "pdf"),
            (Some("application/pdf"), Some("a.b/../c"), "pdf"),
            (None, Some("archive.tar.gz"), "gz"),
            (None, Some("dot."), "bin"),
            (Some("application/x-unknown"), None, "bin"),
        ] {
            assert_eq!(extension(content_type, filename), expected, "{content_type:?} {filename:?}");
        }
    }
}
