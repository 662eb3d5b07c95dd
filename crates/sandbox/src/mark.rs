//! Ids and times in the vendors' formats.

#![expect(clippy::disallowed_methods, reason = "ids of the stand-ins look like those of the vendors")]

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use jiff::Timestamp;

/// A message id in WhatsApp's format.
pub(crate) fn wamid(customer: &str) -> String {
    let mut inside = vec![0x1d, customer.len() as u8];
    inside.extend_from_slice(customer.as_bytes());
    inside.extend_from_slice(&rand::random::<[u8; 16]>());
    // Without characters that would need escaping in a path.
    format!("wamid.{}", STANDARD.encode(inside).replace(['+', '/'], "A"))
}

/// A message id in Messenger's and Instagram's format.
pub(crate) fn mid() -> String {
    format!("m_{}", hex(&rand::random::<[u8; 24]>()))
}

/// A message id in the bridge's format: the sender, the chat, and a number.
pub(crate) fn bridge_message(from_me: bool, customer: &str) -> String {
    format!("{from_me}_{customer}@c.us_{}", hex(&rand::random::<[u8; 10]>()).to_uppercase())
}

/// A long number, as in Meta's object ids.
pub(crate) fn object() -> String {
    rand::random_range(100_000_000_000_000u64..1_000_000_000_000_000).to_string()
}

/// An id with a prefix.
pub(crate) fn prefixed(prefix: &str) -> String {
    format!("{prefix}{}", hex(&rand::random::<[u8; 13]>()))
}

pub(crate) fn hex(bytes: &[u8]) -> String {
    use std::fmt::Write;
    bytes.iter().fold(String::with_capacity(bytes.len() * 2), |mut text, byte| {
        // Writing to a string does not fail.
        let _ = write!(text, "{byte:02x}");
        text
    })
}

/// A time in the control API's format.
pub(crate) fn time(millis: i64) -> String {
    let time = Timestamp::from_millisecond(millis).unwrap_or(Timestamp::UNIX_EPOCH);
    time.strftime("%Y-%m-%dT%H:%M:%S%.3fZ").to_string()
}

/// Parses a time of the control API: its own format, or milliseconds since 1970.
pub(crate) fn parse_time(text: &str) -> Option<i64> {
    text.parse().ok().or_else(|| text.parse::<Timestamp>().ok().map(Timestamp::as_millisecond))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_time_is_read_as_it_is_shown() {
        assert_eq!(time(1_700_000_000_123), "2023-11-14T22:13:20.123Z");
        assert_eq!(parse_time(&time(1_700_000_000_120)), Some(1_700_000_000_120));
        assert_eq!(parse_time("5"), Some(5));
        assert_eq!(parse_time("yesterday"), None);
    }
}
