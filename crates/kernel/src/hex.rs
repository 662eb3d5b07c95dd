//! Bytes as text of hexadecimal digits.

use std::fmt::Write;

/// Two lowercase digits for each byte.
pub fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::with_capacity(bytes.len() * 2), |mut text, byte| {
        // Writing to a string cannot fail.
        let _ = write!(text, "{byte:02x}");
        text
    })
}

/// Reads two digits for each byte.
pub fn unhex(text: &str) -> Option<Vec<u8>> {
    let digits = text.as_bytes();
    if !digits.len().is_multiple_of(2) || !digits.iter().all(u8::is_ascii_hexdigit) {
        return None;
    }
    digits.chunks(2).map(|pair| u8::from_str_radix(std::str::from_utf8(pair).ok()?, 16).ok()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_byte_has_two_digits() {
        assert_eq!(hex(&[0, 10, 255]), "000aff");
        assert_eq!(hex(&[]), "");
        assert_eq!(unhex("000aff"), Some(vec![0, 10, 255]));
        assert_eq!(unhex(""), Some(Vec::new()));
        for wrong in ["0", "+1", "0g", "é"] {
            assert_eq!(unhex(wrong), None, "{wrong}");
        }
    }
}
