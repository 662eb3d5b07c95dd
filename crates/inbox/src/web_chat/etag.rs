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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fuzzed_tags_are_known_only_if_they_are_named() {
        let tag = of(b"body");
        let examples: [&[u8]; 3] = [tag.as_bytes(), b"*", b"\"x\", W/\"y\" , *"];
        let target = frontdesk_fuzz::Target::new("if-none-match").examples(examples);
        target.words([",", "W/", "\"", "*"]).run(|bytes| {
            let Ok(tags) = HeaderValue::from_bytes(bytes) else { return None };
            let known = names(&tags, &tag);
            let text = tags.to_str().unwrap_or_default();
            assert!(!known || text.contains('*') || text.contains(tag.to_str().unwrap()));
            Some(known)
        });
    }
}
