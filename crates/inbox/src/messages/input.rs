//! The body of POST /messages.

use std::str::FromStr;

use frontdesk_kernel::{Country, Phone, Text};
use frontdesk_web::{
    Components, Entries, FieldPath, Input, Items, Problems, choice, input, tagged, text_input,
};
use serde_json::{Map, Value, json};

use crate::connections::ConnectionId;
use crate::conversations::ConversationId;
use crate::ids::MessageId;

/// The longest text that any channel takes, and the longest caption and file name.
pub(crate) const TEXT_CHARS_MAX: usize = 4_096;
const CAPTION_CHARS_MAX: usize = 1_024;
const FILENAME_CHARS_MAX: usize = 240;
/// Parameters of one template, their length, and the buttons that a template may have.
const PARAMS_MAX: usize = 100;
const PARAM_CHARS_MAX: usize = 1_024;
const BUTTONS_MAX: usize = 10;
const URL_CHARS_MAX: usize = 2_048;

impl NewMessage {
    /// Whom it is for.
    pub(super) fn to(&self) -> &To {
        match self {
            Self::Text(new) => &new.to,
            Self::Template(new) => &new.to,
            Self::Media(new) => &new.to,
        }
    }

    /// The media that it refers to.
    pub(super) fn media_url(&self) -> Option<&WebUrl> {
        match self {
            Self::Text(_) => None,
            Self::Template(new) => new.template.header_media_url.as_ref(),
            Self::Media(new) => Some(&new.media.url),
        }
    }

    /// The message that it quotes.
    pub(super) fn quotes(&self) -> Option<MessageId> {
        match self {
            Self::Text(new) => new.reply_to_message_id,
            Self::Template(new) => new.reply_to_message_id,
            Self::Media(new) => new.reply_to_message_id,
        }
    }
}

tagged! {
    /// A new message.
    pub enum NewMessage by "type" {
        "text" => Text(NewText),
        "template" => Template(NewTemplate),
        "media" => Media(NewMedia),
    }
}

input! {
    /// Plain text.
    pub struct NewText {
        pub to: To,
        pub text: Text<TEXT_CHARS_MAX>,
        /// A message of the same conversation, which this one quotes.
        pub reply_to_message_id: Option<MessageId>,
    }
}

input! {
    /// A template that WhatsApp has approved.
    pub struct NewTemplate {
        pub to: To,
        pub template: TemplateChoice,
        /// A message of the same conversation, which this one quotes.
        pub reply_to_message_id: Option<MessageId>,
    }
}

input! {
    /// An image, a video, a document or a recording.
    pub struct NewMedia {
        pub to: To,
        pub media: MediaChoice,
        /// A message of the same conversation, which this one quotes.
        pub reply_to_message_id: Option<MessageId>,
    }
}

input! {
    /// The template and its parameters.
    pub struct TemplateChoice {
        pub name: Text<512>,
        /// Defaults to `en_US`.
        pub language: Option<Text<20>>,
        /// Values for {{1}}, {{2}}, … in the body.
        pub body_params: Option<Items<Parameter, PARAMS_MAX>>,
        /// The value for the placeholder of a text header.
        pub header_text: Option<Text<60>>,
        /// The media of a media header. Defaults to the example that the template was approved with, where WhatsApp shares it.
        pub header_media_url: Option<WebUrl>,
        /// Values for URL-suffix and copy-code buttons, by the button's index.
        pub button_params: Option<Entries<Parameter, BUTTONS_MAX>>,
    }
    shape = indexes;
}

input! {
    /// The media of a message.
    pub struct MediaChoice {
        pub kind: MediaKind,
        /// A public address; the channel fetches it when the message is sent.
        pub url: WebUrl,
        /// Where media has no caption, such as a recording, it follows as a text.
        pub caption: Option<Text<CAPTION_CHARS_MAX>>,
        /// Shown for documents.
        pub filename: Option<Text<FILENAME_CHARS_MAX>>,
    }
}

choice! {
    /// The kind of media.
    pub enum MediaKind {
        Image => "image",
        Video => "video",
        Document => "document",
        Audio => "audio",
    }
}

choice! {
    /// The channels that can send to a phone number.
    pub enum PhoneChannel {
        Whatsapp => "whatsapp",
        PersonalWhatsapp => "personal_whatsapp",
    }
}

fn indexes(choice: &Map<String, Value>, problems: &mut Problems) {
    for key in choice.get("button_params").and_then(Value::as_object).into_iter().flat_map(Map::keys) {
        if key.parse::<u32>().is_err() {
            problems.add(format!("button_params.{key}"), "must be keyed by the button's index, such as 0");
        }
    }
}

/// A value for a placeholder. It may be blank here; a later check names the parameter if the template does
/// not allow it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Parameter(pub String);

impl Input for Parameter {
    fn schema(_: &mut Components) -> Value {
        json!({ "type": "string", "maxLength": PARAM_CHARS_MAX, "pattern": "^[^\\u0000]*$" })
    }

    fn read(value: Option<&Value>, at: &mut FieldPath, problems: &mut Problems) -> Option<Self> {
        let text = input::string(value, at, problems)?;
        if text.chars().count() > PARAM_CHARS_MAX || text.contains('\0') {
            problems.at(at, format!("must be text of at most {PARAM_CHARS_MAX} characters"));
            return None;
        }
        Some(Self(text.to_owned()))
    }
}

/// An absolute http or https URL.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WebUrl(String);

