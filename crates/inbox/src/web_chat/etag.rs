//! Entity tags. They are weak because a response may be compressed.

use http::HeaderValue;
use sha2::{Digest, Sha256};

/// The tag of a body.
pub(super) fn of(body: &[u8]) -> HeaderValue {
    let digest: [u8; 32] = Sha256::digest(body).into();
    let digits = u64::from_be_bytes(std::array::from_fn(|at| digest[at]));
    HeaderValue::from_str(&format!("W/\"{digits:016x}\"")).expect("hexadecimal digits fit a header")
}

/// Whether an `If-None-Match` names the tag.
pub(super) fn names(tags: &HeaderValue, tag: &HeaderValue) -> bool {
    let (Ok(tags), Ok(tag)) = (tags.to_str(), tag.to_str()) else { return false };
    tags.split(',').map(str::trim).any(|known| known == tag || known == "*")
}
