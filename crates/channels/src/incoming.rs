//! The items of a webhook.

use frontdesk_kernel::Timestamp;

use crate::call::Refusal;

/// One item of a webhook.
#[derive(Clone, Debug, PartialEq)]
pub enum Incoming {
    Message(Message),
    /// A status report about a message that we sent.
    Report(Report),
    /// Everything that we sent to this person up to then was delivered, or read.
    Watermark {
        person: String,
        status: ReportStatus,
        at: Timestamp,
    },
    /// A reaction to a message; none removes it.
    Reaction {
        person: Person,
        channel_message_id: String,
        emoji: Option<String>,
        at: Timestamp,
    },
    /// A template's status changed at the vendor.
    TemplateChanged {
        name: String,
        language: String,
        status: String,
    },
    /// The person's id on this channel changed, with their number.
    Moved {
        from: String,
        to: Person,
    },
    /// The person stopped, or resumed, messages at the channel itself.
    Preference {
        person: Person,
        stop: bool,
        at: Timestamp,
    },
    /// The linked device's session.
    Session {
        state: SessionState,
        detail: Option<String>,
    },
}

/// Someone on a channel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Person {
    /// The channel's id of the person, unique within a connection.
    pub id: String,
    /// Another id by which the same person may be known on this connection.
    pub also: Option<String>,
    /// Their number in digits with a plus sign, if the channel shows it.
    pub phone: Option<String>,
    pub name: Option<String>,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Message {
    pub channel_message_id: String,
    pub person: Person,
    /// Sent by the business from another device: an outbound message.
    pub echo: bool,
    pub at: Timestamp,
    pub content: Content,
    /// The channel's id of the message that this one quotes.
    pub reply_to: Option<String>,
}

#[derive(Clone, Debug, PartialEq)]
pub enum Content {
    Text(String),
    Media {
        kind: MediaKind,
        source: MediaSource,
        caption: Option<String>,
    },
    Location {
        latitude: f64,
        longitude: f64,
        name: Option<String>,
        address: Option<String>,
    },
    /// A button or a list entry that the person chose.
    Choice {
        id: String,
        title: String,
    },
}

impl Content {
    /// Text for content that cannot be shown, such as `[share] https://…`, so that the message is not lost.
    pub(crate) fn placeholder(what: &str, detail: Option<&str>) -> Self {
        Self::Text(match detail {
            Some(detail) => format!("[{what}] {detail}"),
            None => format!("[{what}]"),
        })
    }

    pub(crate) fn unsupported() -> Self {
        Self::placeholder("unsupported message", None)
    }
}

/// The kind of media, which is also the type of its message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MediaKind {
    Image,
    Video,
    Audio,
    Document,
}

impl MediaKind {
    /// The kind's name, the same in the vendors' JSON and in ours.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Image => "image",
            Self::Video => "video",
            Self::Audio => "audio",
            Self::Document => "document",
        }
    }
}

/// The source of a media file: an id to look up, or an address.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MediaSource {
    pub id: Option<String>,
    pub url: Option<String>,
    pub content_type: Option<String>,
    pub filename: Option<String>,
    pub bytes: Option<u64>,
}

/// A status report about a message that we sent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Report {
    pub channel_message_id: String,
    /// Our own id, if the channel returns it.
    pub our_id: Option<String>,
    pub status: ReportStatus,
    pub at: Timestamp,
    /// Why it failed.
    pub error: Option<Refusal>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum ReportStatus {
    Sent,
    Delivered,
    Read,
    Failed,
}

/// The state of a linked device's session.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SessionState {
    Stopped,
    Starting,
    /// It waits for its code to be scanned.
    Pairing,
    Working,
    Failed,
}
