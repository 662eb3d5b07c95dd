//! The broadcast, its filters, and its errors.

use frontdesk_channels::Mismatch;
use frontdesk_crm::contacts::ContactError;
use frontdesk_db as db;
use frontdesk_inbox::connections::Channel;
use frontdesk_inbox::messages::MessageError;
use frontdesk_kernel::{Id, Text, Timestamp};
use frontdesk_platform::Error as PlatformError;
use frontdesk_web::example::{self, Example};
use frontdesk_web::{Failure, Problems, choice, filters, resource};
use serde_json::json;

use crate::status::{BroadcastStatus, Forbidden};

pub type BroadcastId = Id<Broadcast>;

choice! {
    /// The kind of message: an approved WhatsApp template, or free text over a personal WhatsApp number.
    pub enum BroadcastKind {
        Template => "template",
        FreeText => "free_text",
    }
}

db::text_column!(BroadcastKind);

resource! {
    /// One message to many people.
    pub struct Broadcast {
        pub id: BroadcastId,
        pub name: String,
        pub kind: BroadcastKind,
        /// `whatsapp` or `personal_whatsapp`.
        pub channel: Channel,
        /// The template that is sent; null for free text.
        pub template: Option<BroadcastTemplate>,
        pub status: BroadcastStatus,
        /// When it was or will be started.
        pub scheduled_at: Option<Timestamp>,
        pub counts: BroadcastCounts,
        pub created_at: Timestamp,
        pub updated_at: Timestamp,
    }
}

resource! {
    /// The template of a broadcast.
    pub struct BroadcastTemplate {
        pub name: String,
        pub language: String,
    }
}

resource! {
    /// The recipients of a broadcast by status. A recipient who has read the message also counts as delivered
    /// and sent.
    #[derive(Copy, PartialEq, Eq, Default)]
    pub struct BroadcastCounts {
        /// Recipients added so far.
        pub total: i64,
        /// Accepted by the channel.
        pub sent: i64,
        pub delivered: i64,
        pub read: i64,
        /// Replied within 72 hours.
        pub replied: i64,
        /// Rejected by the channel, or without a value that the template needs.
        pub failed: i64,
    }
}

filters! {
    /// Which broadcasts to list.
    pub struct BroadcastFilters {
        pub status: Option<BroadcastStatus>,
        /// Any part of the name, ignoring case.
        pub q: Option<Text<100>>,
    }
}

impl Example for Broadcast {
    fn example() -> Self {
        Self {
            id: example::id(),
            name: "Spring sale".into(),
            kind: BroadcastKind::Template,
            channel: Channel::Whatsapp,
            template: Some(BroadcastTemplate { name: "spring_sale".into(), language: "en_US".into() }),
            status: BroadcastStatus::Sent,
            scheduled_at: Some(example::MOMENT),
            counts: BroadcastCounts {
                total: 120,
                sent: 118,
                delivered: 110,
                read: 64,
                replied: 9,
                failed: 2,
            },
            created_at: example::MOMENT,
            updated_at: example::MOMENT,
        }
    }
}

#[derive(Debug, thiserror::Error)]
pub enum BroadcastError {
    #[error(transparent)]
    Platform(#[from] PlatformError),
    #[error(transparent)]
    Contact(#[from] ContactError),
    /// The channel or the template is not available, as for a single message.
    #[error(transparent)]
    Message(#[from] MessageError),
    #[error("some values are not acceptable")]
    Invalid(Problems),
    #[error("the variables do not fit the template")]
    Variables(Vec<Mismatch>),
    #[error("the account may make at most {limit} broadcasts a month")]
    LimitReached { limit: i64 },
    #[error(transparent)]
    Forbidden(#[from] Forbidden),
    #[error("no recipient failed for a reason that may have passed")]
    NothingToRetry,
}

impl From<db::Error> for BroadcastError {
    fn from(error: db::Error) -> Self {
        Self::Platform(error.into())
    }
}

impl From<BroadcastError> for Failure {
    fn from(error: BroadcastError) -> Self {
        match error {
            BroadcastError::Platform(error) => error.into(),
            BroadcastError::Contact(error) => error.into(),
            BroadcastError::Message(error) => error.into(),
            BroadcastError::Invalid(problems) => Self::validation(problems),
            BroadcastError::Variables(found) => {
                let failure = Self::unprocessable(
                    "template_params_mismatch",
                    "The variables do not fit the template; `details` names each that is missing, blank or too many.",
                );
                found.into_iter().fold(failure, |failure, wrong| {
                    failure.detail(json!({ "path": wrong.path, "message": wrong.message }))
                })
            }
            BroadcastError::LimitReached { limit } => Self::plan_limit("broadcasts", limit),
            BroadcastError::Forbidden(forbidden) => Self::conflict(forbidden.advice()),
            BroadcastError::NothingToRetry => Self::conflict(
                "No recipient of this broadcast failed for a reason that may have passed. See the errors of its \
                 recipients, and make another broadcast for those that are left.",
            ),
        }
    }
}

pub(crate) const MISSING: PlatformError = PlatformError::Missing("broadcast");
