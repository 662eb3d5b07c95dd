//! A claimed row of the queue, and its content.

use std::sync::{Arc, OnceLock};
use std::time::Duration;

use frontdesk_channels::{Composed, MediaKind, Payload};
use frontdesk_db::{Mark, MarkSlot};
use frontdesk_kernel::ids::AccountId;
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use crate::connections::{ConnectionId, StoredConnection};
use crate::ids::{ConversationId, MessageId};
use crate::media::MediaId;
use crate::message::Message;

/// How long a claimed message waits for its call at most. It is also how long a call with an unknown outcome waits for
/// the channel's report.
pub(crate) const LEASE: Duration = Duration::from_mins(10);

/// The message that a row hands over or is about, and its conversation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Subject {
    pub(crate) message: MessageId,
    pub(crate) conversation: ConversationId,
}

/// The content of a send, as it is stored.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub(crate) enum SendPayload {
    Text {
        text: String,
    },
    Media {
        #[serde(rename = "media")]
        kind: String,
        url: String,
        caption: Option<String>,
        filename: Option<String>,
        /// What was uploaded to us, which is then uploaded to the channel.
        #[serde(default)]
        upload: Option<Uuid>,
    },
    Template {
        name: String,
        language: String,
        composed: Composed,
    },
    /// The customer's messages up to this one were read.
    Receipt {
        channel_message_id: String,
    },
}

impl SendPayload {
    /// What of ours is to be uploaded to the channel first.
    pub(crate) fn upload(&self) -> Option<MediaId> {
        match self {
            Self::Media { upload, .. } => upload.map(MediaId::from_uuid),
            _ => None,
        }
    }

    /// What the channel is given; none for what is no message.
    pub(crate) fn for_channel(self) -> Option<Payload> {
        Some(match self {
            Self::Text { text } => Payload::Text(text),
            Self::Media { kind, url, caption, filename, .. } => Payload::Media {
                kind: media_kind(&kind),
                url,
                bytes: None,
                caption,
                filename,
                content_type: None,
                uploaded: None,
            },
            Self::Template { name, language, composed } => Payload::Template { name, language, composed },
            Self::Receipt { .. } => return None,
        })
    }
}

fn media_kind(word: &str) -> MediaKind {
    match word {
        "image" => MediaKind::Image,
        "video" => MediaKind::Video,
        "audio" => MediaKind::Audio,
        _ => MediaKind::Document,
    }
}

/// A claimed row.
pub(crate) struct Job {
    pub(crate) account: AccountId,
    pub(crate) connection_id: ConnectionId,
    pub(crate) message: MessageId,
    pub(crate) part: i64,
    pub(crate) conversation: ConversationId,
    /// The channel's id of the person.
    pub(crate) person: String,
    /// None if it cannot be parsed any more.
    pub(crate) payload: Option<SendPayload>,
    pub(crate) reply_to: Option<String>,
    pub(crate) tries: i64,
    pub(crate) lease: Uuid,
    /// The mark of its call, once that has begun.
    pub(crate) mark: OnceLock<MarkSlot>,
    pub(crate) connection: Arc<StoredConnection>,
    /// The message as this process wrote it a moment ago; none if the row was claimed, as every row is on PostgreSQL.
    pub(crate) written: Option<Message>,
    /// Whether the channel's id of the person was known to be a contact's when the message was written.
    pub(crate) is_person_known: bool,
}

impl Job {
    /// The mark that says that the call has begun.
    pub(crate) fn begun(&self) -> Mark {
        Mark { lease: self.lease, row: self.message.uuid(), part: self.part }
    }

    pub(super) fn subject(&self) -> Subject {
        Subject { message: self.message, conversation: self.conversation }
    }
}