#[derive(Clone, Copy, Debug, thiserror::Error)]
#[error("must be an absolute http or https URL of at most {URL_CHARS_MAX} characters")]
pub struct NotAWebUrl;

impl WebUrl {
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl FromStr for WebUrl {
    type Err = NotAWebUrl;

    fn from_str(text: &str) -> Result<Self, NotAWebUrl> {
        let text = text.trim();
        let uri: http::Uri = text.parse().map_err(|_| NotAWebUrl)?;
        let usable = matches!(uri.scheme_str(), Some("http" | "https"))
            && uri.host().is_some_and(|host| !host.is_empty())
            && text.len() <= URL_CHARS_MAX;
        if usable { Ok(Self(text.to_owned())) } else { Err(NotAWebUrl) }
    }
}

text_input!(WebUrl, |_| json!({
    "type": "string", "format": "uri", "maxLength": URL_CHARS_MAX, "pattern": "^https?://",
    "examples": ["https://example.com/photo.jpg"],
}));

/// Whom a message is for: a conversation that exists, or a number.
#[derive(Clone, Debug)]
pub enum To {
    Thread(ToThread),
    Phone(ToPhone),
}

input! {
    /// An existing conversation, on any channel.
    pub struct ToThread {
        pub conversation_id: ConversationId,
        /// The newest message of the conversation that the sender has seen. When somebody else has replied to the
        /// customer after it, the message is refused with 422 `newer_reply`.
        pub last_seen_message_id: Option<MessageId>,
    }
}

input! {
    /// A phone number; its contact and conversation are found or created.
    pub struct ToPhone {
        pub phone: Phone,
        /// The country of a number without a country code, such as `DE`. With it, a number that cannot exist is refused.
        pub country: Option<Country>,
        /// Defaults to `whatsapp`.
        pub channel: Option<PhoneChannel>,
        /// The number to send from; required for `personal_whatsapp`.
        pub connection_id: Option<ConnectionId>,
    }
    shape = names_its_number;
}

fn names_its_number(to: &Map<String, Value>, problems: &mut Problems) {
    let personal = to.get("channel").and_then(Value::as_str) == Some(PhoneChannel::PersonalWhatsapp.as_str());
    if personal && to.get("connection_id").is_none_or(Value::is_null) {
        problems.add("connection_id", "is required for personal_whatsapp: the linked number to send from");
    }
}

impl Input for To {
    fn schema(components: &mut Components) -> Value {
        components.named::<Self>(
            "To",
            |components| json!({ "oneOf": [ToThread::schema(components), ToPhone::schema(components)] }),
        )
    }

    fn read(value: Option<&Value>, at: &mut FieldPath, problems: &mut Problems) -> Option<Self> {
        let object = input::object(value, at, problems)?;
        let has = |field: &str| !input::is_blank(object, field);
        match (has("conversation_id"), has("phone")) {
            (true, false) => ToThread::read(value, at, problems).map(Self::Thread),
            (false, true) => ToPhone::read(value, at, problems).map(Self::Phone),
            (true, true) => {
                problems.at(at, "must have either conversation_id or phone, not both");
                None
            }
            (false, false) => {
                problems.at(at, "must have conversation_id or phone");
                None
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn problems(body: &Value) -> Vec<String> {
        let mut problems = Problems::new();
        let read = NewMessage::read(Some(body), &mut FieldPath::root(), &mut problems);
        assert_eq!(read.is_none(), !problems.is_empty());
        problems.iter().map(|(path, _)| path.to_owned()).collect()
    }

    #[test]
    fn a_message_has_one_target_and_one_shape() {
        let id = "01890a5d-ac96-774b-bcce-b302099a8057";
        let fine: [Value; 4] = [
            json!({ "type": "text", "to": { "conversation_id": id }, "text": "hi" }),
            json!({ "type": "text", "to": { "phone": "+1 415 555 0123" }, "text": "hi" }),
            json!({ "type": "media", "to": { "phone": "+14155550123" }, "media": { "kind": "image", "url": "https://x.example/a.png" } }),
            json!({ "type": "template", "to": { "phone": "+14155550123" }, "template": { "name": "t", "body_params": ["", "b"], "button_params": { "0": "x" } } }),
        ];
        for body in fine {
            assert_eq!(problems(&body), [""; 0], "{body}");
        }
    }

    #[test]
    fn all_problems_are_reported_with_their_paths() {
        let cases = [
            (json!({ "to": { "phone": "+14155550123" }, "text": "hi" }), vec!["type"]),
            (
                json!({ "type": "text", "to": { "phone": "+14155550123" }, "text": "hi", "reply_to_message_id": "x" }),
                vec!["reply_to_message_id"],
            ),
            (json!({ "type": "text", "to": {}, "text": " " }), vec!["to", "text"]),
            (
                json!({ "type": "text", "to": { "phone": "x", "channel": "sms" }, "text": "hi" }),
                vec!["to.phone", "to.channel"],
            ),
            (
                json!({ "type": "text", "to": { "phone": "+14155550123", "channel": "personal_whatsapp" }, "text": "hi" }),
                vec!["to.connection_id"],
            ),
            (
                json!({ "type": "media", "to": { "phone": "+14155550123" }, "media": { "kind": "gif", "url": "ftp://x" } }),
                vec!["media.kind", "media.url"],
            ),
            (
                json!({ "type": "template", "to": { "phone": "+14155550123" }, "template": { "button_params": { "a": "x" } } }),
                vec!["template.name", "template.button_params.a"],
            ),
        ];
        for (body, expected) in cases {
            assert_eq!(problems(&body), expected, "{body}");
        }
    }
}
