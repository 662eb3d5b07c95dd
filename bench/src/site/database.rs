//! The databases of a run. They are deleted when it ends.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};
use std::{env, fs, process};

use frontdesk_testdb::PostgresDatabase;
use postgres::{Client, NoTls};

use super::sqlite;
use crate::error::Result;
use crate::options::Engine;
use crate::process::Cluster;

/// A directory that exists as long as the run.
pub(crate) struct Scratch(PathBuf);

/// How many directories have been created so far, so that no two have the same name.
static MADE: AtomicU32 = AtomicU32::new(0);

impl Scratch {
    pub(crate) fn new() -> Result<Self> {
        let path = env::temp_dir().join(format!("frontdesk-bench-{}", process::id()));
        fs::create_dir(&path)?;
        Ok(Self(path))
    }

    /// A new directory in it.
    pub(crate) fn subdirectory(&self) -> Result<PathBuf> {
        let path = self.0.join(format!("site-{}", MADE.fetch_add(1, Ordering::Relaxed)));
        fs::create_dir(&path)?;
        Ok(path)
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        // At worst the directory is left behind.
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// Where a server under measurement keeps its data.
pub(crate) struct Database {
    pub(crate) engine: Engine,
    /// `sqlite:PATH` or `postgres://…`.
    pub(crate) url: String,
    _dropped_with_it: Option<PostgresDatabase>,
}

impl Database {
    pub(crate) fn create(engine: Engine, dir: &Path) -> Result<Self> {
        if engine == Engine::Sqlite {
            let url = format!("sqlite:{}", dir.join("frontdesk.db").display());
            return Ok(Self { engine, url, _dropped_with_it: None });
        }
        let database = PostgresDatabase::try_create()?;
        Ok(Self { engine, url: database.url(), _dropped_with_it: Some(database) })
    }

    /// The file of an SQLite database.
    pub(crate) fn file(&self) -> Result<&Path> {
        Ok(Path::new(self.url.strip_prefix("sqlite:").ok_or("not a file")?))
    }

    pub(crate) fn client(&self) -> Result<Client> {
        Ok(Client::connect(&self.url, NoTls)?)
    }

    /// Runs a `SELECT count(*)` and returns its result. A server may be running.
    pub(crate) fn count(&self, statement: &str) -> Result<i64> {
        Ok(match self.engine {
            Engine::Sqlite => sqlite::connect(self.file()?)?.query_one(statement, [], |row| row.get(0))?,
            Engine::Postgres => self.client()?.query_one(statement, &[])?.get(0),
        })
    }

    /// The database's processes, if it has its own and they are on this machine.
    pub(crate) fn cluster(&self) -> Result<Option<Cluster>> {
        if self.engine == Engine::Sqlite {
            return Ok(None);
        }
        // The backend lives as long as its client.
        let mut client = self.client()?;
        let backend: i32 = client.query_one("SELECT pg_backend_pid()", &[])?.get(0);
        Ok(Cluster::of_backend(backend.unsigned_abs()))
    }
}
