//! What a message becomes: one message here has one text and one file, so a message there may become several. Pure.

use frontdesk_inbox::imports::TEXT_CHARS_MAX;
use frontdesk_inbox::messages::MessageType;
use serde_json::json;

use super::attachments::{Attachment, Blob};

/// The most messages that one message becomes.
pub(super) const PARTS_MAX: usize = 200;

/// A message here, before it is known whether its file can be read.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Part {
    Text(String),
    /// A file, with the text below it.
    File {
        kind: MessageType,
        blob: Blob,
        caption: Option<String>,
    },
    /// A file that is at an address of others.
    Link {
        kind: MessageType,
        url: String,
        caption: Option<String>,
    },
    Place {
        text: String,
        details: String,
    },
}

impl Part {
    /// The text of the message, if its file cannot be read.
    pub(super) fn text_without_file(&self) -> Option<String> {
        match self {
            Self::Text(text) | Self::Place { text, .. } => Some(text.clone()),
            Self::Link { caption, .. } => caption.clone(),
            Self::File { blob, caption, .. } => {
                let name = if blob.filename.trim().is_empty() { "file" } else { blob.filename.trim() };
                Some(match caption {
                    Some(caption) => format!("{caption}\n[{name}]").chars().take(TEXT_CHARS_MAX).collect(),
                    None => format!("[{name}]"),
                })
            }
        }
    }

    /// The text of the message with its file.
    pub(super) fn text_with_file(&self) -> Option<String> {
        match self {
            Self::File { caption, .. } => caption.clone(),
            other => other.text_without_file(),
        }
    }
}

/// The parts of a message. None of a message without text and attachments.
pub(super) fn parts(content: Option<&str>, attachments: &[Attachment]) -> Vec<Part> {
    let mut texts = pieces(content.unwrap_or_default());
    let mut found: Vec<Part> = attachments.iter().filter_map(part).collect();
    // A text that fits goes below the first file, as it was sent.
    if let [text] = &texts[..]
        && let Some(Part::File { caption, .. } | Part::Link { caption, .. }) = found.first_mut()
    {
        *caption = Some(text.clone());
        texts.clear();
    }
    let mut all: Vec<Part> = texts.into_iter().map(Part::Text).collect();
    all.append(&mut found);
    all.truncate(PARTS_MAX);
    all
}

/// A text in pieces that one message can have each.
fn pieces(text: &str) -> Vec<String> {
    if text.trim().is_empty() {
        return Vec::new();
    }
    let (mut pieces, mut piece, mut chars) = (Vec::new(), String::new(), 0);
    for c in text.chars().filter(|c| *c != '\0') {
        piece.push(c);
        chars += 1;
        if chars == TEXT_CHARS_MAX {
            pieces.push(std::mem::take(&mut piece));
            chars = 0;
        }
    }
    pieces.extend((!piece.is_empty()).then_some(piece));
    pieces
}

/// What an attachment becomes, by the number of its type there: image, audio, video, file, location; the others refer to
/// something elsewhere.
fn part(attachment: &Attachment) -> Option<Part> {
    let kind = match attachment.file_type {
        0 | 7 | 11 => MessageType::Image,
        1 => MessageType::Audio,
        2 | 9 => MessageType::Video,
        3 => MessageType::Document,
        _ => MessageType::Text,
    };
    if attachment.file_type == 4 {
        return Some(place(attachment));
    }
    if let Some(blob) = &attachment.blob {
        let kind = if kind == MessageType::Text { of_content(blob) } else { kind };
        return Some(Part::File { kind, blob: blob.clone(), caption: None });
    }
    let url = attachment.external_url.clone().filter(|url| is_web(url));
    match (url, kind) {
        (Some(url), MessageType::Text) => {
            let title = attachment.title.as_deref().map(str::trim).filter(|title| !title.is_empty());
            Some(Part::Text(title.map_or_else(|| url.clone(), |title| format!("{title}\n{url}"))))
        }
        (Some(url), kind) => Some(Part::Link { kind, url, caption: None }),
        (None, _) => attachment.title.clone().filter(|title| !title.trim().is_empty()).map(Part::Text),
    }
}

fn is_web(url: &str) -> bool {
    const URL_BYTES_MAX: usize = 2_000;
    url.len() <= URL_BYTES_MAX && (url.starts_with("https://") || url.starts_with("http://"))
}

fn of_content(blob: &Blob) -> MessageType {
    match blob.content_type.as_deref().and_then(|kind| kind.split('/').next()) {
        Some("image") => MessageType::Image,
        Some("audio") => MessageType::Audio,
        Some("video") => MessageType::Video,
        _ => MessageType::Document,
    }
}

fn place(attachment: &Attachment) -> Part {
    let (latitude, longitude) = (attachment.latitude.unwrap_or(0.0), attachment.longitude.unwrap_or(0.0));
    let name = attachment.title.clone().filter(|title| !title.trim().is_empty());
    let spot = format!("{latitude}, {longitude}");
    let text = name.as_ref().map_or_else(|| spot.clone(), |name| format!("{name} ({spot})"));
    let details =
        json!({ "latitude": latitude, "longitude": longitude, "name": name, "address": null }).to_string();
    Part::Place { text, details }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(file_type: i64) -> Attachment {
        let blob = Blob { key: "abcdef".into(), filename: "chair.pdf".into(), ..Blob::default() };
        Attachment { id: 1, file_type, blob: Some(blob), ..Attachment::default() }
    }

    #[test]
    fn a_text_goes_below_the_first_file() {
        let found = parts(Some("Look"), &[file(0), file(3)]);
        assert_eq!(found.len(), 2);
        assert!(
            matches!(&found[0], Part::File { kind: MessageType::Image, caption: Some(text), .. } if text == "Look")
        );
        assert!(matches!(&found[1], Part::File { kind: MessageType::Document, caption: None, .. }));
        assert_eq!(found[0].text_without_file().as_deref(), Some("Look\n[chair.pdf]"));
        assert_eq!(found[1].text_without_file().as_deref(), Some("[chair.pdf]"));
        assert_eq!(found[1].text_with_file(), None);
    }

    #[test]
    fn nothing_becomes_nothing_and_a_huge_text_becomes_several() {
        assert!(parts(None, &[]).is_empty() && parts(Some(" \n"), &[]).is_empty());
        let huge = "\u{1F346}".repeat(TEXT_CHARS_MAX * 2 + 5);
        let found = parts(Some(&huge), &[file(0)]);
        assert_eq!(found.len(), 4);
        let whole: String = found.iter().filter_map(Part::text_with_file).collect();
        assert_eq!(whole, huge);
    }

    #[test]
    fn places_links_and_references_are_kept_as_far_as_they_say_something() {
        let place = Attachment {
            file_type: 4,
            latitude: Some(52.5),
            longitude: Some(13.4),
            title: Some("Berlin".into()),
            ..Attachment::default()
        };
        assert_eq!(parts(None, &[place])[0].text_with_file().as_deref(), Some("Berlin (52.5, 13.4)"));
        let link = |file_type, url: &str| Attachment {
            file_type,
            external_url: Some(url.into()),
            ..Attachment::default()
        };
        assert!(matches!(parts(None, &[link(0, "https://x.example/a.png")])[0], Part::Link { .. }));
        assert!(
            matches!(&parts(None, &[link(5, "https://x.example/")])[0], Part::Text(text) if text.ends_with('/'))
        );
        assert!(parts(None, &[link(0, "javascript:alert(1)")]).is_empty());
        assert!(parts(None, &[Attachment { file_type: 99, ..Attachment::default() }]).is_empty());
    }
}
