//! Counters in Redis. One round trip counts a request and checks that its cached key is current.
//!
//! Cached keys are stored under a token that lives in Redis. A command that changes a key, an account or a
//! member replaces the token, and the counting script compares it first, so a changed key is read again at
//! the next request.
//!
//! The cache does not rely on the token alone, because a command may be unable to reach Redis. So it also has
//! a lease of [`CACHE_LEASE`]. Renewing the lease reads the version that every such change raises, and a
//! cached key is used only if it was read at that version. A command that cannot reach Redis waits for the
//! lease to end before it reports success. PostgreSQL's NOTIFY ends the lease early. When Redis does not
//! respond, SQL counts instead.

mod address;

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::atomic::{AtomicI64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use ::redis::aio::{ConnectionManager, ConnectionManagerConfig};
use ::redis::{AsyncCommands, Script};
use frontdesk_db::{self as db, Store};
use frontdesk_kernel::Timestamp;
use frontdesk_kernel::key::KeyHash;
use tokio::sync::watch;

use super::lookups::KeyLookups;
use super::{Admission, AdmissionRequest, FAILURES_MAX};
use crate::auth_version;
use crate::keys::{self, KeyRecord};

pub use ::redis::RedisError;

const LOST: &str = "frontdesk_redis_lost_total";
const TOKEN: &str = "frontdesk:auth";
const KEYS_CACHED_MAX: usize = 10_000;
/// A counter is kept a little longer than its minute, for servers whose clocks differ.
const COUNTER_SECONDS: i64 = 120;
/// After this time without a response, Redis counts as lost.
const ANSWER_MAX: Duration = Duration::from_millis(250);
/// How long SQL counts before Redis is tried again.
const LOST_MILLIS: i64 = 1_000;
/// How long cached keys are used before the version of keys is read again.
pub const CACHE_LEASE: Duration = Duration::from_secs(1);

/// KEYS: the key's counter, the address's failures, the token. ARGV: units, budget, failures at which an
/// address is blocked, seconds to live, the expected token, the token to set if there is none. Returns the
/// token, the failures, the units used, and whether these were taken; it takes nothing if the token differs
/// from the expected one.
const COUNT: &str = r"
    local token = redis.call('GET', KEYS[3])
    if not token then
        token = ARGV[6]
        redis.call('SET', KEYS[3], token)
    end
    local failed = tonumber(redis.call('GET', KEYS[2]) or '0')
    local used = tonumber(redis.call('GET', KEYS[1]) or '0')
    local units = tonumber(ARGV[1])
    if token ~= ARGV[5] or failed >= tonumber(ARGV[3]) or used + units > tonumber(ARGV[2]) then
        return { token, failed, used, 0 }
    end
    used = redis.call('INCRBY', KEYS[1], units)
    redis.call('EXPIRE', KEYS[1], ARGV[4])
    return { token, failed, used, 1 }
";

const FAIL: &str = r"
    local failed = redis.call('INCR', KEYS[1])
    redis.call('EXPIRE', KEYS[1], ARGV[1])
    return failed
";

pub(super) struct Counters {
    connection: ConnectionManager,
    count: Script,
    fail: Script,
    cache: Mutex<Cache>,
    /// Held while the lease is renewed, so that concurrent requests renew it once.
    renewing: tokio::sync::Mutex<()>,
    /// When Redis last failed to respond, in milliseconds.
    lost_at: AtomicI64,
    lookups: KeyLookups,
}

struct Cache {
    changes: watch::Receiver<u64>,
    lease: Option<Lease>,
    records: HashMap<KeyHash, Cached>,
}

/// The version of keys, and until when it is assumed to be current.
#[derive(Clone, Copy)]
struct Lease {
    version: i64,
    until: Instant,
}

/// A key, its token, and a version that is at most the one it was read at.
#[derive(Clone)]
struct Cached {
    token: String,
    version: i64,
    key: Arc<KeyRecord>,
}

type Count = (String, i64, i64, i64);

impl Counters {
    pub(super) async fn connect(url: &str, store: &Store) -> Result<Self, RedisError> {
        let config = ConnectionManagerConfig::new()
            .set_connection_timeout(Some(Duration::from_secs(2)))
            .set_response_timeout(Some(ANSWER_MAX));
        let connection = ConnectionManager::new_with_config(address::client(url)?, config).await?;
        let changes = store.wakes().subscribe(auth_version::CHANGED);
        // Shown as zero until it happens, so that a rate can be computed.
        metrics::counter!(LOST).increment(0);
        Ok(Self {
            connection,
            count: Script::new(COUNT),
            fail: Script::new(FAIL),
            cache: Mutex::new(Cache { changes, lease: None, records: HashMap::new() }),
            renewing: tokio::sync::Mutex::new(()),
            lost_at: AtomicI64::new(i64::MIN),
            lookups: KeyLookups::default(),
        })
    }

    /// None when Redis is lost.
    pub(super) async fn admit(&self, store: &Store, ask: AdmissionRequest) -> Option<db::Result<Admission>> {
        if self.is_lost(ask.now) {
            return None;
        }
        let mut cached = match self.cached(store, &ask.hash).await {
            Ok(cached) => cached,
            Err(error) => return Some(Err(error)),
        };
        self.lookups.count(cached.is_some());
        // If the token has changed, read again. If it keeps changing, SQL decides.
        for _ in 0..3 {
            let (token, key) = match &cached {
                Some(cached) => (cached.token.as_str(), Some(&cached.key)),
                None => ("", None),
            };
            let (budget, id) = key.map_or((0, None), |key| (key.budget, Some(key.id)));
            let counter =
                format!("frontdesk:key:{}:{}", id.map(|id| id.uuid()).unwrap_or_default(), ask.now.minute());
            let units = if key.is_some_and(|key| key.is_good(ask.now)) { ask.units } else { i64::MAX / 2 };
            let (now_token, failed, used, taken) = self.ask(&counter, &ask, units, budget, token).await?;
            if failed >= FAILURES_MAX {
                return Some(Ok(Admission { failed, key: None, used: 0, taken: false }));
            }
            if let Some(Cached { token, key, .. }) = &cached
                && *token == now_token
            {
                return Some(Ok(Admission { failed, key: Some(key.clone()), used, taken: taken == 1 }));
            }
            let hash = ask.hash;
            // The version is read first, so the key is at least as new as the version it is stored with.
            let read =
                store.read(move |tx| db::Result::Ok((auth_version::version(tx)?, keys::find(tx, &hash)?)));
            let (version, key) = match read.await {
                Ok((version, Some(key))) => (version, Arc::new(key)),
                Ok((_, None)) => {
                    return Some(Ok(Admission { failed, key: None, used: 0, taken: false }));
                }
                Err(error) => return Some(Err(error)),
            };
            let fresh = Cached { token: now_token, version, key };
            self.file(ask.hash, fresh.clone());
            cached = Some(fresh);
        }
        None
    }

    async fn ask(
        &self,
        counter: &str,
        ask: &AdmissionRequest,
        units: i64,
        budget: i64,
        token: &str,
    ) -> Option<Count> {
        let mut connection = self.connection.clone();
        let mut call = self.count.key(counter);
        call.key(failures_key(ask.address, ask.now)).key(TOKEN);
        call.arg(units).arg(budget).arg(FAILURES_MAX).arg(COUNTER_SECONDS).arg(token).arg(new_token());
        self.accept(call.invoke_async::<Count>(&mut connection).await, ask.now)
    }

    /// None when Redis is lost.
    pub(super) async fn fail(&self, address: IpAddr, now: Timestamp) -> Option<i64> {
        if self.is_lost(now) {
            return None;
        }
        let mut connection = self.connection.clone();
        let response = self
            .fail
            .key(failures_key(address, now))
            .arg(COUNTER_SECONDS)
            .invoke_async(&mut connection)
            .await;
        self.accept(response, now)
    }

    pub(super) async fn ping(&self) -> Result<(), RedisError> {
        ::redis::cmd("PING").query_async::<()>(&mut self.connection.clone()).await
    }

    fn accept<T>(&self, response: Result<T, RedisError>, now: Timestamp) -> Option<T> {
        response
            .inspect_err(|error| {
                self.lost_at.store(now.millis(), Ordering::Relaxed);
                metrics::counter!(LOST).increment(1);
                tracing::warn!(%error, "Redis is lost; counting in SQL");
            })
            .ok()
    }

    fn is_lost(&self, now: Timestamp) -> bool {
        now.millis().saturating_sub(self.lost_at.load(Ordering::Relaxed)) < LOST_MILLIS
    }

    /// The cached key, if it is known to be current.
    async fn cached(&self, store: &Store, hash: &KeyHash) -> db::Result<Option<Cached>> {
        let version = self.version(store).await?;
        let cache = self.cache();
        Ok(cache.records.get(hash).filter(|cached| cached.version == version).cloned())
    }

    /// The version of keys, from the lease or read again.
    async fn version(&self, store: &Store) -> db::Result<i64> {
        if let Some(version) = self.leased() {
            return Ok(version);
        }
        let _one_at_a_time = self.renewing.lock().await;
        match self.leased() {
            Some(version) => Ok(version),
            None => self.renew(store).await,
        }
    }

    /// The version of keys, while the lease holds.
    #[expect(clippy::disallowed_methods, reason = "a lease on a cache in memory")]
    fn leased(&self) -> Option<i64> {
        let mut cache = self.cache();
        if cache.changes.has_changed().unwrap_or(true) {
            cache.changes.mark_unchanged();
            cache.lease = None;
        }
        cache.lease.filter(|lease| Instant::now() < lease.until).map(|lease| lease.version)
    }

    #[expect(clippy::disallowed_methods, reason = "a lease on a cache in memory")]
    async fn renew(&self, store: &Store) -> db::Result<i64> {
        // The lease starts before the read, so a change that commits after the read is noticed in time.
        let until = Instant::now() + CACHE_LEASE;
        let version = store.read_single(auth_version::version).await?;
        let mut cache = self.cache();
        if cache.lease.is_none_or(|lease| lease.version != version) {
            cache.records.retain(|_, cached| cached.version == version);
        }
        cache.lease = Some(Lease { version, until });
        Ok(version)
    }

    fn file(&self, hash: KeyHash, cached: Cached) {
        let mut cache = self.cache();
        if cache.records.len() >= KEYS_CACHED_MAX {
            cache.records.clear();
        }
        cache.records.insert(hash, cached);
    }

    fn cache(&self) -> MutexGuard<'_, Cache> {
        self.cache.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn failures_key(address: IpAddr, now: Timestamp) -> String {
    format!("frontdesk:address:{address}:{}", now.minute())
}

#[expect(clippy::disallowed_methods, reason = "a token that no other server makes")]
fn new_token() -> String {
    uuid::Uuid::from_bytes(rand::random()).simple().to_string()
}

/// Makes every server read its keys again. Call it after a change has committed and before it is reported as done.
pub async fn invalidate(url: &str) -> Result<(), RedisError> {
    let client = address::client(url)?;
    let config = ConnectionManagerConfig::new()
        .set_number_of_retries(1)
        .set_connection_timeout(Some(Duration::from_secs(2)));
    let mut connection = ConnectionManager::new_with_config(client, config).await?;
    connection.set(TOKEN, new_token()).await
}
