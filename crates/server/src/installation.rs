//! The location of an installation's data, and how a command works on it.
//!
//! A command opens the database next to a running server, runs one read or one write, notifies the servers of
//! a change, and closes. It never locks the database.

use clap::Args;
use frontdesk_db::{self as db, DatabaseUrl, Options, ReadTx, Store, Tx};

use frontdesk_platform::notices;
use frontdesk_platform::settings;

use crate::error::{Error, Result};
use crate::redis;
use crate::store_options::store_options;

/// The help's heading for these options, after the command's own.
pub(crate) const GLOBAL_OPTIONS: &str = "Global options";
/// A command runs one transaction at a time.
const COMMAND_POOL: usize = 1;

/// The URLs that the server stored when it last started: its public one, and the one for its own machine.
const BASE_URL: &str = "base_url";
const LOCAL_URL: &str = "local_url";
/// The default before a server has ever started.
const URL_DEFAULT: &str = "http://127.0.0.1:8080";

/// The server's URLs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ServerUrls {
    /// Public.
    pub(crate) base_url: String,
    /// For the server's own machine.
    pub(crate) local_url: String,
}

impl ServerUrls {
    pub(crate) fn recall(tx: &mut ReadTx<'_>) -> db::Result<Self> {
        let mut place =
            |name| Ok::<_, db::Error>(settings::get(tx, name)?.unwrap_or_else(|| URL_DEFAULT.to_owned()));
        Ok(Self { base_url: place(BASE_URL)?, local_url: place(LOCAL_URL)? })
    }

    /// Stores the server's URLs for commands, which print and call them.
    pub(crate) async fn remember(&self, store: &Store) -> db::Result<()> {
        let (urls, known) = (self.clone(), store.read(Self::recall).await?);
        if known == urls {
            return Ok(());
        }
        store
            .write(move |tx| {
                settings::put(tx, BASE_URL, &urls.base_url)?;
                settings::put(tx, LOCAL_URL, &urls.local_url)
            })
            .await
    }
}

/// The options that every command takes.
// No Debug: both URLs may contain a password.
#[derive(Clone, Args)]
pub(crate) struct Installation {
    /// The database: `sqlite:PATH` or `postgres://USER:PASSWORD@HOST/NAME`
    #[arg(
        long,
        global = true,
        help_heading = GLOBAL_OPTIONS,
        env = "FRONTDESK_DATABASE",
        hide_env_values = true,
        default_value = "sqlite:frontdesk-data/frontdesk.db",
        value_name = "URL"
    )]
    database: String,

    /// A streaming replica of a PostgreSQL database, for lists and searches: `postgres://USER:PASSWORD@HOST/NAME`
    #[arg(
        long,
        global = true,
        help_heading = GLOBAL_OPTIONS,
        env = "FRONTDESK_DATABASE_READ",
        hide_env_values = true,
        value_name = "URL"
    )]
    database_read: Option<String>,

    /// The Redis in which several servers count: `redis://HOST:PORT`, or `rediss://HOST:PORT` with TLS
    #[arg(
        long,
        global = true,
        help_heading = GLOBAL_OPTIONS,
        env = "FRONTDESK_REDIS",
        hide_env_values = true,
        value_name = "URL"
    )]
    redis: Option<String>,

    /// Print JSON, for programs: the result on standard output, an error on standard error
    #[arg(long, global = true, help_heading = GLOBAL_OPTIONS)]
    pub(crate) json: bool,
}

impl Installation {
    pub(crate) fn database(&self) -> Result<DatabaseUrl> {
        read_database(&self.database).map_err(Error::Invalid)
    }

    /// The read replica, if there is one.
    pub(crate) fn replica(&self) -> Result<Option<DatabaseUrl>> {
        let given = self.database_read.as_deref().map(str::trim).filter(|url| !url.is_empty());
        let Some(given) = given else { return Ok(None) };
        match (self.database()?, read_database(given)) {
            (DatabaseUrl::Postgres(_), Ok(replica @ DatabaseUrl::Postgres(_))) => Ok(Some(replica)),
            (DatabaseUrl::Sqlite(_), _) => Err(Error::Invalid(
                "--database-read goes with PostgreSQL, and --database is a SQLite file: leave --database-read \
                 (FRONTDESK_DATABASE_READ) out"
                    .to_owned(),
            )),
            _ => Err(Error::Invalid(
                "--database-read is postgres://USER:PASSWORD@HOST/NAME, a streaming replica of --database".to_owned(),
            )),
        }
    }

