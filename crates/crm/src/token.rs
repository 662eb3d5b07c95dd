//! The secret part of a public address: 32 random bytes in 43 URL-safe characters.

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;

pub(crate) const TOKEN_CHARS: usize = 43;

/// Encodes random bytes as a token.
pub fn mint(random: &[u8; 32]) -> String {
    URL_SAFE_NO_PAD.encode(random)
}

/// Whether a text has the form of a token; others are not looked up.
pub fn is_shaped(text: &str) -> bool {
    text.len() == TOKEN_CHARS && text.bytes().all(|c| c.is_ascii_alphanumeric() || matches!(c, b'-' | b'_'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_has_its_shape() {
        let token = mint(&[0xfb; 32]);
        assert!(is_shaped(&token), "{token}");
        for wrong in ["", &token[1..], &format!("{token}a"), &token.replace(&token[..1], "/")] {
            assert!(!is_shaped(wrong), "{wrong}");
        }
    }
}
