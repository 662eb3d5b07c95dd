//! Budgets: units a minute per key, and failed authentications a minute per address (IPv6: per /64 network).
//!
//! The window is fixed: it begins on the minute. Counts are exact under concurrency, with every counter:
//! memory (SQLite, one server), one SQL statement (PostgreSQL), or one round trip to Redis. A call that costs
//! more than what is left takes nothing.

mod lookups;
mod memory;
mod per_minute;
mod redis;
mod sql;

use std::net::IpAddr;
use std::sync::Arc;

use frontdesk_db::{self as db, Store};
use frontdesk_kernel::Timestamp;
use frontdesk_kernel::key::KeyHash;

pub use per_minute::{PerMinute, Usage, UsedUp, seconds_left};
pub use redis::{CACHE_LEASE, RedisError, invalidate};
pub use sql::POSTGRES_STATEMENTS;

use crate::address::client_network;
use crate::keys::KeyRecord;

/// Failed authentications that an address may send in a minute.
pub const FAILURES_MAX: i64 = 30;

/// The result of looking up a request's key and address and of taking its units.
#[derive(Clone, Debug)]
pub struct Admission {
    /// Failed authentications of the address in this minute. From [`FAILURES_MAX`] on, no units are taken.
    pub failed: i64,
    /// The key, valid or not, if it exists.
    pub key: Option<Arc<KeyRecord>>,
    /// Units used in this minute, including this request's if they were taken.
    pub used: i64,
    pub taken: bool,
}

/// A request to be admitted: its key, its address, its units and its time.
#[derive(Clone, Copy, Debug)]
pub struct AdmissionRequest {
    pub hash: KeyHash,
    pub address: IpAddr,
    pub units: i64,
    pub now: Timestamp,
}

/// The counters of one server.
pub struct Limits {
    store: Store,
    counter: Counter,
    sql: sql::Counters,
}

enum Counter {
    Memory(Box<memory::Counters>),
    Sql,
    Redis(Box<redis::Counters>),
}

impl Limits {
    /// Counts in SQL if other servers use the database too, else in memory.
    pub fn new(store: Store) -> Self {
        let counter = if store.is_shared() { Counter::Sql } else { Counter::Memory(Box::default()) };
        Self { store, counter, sql: sql::Counters::default() }
    }

    /// Counts in Redis, and in SQL while Redis is unreachable.
    pub async fn with_redis(store: Store, url: &str) -> Result<Self, RedisError> {
        let counter = Counter::Redis(Box::new(redis::Counters::connect(url, &store).await?));
        Ok(Self { store, counter, sql: sql::Counters::default() })
    }

    /// Looks up the key and the address, and takes the units if the key is valid and has enough left.
    pub async fn admit(&self, ask: AdmissionRequest) -> db::Result<Admission> {
        let ask = AdmissionRequest { address: client_network(ask.address), ..ask };
        match &self.counter {
            Counter::Memory(counters) => counters.admit(&self.store, ask).await,
            Counter::Sql => self.sql.admit(&self.store, ask).await,
            Counter::Redis(counters) => match counters.admit(&self.store, ask).await {
                Some(admission) => admission,
                None => self.sql.admit(&self.store, ask).await,
            },
        }
    }

    /// Counts a failed authentication of an address; returns the count of this minute.
    pub async fn fail(&self, address: IpAddr, now: Timestamp) -> db::Result<i64> {
        let address = client_network(address);
        match &self.counter {
            Counter::Memory(counters) => Ok(counters.fail(address, now)),
            Counter::Sql => sql::fail(&self.store, address, now).await,
            Counter::Redis(counters) => match counters.fail(address, now).await {
                Some(failed) => Ok(failed),
                None => sql::fail(&self.store, address, now).await,
            },
        }
    }

    /// Whether the counters respond, for `/readyz`.
    pub async fn check(&self) -> Result<(), RedisError> {
        match &self.counter {
            Counter::Redis(counters) => counters.ping().await,
            Counter::Memory(_) | Counter::Sql => Ok(()),
        }
    }

    /// Deletes counters of past minutes.
    pub async fn tidy(&self, now: Timestamp) -> db::Result<()> {
        match &self.counter {
            Counter::Memory(counters) => counters.tidy(now),
            Counter::Sql | Counter::Redis(_) => sql::tidy(&self.store, now).await?,
        }
        Ok(())
    }
}
