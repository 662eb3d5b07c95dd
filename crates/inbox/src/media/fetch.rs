//! Fetching: what came with messages is brought home in the background.

use std::time::Duration;

use frontdesk_channels::{Adapter, Call, MediaSource};
use frontdesk_db::{self as db, Dialect, Tx, only};
use frontdesk_kernel::Timestamp;
use frontdesk_kernel::ids::AccountId;
use frontdesk_outbound::Client;
use frontdesk_platform::turns::{Drains, Turns};
use frontdesk_platform::{Means, sandbox_pass};
use http::header::{CONTENT_TYPE, USER_AGENT};
use http::{HeaderMap, HeaderName, HeaderValue, Uri};
use tokio::sync::watch;
use tokio::task::JoinSet;

use super::{MediaId, QUEUED, Source};
use crate::connections::{self, ConnectionId};
use crate::sender::call;

/// Fetched at a time.
const FETCHES_MAX: usize = 4;
/// A piece as it is kept.
const CHUNK_BYTES: usize = 512 << 10;
/// The most that is taken, by kind; what vendors allow.
const IMAGE_BYTES_MAX: u64 = 5 << 20;
const CLIP_BYTES_MAX: u64 = 16 << 20;
const DOCUMENT_BYTES_MAX: u64 = 100 << 20;
/// Every piece must come by then.
const PIECE_TIME_MAX: Duration = Duration::from_secs(30);
/// A fetch that nobody settled is due again after this long.
const LEASE: Duration = Duration::from_mins(10);
/// Tries, and the pause before the next, which doubles.
const TRIES_MAX: i64 = 6;
const PAUSE: Duration = Duration::from_secs(5);
/// How often the fetcher looks by itself.
const LOOK_PERIOD: Duration = Duration::from_secs(2);

macro_rules! claim {
    ($lock:literal) => {
        concat!(
            "UPDATE media SET due_at = $2, tries = tries + 1 WHERE (account_id, id) IN (
                SELECT account_id, id FROM media WHERE state = 'pending' AND due_at <= $1 ORDER BY due_at LIMIT $3 ", $lock,
            ") RETURNING account_id, id, connection_id, kind, source, content_type, filename, tries"
        )
    };
}

frontdesk_db::statements! {
    DUE = "SELECT id FROM media WHERE state = 'pending' AND due_at <= $1 LIMIT 1";
    CLAIM = claim!("");
    PUT = "INSERT INTO media_chunks (account_id, media_id, n, bytes) VALUES ($1, $2, $3, $4)
        ON CONFLICT (account_id, media_id, n) DO UPDATE SET bytes = excluded.bytes";
    STORED = "UPDATE media SET state = 'stored', content_type = $3, bytes = $4 WHERE account_id = $1 AND id = $2 AND state = 'pending'";
    AGAIN = "UPDATE media SET due_at = $3, error = $4 WHERE account_id = $1 AND id = $2 AND state = 'pending'";
    FAILED = "UPDATE media SET state = 'failed', error = $3 WHERE account_id = $1 AND id = $2 AND state = 'pending'";
    GIVE_BACK = "UPDATE media SET due_at = $4, tries = tries - 1 WHERE account_id = $1 AND id = $2 AND state = 'pending' AND due_at = $3";
    CLEAR = "DELETE FROM media_chunks WHERE account_id = $1 AND media_id = $2";
}

/// PostgreSQL passes over what another server is just claiming.
pub(crate) const CLAIM_POSTGRES: &str = claim!("FOR UPDATE SKIP LOCKED");

/// A handle to the running fetcher.
#[derive(Clone)]
pub struct Fetcher {
    drains: Drains,
}

struct Job {
    account: AccountId,
    media: MediaId,
    connection: ConnectionId,
    kind: String,
    source: Option<Source>,
    content_type: Option<String>,
    filename: Option<String>,
    tries: i64,
}

/// Why something was not fetched.
enum Trouble {
    /// It may be there later.
    ForNow(String),
    ForGood(String),
}

impl Fetcher {
    /// Starts the fetcher; it works until `stopped` says so.
    pub fn start(means: Means, stopped: watch::Receiver<bool>) -> (Self, tokio::task::JoinHandle<()>) {
        let (drains, mut turns) = Turns::new(&means.store, QUEUED, LOOK_PERIOD, stopped);
        let task = tokio::spawn(async move {
            while let Some(_turn) = turns.next().await {
                while fetch_some(&means, &mut turns.stopped).await > 0 {}
            }
        });
        (Self { drains }, task)
    }

