//! The URL of Redis, and how servers learn that a key has changed.
//!
//! A server that counts in Redis stores its URL, sealed, so that commands without the option can use it. A
//! command that cannot reach Redis waits until every server has dropped its cached keys, so its change
//! applies to the next request either way.

use std::time::{Duration, Instant};

use frontdesk_db::{self as db, DatabaseUrl, Store};
use frontdesk_platform::limits::{self, Limits};
use frontdesk_platform::sealing::{Keyring, SealedCell};
use frontdesk_platform::settings;

use crate::error::{Error, Result};
use crate::secret_key;

/// The setting with the URL. Empty if the last server to start used none.
pub(crate) const SETTING: &str = "redis";
/// After this time Redis counts as unreachable.
const REACH_TIME_MAX: Duration = Duration::from_secs(3);
/// How often a server that starts tries to connect.
const ATTEMPTS: usize = 5;
/// Added to the lease of cached keys, for clocks that run at different speeds.
const LEASE_MARGIN: Duration = Duration::from_millis(100);

/// Connects the counters to Redis. A Redis that responds slowly is tried again, so that a busy machine starts too.
pub(crate) async fn connect(store: &Store, url: &str) -> std::result::Result<Limits, String> {
    for _ in 0..ATTEMPTS {
        let connecting = async {
            let limits = Limits::with_redis(store.clone(), url).await?;
            limits.check().await?;
            Ok::<_, limits::RedisError>(limits)
        };
        match tokio::time::timeout(REACH_TIME_MAX, connecting).await {
            Ok(Ok(limits)) => return Ok(limits),
            Ok(Err(error)) if error.is_timeout() => {}
            Ok(Err(error)) => return Err(error.to_string()),
            // Connecting retries without reporting why; the single try of a command gives the reason.
            Err(_) => tell(url).await?,
        }
    }
    Err(too_slow())
}

/// Stores which Redis the servers use, or that they use none.
pub(crate) async fn remember(store: &Store, keys: &Keyring, url: Option<&str>) -> Result<()> {
    let sealed = url.map(|url| keys.seal(&SealedCell::setting(SETTING), url)).unwrap_or_default();
    let write = store.write(move |tx| {
        let is_known = settings::get(tx, SETTING)?.is_some();
        if is_known || !sealed.is_empty() { settings::put(tx, SETTING, &sealed) } else { Ok(()) }
    });
    write.await.map_err(Error::Store)
}

/// Makes a committed change of a key, an account or a member apply to the next request on every server. If
/// Redis is unreachable, this waits for [`limits::CACHE_LEASE`], after which every server has read the
/// change.
pub(crate) async fn tell_servers(store: &Store, database: &DatabaseUrl, given: Option<&str>) {
    if matches!(database, DatabaseUrl::Sqlite(_)) {
        return;
    }
    let committed = Instant::now();
    let told = async {
        let url = match given {
            Some(url) => Some(url.to_owned()),
            None => recall(store, database).await?,
        };
        match url {
            Some(url) => tell(&url).await,
            None => Ok(()),
        }
    };
    if let Err(why) = told.await {
        tokio::time::sleep_until((committed + limits::CACHE_LEASE + LEASE_MARGIN).into()).await;
        eprintln!(
            "warning: Redis could not be told of the change ({why}). The servers have read it from PostgreSQL \
             instead; it is in force"
        );
    }
}

async fn tell(url: &str) -> std::result::Result<(), String> {
    let told = tokio::time::timeout(REACH_TIME_MAX, limits::invalidate(url)).await;
    told.map_err(|_| too_slow())?.map_err(|error| error.to_string())
}

fn too_slow() -> String {
    format!("no answer within {} seconds", REACH_TIME_MAX.as_secs())
}

async fn recall(store: &Store, database: &DatabaseUrl) -> std::result::Result<Option<String>, String> {
    let sealed =
        store.read(|tx| settings::get(tx, SETTING)).await.map_err(|error: db::Error| error.to_string())?;
    let Some(sealed) = sealed.filter(|sealed| !sealed.is_empty()) else { return Ok(None) };
    let found = secret_key::find(store, database).await.map_err(|error| error.to_string())?;
    let url = found.and_then(|found| found.keys.open(&SealedCell::setting(SETTING), &sealed));
    url.map(Some).ok_or_else(|| {
        "its address was stored under another FRONTDESK_SECRET_KEY; give it with --redis".to_owned()
    })
}
