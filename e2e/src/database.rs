//! Databases without rows, one for each server under test.

use std::io::{BufRead, BufReader, Write};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;
use std::{env, fs, process};

use frontdesk_db::{Options, Store};
use frontdesk_testdb::PostgresDatabase;

use crate::engine::Engine;
use crate::reaper;

const SQLITE_FILE: &str = "frontdesk.db";
const REDIS: &str = "FRONTDESK_TEST_REDIS";
const REDIS_TLS: &str = "FRONTDESK_TEST_REDIS_TLS";
const TLS: &str = "FRONTDESK_TEST_TLS";

/// Where a server keeps its data, as its options say it.
#[derive(Debug)]
pub(crate) struct Database {
    /// `sqlite:PATH` or `postgres://…`.
    pub(crate) url: String,
    /// `redis://…/N`.
    pub(crate) redis: Option<String>,
    /// Whether it is on a server of the test's own.
    is_own: bool,
    postgres: Option<PostgresDatabase>,
}

impl Database {
    pub(crate) fn new(engine: Engine, dir: &Path) -> Self {
        match engine {
            Engine::Sqlite => {
                let url = format!("sqlite:{}", dir.join(SQLITE_FILE).display());
                Self { url, redis: None, is_own: false, postgres: None }
            }
            Engine::Postgres => Self::postgres(None),
            Engine::PostgresRedis => Self::postgres(Some(free_redis())),
        }
    }

    fn postgres(redis: Option<String>) -> Self {
        let database = PostgresDatabase::reserve();
        Self { url: database.unencrypted_url(), redis, is_own: false, postgres: Some(database) }
    }

    /// An empty database on a server of the test's own.
    pub(crate) fn at(url: &str) -> Self {
        Self { url: url.to_owned(), redis: None, is_own: true, postgres: None }
    }

    /// A database that exists, in services of the test's own.
    pub(crate) fn own(url: String, redis: Option<String>) -> Self {
        Self { url, redis, is_own: false, postgres: None }
    }

    /// Creates it without tables.
    pub(crate) fn create_empty(&self) {
        if let Some(database) = &self.postgres {
            database.create_empty();
        }
    }

    /// Creates it with the tables that the server would create. They are copied, which takes a fraction of the time.
    pub(crate) fn create_migrated(&self, dir: &Path) {
        match &self.postgres {
            Some(database) => database.create_copy(&MIGRATED_POSTGRES),
            None if self.is_own => migrate(&self.url),
            None => {
                fs::copy(&*MIGRATED_SQLITE, dir.join(SQLITE_FILE)).expect("a copy of the database");
            }
        }
    }

    /// The test server's certificate is for `localhost`.
    pub(crate) fn encrypt(&mut self) {
        let checked = format!("hostaddr=127.0.0.1&sslmode=verify-full&sslrootcert={}", tls_file("ca.pem"));
        self.url = self.url.replace("127.0.0.1", "localhost").replace("sslmode=disable", &checked);
    }
}

/// Databases with all tables and no row, which the tests of this process copy.
static MIGRATED_POSTGRES: LazyLock<PostgresDatabase> = LazyLock::new(|| {
    let database = PostgresDatabase::create();
    migrate(&database.unencrypted_url());
    database
});
static MIGRATED_SQLITE: LazyLock<PathBuf> = LazyLock::new(|| {
    let dir = env::temp_dir().join(format!("frontdesk-e2e-{}-migrated", process::id()));
    reaper::remove_with_us(&dir);
    let file = dir.join(SQLITE_FILE);
    migrate(&format!("sqlite:{}", file.display()));
    file
});

fn migrate(url: &str) {
    let url = url.parse().expect("a URL of a database");
    Store::open(&Options::new(url)).expect("migrations run").close();
}

/// A Redis database that no other test has: Redis itself hands out the numbers, so that test
/// binaries may run side by side. Addresses are counted there, and every test calls from the same.
fn free_redis() -> String {
    let url = provided(REDIS);
    let server = url.trim_end_matches('/');
    let address = server.strip_prefix("redis://").expect("redis://HOST:PORT");
    let stream =
        TcpStream::connect(address).unwrap_or_else(|error| panic!("cannot reach {REDIS} ({url}): {error}"));
    (&stream).write_all(b"INCR frontdesk-e2e\r\nCONFIG GET databases\r\n").expect("Redis reads");
    // ":7", "*2", "$9", "databases", "$4", "2048"
    let lines: Vec<String> =
        BufReader::new(&stream).lines().take(6).map(|line| line.expect("Redis answers")).collect();
    let number: u32 = lines[0].trim_start_matches(':').parse().expect("a number from INCR");
    let databases: u32 = lines[5].parse().expect("how many databases Redis has");
    format!("{server}/{}", 1 + number % (databases - 1))
}

/// A Redis database that no other test has: its plain address, and its address over TLS.
pub fn redis_over_tls() -> (String, String) {
    let plain = free_redis();
    let (_, number) = plain.rsplit_once('/').expect("a database");
    let tls = format!("{}/{number}", provided(REDIS_TLS));
    (plain, tls)
}

/// A file beside the certificates of the test servers.
pub fn tls_file(name: &str) -> String {
    format!("{}/{name}", provided(TLS))
}

fn provided(variable: &str) -> String {
    env::var(variable)
        .unwrap_or_else(|_| panic!("{variable} is not set: run the tests with `make test`, which starts it"))
}