    /// Returns once everything that is due now has been tried.
    pub async fn drain(&self) {
        self.drains.drain().await;
    }
}

/// Fetches a few of those that are due, side by side. Returns how many there were; none when the server is to end, and
/// then those are left to the next one.
async fn fetch_some(means: &Means, stopped: &mut watch::Receiver<bool>) -> usize {
    let now = (means.clock)();
    // Looking costs little and happens often; claiming is a change.
    let due = means.store.read(move |tx| tx.find(DUE, &[&now], only::<MediaId>)).await;
    if matches!(due, Ok(None)) {
        return 0;
    }
    let until = now + LEASE;
    let claimed = means.store.write(move |tx| claim(tx, now, until)).await;
    let jobs = claimed.unwrap_or_else(|error| {
        tracing::warn!(%error, "media cannot be claimed");
        Vec::new()
    });
    let under_way: Vec<_> = jobs.iter().map(|job| (job.account, job.media)).collect();
    let count = jobs.len();
    let mut fetches = JoinSet::new();
    for job in jobs {
        let means = means.clone();
        fetches.spawn(async move { settle(&means, &job, fetch(&means, &job).await).await });
    }
    let all = async { while fetches.join_next().await.is_some() {} };
    let stopping = tokio::select! {
        () = all => false,
        _ = stopped.wait_for(|stopped| *stopped) => true,
    };
    if !stopping {
        return count;
    }
    fetches.shutdown().await;
    give_back(means, under_way, until).await;
    0
}

/// Makes what was claimed due at once, as if it had never been, so that the next server need not wait for the lease to
/// run out. What was settled meanwhile has no lease of ours any more.
async fn give_back(means: &Means, under_way: Vec<(AccountId, MediaId)>, until: Timestamp) {
    let now = (means.clock)();
    let given = means
        .store
        .write(move |tx| -> db::Result<()> {
            for (account, media) in &under_way {
                let _settled_already_is_fine = tx.execute(GIVE_BACK, &[account, media, &until, &now])?;
            }
            tx.wake(QUEUED);
            Ok(())
        })
        .await;
    if let Err(error) = given {
        tracing::warn!(%error, "media under way is fetched again only when its lease runs out");
    }
}

fn claim(tx: &mut Tx<'_>, now: Timestamp, until: Timestamp) -> db::Result<Vec<Job>> {
    let sql = if tx.dialect() == Dialect::Postgres { CLAIM_POSTGRES } else { CLAIM };
    tx.query(sql, &[&now, &until, &(FETCHES_MAX as i64)], |row| {
        Ok(Job {
            account: row.next()?,
            media: row.next()?,
            connection: row.next()?,
            kind: row.next()?,
            source: serde_json::from_str(&row.next::<String>()?).ok(),
            content_type: row.next()?,
            filename: row.next()?,
            tries: row.next()?,
        })
    })
}

/// Brings the bytes home; returns what kind they are and how many.
async fn fetch(means: &Means, job: &Job) -> Result<(Option<String>, u64), Trouble> {
    let connection = job.connection;
    let line = means
        .store
        .read(move |tx| connections::find(tx, connection))
        .await
        .map_err(|error| Trouble::ForNow(error.to_string()))?
        .ok_or_else(|| Trouble::ForGood("the connection is gone".to_owned()))?;
    let adapter = line
        .adapter(&means.services)
        .ok_or_else(|| Trouble::ForGood("the settings of the connection cannot be read".to_owned()))?;
    let source = locate(means, &*adapter, job).await?;
    let call = adapter
        .download_media(&source)
        .ok_or_else(|| Trouble::ForGood("the channel did not say where the media is".to_owned()))?;
    // An address that the vendor named is called with our token. Any other was chosen by somebody else, unless it is
    // our own sandbox.
    let trusted = call.authorization.is_some() || means.services.is_own_sandbox(&call.url);
    let client = if trusted { &means.services.vendors } else { &means.services.outbound };
    download(means, client, call, job, source.content_type).await
}

async fn locate(means: &Means, adapter: &dyn Adapter, job: &Job) -> Result<MediaSource, Trouble> {
    let kept = job.source.clone().ok_or_else(|| Trouble::ForGood("its source cannot be read".to_owned()))?;
    let source = MediaSource {
        id: kept.id,
        url: kept.url,
        content_type: job.content_type.clone(),
        filename: job.filename.clone(),
        bytes: None,
    };
    let Some(call) = adapter.locate_media(&source) else { return Ok(source) };
    let heard =
        call::make(&means.services, call).await.map_err(|error| Trouble::ForNow(error.to_string()))?;
    adapter.media_located(&heard.read()).map_err(|refusal| {
        let told = format!("{} (code {})", refusal.message, refusal.code);
        let for_now =
            matches!(refusal.class, frontdesk_channels::Class::Retry | frontdesk_channels::Class::RetryOnce);
        if for_now { Trouble::ForNow(told) } else { Trouble::ForGood(told) }
    })
}

