//! The place of a span in its trace, as W3C's `traceparent` header carries it.

use std::fmt;

/// The ids of a trace and of one of its spans.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Context {
    pub trace: u128,
    pub span: u64,
    /// Whether the spans of the trace are recorded.
    pub is_sampled: bool,
}

impl Context {
    /// Reads a `traceparent` header: `00-TRACE-SPAN-FLAGS`. Anything else is ignored, as the standard asks.
    pub fn parse(header: &str) -> Option<Self> {
        let mut parts = header.trim().split('-');
        let (version, trace, span, flags) = (parts.next()?, parts.next()?, parts.next()?, parts.next()?);
        let version = hex(version, 2)?;
        // Later versions may add parts.
        if version == 0xff || (version == 0 && parts.next().is_some()) {
            return None;
        }
        let (trace, span, flags) = (hex(trace, 32)?, hex(span, 16)?, hex(flags, 2)?);
        if trace == 0 || span == 0 {
            return None;
        }
        Some(Self { trace, span: u64::try_from(span).ok()?, is_sampled: flags & 1 == 1 })
    }
}

/// Lower-case hexadecimal digits, exactly so many.
fn hex(text: &str, digits: usize) -> Option<u128> {
    let is_hex = text.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'));
    if text.len() == digits && is_hex { u128::from_str_radix(text, 16).ok() } else { None }
}

/// The value of a `traceparent` header.
impl fmt::Display for Context {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "00-{:032x}-{:016x}-{:02x}", self.trace, self.span, u8::from(self.is_sampled))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fuzzed_headers_of_traces_are_written_as_they_are_read() {
        let words = ["00-", "ff-", "-01", "-", "0000000000000000"];
        frontdesk_fuzz::Target::new("traceparent").examples([HEADER]).words(words).bytes_max(1 << 10).run(
            |bytes| {
                let read = std::str::from_utf8(bytes).ok().and_then(Context::parse);
                if let Some(context) = read {
                    assert_eq!(Context::parse(&context.to_string()), Some(context));
                }
                read.is_some()
            },
        );
    }

    const HEADER: &str = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";

    #[test]
    fn a_header_is_read_and_written() {
        let context = Context::parse(HEADER).unwrap();
        assert!(context.is_sampled);
        assert_eq!(context.to_string(), HEADER);
        let unsampled = HEADER.replace("-01", "-00");
        assert_eq!(Context::parse(&unsampled).unwrap().to_string(), unsampled);
        assert!(Context::parse(&HEADER.replacen("00", "01", 1)).is_some(), "a later version");
        assert!(Context::parse(&format!("{}-more", HEADER.replacen("00", "01", 1))).is_some());
    }

    #[test]
    fn a_header_of_another_form_is_ignored() {
        let zeros = "00-00000000000000000000000000000000-00f067aa0ba902b7-01";
        for wrong in [
            "",
            "00",
            "-",
            "00-4bf9-00f067aa0ba902b7-01",
            zeros,
            "00-4bf92f3577b34da6a3ce929d0e0e4736-0000000000000000-01",
            "ff-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",
            "00-4BF92F3577B34DA6A3CE929D0E0E4736-00f067aa0ba902b7-01",
            "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01-more",
            "00-4bf92f3577b34da6a3ce929d0e0e473é-00f067aa0ba902b7-01",
            "00-+bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",
        ] {
            assert_eq!(Context::parse(wrong), None, "{wrong:?}");
        }
        assert_eq!(Context::parse(&"0".repeat(1 << 16)), None);
    }
}
