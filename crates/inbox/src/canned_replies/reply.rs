//! What a canned reply is, and what may be wrong with one.

use frontdesk_crm::quota::TooMany;
use frontdesk_db as db;
use frontdesk_kernel::{Id, Text, Timestamp};
use frontdesk_platform::Error as PlatformError;
use frontdesk_web::example::{self, Example};
use frontdesk_web::{Failure, Given, Items, Problems, input, resource};

use crate::media::MediaId;

const SHORTCUT_CHARS_MAX: usize = 50;
/// As long as the longest message.
const BODY_CHARS_MAX: usize = 4_096;
/// Maximum files of a canned reply. Each is sent as a message.
const FILES_MAX: usize = 10;

pub type CannedReplyId = Id<CannedReply>;

resource! {
    /// A text with files that members insert by its shortcut.
    pub struct CannedReply {
        pub id: CannedReplyId,
        /// What members type to find it.
        pub shortcut: String,
        /// The text. Placeholders such as `{{contact.name}}` are filled in by the client.
        pub body: String,
        /// Files that the client sends with the text, in this order.
        pub media: Vec<CannedReplyFile>,
        pub created_at: Timestamp,
        pub updated_at: Timestamp,
    }
}

resource! {
    /// A file of a canned reply. `media.url` of a message may name its `url`.
    pub struct CannedReplyFile {
        /// The id of the upload.
        pub id: MediaId,
        /// A signed link that works for about a day. Get the canned reply again for a new one.
        pub url: String,
        pub content_type: String,
        pub filename: Option<String>,
        /// Bytes.
        pub size: i64,
    }
}

impl Example for CannedReply {
    fn example() -> Self {
        Self {
            id: example::id(),
            shortcut: "hours".into(),
            body: "Hello {{contact.name}}, we are open from 9:00 to 17:30.".into(),
            media: vec![CannedReplyFile {
                id: example::id(),
                url: "https://desk.example.com/media/AZDzwqGyfD2OT1prfI2eDw".into(),
                content_type: "application/pdf".into(),
                filename: Some("directions.pdf".into()),
                size: 48_213,
            }],
            created_at: example::MOMENT,
            updated_at: example::MOMENT,
        }
    }
}

input! {
    /// A canned reply to be made.
    pub struct NewCannedReply {
        /// Unique in the account, regardless of case.
        pub shortcut: Text<SHORTCUT_CHARS_MAX>,
        /// May hold placeholders such as `{{contact.name}}`.
        pub body: Text<BODY_CHARS_MAX>,
        /// Uploads of `POST /media`. They are kept as long as the canned reply has them.
        pub media_ids: Option<Items<MediaId, FILES_MAX>>,
    }
}

input! {
    /// What to change of a canned reply.
    pub struct CannedReplyPatch {
        pub shortcut: Given<Text<SHORTCUT_CHARS_MAX>>,
        pub body: Given<Text<BODY_CHARS_MAX>>,
        /// Replaces all files.
        pub media_ids: Given<Items<MediaId, FILES_MAX>>,
    }
}

#[derive(Debug, thiserror::Error)]
pub enum CannedReplyError {
    #[error(transparent)]
    Platform(#[from] PlatformError),
    #[error("another canned reply has this shortcut")]
    ShortcutTaken,
    #[error("some uploads do not exist")]
    Invalid(Problems),
    #[error(transparent)]
    TooMany(#[from] TooMany),
}

impl From<db::Error> for CannedReplyError {
    fn from(error: db::Error) -> Self {
        if error.is_constraint("canned_replies_shortcut_key") {
            Self::ShortcutTaken
        } else {
            Self::Platform(error.into())
        }
    }
}

impl From<CannedReplyError> for Failure {
    fn from(error: CannedReplyError) -> Self {
        match error {
            CannedReplyError::Platform(error) => error.into(),
            CannedReplyError::ShortcutTaken => Self::conflict(
                "Another canned reply of this account has this shortcut. Choose another, or change that one.",
            ),
            CannedReplyError::Invalid(problems) => Self::validation(problems),
            CannedReplyError::TooMany(error) => error.into(),
        }
    }
}