async fn download(
    means: &Means,
    client: &Client,
    call: Call,
    job: &Job,
    known: Option<String>,
) -> Result<(Option<String>, u64), Trouble> {
    let uri: Uri = call.url.parse().map_err(|_| Trouble::ForGood("its address cannot be read".to_owned()))?;
    let mut headers = HeaderMap::with_capacity(3);
    headers.extend(means.services.sandbox_pass(&call.url).map(|pass| (sandbox_pass::HEADER, pass)));
    headers.insert(USER_AGENT, HeaderValue::from_static(concat!("Frontdesk/", env!("CARGO_PKG_VERSION"))));
    if let Some((name, value)) = &call.authorization
        && let Ok(mut value) = HeaderValue::from_str(value.reveal())
    {
        value.set_sensitive(true);
        headers.insert(HeaderName::from_static(name), value);
    }
    let for_now = |error: frontdesk_outbound::Error| Trouble::ForNow(error.to_string());
    let mut opened = client.open(call.method, uri, headers, PIECE_TIME_MAX).await.map_err(for_now)?;
    if !opened.status.is_success() {
        let told = format!("the channel answered {}", opened.status.as_u16());
        let gone = opened.status.is_client_error() && opened.status.as_u16() != 429;
        return Err(if gone { Trouble::ForGood(told) } else { Trouble::ForNow(told) });
    }
    let said = opened.headers.get(CONTENT_TYPE).and_then(|value| value.to_str().ok()).map(ToOwned::to_owned);
    let most = bytes_max(&job.kind);
    let (mut total, mut n, mut piece) = (0_u64, 0_i64, Vec::with_capacity(CHUNK_BYTES));
    while let Some(bytes) = opened.next().await.map_err(for_now)? {
        total += bytes.len() as u64;
        if total > most {
            return Err(Trouble::ForGood(format!("it is larger than {} MB", most >> 20)));
        }
        let mut rest = &bytes[..];
        while piece.len() + rest.len() >= CHUNK_BYTES {
            let (fits, more) = rest.split_at(CHUNK_BYTES - piece.len());
            piece.extend_from_slice(fits);
            put(means, job, n, std::mem::replace(&mut piece, Vec::with_capacity(CHUNK_BYTES))).await?;
            n += 1;
            rest = more;
        }
        piece.extend_from_slice(rest);
    }
    if !piece.is_empty() {
        put(means, job, n, piece).await?;
    }
    Ok((known.or(said), total))
}

fn bytes_max(kind: &str) -> u64 {
    match kind {
        "image" => IMAGE_BYTES_MAX,
        "audio" | "video" => CLIP_BYTES_MAX,
        _ => DOCUMENT_BYTES_MAX,
    }
}

async fn put(means: &Means, job: &Job, n: i64, bytes: Vec<u8>) -> Result<(), Trouble> {
    let (account, media) = (job.account, job.media);
    let stored =
        means.store.write(move |tx| tx.execute(PUT, &[&account, &media, &n, &bytes])?.exactly(1)).await;
    stored.map_err(|error| Trouble::ForNow(error.to_string()))
}

async fn settle(means: &Means, job: &Job, outcome: Result<(Option<String>, u64), Trouble>) {
    let (account, media, tries, now) = (job.account, job.media, job.tries, (means.clock)());
    let written = means
        .store
        .write(move |tx| -> db::Result<()> {
            let _settled_by_another_is_fine = match &outcome {
                Ok((kind, bytes)) => tx.execute(STORED, &[&account, &media, kind, &(*bytes as i64)])?,
                Err(Trouble::ForNow(why)) if tries < TRIES_MAX => {
                    let due = now + PAUSE * (1 << tries.clamp(0, 10));
                    tx.execute(AGAIN, &[&account, &media, &due, why])?
                }
                Err(Trouble::ForNow(why) | Trouble::ForGood(why)) => {
                    tracing::info!(media = %media, why, "media was not fetched");
                    let _any_number_is_fine = tx.execute(CLEAR, &[&account, &media])?;
                    tx.execute(FAILED, &[&account, &media, why])?
                }
            };
            Ok(())
        })
        .await;
    if let Err(error) = written {
        tracing::warn!(%error, "what came of a fetch was not written; it is tried again");
    }
}
