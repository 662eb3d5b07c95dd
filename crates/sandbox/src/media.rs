//! Customers' media. The newest are kept, limited in number and size.

mod samples;

use std::collections::VecDeque;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use bytes::Bytes;
use http::HeaderValue;
use http::header::{CONTENT_DISPOSITION, CONTENT_SECURITY_POLICY, X_CONTENT_TYPE_OPTIONS};
use sha2::{Digest, Sha256};

use crate::mark;
use crate::response::SandboxResponse;

pub(crate) use samples::{png, sample};

/// Maximum size of one file, which is WhatsApp's limit for videos.
pub(crate) const MEDIA_BYTES_MAX: usize = 16 << 20;
/// Maximum total size and number of kept files.
const STORE_BYTES_MAX: usize = 64 << 20;
const STORED_FILES_MAX: usize = 500;

#[derive(Clone, Debug)]
pub(crate) enum Content {
    Here(Bytes),
    /// At an address that the customer gave. Only a standalone sandbox passes the address on; inside a
    /// server, the server fetches the file.
    Elsewhere(String),
}

#[derive(Clone, Debug)]
pub(crate) struct Media {
    pub(crate) id: String,
    pub(crate) connection_id: String,
    pub(crate) content_type: String,
    pub(crate) filename: Option<String>,
    pub(crate) content: Content,
}

impl Media {
    fn digest(&self) -> Vec<u8> {
        let bytes: &[u8] = match &self.content {
            Content::Here(bytes) => bytes,
            Content::Elsewhere(url) => url.as_bytes(),
        };
        Sha256::digest(bytes).to_vec()
    }

    /// The form in Graph's responses.
    pub(crate) fn sha256_hex(&self) -> String {
        mark::hex(&self.digest())
    }

    /// The form in webhooks.
    pub(crate) fn sha256_base64(&self) -> String {
        STANDARD.encode(self.digest())
    }

    /// The public address of a file, under the sandbox's own address.
    pub(crate) fn address(&self, origin: &str, path: &str) -> String {
        match &self.content {
            Content::Elsewhere(url) => url.clone(),
            Content::Here(_) => format!("{origin}/sandbox/{path}/{}", self.id),
        }
    }

    fn bytes(&self) -> usize {
        if let Content::Here(bytes) = &self.content { bytes.len() } else { 0 }
    }
}

#[derive(Debug, Default)]
pub(crate) struct MediaStore {
    media: VecDeque<Media>,
    bytes: usize,
}

impl MediaStore {
    pub(crate) fn keep(&mut self, media: Media) {
        self.bytes += media.bytes();
        self.media.push_back(media);
        while self.media.len() > STORED_FILES_MAX || self.bytes > STORE_BYTES_MAX {
            let oldest = self.media.pop_front();
            self.bytes -= oldest.map_or(0, |media| media.bytes());
        }
    }

    pub(crate) fn find(&self, id: &str) -> Option<&Media> {
        self.media.iter().find(|media| media.id == id)
    }
}

/// Customers choose the content type of their files, so a browser must never run them as part of this site.
pub(crate) fn guard(response: &mut SandboxResponse) {
    let headers = response.headers_mut();
    headers.insert(CONTENT_SECURITY_POLICY, HeaderValue::from_static("sandbox; default-src 'none'"));
    headers.insert(X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    headers.insert(CONTENT_DISPOSITION, HeaderValue::from_static("attachment"));
}

#[cfg(test)]
mod tests {
    use super::*;

    fn media(id: usize, bytes: usize) -> Media {
        Media {
            id: id.to_string(),
            connection_id: "c".into(),
            content_type: "image/png".into(),
            filename: None,
            content: Content::Here(vec![0; bytes].into()),
        }
    }

    #[test]
    fn only_the_newest_media_are_kept() {
        let mut store = MediaStore::default();
        (0..=STORED_FILES_MAX).for_each(|id| store.keep(media(id, 1)));
        assert!(store.find("0").is_none() && store.find("1").is_some());
        assert_eq!(store.bytes, STORED_FILES_MAX);
    }

    #[test]
    fn large_media_make_room_for_each_other() {
        let mut store = MediaStore::default();
        (0..5).for_each(|id| store.keep(media(id, MEDIA_BYTES_MAX)));
        assert!(store.find("0").is_none() && store.find("4").is_some());
        assert!(store.bytes <= STORE_BYTES_MAX);
    }
}
