//! The kinds of customers' messages.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde::Deserialize;

use crate::home::Home;
use crate::mark;
use crate::media::{Content as MediaContent, MEDIA_BYTES_MAX, Media, sample};
use crate::response::ControlError;

/// The body of the call.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct CustomerInput {
    pub(super) connection_id: Option<String>,
    text: Option<String>,
    media: Option<Attached>,
    location: Option<Location>,
    button_reply: Option<ButtonReply>,
    button: Option<Button>,
    reaction: Option<Reaction>,
    pub(super) name: Option<String>,
    pub(super) reply_to: Option<String>,
    /// The message's id, to send the same message twice.
    pub(super) id: Option<String>,
    /// The message's time in seconds since 1970; now by default.
    pub(super) timestamp: Option<i64>,
    pub(super) user_id: Option<String>,
    pub(super) hide_number: Option<bool>,
    pub(super) from_me: Option<bool>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Attached {
    kind: String,
    url: Option<String>,
    base64: Option<String>,
    content_type: Option<String>,
    caption: Option<String>,
    filename: Option<String>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Location {
    pub(super) latitude: f64,
    pub(super) longitude: f64,
    pub(super) name: Option<String>,
    pub(super) address: Option<String>,
}

/// A reply button of an interactive message, or a button with a payload in Messenger.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ButtonReply {
    pub(super) id: String,
    pub(super) title: String,
}

/// A quick-reply button of a template.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Button {
    pub(super) payload: String,
    pub(super) text: String,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Reaction {
    pub(super) message_id: String,
    /// None, or blank, removes the reaction.
    pub(super) emoji: Option<String>,
}

pub(super) enum Content {
    Text(String),
    Media { kind: &'static str, media: Media, caption: Option<String> },
    Location(Location),
    ButtonReply(ButtonReply),
    Button(Button),
    Reaction(Reaction),
}

impl Content {
    pub(super) fn kind(&self) -> &'static str {
        match self {
            Self::Text(_) => "text",
            Self::Media { kind, .. } => kind,
            Self::Location(_) => "location",
            Self::ButtonReply(_) => "interactive",
            Self::Button(_) => "button",
            Self::Reaction(_) => "reaction",
        }
    }

    /// The text for the page.
    pub(super) fn text(&self) -> String {
        match self {
            Self::Text(text) => text.clone(),
            Self::Media { caption, .. } => caption.clone().unwrap_or_default(),
            Self::Location(at) => {
                let name = at.name.clone().unwrap_or_default();
                format!("{name} {}, {}", at.latitude, at.longitude).trim().to_owned()
            }
            Self::ButtonReply(button) => button.title.clone(),
            Self::Button(button) => button.text.clone(),
            Self::Reaction(reaction) => reaction.emoji.clone().unwrap_or_default(),
        }
    }
}

impl CustomerInput {
    /// The message's single content.
    pub(super) async fn content(
        self,
        connection_id: &str,
        home: Option<&Home>,
    ) -> Result<Content, ControlError> {
        let media = match self.media {
            Some(attached) => Some(attached.content(connection_id, home).await?),
            None => None,
        };
        let mut said = [
            self.text.filter(|text| !text.is_empty()).map(Content::Text),
            media,
            self.location.map(Content::Location),
            self.button_reply.map(Content::ButtonReply),
            self.button.map(Content::Button),
            self.reaction.map(Content::Reaction),
        ]
        .into_iter()
        .flatten();
        match (said.next(), said.next()) {
            (Some(content), None) => Ok(content),
            _ => Err(ControlError::request(
                "A customer says one thing at a time: give text, media, location, button_reply, button or reaction.",
            )),
        }
    }
}

