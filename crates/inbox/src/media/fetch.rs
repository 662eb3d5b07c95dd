//! One fetch: finds the file's address and downloads it in chunks.

use std::time::Duration;

use frontdesk_channels::{Adapter, Call, MediaSource};
use frontdesk_kernel::ids::AccountId;
use frontdesk_outbound::Client;
use frontdesk_platform::{ServerContext, sandbox_pass};
use http::header::{CONTENT_TYPE, USER_AGENT};
use http::{HeaderMap, HeaderName, HeaderValue, Uri};
use sha2::{Digest, Sha256};
use uuid::Uuid;

use super::sql::PUT_CHUNK;
use super::{MediaId, Source};
use crate::calls;
use crate::connections::{self, ConnectionId};

/// The size of a stored chunk.
pub const CHUNK_BYTES: usize = 512 << 10;
/// The maximum size by kind, as the vendors allow.
const IMAGE_BYTES_MAX: u64 = 5 << 20;
const CLIP_BYTES_MAX: u64 = 16 << 20;
const DOCUMENT_BYTES_MAX: u64 = 100 << 20;
/// The deadline for each chunk; [`FETCH_TIME_MAX`] is the deadline for all of them.
const PIECE_TIME_MAX: Duration = Duration::from_secs(30);
pub(super) const FETCH_TIME_MAX: Duration = Duration::from_mins(5);

/// A claimed row.
pub(super) struct Job {
    pub(super) account: AccountId,
    pub(super) media: MediaId,
    pub(super) connection: ConnectionId,
    pub(super) kind: String,
    pub(super) source: Option<Source>,
    pub(super) content_type: Option<String>,
    pub(super) filename: Option<String>,
    pub(super) tries: i64,
    pub(super) lease: Uuid,
}

/// A fetched file.
pub(super) struct Fetched {
    pub(super) content_type: Option<String>,
    pub(super) bytes: u64,
    pub(super) sha256: [u8; 32],
}

/// Why a fetch failed.
pub(super) enum FetchFailure {
    /// A retry may succeed.
    ForNow(String),
    ForGood(String),
}

/// Downloads the file, within [`FETCH_TIME_MAX`].
pub(super) async fn fetch(server: &ServerContext, job: &Job) -> Result<Fetched, FetchFailure> {
    let fetched = tokio::time::timeout(FETCH_TIME_MAX, bring(server, job)).await;
    let late = || FetchFailure::ForNow(format!("it did not come within {} s", FETCH_TIME_MAX.as_secs()));
    fetched.unwrap_or_else(|_| Err(late()))
}

async fn bring(server: &ServerContext, job: &Job) -> Result<Fetched, FetchFailure> {
    let (account, connection_id) = (job.account, job.connection);
    let connection = server
        .store
        .read(move |tx| connections::find(tx, account, connection_id))
        .await
        .map_err(|error| FetchFailure::ForNow(error.to_string()))?
        .ok_or_else(|| FetchFailure::ForGood("the connection is gone".to_owned()))?;
    let adapter = connection
        .adapter(&server.services)
        .ok_or_else(|| FetchFailure::ForGood("the settings of the connection cannot be read".to_owned()))?;
    let source = locate(server, &*adapter, job).await?;
    let call = adapter
        .download_media(&source)
        .ok_or_else(|| FetchFailure::ForGood("the channel did not say where the media is".to_owned()))?;
    // The vendor's own address is called with our token. Any other address was chosen by a user, unless it is
    // our own sandbox.
    let trusted = call.authorization.is_some() || server.services.is_own_sandbox(&call.url);
    let client = if trusted { &server.services.vendors } else { &server.services.outbound };
    download(server, client, call, job, source.content_type).await
}

