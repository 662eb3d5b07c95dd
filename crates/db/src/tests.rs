//! The guarantees of the store, on both engines.

mod opening;
mod queues;
mod reads;
mod scans;
mod sessions;
mod statements;
mod wakes;
mod writes;

use std::path::PathBuf;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Condvar, Mutex};
use std::time::Duration;

use frontdesk_kernel::Timestamp;
use uuid::Uuid;

use crate::{DatabaseUrl, Dialect, Error, Options, Query, Result, Store, Tx, lease, only};

/// A separate database, dropped with this value.
struct Database {
    url: DatabaseUrl,
    cleanup: Cleanup,
}

enum Cleanup {
    Directory(PathBuf),
    Postgres { server: String, name: String },
}

static NEXT: AtomicU32 = AtomicU32::new(0);

impl Database {
    fn sqlite() -> Self {
        let unique = format!("frontdesk-db-{}-{}", std::process::id(), NEXT.fetch_add(1, Ordering::Relaxed));
        let directory = std::env::temp_dir().join(unique);
        let url = DatabaseUrl::Sqlite(directory.join("data").join("test.db"));
        Self { url, cleanup: Cleanup::Directory(directory) }
    }

    fn postgres() -> Self {
        let server = std::env::var("FRONTDESK_TEST_POSTGRES")
            .expect("FRONTDESK_TEST_POSTGRES names a PostgreSQL server: run the tests with `make test`");
        let name = format!("frontdesk_db_{}_{}", std::process::id(), NEXT.fetch_add(1, Ordering::Relaxed));
        let mut admin = postgres::Client::connect(&server, postgres::NoTls).expect("the test server answers");
        admin.batch_execute(&format!("CREATE DATABASE {name}")).expect("a database can be made");
        let (base, _) = server.rsplit_once('/').expect("the URL names a database");
        // TLS has separate tests, and would slow these down.
        let url = DatabaseUrl::Postgres(format!("{base}/{name}?sslmode=disable"));
        Self { url, cleanup: Cleanup::Postgres { server, name } }
    }

    fn open(&self) -> Store {
        self.try_open(true).expect("the store opens")
    }

    fn try_open(&self, server: bool) -> Result<Store> {
        Store::open(&Options { server, pool: 4, ..Options::new(self.url.clone()) })
    }
}

impl Drop for Database {
    fn drop(&mut self) {
        match &self.cleanup {
            Cleanup::Directory(path) => drop(std::fs::remove_dir_all(path)),
            Cleanup::Postgres { server, name } => {
                if let Ok(mut admin) = postgres::Client::connect(server, postgres::NoTls) {
                    let _ = admin.batch_execute(&format!("DROP DATABASE IF EXISTS {name} WITH (FORCE)"));
                }
            }
        }
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
