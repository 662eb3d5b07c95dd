//! Serves media at its links.

use bytes::Bytes;
use frontdesk_db::{self as db, Store, only};
use frontdesk_kernel::ids::AccountId;
use frontdesk_platform::public_endpoint::{self, PublicResponse, nothing_here};
use frontdesk_platform::{PublicEndpoint, PublicRequest, ServerContext, store_failure};
use frontdesk_web::{Failure, Reply, Result};
use futures_util::stream;
use http::header::{
    CACHE_CONTROL, CONTENT_DISPOSITION, CONTENT_LENGTH, CONTENT_SECURITY_POLICY, CONTENT_TYPE,
    X_CONTENT_TYPE_OPTIONS,
};
use http::{HeaderName, HeaderValue, Method, StatusCode};

use super::sql::{CHUNK, FIND};
use super::{Links, MediaId};

/// No body is read.
const BODY_BYTES_MAX: usize = 0;
/// `Retry-After` while the file is being fetched.
const PENDING_SECONDS: i64 = 2;

struct StoredMedia {
    account: AccountId,
    state: String,
    content_type: Option<String>,
    filename: Option<String>,
    bytes: Option<i64>,
}

/// The endpoint of media files.
pub fn public_endpoint() -> PublicEndpoint {
    PublicEndpoint::new("media", BODY_BYTES_MAX, |server, request| Box::pin(respond(server, request.head)))
}

async fn respond(server: &ServerContext, request: PublicRequest) -> Result<PublicResponse> {
    if !matches!(request.method, Method::GET | Method::HEAD) {
        return Err(Failure::method_not_allowed("GET, HEAD"));
    }
    let media = Links::of(&server.services).open(&request.path, request.now).ok_or_else(|| {
        Failure::not_found(
            "This link has expired or was not copied whole. Get the message again for a new one.",
        )
    })?;
    let found = server.store.read(move |tx| find(tx, media)).await.map_err(|error| store_failure(&error))?;
    let found = found.ok_or_else(nothing_here)?;
    match found.state.as_str() {
        "stored" => Ok(send(&server.store, media, found, request.method == Method::HEAD)),
        "pending" => Err(Failure::not_yet(
            "This is still being fetched from the channel. Open the same link again after the seconds that Retry-After says.",
            PENDING_SECONDS,
        )),
        _ => Err(Failure::not_found("The channel did not hand this out, or it was too large to keep.")),
    }
}

fn find(tx: &mut db::ReadTx<'_>, media: MediaId) -> db::Result<Option<StoredMedia>> {
    tx.find(FIND, &[&media], |row| {
        Ok(StoredMedia {
            account: row.next()?,
            state: row.next()?,
            content_type: row.next()?,
            filename: row.next()?,
            bytes: row.next()?,
        })
    })
}

fn send(store: &Store, media: MediaId, found: StoredMedia, head: bool) -> PublicResponse {
    let kind = found.content_type.as_deref().unwrap_or("application/octet-stream");
    let kind_shown = kind.to_owned();
    let kind = HeaderValue::from_str(kind).unwrap_or(HeaderValue::from_static("application/octet-stream"));
    let bytes = found.bytes.unwrap_or(0);
    let mut reply = Reply::new(StatusCode::OK, Bytes::new());
    // A browser shows a stranger's file but never runs it or guesses its type.
    let headers: [(HeaderName, HeaderValue); 6] = [
        (CONTENT_TYPE, kind),
        (CONTENT_LENGTH, bytes.into()),
        (CACHE_CONTROL, HeaderValue::from_static("private, max-age=3600")),
        (X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff")),
        (CONTENT_SECURITY_POLICY, HeaderValue::from_static("sandbox; default-src 'none'")),
        (CONTENT_DISPOSITION, disposition(&kind_shown, found.filename.as_deref())),
    ];
    reply.headers.extend(headers);
    let live: Option<public_endpoint::ByteStream> =
        (!head && bytes > 0).then(|| chunks(store.clone(), found.account, media));
    PublicResponse { reply, live }
}

/// Only images, sounds and videos are shown in the browser; everything else is saved.
fn disposition(kind: &str, filename: Option<&str>) -> HeaderValue {
    let is_shown = ["image/", "audio/", "video/"].iter().any(|shown| kind.starts_with(shown));
    let how = if is_shown { "inline" } else { "attachment" };
    let plain: String = filename
        .unwrap_or_default()
        .chars()
        .filter(|c| c.is_ascii_alphanumeric() || " ._-()".contains(*c))
        .collect();
    let text = if plain.is_empty() { how.to_owned() } else { format!("{how}; filename=\"{plain}\"") };
    HeaderValue::from_str(&text).unwrap_or(HeaderValue::from_static("attachment"))
}

/// The chunks, each read after the previous one was sent.
fn chunks(store: Store, account: AccountId, media: MediaId) -> public_endpoint::ByteStream {
    Box::pin(stream::unfold(0_i64, move |n| {
        let store = store.clone();
        async move {
            let read = store.scan(move |tx| tx.find(CHUNK, &[&account, &media, &n], only::<Vec<u8>>)).await;
            match read {
                Ok(piece) => piece.map(|piece| (Bytes::from(piece), n + 1)),
                Err(error) => {
                    tracing::warn!(%error, "sending media failed");
                    None
                }
            }
        }
    }))
}
