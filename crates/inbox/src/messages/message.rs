//! Which messages are listed, and the errors of messages.

use frontdesk_channels::Mismatch;
use frontdesk_crm::contacts::ContactError;
use frontdesk_db as db;
use frontdesk_platform::Error as PlatformError;
use frontdesk_web::{Failure, Problems, filters};
use serde_json::json;

use crate::connections::{Channel, Connection};
pub use crate::ids::MessageId;
pub use crate::message::{Direction, Message, MessageStatus, MessageType, SenderType};

filters! {
    /// Which messages of a conversation to list.
    pub struct MessageFilters {
        pub direction: Option<Direction>,
        pub r#type: Option<MessageType>,
        pub status: Option<MessageStatus>,
    }
}

#[derive(Debug, thiserror::Error)]
pub enum MessageError {
    #[error(transparent)]
    Platform(#[from] PlatformError),
    #[error(transparent)]
    Contact(#[from] ContactError),
    #[error("no {0} connection is connected")]
    NoneConnected(Channel),
    #[error("the connection {} is not connected", .0.id)]
    NotConnected(Box<Connection>),
    #[error("the window for free text is closed")]
    OutsideWindow,
    #[error("a {0} conversation takes no templates")]
    NoTemplates(Channel),
    #[error("there is no template {name} in {language}")]
    TemplateNotFound { name: String, language: String },
    #[error("the template is {0}")]
    TemplateNotApproved(String),
    #[error("the parameters do not fit the template")]
    TemplateMismatch(Vec<Mismatch>),
    #[error("some values are not acceptable")]
    Invalid(Problems),
    #[error("there is no such upload any more")]
    NoUpload,
    #[error("somebody else has replied meanwhile")]
    NewerReply,
    #[error("its channel has no id of the quoted message")]
    NotQuotable,
    #[error("nothing is known by which this person could be reached on {0}")]
    Unreachable(Channel),
}

impl From<db::Error> for MessageError {
    fn from(error: db::Error) -> Self {
        Self::Platform(error.into())
    }
}

impl From<MessageError> for Failure {
    fn from(error: MessageError) -> Self {
        match error {
            MessageError::Platform(error) => error.into(),
            MessageError::Contact(error) => error.into(),
            MessageError::NoneConnected(channel) => Self::channel_not_connected(format!(
                "The account has no {channel} channel. Connect one with `frontdesk channel connect`."
            )),
            MessageError::NotConnected(connection) => Self::channel_not_connected(not_connected(&connection)),
            MessageError::OutsideWindow => Self::unprocessable(
                "outside_window",
                "The customer last wrote more than 24 hours ago, or never. Send a template instead, or wait for the customer to write.",
            ),
            MessageError::NoTemplates(channel) => Self::unprocessable(
                "template_not_supported",
                format!(
                    "Templates are for WhatsApp; this conversation is on {channel}. Send text or media instead."
                ),
            ),
            MessageError::TemplateNotFound { name, language } => Self::unprocessable(
                "template_not_found",
                format!(
                    "There is no template {name:?} in the language {language:?}. See GET /templates, or sync them with `frontdesk channel sync`."
                ),
            ),
            MessageError::TemplateNotApproved(status) => Self::unprocessable(
                "template_not_approved",
                format!("The template is {status}; only an APPROVED one can be sent."),
            ),
            MessageError::TemplateMismatch(found) => {
                let failure = Self::unprocessable(
                    "template_params_mismatch",
                    "The parameters do not fit the template; `details` names each that is missing, blank or too many.",
                );
                found.into_iter().fold(failure, |failure, mismatch| {
                    let path = format!("template.{}", mismatch.path);
                    failure.detail(json!({ "path": path, "message": mismatch.message }))
                })
            }
            MessageError::Invalid(problems) => Self::validation(problems),
            MessageError::NoUpload => Self::unprocessable(
                "media_unavailable",
                "The media's URL names an upload that does not exist, or that has expired. Upload the file again, and send its new url.",
            ),
            MessageError::NewerReply => Self::unprocessable(
                "newer_reply",
                "Somebody else has replied after the message named by last_seen_message_id. Read that reply, then send \
                 this one again with a newer id, or without one.",
            ),
            MessageError::NotQuotable => Self::conflict(
                "The channel has not taken the message that this one quotes, so it cannot be quoted there. Try again once \
                 that message is sent, or leave out reply_to_message_id.",
            ),
            MessageError::Unreachable(channel) => Self::unprocessable(
                "recipient_unreachable",
                format!(
                    "This contact has neither an identity on this {channel} connection nor a phone number. Wait for them to write first."
                ),
            ),
        }
    }
}

fn not_connected(connection: &Connection) -> String {
    let Connection { id, channel, name, disconnected_reason, .. } = connection;
    let reason = disconnected_reason.as_deref().map_or_else(String::new, |reason| format!(": {reason}"));
    format!(
        "The {channel} channel {name:?} is disconnected{reason}. Connect it again with `frontdesk channel reconnect {id}`."
    )
}

pub(crate) const MISSING: PlatformError = PlatformError::Missing("message");
