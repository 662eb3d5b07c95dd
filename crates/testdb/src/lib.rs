//! Databases for tests and measurements: empty when created, removed when dropped.
//!
//! PostgreSQL databases are created on the server in `FRONTDESK_TEST_POSTGRES`, which `make test` and `make
//! bench` start. Without it a test fails; it is never skipped.

mod distributed;

use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::{env, fs, process, thread};

use postgres::{Client, NoTls};

pub use distributed::{Distributed, Route};

/// The variable with the URL of the test server.
const SERVER: &str = "FRONTDESK_TEST_POSTGRES";

/// Creates an empty database. Other connections to the default template would block its use.
const EMPTY: &str = "TEMPLATE template0";

/// The URL of the test server. It ends in the name of a database.
pub fn postgres_server() -> Result<String, String> {
    env::var(SERVER)
        .map_err(|_| format!("{SERVER} is not set: use `make test` or `make bench`, which start it"))
}

/// A database of either engine.
#[derive(Debug)]
pub enum TestDatabase {
    /// In this directory, which the store creates.
    Sqlite(PathBuf),
    Postgres(PostgresDatabase),
}

impl TestDatabase {
    pub fn sqlite() -> Self {
        Self::Sqlite(env::temp_dir().join(unique()))
    }

    pub fn postgres() -> Self {
        Self::Postgres(PostgresDatabase::create())
    }

    pub fn both() -> [Self; 2] {
        [Self::sqlite(), Self::postgres()]
    }

    /// `sqlite:PATH` or `postgres://…`. TLS is off: it has separate tests, and would slow others down.
    pub fn url(&self) -> String {
        match self {
            Self::Sqlite(directory) => format!("sqlite:{}", directory.join("test.db").display()),
            Self::Postgres(database) => database.unencrypted_url(),
        }
    }
}

impl Drop for TestDatabase {
    fn drop(&mut self) {
        if let Self::Sqlite(directory) = self {
            // A test may not have opened it.
            let _ = fs::remove_dir_all(directory);
        }
    }
}

/// A PostgreSQL database.
#[derive(Debug)]
pub struct PostgresDatabase {
    server: String,
    name: String,
    is_created: AtomicBool,
}

impl PostgresDatabase {
    /// Panics if there is no test server.
    pub fn create() -> Self {
        Self::try_create().unwrap_or_else(|error| panic!("{error}"))
    }

    pub fn try_create() -> Result<Self, String> {
        let database = Self::try_reserve()?;
        database.fill(EMPTY)?;
        Ok(database)
    }

    /// A database that is only named yet. Panics if there is no test server.
    pub fn reserve() -> Self {
        Self::try_reserve().unwrap_or_else(|error| panic!("{error}"))
    }

    fn try_reserve() -> Result<Self, String> {
        Ok(Self { server: postgres_server()?, name: unique(), is_created: AtomicBool::new(false) })
    }

    /// Creates a reserved database, empty.
    pub fn create_empty(&self) {
        self.fill(EMPTY).unwrap_or_else(|error| panic!("{error}"));
    }

    /// Creates a reserved database as a copy of another one, to which nobody is connected.
    pub fn create_copy(&self, of: &Self) {
        // Copying files is the fastest way where nothing is flushed to the disk.
        let template = format!("TEMPLATE {} STRATEGY FILE_COPY", of.name);
        self.fill(&template).unwrap_or_else(|error| panic!("{error}"));
    }

    fn fill(&self, template: &str) -> Result<(), String> {
        self.is_created.store(true, Ordering::Relaxed);
        execute(&self.server, format!("CREATE DATABASE {} {template}", self.name))
            .map_err(|error| format!("cannot create a database at {SERVER}: {error}"))
    }

    pub fn name(&self) -> &str {
        &self.name
    }

    /// Without parameters.
    pub fn url(&self) -> String {
        let (base, _) = self.server.rsplit_once('/').expect("the server's URL names a database");
        format!("{base}/{}", self.name)
    }

    pub fn unencrypted_url(&self) -> String {
        format!("{}?sslmode=disable", self.url())
    }
}

impl Drop for PostgresDatabase {
    fn drop(&mut self) {
        if !*self.is_created.get_mut() {
            return;
        }
        // At worst it is left behind. A failing test should fail for its own reason.
        let _ = execute(&self.server, format!("DROP DATABASE IF EXISTS {} WITH (FORCE)", self.name));
    }
}

/// A name that no other process of this machine uses.
fn unique() -> String {
    static NEXT: AtomicU32 = AtomicU32::new(0);
    format!("frontdesk_test_{}_{}", process::id(), NEXT.fetch_add(1, Ordering::Relaxed))
}

/// Runs a statement on a separate thread: this client blocks, and tests may be asynchronous.
fn execute(server: &str, statement: String) -> Result<(), String> {
    let server = server.to_owned();
    let run = move || Client::connect(&server, NoTls)?.batch_execute(&statement);
    let outcome = thread::spawn(run).join().map_err(|_| "the client panicked".to_owned())?;
    outcome.map_err(|error: postgres::Error| error.to_string())
}
