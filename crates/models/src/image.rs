//! Images in a chat. They are sent as bytes, never as URLs, so a provider needs no access to our media.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use bytes::Bytes;

/// The largest image. In base64 it stays under the 5 MiB that Anthropic accepts.
pub const IMAGE_BYTES_MAX: usize = 3_900_000;

/// An image that every provider accepts.
#[derive(Clone, PartialEq, Eq)]
pub struct Image {
    content_type: &'static str,
    bytes: Bytes,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ImageError {
    #[error("models accept JPEG, PNG, GIF and WebP images only")]
    Kind,
    #[error("the image is larger than {IMAGE_BYTES_MAX} bytes: send a smaller one")]
    TooLarge,
}

impl Image {
    /// Checks an image by its content type. Parameters after `;` are ignored.
    pub fn new(content_type: &str, bytes: Bytes) -> Result<Self, ImageError> {
        let essence = content_type.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
        let content_type = match essence.as_str() {
            "image/jpeg" | "image/jpg" => "image/jpeg",
            "image/png" => "image/png",
            "image/gif" => "image/gif",
            "image/webp" => "image/webp",
            _ => return Err(ImageError::Kind),
        };
        if bytes.len() > IMAGE_BYTES_MAX {
            return Err(ImageError::TooLarge);
        }
        Ok(Self { content_type, bytes })
    }

    pub(crate) fn content_type(&self) -> &'static str {
        self.content_type
    }

    pub(crate) fn base64(&self) -> String {
        STANDARD.encode(&self.bytes)
    }
}

impl std::fmt::Debug for Image {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Image({}, {} bytes)", self.content_type, self.bytes.len())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_images_that_every_provider_accepts_pass() {
        let small = || Bytes::from_static(b"x");
        assert_eq!(Image::new("IMAGE/JPG; q=1", small()).unwrap().content_type(), "image/jpeg");
        assert_eq!(Image::new("image/svg+xml", small()), Err(ImageError::Kind));
        let large = Bytes::from(vec![0; IMAGE_BYTES_MAX + 1]);
        assert_eq!(Image::new("image/png", large), Err(ImageError::TooLarge));
    }
}
