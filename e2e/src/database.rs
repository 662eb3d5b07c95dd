//! Empty databases, one for each server under test.

use std::io::{BufRead, BufReader, Write};
use std::net::TcpStream;
use std::path::Path;
use std::sync::atomic::{AtomicU32, Ordering};
use std::{env, process};

use postgres::{Client, NoTls};

use crate::Engine;

const POSTGRES: &str = "FRONTDESK_TEST_POSTGRES";
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
    /// The PostgreSQL database to drop when done.
    name: Option<String>,
}

impl Database {
    pub(crate) fn new(engine: Engine, dir: &Path) -> Self {
        match engine {
            Engine::Sqlite => {
                Self { url: format!("sqlite:{}/frontdesk.db", dir.display()), redis: None, name: None }
            }
            Engine::Postgres => Self::postgres(None),
            Engine::PostgresRedis => Self::postgres(Some(free_redis())),
        }
    }

    fn postgres(redis: Option<String>) -> Self {
        static MADE: AtomicU32 = AtomicU32::new(0);
        let name = format!("e2e_{}_{}", process::id(), MADE.fetch_add(1, Ordering::Relaxed));
        let admin = provided(POSTGRES);
        execute(&admin, &format!("CREATE DATABASE {name} TEMPLATE template0"))
            .unwrap_or_else(|error| panic!("cannot make a database at {POSTGRES}: {error}"));
        let (server, _) = admin.rsplit_once('/').expect("a url with a database");
        // TLS has tests of its own, and would slow the others down.
        Self { url: format!("{server}/{name}?sslmode=disable"), redis, name: Some(name) }
    }
}

impl Database {
    /// The test server's certificate is for `localhost`.
    pub(crate) fn encrypt(&mut self) {
        let checked = format!("hostaddr=127.0.0.1&sslmode=verify-full&sslrootcert={}", tls_file("ca.pem"));
        self.url = self.url.replace("127.0.0.1", "localhost").replace("sslmode=disable", &checked);
    }
}

impl Drop for Database {
    fn drop(&mut self) {
        if let Some(name) = &self.name {
            // Left behind at worst; a failing test should fail for its own reason.
            let _ = execute(&provided(POSTGRES), &format!("DROP DATABASE {name} WITH (FORCE)"));
        }
    }
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

fn execute(url: &str, statement: &str) -> Result<(), postgres::Error> {
    Client::connect(url, NoTls)?.batch_execute(statement)
}

fn provided(variable: &str) -> String {
    env::var(variable)
        .unwrap_or_else(|_| panic!("{variable} is not set: run the tests with `make test`, which starts it"))
}
