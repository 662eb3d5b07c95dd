//! Readers: connections that see the last commit and never wait for the writer.

use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};

use super::connection::{Connection, Names};
use super::search;
use crate::{Error, Result, Tx};

/// Idle connections. A thread that reads takes one and puts it back, so there are never more than threads.
pub(crate) struct Readers {
    path: PathBuf,
    names: Names,
    idle: Mutex<Vec<Connection>>,
}

impl Readers {
    pub(crate) fn new(path: PathBuf, names: Names) -> Self {
        Self { path, names, idle: Mutex::new(Vec::new()) }
    }

    /// Runs a read on this thread, over one snapshot.
    pub(crate) fn run<T, E: From<Error>>(&self, read: impl Fn(&mut Tx<'_>) -> Result<T, E>) -> Result<T, E> {
        let connection = self.take()?;
        super::execute(&connection.raw, &self.names, "BEGIN", &[])?;
        let result = read(&mut Tx::sqlite(&connection.raw, &self.names, None));
        // A connection that cannot end its snapshot is dropped, not kept.
        super::execute(&connection.raw, &self.names, "COMMIT", &[])?;
        self.put(connection);
        result
    }

    /// Runs a read of one statement, which is a snapshot by itself.
    pub(crate) fn glance<T, E: From<Error>>(
        &self,
        read: impl Fn(&mut Tx<'_>) -> Result<T, E>,
    ) -> Result<T, E> {
        let connection = self.take()?;
        let result = read(&mut Tx::sqlite(&connection.raw, &self.names, None));
        self.put(connection);
        result
    }

    fn take(&self) -> Result<Connection> {
        let idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner).pop();
        idle.map_or_else(|| self.open(), Ok)
    }

    fn open(&self) -> Result<Connection> {
        let connection = Connection::open(&self.path)?;
        search::attach(&connection, &self.path)?;
        Ok(connection)
    }

    fn put(&self, connection: Connection) {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner).push(connection);
    }

    pub(crate) fn close(&self) {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner).clear();
    }
}