async fn locate(
    server: &ServerContext,
    adapter: &dyn Adapter,
    job: &Job,
) -> Result<MediaSource, FetchFailure> {
    let kept =
        job.source.clone().ok_or_else(|| FetchFailure::ForGood("its source cannot be read".to_owned()))?;
    let source = MediaSource {
        id: kept.id,
        url: kept.url,
        content_type: job.content_type.clone(),
        filename: job.filename.clone(),
        bytes: None,
    };
    let Some(call) = adapter.locate_media(&source) else { return Ok(source) };
    let response =
        calls::make(&server.services, call).await.map_err(|error| FetchFailure::ForNow(error.to_string()))?;
    adapter.media_located(&response.read()).map_err(|refusal| {
        let why = format!("{} (code {})", refusal.message, refusal.code);
        let for_now =
            matches!(refusal.class, frontdesk_channels::Class::Retry | frontdesk_channels::Class::RetryOnce);
        if for_now { FetchFailure::ForNow(why) } else { FetchFailure::ForGood(why) }
    })
}

async fn download(
    server: &ServerContext,
    client: &Client,
    call: Call,
    job: &Job,
    known: Option<String>,
) -> Result<Fetched, FetchFailure> {
    let uri: Uri =
        call.url.parse().map_err(|_| FetchFailure::ForGood("its address cannot be read".to_owned()))?;
    let mut headers = HeaderMap::with_capacity(3);
    headers.extend(server.services.sandbox_pass(&call.url).map(|pass| (sandbox_pass::HEADER, pass)));
    headers.insert(USER_AGENT, HeaderValue::from_static(concat!("Frontdesk/", env!("CARGO_PKG_VERSION"))));
    if let Some((name, value)) = &call.authorization
        && let Ok(mut value) = HeaderValue::from_str(value.reveal())
    {
        value.set_sensitive(true);
        headers.insert(HeaderName::from_static(name), value);
    }
    let for_now = |error: frontdesk_outbound::Error| FetchFailure::ForNow(error.to_string());
    let mut opened = client.open(call.method, uri, headers, PIECE_TIME_MAX).await.map_err(for_now)?;
    if !opened.status.is_success() {
        let why = format!("the channel answered {}", opened.status.as_u16());
        let gone = opened.status.is_client_error() && opened.status.as_u16() != 429;
        return Err(if gone { FetchFailure::ForGood(why) } else { FetchFailure::ForNow(why) });
    }
    let said = opened.headers.get(CONTENT_TYPE).and_then(|value| value.to_str().ok()).map(ToOwned::to_owned);
    let most = bytes_max(&job.kind);
    let mut sha256 = Sha256::new();
    let (mut total, mut n, mut piece) = (0_u64, 0_i64, Vec::with_capacity(CHUNK_BYTES));
    while let Some(bytes) = opened.next().await.map_err(for_now)? {
        total += bytes.len() as u64;
        if total > most {
            return Err(FetchFailure::ForGood(format!("it is larger than {} MB", most >> 20)));
        }
        sha256.update(&bytes);
        let mut rest = &bytes[..];
        while piece.len() + rest.len() >= CHUNK_BYTES {
            let (fits, more) = rest.split_at(CHUNK_BYTES - piece.len());
            piece.extend_from_slice(fits);
            put(server, job, n, std::mem::replace(&mut piece, Vec::with_capacity(CHUNK_BYTES))).await?;
            n += 1;
            rest = more;
        }
        piece.extend_from_slice(rest);
    }
    if !piece.is_empty() {
        put(server, job, n, piece).await?;
    }
    Ok(Fetched { content_type: known.or(said), bytes: total, sha256: sha256.finalize().into() })
}

fn bytes_max(kind: &str) -> u64 {
    match kind {
        "image" => IMAGE_BYTES_MAX,
        "audio" | "video" => CLIP_BYTES_MAX,
        _ => DOCUMENT_BYTES_MAX,
    }
}

async fn put(server: &ServerContext, job: &Job, n: i64, bytes: Vec<u8>) -> Result<(), FetchFailure> {
    let (account, media) = (job.account, job.media);
    let stored = server
        .store
        .write(move |tx| tx.execute(PUT_CHUNK, &[&account, &media, &n, &bytes])?.exactly(1))
        .await;
    stored.map_err(|error| FetchFailure::ForNow(error.to_string()))
}