    /// The options with which a command opens the database.
    fn store_options(&self) -> Result<Options> {
        Ok(Options { replica: self.replica()?, ..store_options(self.database()?) })
    }

    pub(crate) fn redis(&self) -> Option<&str> {
        self.redis.as_deref().map(str::trim).filter(|url| !url.is_empty())
    }

    /// Runs one read.
    pub(crate) fn look<T, E>(
        &self,
        operation: impl Fn(&mut ReadTx<'_>) -> std::result::Result<T, E> + Send + 'static,
    ) -> Result<T>
    where
        T: Send + 'static,
        E: From<db::Error> + Into<Error> + Send + 'static,
    {
        self.work(async |store| store.scan(operation).await.map_err(Into::into))
    }

    /// Makes one change of data that servers do not cache.
    pub(crate) fn put<T, E>(
        &self,
        operation: impl Fn(&mut Tx<'_>) -> std::result::Result<T, E> + Send + 'static,
    ) -> Result<T>
    where
        T: Send + 'static,
        E: From<db::Error> + Into<Error> + Send + 'static,
    {
        self.work(async |store| store.write(announced(operation)).await.map_err(Into::into))
    }

    /// Makes one change of accounts, members or keys. When this returns, it applies to the next request.
    pub(crate) fn change<T, E>(
        &self,
        operation: impl Fn(&mut Tx<'_>) -> std::result::Result<T, E> + Send + 'static,
    ) -> Result<T>
    where
        T: Send + 'static,
        E: From<db::Error> + Into<Error> + Send + 'static,
    {
        let url = self.database()?;
        self.work(async |store| {
            let changed = store.write(announced(operation)).await.map_err(Into::into)?;
            redis::tell_servers(store, &url, self.redis()).await;
            Ok(changed)
        })
    }

    /// Opens the store, works on it and closes it. Fails if there is no database.
    pub(crate) fn work<T>(&self, work: impl AsyncFnOnce(&Store) -> Result<T>) -> Result<T> {
        self.work_on(false, work)
    }

    /// The same, but creates a missing database.
    pub(crate) fn work_on_new<T>(&self, work: impl AsyncFnOnce(&Store) -> Result<T>) -> Result<T> {
        self.work_on(true, work)
    }

    fn work_on<T>(&self, create: bool, work: impl AsyncFnOnce(&Store) -> Result<T>) -> Result<T> {
        let store = Store::open(&Options { pool: COMMAND_POOL, create, ..self.store_options()? })?;
        let done = runtime()?.block_on(work(&store));
        store.close();
        done
    }
}

/// A change that open dashboards are told of, on whichever server they are.
pub(crate) fn announced<T, E: From<db::Error>>(
    operation: impl Fn(&mut Tx<'_>) -> std::result::Result<T, E> + Send + 'static,
) -> impl Fn(&mut Tx<'_>) -> std::result::Result<T, E> + Send + 'static {
    let mark = rand::random();
    move |tx| {
        let done = operation(tx)?;
        notices::commanded(tx, mark)?;
        Ok(done)
    }
}

pub(crate) fn runtime() -> Result<tokio::runtime::Runtime> {
    tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .map_err(Error::doing("start the program's runtime"))
}

/// Parses a database URL. It may contain a password, so an error does not repeat it.
pub(crate) fn read_database(text: &str) -> std::result::Result<DatabaseUrl, String> {
    let url: DatabaseUrl = text.trim().parse().map_err(|error: db::InvalidUrl| error.to_string())?;
    if let DatabaseUrl::Sqlite(path) = &url {
        let path = path.to_string_lossy();
        if path.starts_with(':') || path.starts_with("file:") {
            return Err(
                "a SQLite database is a file: use sqlite:PATH, such as sqlite:frontdesk.db".to_owned()
            );
        }
    }
    Ok(url)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_database_is_a_file_or_a_server() {
        assert!(read_database("sqlite:data/frontdesk.db").is_ok());
        assert!(read_database(" postgres://u:p@host/name ").is_ok());
        for wrong in ["", "sqlite:", "sqlite::memory:", "sqlite:file:x?mode=memory", "mysql://u:hidden@h/x"] {
            let said = read_database(wrong).unwrap_err();
            assert!(said.contains("sqlite:PATH") && !said.contains("hidden"), "{wrong} said {said}");
        }
    }
}
