//! The logo: a small picture, known by its first bytes.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use frontdesk_kernel::hex;
use frontdesk_kernel::ids::AccountId;
use frontdesk_web::{choice, text_input};
use serde_json::json;
use sha2::{Digest, Sha256};
use std::str::FromStr;

/// Pages wait for the logo, so it must be small.
pub const LOGO_BYTES_MAX: usize = 256 << 10;

choice! {
    /// What a logo may be. SVG is not among them: it may contain scripts.
    pub enum LogoType {
        Png => "image/png",
        Jpeg => "image/jpeg",
        Webp => "image/webp",
    }
}

frontdesk_db::text_column!(LogoType);

impl LogoType {
    /// By the first bytes of a file.
    fn of(bytes: &[u8]) -> Option<Self> {
        match bytes {
            [0x89, b'P', b'N', b'G', 0x0d, 0x0a, 0x1a, 0x0a, ..] => Some(Self::Png),
            [0xff, 0xd8, 0xff, ..] => Some(Self::Jpeg),
            [b'R', b'I', b'F', b'F', _, _, _, _, b'W', b'E', b'B', b'P', ..] => Some(Self::Webp),
            _ => None,
        }
    }
}

/// A picture that may be a logo.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Logo {
    pub kind: LogoType,
    pub bytes: Vec<u8>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum NotALogo {
    #[error("must be a file in base64")]
    Encoding,
    #[error("must be a PNG, JPEG or WebP picture")]
    Type,
    #[error("must have at most {} KB", LOGO_BYTES_MAX >> 10)]
    Size,
}

impl Logo {
    pub fn read(bytes: Vec<u8>) -> Result<Self, NotALogo> {
        if bytes.len() > LOGO_BYTES_MAX {
            return Err(NotALogo::Size);
        }
        let kind = LogoType::of(&bytes).ok_or(NotALogo::Type)?;
        Ok(Self { kind, bytes })
    }

    /// The name under which it is served. Another account's copy of the picture has another.
    pub(super) fn hash(&self, account: AccountId) -> String {
        hex(&Sha256::new().chain_update(account.to_string()).chain_update(&self.bytes).finalize())
    }
}

/// As the dashboard sends it.
impl FromStr for Logo {
    type Err = NotALogo;

    fn from_str(text: &str) -> Result<Self, NotALogo> {
        // Four characters for three bytes, so a file that is too large is not decoded.
        if text.len() / 4 * 3 > LOGO_BYTES_MAX + 3 {
            return Err(NotALogo::Size);
        }
        Self::read(STANDARD.decode(text.trim()).map_err(|_| NotALogo::Encoding)?)
    }
}

text_input!(Logo, |_| json!({ "type": "string", "contentEncoding": "base64" }));

#[cfg(test)]
mod tests {
    use super::*;

    const PNG: &[u8] = b"\x89PNG\r\n\x1a\nrest";

    #[test]
    fn only_pictures_that_run_nothing_are_logos() {
        assert_eq!(Logo::read(PNG.to_vec()).unwrap().kind, LogoType::Png);
        assert_eq!(Logo::read(b"\xff\xd8\xff\xe0".to_vec()).unwrap().kind, LogoType::Jpeg);
        assert_eq!(Logo::read(b"RIFF\0\0\0\0WEBPVP8 ".to_vec()).unwrap().kind, LogoType::Webp);
        for wrong in [
            &b"<svg xmlns=\"http://www.w3.org/2000/svg\"><script>alert(1)</script></svg>"[..],
            b"<html>",
            b"GIF89a",
            b"RIFF\0\0\0\0WAVE",
            b"",
        ] {
            assert_eq!(Logo::read(wrong.to_vec()), Err(NotALogo::Type));
        }
    }

    #[test]
    fn a_logo_is_small_and_in_base64() {
        let text = STANDARD.encode(PNG);
        assert_eq!(text.parse::<Logo>().unwrap().bytes, PNG);
        assert_eq!("not base64!".parse::<Logo>(), Err(NotALogo::Encoding));
        let sized =
            |bytes: usize| STANDARD.encode([PNG, &vec![0; bytes - PNG.len()]].concat()).parse::<Logo>();
        assert!(sized(LOGO_BYTES_MAX).is_ok());
        assert_eq!(sized(LOGO_BYTES_MAX + 1), Err(NotALogo::Size));
        assert_eq!(sized(LOGO_BYTES_MAX * 2), Err(NotALogo::Size));
    }
}
