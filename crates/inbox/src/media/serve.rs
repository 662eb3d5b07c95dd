//! Serves media at its links.

use std::sync::LazyLock;
use std::time::Duration;

use bytes::Bytes;
use frontdesk_db as db;
use frontdesk_kernel::ids::AccountId;
use frontdesk_platform::public_endpoint::{self, PublicResponse, nothing_here};
use frontdesk_platform::{FairSlot, FairSlots, PublicEndpoint, PublicRequest, ServerContext, store_failure};
use frontdesk_web::{Failure, Reply, Result};
use futures_util::stream;
use http::header::{
    CACHE_CONTROL, CONTENT_DISPOSITION, CONTENT_LENGTH, CONTENT_SECURITY_POLICY, CONTENT_TYPE,
    X_CONTENT_TYPE_OPTIONS,
};
use http::{HeaderName, HeaderValue, Method, StatusCode};

use super::files::{MediaFiles, locate};
use super::reader::{MediaReader, ReadError};
use super::sql::FIND;
use super::{Links, MediaId};

/// No body is read.
const BODY_BYTES_MAX: usize = 0;
/// `Retry-After` while the file is being fetched.
const PENDING_SECONDS: i64 = 2;
/// `Retry-After` while the place of the file does not work.
const UNAVAILABLE_SECONDS: i64 = 10;
/// Maximum files outside the database that one server sends at a time: of all accounts, and of one. The others wait, for at
/// most `TURN_TIME_MAX`. So a slow place takes up neither the server nor another account's share.
const OUTSIDE_MAX: usize = 256;
const ACCOUNT_OUTSIDE_MAX: usize = 32;
const TURN_TIME_MAX: Duration = Duration::from_secs(10);

static SLOTS: LazyLock<FairSlots<AccountId>> =
    LazyLock::new(|| FairSlots::new(OUTSIDE_MAX, ACCOUNT_OUTSIDE_MAX));

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
        "stored" => send(server, media, found, request.method == Method::HEAD).await,
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

async fn send(
    server: &ServerContext,
    media: MediaId,
    found: StoredMedia,
    head: bool,
) -> Result<PublicResponse> {
    let body = if head { None } else { open(server, found.account, media).await? };
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
    let live = body.filter(|_| bytes > 0).map(pieces);
    Ok(PublicResponse { reply, live })
}

/// A file that is being sent, and the turn that it takes if it is outside the database.
struct OpenFile {
    reader: MediaReader,
    _turn: Option<FairSlot<AccountId>>,
}

/// Opens the file before the response begins, so that a place that does not work is a clear response.
async fn open(server: &ServerContext, account: AccountId, media: MediaId) -> Result<Option<OpenFile>> {
    let located = server.store.read(move |tx| locate(tx, account, media)).await;
    let located = located.map_err(|error: db::Error| store_failure(&error))?.ok_or_else(nothing_here)?;
    let turn = if located.location.is_some() {
        let turn = tokio::time::timeout(TURN_TIME_MAX, SLOTS.take(account)).await;
        turn.map_err(|_| Failure::busy(UNAVAILABLE_SECONDS))?
    } else {
        None
    };
    let mut reader = MediaReader::new(MediaFiles::of(server), account, media, located);
    match reader.open().await {
        Ok(()) => Ok(Some(OpenFile { reader, _turn: turn })),
        Err(ReadError::Gone) => Err(nothing_here()),
        Err(ReadError::Store(error)) => Err(store_failure(&error)),
        Err(error @ ReadError::Place { .. }) => {
            tracing::warn!(%media, %error, "a file cannot be read");
            Err(Failure::not_yet(
                "The storage of this file does not respond as it should. Open the same link again after the seconds that \
                 Retry-After says.",
                UNAVAILABLE_SECONDS,
            ))
        }
    }
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

/// The pieces, each read after the previous one was sent. If one cannot be read, the response breaks off before its length,
/// so that no client takes it for whole.
fn pieces(file: OpenFile) -> public_endpoint::ByteStream {
    Box::pin(stream::unfold(file, |mut file| async move {
        match file.reader.next().await {
            Ok(piece) => piece.map(|piece| (piece, file)),
            Err(error) => {
                tracing::warn!(%error, "sending media failed");
                None
            }
        }
    }))
}