impl Attached {
    async fn content(self, connection_id: &str, home: Option<&Home>) -> Result<Content, ControlError> {
        let kinds = ["image", "video", "audio", "voice", "document", "sticker"];
        let Some(kind) = kinds.into_iter().find(|kind| *kind == self.kind) else {
            return Err(ControlError::request(
                "media.kind is image, video, audio, voice, document or sticker.",
            ));
        };
        let (sample_type, sample_name, sample_bytes) = sample(kind);
        let given = |content_type: Option<String>| {
            content_type.ok_or_else(|| {
                ControlError::request("media.content_type says what the media is: image/png, say.")
            })
        };
        let (content, content_type, filename) = match (self.url, self.base64) {
            (Some(_), Some(_)) => {
                return Err(ControlError::request("Give media.url or media.base64, not both."));
            }
            (Some(url), None) if url.starts_with("http://") || url.starts_with("https://") => match home {
                None => (MediaContent::Elsewhere(url), given(self.content_type)?, self.filename),
                Some(home) => {
                    let (content, content_type) = fetch(home, url, self.content_type).await?;
                    (content, content_type, self.filename)
                }
            },
            (Some(_), None) => {
                return Err(ControlError::request("media.url begins with http:// or https://."));
            }
            (None, Some(text)) => {
                let bytes = STANDARD.decode(text.trim()).map_err(|why| {
                    ControlError::request(format!("media.base64 is not standard base64 with padding: {why}."))
                })?;
                if bytes.len() > MEDIA_BYTES_MAX {
                    return Err(ControlError::request(format!(
                        "A media has at most {MEDIA_BYTES_MAX} bytes."
                    )));
                }
                (MediaContent::Here(bytes.into()), given(self.content_type)?, self.filename)
            }
            (None, None) => {
                let filename = self.filename.or_else(|| Some(sample_name.to_owned()));
                (
                    MediaContent::Here(sample_bytes),
                    self.content_type.unwrap_or_else(|| sample_type.into()),
                    filename,
                )
            }
        };
        let media = Media {
            id: mark::object(),
            connection_id: connection_id.to_owned(),
            content_type,
            filename,
            content,
        };
        Ok(Content::Media { kind, media, caption: self.caption.filter(|caption| !caption.is_empty()) })
    }
}

/// Lets the server fetch the media, so that webhooks only contain the sandbox's own address.
async fn fetch(
    home: &Home,
    url: String,
    content_type: Option<String>,
) -> Result<(MediaContent, String), ControlError> {
    let fetched = (home.fetch)(url, MEDIA_BYTES_MAX).await;
    let fetched =
        fetched.map_err(|why| ControlError::request(format!("media.url was not fetched: {why}.")))?;
    let content_type = content_type.or(fetched.content_type);
    let content_type = content_type.unwrap_or_else(|| "application/octet-stream".to_owned());
    Ok((MediaContent::Here(fetched.bytes), content_type))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::home::{Fetch, Fetched};
    use serde_json::{Value, json};
    use std::sync::Arc;

    async fn content(body: Value) -> Result<Content, String> {
        content_at(body, None).await
    }

    async fn content_at(body: Value, home: Option<&Home>) -> Result<Content, String> {
        let words: CustomerInput = serde_json::from_value(body).map_err(|why| why.to_string())?;
        words.content("c", home).await.map_err(|wrong| wrong.message)
    }

    #[tokio::test]
    async fn one_message_has_one_content() {
        assert!(content(json!({ "text": "hi" })).await.is_ok());
        assert!(content(json!({})).await.is_err() && content(json!({ "text": "" })).await.is_err());
        assert!(content(json!({ "text": "hi", "media": { "kind": "image" } })).await.is_err());
    }

    #[tokio::test]
    async fn media_without_bytes_is_a_sample() {
        let said = content(json!({ "media": { "kind": "image" } })).await;
        let Ok(Content::Media { kind, media, .. }) = said else { panic!() };
        assert_eq!((kind, media.content_type.as_str()), ("image", "image/png"));
    }

    #[tokio::test]
    async fn media_at_an_address_is_fetched_by_the_server() {
        let fetch: Fetch = Arc::new(|url, _| {
            Box::pin(async move {
                if url != "https://a.test/b.png" {
                    return Err("the address 10.0.0.1 is not on the public internet".to_owned());
                }
                Ok(Fetched { content_type: Some("image/png".to_owned()), bytes: "bytes".into() })
            })
        });
        let url = "http://127.0.0.1:8080".to_owned();
        let home = Home { url, has_movable_clock: false, fetch };
        let media = |url: &str| json!({ "media": { "kind": "image", "url": url } });
        let said = content_at(media("https://a.test/b.png"), Some(&home)).await;
        let Ok(Content::Media { media: fetched, .. }) = said else { panic!() };
        assert_eq!(fetched.content_type, "image/png");
        assert!(matches!(fetched.content, MediaContent::Here(bytes) if bytes == "bytes"));
        let refused = content_at(media("http://10.0.0.1/"), Some(&home)).await.err().unwrap();
        assert!(refused.contains("not on the public internet"), "{refused}");
    }

    #[tokio::test]
    async fn media_that_cannot_be_is_told_why() {
        for (media, told) in [
            (json!({ "kind": "smell" }), "media.kind"),
            (json!({ "kind": "image", "base64": "!", "content_type": "image/png" }), "base64"),
            (json!({ "kind": "image", "base64": "AAAA" }), "content_type"),
            (json!({ "kind": "image", "url": "ftp://a", "content_type": "image/png" }), "http://"),
            (json!({ "kind": "image", "url": "http://a", "base64": "AAAA" }), "not both"),
        ] {
            let why = content(json!({ "media": media })).await.err().unwrap();
            assert!(why.contains(told), "{why}");
        }
    }
}
