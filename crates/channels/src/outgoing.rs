//! What is to be sent.

use bytes::Bytes;

use crate::{Composed, MediaKind};

/// A message for the channel to take.
#[derive(Clone, Debug)]
pub struct Outgoing {
    /// Our id of it; channels that can, carry it back in their reports.
    pub our_id: String,
    /// The channel's id of the person, or their number's digits where that is what it is addressed by.
    pub to: String,
    pub payload: Payload,
    /// The channel's id of the message that this one answers.
    pub reply_to: Option<String>,
}

#[derive(Clone, Debug)]
pub enum Payload {
    Text(String),
    Media {
        kind: MediaKind,
        url: String,
        /// The file itself, for a channel that [takes files](crate::Adapter::takes_files).
        bytes: Option<Bytes>,
        caption: Option<String>,
        filename: Option<String>,
        content_type: Option<String>,
    },
    /// WhatsApp only.
    Template {
        name: String,
        language: String,
        composed: Composed,
    },
}
