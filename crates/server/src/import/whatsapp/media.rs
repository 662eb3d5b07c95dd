//! What a message says about a file: that one is attached, or that one was left out of the export. Pure.

use frontdesk_inbox::messages::MessageType;

use super::stamp::HIDDEN;

/// What stands in place of a file that was left out, in lower case, without the brackets of Android.
const LEFT_OUT: &[&str] = &[
    "media omitted",
    "medien ausgeschlossen",
    "medien weggelassen",
    "multimedia omitido",
    "archivo omitido",
    "mídia oculta",
    "arquivo de mídia oculto",
    "médias omis",
    "média omis",
    "fichier média omis",
    "media omessi",
    "media weggelaten",
    "medya dahil edilmedi",
    "pominięto multimedia",
    "без медиафайлов",
    "media utelämnat",
    "image omitted",
    "video omitted",
    "audio omitted",
    "sticker omitted",
    "document omitted",
    "gif omitted",
    "contact card omitted",
    "video note omitted",
    "bild weggelassen",
    "video weggelassen",
    "audio weggelassen",
    "sticker weggelassen",
    "dokument weggelassen",
    "imagen omitida",
    "video omitido",
    "audio omitido",
    "sticker omitido",
    "documento omitido",
    "imagem ocultada",
    "vídeo omitido",
    "áudio ocultado",
    "image absente",
    "vidéo absente",
    "audio absent",
    "immagine omessa",
    "video omesso",
    "audio omesso",
    "afbeelding weggelaten",
    "video weggelaten",
];

/// A message, apart from what it says about a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Content<'t> {
    Text(&'t str),
    /// A file of the archive, with a text below it.
    File {
        name: &'t str,
        caption: Option<&'t str>,
    },
    LeftOut,
}

/// Reads a message. `is_file` tells whether the archive has a file of a name: the words around a name are of the phone's
/// language, and the name is not.
pub(super) fn content(text: &str, is_file: impl Fn(&str) -> bool) -> Content<'_> {
    let shown = text.trim_matches(|c: char| HIDDEN.contains(&c) || c.is_whitespace());
    let word = shown.trim_start_matches('<').trim_end_matches('>').trim().to_lowercase();
    if LEFT_OUT.contains(&word.as_str()) {
        return Content::LeftOut;
    }
    let (first, rest) = shown.split_once('\n').unwrap_or((shown, ""));
    let first = first.trim_matches(|c: char| HIDDEN.contains(&c) || c.is_whitespace());
    let caption = Some(rest.trim()).filter(|rest| !rest.is_empty());
    // An iPhone: <attached: NAME>, perhaps after a text.
    if let Some((before, marked)) = first.strip_suffix('>').and_then(|line| line.rsplit_once('<'))
        && let Some((_, name)) = marked.split_once(':')
        && is_file(name.trim_matches(|c: char| HIDDEN.contains(&c) || c.is_whitespace()))
    {
        let before = before.trim_matches(|c: char| HIDDEN.contains(&c) || c.is_whitespace());
        let name = name.trim_matches(|c: char| HIDDEN.contains(&c) || c.is_whitespace());
        return Content::File { name, caption: Some(before).filter(|text| !text.is_empty()).or(caption) };
    }
    // An Android phone: NAME (file attached).
    if let Some((name, _)) = first.strip_suffix(')').and_then(|line| line.rsplit_once(" ("))
        && is_file(name)
    {
        return Content::File { name, caption };
    }
    Content::Text(text)
}

/// The kind of a file, and its content type, by its name.
pub(super) fn kind_of(name: &str) -> (MessageType, &'static str) {
    let extension = name.rsplit_once('.').map(|(_, extension)| extension.to_lowercase()).unwrap_or_default();
    match extension.as_str() {
        "jpg" | "jpeg" => (MessageType::Image, "image/jpeg"),
        "png" => (MessageType::Image, "image/png"),
        "webp" => (MessageType::Image, "image/webp"),
        "gif" => (MessageType::Image, "image/gif"),
        "mp4" => (MessageType::Video, "video/mp4"),
        "mov" => (MessageType::Video, "video/quicktime"),
        "3gp" => (MessageType::Video, "video/3gpp"),
        "opus" | "ogg" => (MessageType::Audio, "audio/ogg"),
        "m4a" => (MessageType::Audio, "audio/mp4"),
        "mp3" => (MessageType::Audio, "audio/mpeg"),
        "aac" => (MessageType::Audio, "audio/aac"),
        "pdf" => (MessageType::Document, "application/pdf"),
        "txt" => (MessageType::Document, "text/plain"),
        "vcf" => (MessageType::Document, "text/vcard"),
        _ => (MessageType::Document, "application/octet-stream"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Content<'_> {
        content(text, |name| matches!(name, "IMG-1.jpg" | "1-PHOTO (2).jpg" | "Offer: new.pdf"))
    }

    #[test]
    fn files_that_were_left_out_are_known_in_several_languages() {
        for text in [
            "<Media omitted>",
            "<Medien ausgeschlossen>",
            "\u{200e}image omitted",
            "\u{200e}Bild weggelassen",
            "<Multimedia omitido>",
        ] {
            assert_eq!(read(text), Content::LeftOut, "{text}");
        }
        assert_eq!(read("the media omitted it"), Content::Text("the media omitted it"));
    }

    #[test]
    fn a_file_is_known_by_its_name_in_the_archive_whatever_the_language() {
        let file = |name, caption| Content::File { name, caption };
        assert_eq!(read("IMG-1.jpg (file attached)"), file("IMG-1.jpg", None));
        assert_eq!(
            read("\u{200e}IMG-1.jpg (Datei angehängt)\nLook\nhere"),
            file("IMG-1.jpg", Some("Look\nhere"))
        );
        assert_eq!(read("\u{200e}<attached: 1-PHOTO (2).jpg>"), file("1-PHOTO (2).jpg", None));
        assert_eq!(read("Look \u{200e}<pièce jointe : IMG-1.jpg>"), file("IMG-1.jpg", Some("Look")));
        assert_eq!(read("<Anhang: Offer: new.pdf>"), file("Offer: new.pdf", None));
        // It is not there.
        assert_eq!(read("IMG-2.jpg (file attached)"), Content::Text("IMG-2.jpg (file attached)"));
        assert_eq!(read("<attached: ../../etc/passwd>"), Content::Text("<attached: ../../etc/passwd>"));
    }

    #[test]
    fn the_kind_of_a_file_is_that_of_its_name() {
        assert_eq!(kind_of("a.b.JPG").0, MessageType::Image);
        assert_eq!(kind_of("PTT-1.opus"), (MessageType::Audio, "audio/ogg"));
        assert_eq!(kind_of("noname").0, MessageType::Document);
    }
}
