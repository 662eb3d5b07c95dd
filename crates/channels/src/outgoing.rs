//! Messages to send.

use bytes::Bytes;

use crate::incoming::MediaKind;
use crate::template::Composed;

/// A message to send over a channel.
#[derive(Clone, Debug)]
pub struct Outgoing {
    /// Our id of it; some channels return it in their reports.
    pub our_id: String,
    /// The channel's id of the person, or their number's digits if that is the address.
    pub to: String,
    pub payload: Payload,
    /// The channel's id of the quoted message.
    pub reply_to: Option<String>,
}

#[derive(Clone, Debug)]
pub enum Payload {
    Text(String),
    Media {
        kind: MediaKind,
        url: String,
        /// The file itself, for a channel that [takes files](crate::adapter::Adapter::takes_files).
        bytes: Option<Bytes>,
        caption: Option<String>,
        filename: Option<String>,
        content_type: Option<String>,
        /// The channel's id of the file, where it was [uploaded](crate::adapter::Adapter::upload) before.
        uploaded: Option<String>,
    },
    /// WhatsApp only.
    Template {
        name: String,
        language: String,
        composed: Composed,
    },
}

/// A file to be uploaded.
#[derive(Clone, Copy, Debug)]
pub struct File<'a> {
    pub kind: MediaKind,
    pub bytes: &'a Bytes,
    pub content_type: &'a str,
    pub filename: Option<&'a str>,
}
