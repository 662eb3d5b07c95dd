//! The parameters of a template's components.

use serde_json::Value;

use super::TemplateFill;
use super::composed::ButtonKind;
use super::pattern::Pattern;
use crate::reading;

/// A template's components, with the parts that a send fills in.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Layout {
    pub(super) named: bool,
    pub(super) header: Header,
    pub(super) body: Pattern,
    pub(super) buttons: Vec<Button>,
    /// Parts with parameters that a send has no field for.
    pub(super) beyond: Vec<String>,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) enum Header {
    /// No header, or one that is always the same.
    #[default]
    Fixed,
    Text {
        key: String,
    },
    Media {
        kind: HeaderMedia,
        /// The address of the media that the template was approved with, if the vendor shares it.
        example: Option<String>,
    },
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum HeaderMedia {
    Image,
    Video,
    Document,
}

impl HeaderMedia {
    pub(super) fn as_str(self) -> &'static str {
        match self {
            Self::Image => "image",
            Self::Video => "video",
            Self::Document => "document",
        }
    }
}

/// A button, and what its value is when it takes one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Button {
    pub(super) takes: Option<ButtonKind>,
}

impl Layout {
    /// Parses the vendor's own JSON; a component of an unknown type has no parameters.
    pub fn read(components: &Value, named: bool) -> Self {
        let mut layout = Self { named, ..Self::default() };
        for component in components.as_array().into_iter().flatten() {
            match word(component, "type").as_str() {
                "HEADER" => layout.read_header(component),
                "BODY" => layout.body = Pattern::read(component["text"].as_str().unwrap_or_default()),
                "BUTTONS" => layout.read_buttons(component),
                beyond @ ("CAROUSEL" | "LIMITED_TIME_OFFER") => layout.beyond.push(beyond.to_lowercase()),
                _ => {}
            }
        }
        layout
    }

    /// The keys of the body's placeholders, each once, in the order in which `body_params` gives their values.
    pub fn placeholders(&self) -> Vec<String> {
        self.body.keys().into_iter().map(str::to_owned).collect()
    }

    /// When the link to the header's example expires, in Unix seconds. Meta's links say so, in hexadecimal.
    pub fn example_expires_at(&self) -> Option<i64> {
        let Header::Media { example: Some(link), .. } = &self.header else { return None };
        let expiry = link.split(['?', '&']).find_map(|part| part.strip_prefix("oe="))?;
        i64::from(u32::from_str_radix(expiry, 16).ok()?).into()
    }

    /// The body's text with these values; a placeholder without a value is unchanged.
    pub fn text(&self, fill: &TemplateFill) -> String {
        let keys = self.body.keys();
        self.body.filled(|key| {
            let index = keys.iter().position(|known| *known == key)?;
            fill.body_params.get(index).map(String::as_str)
        })
    }

    fn read_header(&mut self, component: &Value) {
        let media = |kind| Header::Media { kind, example: example(component) };
        self.header = match word(component, "format").as_str() {
            "IMAGE" => media(HeaderMedia::Image),
            "VIDEO" => media(HeaderMedia::Video),
            "DOCUMENT" => media(HeaderMedia::Document),
            "TEXT" | "" => {
                let text = Pattern::read(component["text"].as_str().unwrap_or_default());
                text.keys().first().map_or(Header::Fixed, |key| Header::Text { key: (*key).to_owned() })
            }
            other => {
                self.beyond.push(format!("{} header", other.to_lowercase()));
                Header::Fixed
            }
        };
    }

    fn read_buttons(&mut self, component: &Value) {
        for button in reading::items(component, "buttons") {
            let has_placeholder =
                || !Pattern::read(button["url"].as_str().unwrap_or_default()).keys().is_empty();
            let takes = match word(button, "type").as_str() {
                "URL" => has_placeholder().then_some(ButtonKind::Url),
                // The button of a one-time password takes its code like a URL button its suffix.
                "OTP" => Some(ButtonKind::Url),
                "COPY_CODE" => Some(ButtonKind::CopyCode),
                beyond @ ("MPM" | "SPM") => {
                    self.beyond.push(format!("{} button", beyond.to_lowercase()));
                    None
                }
                _ => None,
            };
            self.buttons.push(Button { takes });
        }
    }
}

/// The address of a media header's example. The handle that a template was submitted with is no address.
fn example(component: &Value) -> Option<String> {
    let handle = component["example"]["header_handle"][0].as_str()?;
    let is_address = handle.starts_with("https://") || handle.starts_with("http://");
    is_address.then(|| handle.to_owned())
}

fn word(value: &Value, key: &str) -> String {
    value[key].as_str().unwrap_or_default().to_ascii_uppercase()
}
