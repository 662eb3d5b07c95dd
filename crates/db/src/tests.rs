//! The guarantees of the store, on both engines.

mod each;
mod marks;
mod opening;
mod queues;
mod reads;
mod scans;
mod servers;
mod sessions;
mod statements;
mod wakes;
mod writes;

use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Condvar, Mutex};
use std::time::Duration;

use frontdesk_kernel::Timestamp;
use frontdesk_testdb::{TestDatabase, postgres_server};
use uuid::Uuid;

use crate::{DatabaseUrl, Dialect, Error, Options, Query, Result, Store, Tx, lease, only};

/// A separate database, dropped with this value.
struct Database {
    url: DatabaseUrl,
    _dropped_with_it: TestDatabase,
}

impl Database {
    fn sqlite() -> Self {
        Self::new(TestDatabase::sqlite())
    }

    fn postgres() -> Self {
        Self::new(TestDatabase::postgres())
    }

    fn new(database: TestDatabase) -> Self {
        Self { url: database.url().parse().expect("the URL is valid"), _dropped_with_it: database }
    }

    fn open(&self) -> Store {
        self.try_open(true).expect("the store opens")
    }

    fn try_open(&self, server: bool) -> Result<Store> {
        Store::open(&Options { server, pool: 4, ..Options::new(self.url.clone()) })
    }
}

/// Runs a test on both engines.
fn on_both<F: Future<Output = ()>>(test: impl Fn(Store) -> F) {
    for database in [Database::sqlite(), Database::postgres()] {
        let store = database.open();
        runtime().block_on(test(store.clone()));
        store.close();
    }
}

fn runtime() -> tokio::runtime::Runtime {
    tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()
        .expect("a runtime starts")
}

fn put(tx: &mut Tx<'_>, name: &str, value: &str) -> Result<()> {
    tx.execute("INSERT INTO settings (name, value) VALUES ($1, $2)", &[&name, &value])?.exactly(1)
}

async fn names(store: &Store) -> Vec<String> {
    store
        .read(|tx| tx.query("SELECT name FROM settings ORDER BY name", &[], only))
        .await
        .expect("a read works")
}

/// Waits until notifications of other servers arrive.
async fn settled(store: &Store) {
    while store.dialect() == Dialect::Postgres && !store.receives_notifications() {
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
}
