//! Reads a request's whole body, within limits of size and time, if the route takes one.

use bytes::Bytes;
use frontdesk_web::{Failure, Result};
use http::header::{CONTENT_LENGTH, CONTENT_TYPE};
use http::request::Parts;
use http_body_util::BodyExt;

use crate::body_budget::{BodyShare, read_whole};
use crate::dispatch::BODY_BYTES_MAX;

/// Reads the JSON body of a request; nothing where the route takes none. The body of an anonymous caller takes its
/// `share` of the budget for such bodies, which the caller of this function holds until the request is done.
pub async fn read<B>(parts: &Parts, body: B, takes_body: bool, share: Option<&mut BodyShare>) -> Result<Bytes>
where
    B: BodyExt<Data = Bytes> + Unpin,
{
    let announced =
        parts.headers.get(CONTENT_LENGTH).and_then(|value| value.to_str().ok()?.parse::<u64>().ok());
    if announced.is_some_and(|bytes| bytes > BODY_BYTES_MAX as u64) {
        return Err(Failure::too_large(BODY_BYTES_MAX));
    }
    if !takes_body {
        return Ok(Bytes::new());
    }
    let bytes = read_whole(body, BODY_BYTES_MAX, announced, share).await?;
    if !bytes.is_empty() && !is_json(parts) {
        return Err(Failure::unsupported_media_type());
    }
    Ok(bytes)
}

fn is_json(parts: &Parts) -> bool {
    let Some(kind) = parts.headers.get(CONTENT_TYPE).and_then(|value| value.to_str().ok()) else {
        return false;
    };
    kind.split(';').next().unwrap_or_default().trim().eq_ignore_ascii_case("application/json")
}
