//! Cleans foreign JSON and text, so that every database can store them.
//!
//! PostgreSQL stores no NUL, and Rust's strings contain no lone surrogates, both of which JSON can escape. A
//! caller of the API gets an error. A vendor would only send the webhook again, so its bytes are cleaned here
//! before they are parsed.

use std::borrow::Cow;

/// Replaces a lone surrogate, as in every lossy decoding.
const REPLACEMENT: &[u8] = br"\ufffd";
/// The length of `\u0000`.
const ESCAPE_BYTES: usize = 6;

/// The same JSON without NUL characters, and with U+FFFD instead of lone surrogates and of invalid UTF-8.
///
/// Invalid JSON stays invalid: the parser reports it.
pub fn json(body: &[u8]) -> Cow<'_, [u8]> {
    let body = match String::from_utf8_lossy(body) {
        Cow::Borrowed(text) => Cow::Borrowed(text.as_bytes()),
        Cow::Owned(text) => Cow::Owned(text.into_bytes()),
    };
    match first_odd(&body) {
        None => body,
        Some(_) => Cow::Owned(cleaned(&body)),
    }
}

/// The beginning of a body as text, at most this long. None if it is empty.
pub fn beginning(body: &[u8], bytes_max: usize) -> Option<String> {
    let kept = &body[..body.len().min(bytes_max)];
    // A character that the limit cuts is left out. Other invalid bytes are replaced, which may take more space.
    let kept = match std::str::from_utf8(kept) {
        Err(error) if error.error_len().is_none() => &kept[..error.valid_up_to()],
        _ => kept,
    };
    let mut text = String::from_utf8_lossy(kept).replace('\0', "\u{FFFD}");
    text.truncate(text.floor_char_boundary(bytes_max));
    (!text.is_empty()).then_some(text)
}

/// An escape at the beginning of these bytes, with its length.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Escape {
    Nul,
    LoneSurrogate,
    Other(usize),
}

impl Escape {
    /// The escape at the beginning of these bytes.
    fn at(bytes: &[u8]) -> Self {
        match unit(bytes) {
            Some(0) => Self::Nul,
            Some(0xD800..=0xDBFF) => match bytes.get(ESCAPE_BYTES..).and_then(unit) {
                Some(0xDC00..=0xDFFF) => Self::Other(2 * ESCAPE_BYTES),
                _ => Self::LoneSurrogate,
            },
            Some(0xDC00..=0xDFFF) => Self::LoneSurrogate,
            Some(_) => Self::Other(ESCAPE_BYTES),
            // The JSON is invalid. What follows is left alone: without it these bytes could become an escape.
            None if bytes.starts_with(br"\u") => Self::Other(bytes.len()),
            // One character after the backslash, which may be a backslash itself.
            None => Self::Other(bytes.len().min(2)),
        }
    }
}

/// The code unit of `\uXXXX`.
fn unit(bytes: &[u8]) -> Option<u16> {
    let digits = bytes.strip_prefix(br"\u")?.get(..4)?;
    digits.iter().try_fold(0, |unit, digit| {
        let digit = char::from(*digit).to_digit(16)?;
        Some(unit << 4 | digit as u16)
    })
}

fn first_odd(body: &[u8]) -> Option<usize> {
    let mut at = 0;
    while let Some(found) = body[at..].iter().position(|byte| *byte == b'\\') {
        at += found;
        match Escape::at(&body[at..]) {
            Escape::Nul | Escape::LoneSurrogate => return Some(at),
            Escape::Other(length) => at += length,
        }
    }
    None
}

