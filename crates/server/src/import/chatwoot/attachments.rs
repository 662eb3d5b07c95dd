//! Attachments of messages, as they are read there.

use std::collections::HashMap;

use frontdesk_db::{self as db, List, Row};

use super::source::Source;
use crate::error::Result;

const OF_MESSAGES: &str = "SELECT CAST(a.message_id AS bigint), CAST(a.id AS bigint), CAST(coalesce(a.file_type, 0) AS bigint), a.external_url::text,
        a.coordinates_lat, a.coordinates_long, a.fallback_title::text,
        b.key::text, b.filename::text, b.content_type::text, CAST(b.byte_size AS bigint), b.checksum::text
    FROM attachments a
    LEFT JOIN active_storage_attachments s ON s.record_type = 'Attachment' AND s.name = 'file' AND s.record_id = a.id
    LEFT JOIN active_storage_blobs b ON b.id = s.blob_id
    WHERE a.message_id = ANY ($1::bigint[]) ORDER BY a.message_id, a.id";

/// A stored file there.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Blob {
    pub(super) key: String,
    pub(super) filename: String,
    pub(super) content_type: Option<String>,
    pub(super) bytes: i64,
    /// MD5 in base64.
    pub(super) checksum: Option<String>,
}

/// An attachment of a message.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Attachment {
    pub(super) id: i64,
    /// The number of its type there.
    pub(super) file_type: i64,
    pub(super) external_url: Option<String>,
    pub(super) latitude: Option<f64>,
    pub(super) longitude: Option<f64>,
    pub(super) title: Option<String>,
    pub(super) blob: Option<Blob>,
}

impl Attachment {
    /// The attachments of messages, by the numbers of the messages.
    pub(super) fn of(source: &mut Source, messages: &[i64]) -> Result<HashMap<i64, Vec<Self>>> {
        let mut found: HashMap<i64, Vec<Self>> = HashMap::new();
        if messages.is_empty() {
            return Ok(found);
        }
        let messages = List(messages.to_vec());
        for (message, attachment) in source.query(OF_MESSAGES, &[&messages], Self::read)? {
            found.entry(message).or_default().push(attachment);
        }
        Ok(found)
    }

    fn read(row: &mut Row<'_>) -> db::Result<(i64, Self)> {
        let message = row.next()?;
        let (id, file_type, external_url) = (row.next()?, row.next()?, row.next()?);
        let (latitude, longitude, title) = (row.next()?, row.next()?, row.next()?);
        let (key, filename): (Option<String>, Option<String>) = (row.next()?, row.next()?);
        let content_type = row.next()?;
        let (bytes, checksum) = (row.next::<Option<i64>>()?.unwrap_or(0), row.next()?);
        let blob = key.map(|key| Blob {
            key,
            filename: filename.unwrap_or_default(),
            content_type,
            bytes,
            checksum,
        });
        Ok((message, Self { id, file_type, external_url, latitude, longitude, title, blob }))
    }
}
