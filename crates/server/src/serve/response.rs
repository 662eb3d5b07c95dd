//! Renders a reply as an HTTP response: its headers, and compression if the client accepts it.

use std::io::Write;
use std::pin::Pin;

use bytes::Bytes;
use flate2::Compression;
use flate2::write::GzEncoder;
use frontdesk_platform::public_endpoint;
use frontdesk_web::BodyFailed;
use futures_util::{Stream, StreamExt};
use http::header::{CONTENT_ENCODING, CONTENT_TYPE, SET_COOKIE, VARY};
use http::{HeaderMap, HeaderValue, Response};
use http_body_util::{Either, Full, StreamBody};
use hyper::body::Frame;

pub(super) type HttpResponse = Response<HttpBody>;
pub(super) type HttpBody = Either<Full<Bytes>, StreamBody<Frames>>;

/// A streamed body, in the form in which it is sent.
type Frames = Pin<Box<dyn Stream<Item = Result<Frame<Bytes>, BodyFailed>> + Send>>;

/// A smaller body fits into one packet either way.
const COMPRESSED_BYTES_MIN: usize = 1 << 10;
/// The usual headers of a response: content type, three of the budget, the request's id, encoding, vary.
const HEADERS_USUAL: usize = 8;

/// Renders the response. JSON unless the reply has another content type.
pub(super) fn render(response: public_endpoint::PublicResponse, gzip: bool) -> HttpResponse {
    let public_endpoint::PublicResponse { reply, live } = response;
    let mut headers = HeaderMap::with_capacity(HEADERS_USUAL);
    let mut body = reply.body;
    if !body.is_empty() {
        headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    }
    if body.len() >= COMPRESSED_BYTES_MIN {
        // Also for uncompressed bodies: the same request with another header gets another response.
        headers.insert(VARY, HeaderValue::from_static("accept-encoding"));
        let is_encoded = reply.headers.iter().any(|(name, _)| name == CONTENT_ENCODING);
        if gzip
            && !is_encoded
            && let Some(compressed) = compress(&body)
        {
            headers.insert(CONTENT_ENCODING, HeaderValue::from_static("gzip"));
            body = compressed;
        }
    }
    for (name, value) in reply.headers {
        if name == SET_COOKIE {
            headers.append(name, value);
            continue;
        }
        headers.insert(name, value);
    }
    let frames: Option<Frames> = match (live, reply.stream.and_then(|stream| stream.take())) {
        (Some(live), _) => Some(live.map(|bytes| Ok(Frame::data(bytes))).boxed()),
        (None, Some(pieces)) => Some(pieces.map(|piece| piece.map(Frame::data)).boxed()),
        (None, None) => None,
    };
    let mut response = Response::new(match frames {
        None => Either::Left(Full::new(body)),
        Some(frames) => Either::Right(StreamBody::new(frames)),
    });
    *response.status_mut() = reply.status;
    *response.headers_mut() = headers;
    response
}

/// Fast rather than small, because a request waits for it.
fn compress(body: &[u8]) -> Option<Bytes> {
    let mut encoder = GzEncoder::new(Vec::with_capacity(body.len() / 4), Compression::fast());
    encoder.write_all(body).ok()?;
    encoder.finish().ok().map(Bytes::from)
}

#[cfg(test)]
mod tests {
    use super::*;
    use frontdesk_web::Reply;
    use http::StatusCode;
    use std::io::Read;

    #[test]
    fn a_large_body_is_compressed_and_a_small_one_is_not() {
        let large = "a".repeat(COMPRESSED_BYTES_MIN);
        let response = render(Reply::new(StatusCode::OK, large.clone()).into(), true);
        assert_eq!(
            (&response.headers()[CONTENT_ENCODING], &response.headers()[VARY]),
            (&HeaderValue::from_static("gzip"), &HeaderValue::from_static("accept-encoding"))
        );
        let mut text = String::new();
        let compressed = compress(large.as_bytes()).unwrap();
        flate2::read::GzDecoder::new(&*compressed).read_to_string(&mut text).unwrap();
        assert_eq!(text, large);
        for (body, gzip) in [(large.clone(), false), ("a".repeat(COMPRESSED_BYTES_MIN - 1), true)] {
            assert!(
                !render(Reply::new(StatusCode::OK, body).into(), gzip)
                    .headers()
                    .contains_key(CONTENT_ENCODING)
            );
        }
    }

    #[test]
    fn an_answer_is_json_unless_it_says_otherwise() {
        let json = render(Reply::new(StatusCode::OK, "{}").into(), false);
        assert_eq!(json.headers()[CONTENT_TYPE], "application/json");
        let html =
            Reply::new(StatusCode::OK, "x").header(CONTENT_TYPE, HeaderValue::from_static("text/html"));
        let html = render(html.into(), false);
        assert_eq!(html.headers().get_all(CONTENT_TYPE).iter().collect::<Vec<_>>(), ["text/html"]);
        assert!(
            !render(Reply::new(StatusCode::NO_CONTENT, "").into(), false)
                .headers()
                .contains_key(CONTENT_TYPE)
        );
    }
}
