//! A mail as it goes over the wire: headers, and the words as text and as HTML.

use std::time::{Duration, SystemTime};

use frontdesk_kernel::Timestamp;
use lettre::Address;
use lettre::message::header::{HeaderName, HeaderValue};
use lettre::message::{Mailbox, Message, MultiPart};

use super::words::line;

/// Characters of a subject and of a name in a header.
const SUBJECT_CHARS_MAX: usize = 120;
const NAME_CHARS_MAX: usize = 60;

/// Everything that a mail is made of.
pub(super) struct Envelope<'m> {
    pub(super) from: &'m Mailbox,
    /// The name of the sender, if the operator has set none.
    pub(super) from_name: &'m str,
    pub(super) to: &'m Address,
    pub(super) to_name: &'m str,
    pub(super) subject: &'m str,
    pub(super) text: String,
    pub(super) html: String,
    /// The same for every try, so that a mail that arrives twice can be told.
    pub(super) message_id: String,
    pub(super) now: Timestamp,
    /// Where the recipient unsubscribes with one click.
    pub(super) unsubscribe: Option<&'m str>,
}

/// The bytes of a mail; none if a header cannot be written.
pub(super) fn write(envelope: Envelope<'_>) -> Option<Vec<u8>> {
    let Envelope { from, from_name, to, to_name, subject, text, html, message_id, now, unsubscribe } =
        envelope;
    let name = |name: &str| Some(line(name, NAME_CHARS_MAX)).filter(|name| !name.is_empty());
    let from_name = from.name.clone().or_else(|| name(from_name));
    let moment = SystemTime::UNIX_EPOCH + Duration::from_millis(now.millis().max(0) as u64);
    let mut builder = Message::builder()
        .from(Mailbox::new(from_name, from.email.clone()))
        .to(Mailbox::new(name(to_name), to.clone()))
        .subject(line(subject, SUBJECT_CHARS_MAX))
        .date(moment)
        .message_id(Some(message_id))
        .raw_header(header("Auto-Submitted", "auto-generated".to_owned())?);
    if let Some(url) = unsubscribe {
        builder = builder
            .raw_header(header("List-Unsubscribe", format!("<{url}>"))?)
            .raw_header(header("List-Unsubscribe-Post", "List-Unsubscribe=One-Click".to_owned())?);
    }
    let message = builder.multipart(MultiPart::alternative_plain_html(text, html)).ok()?;
    Some(message.formatted())
}

fn header(name: &str, value: String) -> Option<HeaderValue> {
    Some(HeaderValue::new(HeaderName::new_from_ascii(name.to_owned()).ok()?, value))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mail(to_name: &str, subject: &str) -> String {
        let written = write(Envelope {
            from: &"desk@example.com".parse().unwrap(),
            from_name: "Acme\r\nBcc: all@example.com",
            to: &"ann@example.com".parse().unwrap(),
            to_name,
            subject,
            text: "Hello\r\n.\r\nMAIL FROM:<x@example.com>\r\n".to_owned(),
            html: "<p>Hello</p>".to_owned(),
            message_id: "<1@desk.example.com>".to_owned(),
            now: Timestamp::from_millis(1_767_225_600_000),
            unsubscribe: Some(
                "https://desk.example.com/mail/unsubscribe/abcdefghijklmnopqrstuvwxyz0123456789abcdefghijklmnopqrstuvwxyz0123456789abcdefghijkl",
            ),
        });
        String::from_utf8(written.unwrap()).unwrap()
    }

    fn headers(mail: &str) -> Vec<String> {
        let (head, _) = mail.split_once("\r\n\r\n").unwrap();
        head.replace("\r\n ", " ").split("\r\n").map(str::to_owned).collect()
    }

    #[test]
    fn no_name_and_no_subject_adds_a_header_or_a_recipient() {
        let plain = mail("Ann", "Hello");
        let names = |mail: &str| -> Vec<String> {
            headers(mail).iter().map(|line| line.split(':').next().unwrap().to_owned()).collect()
        };
        for odd in [
            "x\r\nBcc: eve@example.com",
            "x\nBcc: eve@example.com",
            "x\rBcc: eve@example.com",
            "x\u{2028}Bcc: eve@example.com",
            "\r\n\r\nbody",
            "a\" <eve@example.com>, \"b",
            "\0\u{1}\u{7f}\u{85}",
            "=?utf-8?q?=0D=0ABcc:_eve@example.com?=",
            "ü\r\nBcc: eve@example.com",
            "日本語の名前\n\nx",
        ] {
            let written = mail(odd, odd);
            assert_eq!(names(&written), names(&plain), "{odd:?}\n{written}");
            let to = headers(&written).iter().find(|line| line.starts_with("To:")).unwrap().clone();
            assert!(to.ends_with("<ann@example.com>") || to.ends_with(" ann@example.com"), "{to}");
        }
        assert!(!plain.contains("\nBcc"), "{plain}");
    }

    #[test]
    fn a_mail_is_ascii_in_short_lines_and_says_how_to_unsubscribe() {
        let written = mail("日本語の名前日本語の名前日本語の名前", &"Überweisung ".repeat(50));
        assert!(written.is_ascii());
        assert!(written.split("\r\n").all(|line| line.len() <= 998 && !line.contains('\n')), "{written}");
        let headers = headers(&mail("Ann", "Hello"));
        let value = |name: &str| headers.iter().find_map(|line| line.strip_prefix(name)).unwrap().to_owned();
        let url = value("List-Unsubscribe: ");
        assert!(
            url.starts_with("<https://desk.example.com/mail/unsubscribe/abc") && url.ends_with("ijkl>"),
            "{url}"
        );
        assert!(!url.contains(' '), "{url}");
        assert_eq!(value("List-Unsubscribe-Post: "), "List-Unsubscribe=One-Click");
        assert_eq!(value("Message-ID: "), "<1@desk.example.com>");
        assert_eq!(value("Auto-Submitted: "), "auto-generated");
        assert!(value("Date: ").starts_with("Thu, 01 Jan 2026 00:00:00"), "{headers:?}");
    }
}