fn cleaned(body: &[u8]) -> Vec<u8> {
    let mut kept = Vec::with_capacity(body.len());
    let mut rest = body;
    while let Some(at) = rest.iter().position(|byte| *byte == b'\\') {
        kept.extend_from_slice(&rest[..at]);
        rest = &rest[at..];
        let length = match Escape::at(rest) {
            Escape::Nul => ESCAPE_BYTES,
            Escape::LoneSurrogate => {
                kept.extend_from_slice(REPLACEMENT);
                ESCAPE_BYTES
            }
            Escape::Other(length) => {
                kept.extend_from_slice(&rest[..length]);
                length
            }
        };
        rest = &rest[length..];
    }
    kept.extend_from_slice(rest);
    kept
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::Value;

    use super::*;

    fn read(body: &str) -> Value {
        serde_json::from_slice(&json(body.as_bytes())).unwrap()
    }

    #[test]
    fn text_that_cannot_be_stored_is_dropped_or_replaced() {
        for (body, clean) in [
            (r#""a\u0000b""#, "ab"),
            (r#""\u0000""#, ""),
            (r#""a\ud800b""#, "a\u{FFFD}b"),
            (r#""a\uDC00b""#, "a\u{FFFD}b"),
            (r#""\ud83d\ud83d\ude00""#, "\u{FFFD}😀"),
            (r#""\ud83d\u0000\ude00""#, "\u{FFFD}\u{FFFD}"),
            (r#""\ud83d\n""#, "\u{FFFD}\n"),
        ] {
            assert_eq!(read(body), clean, "{body}");
        }
    }

    #[test]
    fn invalid_escapes_do_not_become_valid_ones() {
        for body in [r#""\u\u00000000""#, r#""\u\u00000041""#, r#""\ud8\u000000""#, r#""\u""#, r#""\u00"#] {
            assert_eq!(json(body.as_bytes()), body.as_bytes());
            serde_json::from_slice::<Value>(body.as_bytes()).unwrap_err();
        }
    }

    #[test]
    fn text_that_can_be_stored_is_unchanged() {
        for body in [
            r#"{"a":"\ud83d\ude00 \\u0000 \\\\ud800 \u00e9 \" \\"}"#,
            "",
            "\\",
            r"\u00",
            "[1]",
            "no json \\u12",
        ] {
            assert!(
                matches!(json(body.as_bytes()), Cow::Borrowed(same) if same == body.as_bytes()),
                "{body}"
            );
        }
    }

    #[test]
    fn a_beginning_is_valid_text_of_at_most_its_length() {
        let kilobyte = |body: &[u8]| beginning(body, 1024);
        assert_eq!(kilobyte(b""), None);
        assert_eq!(kilobyte(b"ok").as_deref(), Some("ok"));
        assert_eq!(kilobyte(&[b'x'; 4000]).unwrap().len(), 1024);
        let cut = [vec![b'x'; 1023], "é".into()].concat();
        assert_eq!(kilobyte(&cut).unwrap().len(), 1023);
        assert_eq!(kilobyte(b"a\xffb\0").as_deref(), Some("a\u{FFFD}b\u{FFFD}"));
        assert!(kilobyte(&[0xff; 4000]).unwrap().len() <= 1024);
        assert!(kilobyte(&[0; 4000]).unwrap().len() <= 1024);
    }

    #[test]
    fn bytes_that_are_no_text_are_replaced() {
        assert_eq!(serde_json::from_slice::<Value>(&json(b"\"a\xFFb\"")).unwrap(), "a\u{FFFD}b");
    }

    proptest! {
        #[test]
        fn cleaned_json_parses_and_holds_no_nul(units in prop::collection::vec(any::<u16>(), 0..40)) {
            let escaped = units.iter().map(|unit| format!("\\u{unit:04x}")).collect::<Vec<_>>().concat();
            let read = read(&format!("\"{escaped}\""));
            let expected: String = String::from_utf16_lossy(&units);
            prop_assert_eq!(read.as_str().unwrap(), expected.replace('\0', ""));
        }

        #[test]
        fn any_json_of_ours_keeps_its_meaning(text in "[^\0]*") {
            let body = serde_json::to_string(&text).unwrap();
            prop_assert_eq!(read(&body), Value::String(text));
        }
    }
}
