//! The JSON of a message to send, and of its response.

use serde::Serialize;
use serde::ser::{SerializeMap, Serializer};
use serde_json::{Map, Value, json};

use crate::call::Accepted;
use crate::incoming::MediaKind;
use crate::outgoing::{Outgoing, Payload};
use crate::reading;
use crate::template::{ButtonKind, Composed, ComposedButton, ComposedHeader, ComposedParameter};

/// The body of the call that sends a message. It is written without a [`Value`] between, because most calls are these.
pub(super) struct Body<'a>(pub(super) &'a Outgoing);

#[derive(Serialize)]
struct Text<'a> {
    body: &'a str,
    preview_url: bool,
}

impl Serialize for Body<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Self(message) = self;
        let mut body = serializer.serialize_map(None)?;
        body.serialize_entry("messaging_product", "whatsapp")?;
        body.serialize_entry("recipient_type", "individual")?;
        let (field, person) = address(&message.to);
        body.serialize_entry(field, &person)?;
        match &message.payload {
            Payload::Text(text) => {
                body.serialize_entry("type", "text")?;
                body.serialize_entry("text", &Text { body: text, preview_url: false })?;
            }
            Payload::Media { kind, url, caption, filename, uploaded, .. } => {
                let source = uploaded.as_deref().map_or(("link", url.as_str()), |id| ("id", id));
                body.serialize_entry("type", kind.as_str())?;
                body.serialize_entry(
                    kind.as_str(),
                    &media(*kind, source, caption.as_deref(), filename.as_deref()),
                )?;
            }
            Payload::Template { name, language, composed } => {
                body.serialize_entry("type", "template")?;
                body.serialize_entry("template", &template(name, language, composed))?;
            }
        }
        if let Some(quoted) = &message.reply_to {
            body.serialize_entry("context", &json!({"message_id": quoted}))?;
        }
        body.serialize_entry("biz_opaque_callback_data", &message.our_id)?;
        body.end()
    }
}

/// A number goes under `to` as its digits; an id with this business goes under `recipient` unchanged.
fn address(to: &str) -> (&'static str, String) {
    if to.contains(char::is_alphabetic) { ("recipient", to.to_owned()) } else { ("to", reading::digits(to)) }
}

/// A media is named by its link, or by the id that it got when it was uploaded.
fn media(
    kind: MediaKind,
    (name, value): (&str, &str),
    caption: Option<&str>,
    filename: Option<&str>,
) -> Value {
    let mut part = Map::new();
    part.insert(name.to_owned(), json!(value));
    if let (MediaKind::Document, Some(filename)) = (kind, filename) {
        part.insert("filename".to_owned(), json!(filename));
    }
    if let (MediaKind::Image | MediaKind::Video | MediaKind::Document, Some(caption)) = (kind, caption) {
        part.insert("caption".to_owned(), json!(caption));
    }
    Value::Object(part)
}

fn template(name: &str, language: &str, composed: &Composed) -> Value {
    let mut components = Vec::new();
    if let Some(filled) = &composed.header {
        components.push(json!({"type": "header", "parameters": [header(filled)]}));
    }
    if !composed.body.is_empty() {
        let parameters: Vec<Value> = composed.body.iter().map(text).collect();
        components.push(json!({"type": "body", "parameters": parameters}));
    }
    components.extend(composed.buttons.iter().map(button));
    let mut part = json!({"name": name, "language": {"code": language}});
    if !components.is_empty() {
        part["components"] = Value::Array(components);
    }
    part
}

fn header(header: &ComposedHeader) -> Value {
    match header {
        ComposedHeader::Text(parameter) => text(parameter),
        ComposedHeader::Image { link } => json!({"type": "image", "image": {"link": link}}),
        ComposedHeader::Video { link } => json!({"type": "video", "video": {"link": link}}),
        ComposedHeader::Document { link, filename } => {
            let document = media(MediaKind::Document, ("link", link), None, filename.as_deref());
            json!({"type": "document", "document": document})
        }
    }
}

fn text(parameter: &ComposedParameter) -> Value {
    match &parameter.name {
        Some(name) => json!({"type": "text", "parameter_name": name, "text": parameter.text}),
        None => json!({"type": "text", "text": parameter.text}),
    }
}

fn button(button: &ComposedButton) -> Value {
    let (sub_type, parameter) = match button.kind {
        ButtonKind::Url => ("url", json!({"type": "text", "text": button.value})),
        ButtonKind::CopyCode => ("copy_code", json!({"type": "coupon_code", "coupon_code": button.value})),
    };
    json!({"type": "button", "sub_type": sub_type, "index": button.index.to_string(), "parameters": [parameter]})
}

/// The message's id, and the person's if it differs from the address of the send.
pub(super) fn accepted(body: &Value) -> Accepted {
    let message = &body["messages"][0];
    let contact = &body["contacts"][0];
    let addressed = reading::text(contact, "input").unwrap_or_default();
    let person = reading::text(contact, "wa_id").or_else(|| reading::text(contact, "user_id"));
    Accepted {
        channel_message_id: reading::text(message, "id"),
        person: person.filter(|person| *person != addressed && *person != reading::digits(&addressed)),
    }
}
