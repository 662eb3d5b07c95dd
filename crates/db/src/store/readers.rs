//! SQLite's readers: connections that see the last commit and never wait for the writer.
//!
//! A read needs one snapshot for all its statements. SQLite keeps a snapshot as long as any statement of the connection is
//! active, so the statement that reads the version of the database stays active until the read has ended. A transaction
//! would take two more statements.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use crate::error::{Error, Result};
use crate::read_tx::ReadTx;
use crate::reader_cache::{self, ReaderCache};
use crate::scans::ScanGuard;
use crate::sqlite::{self, Connection, Names, SideFile};
use crate::watch::Watch;

/// Virtual machine instructions that SQLite runs between two checks of the guard.
const INSTRUCTIONS_UNCHECKED_MAX: i32 = 4096;

/// A read, which keeps its result to itself. It is not a type parameter, so that running one is compiled once.
type Read<'r> = &'r mut dyn FnMut(&mut ReadTx<'_>);

/// Idle connections. A reading thread takes one and puts it back, so there are never more than threads.
pub(super) struct Readers {
    path: PathBuf,
    names: Names,
    side_files: &'static [SideFile],
    watch: Arc<Watch>,
    idle: Mutex<Vec<Reader>>,
}

struct Reader {
    connection: Connection,
    guard: Arc<Mutex<Option<Arc<ScanGuard>>>>,
    cache: ReaderCache,
}

impl Reader {
    /// Makes SQLite interrupt a statement whose guard is over.
    fn new(mut connection: Connection) -> Result<Self> {
        let guard = Arc::new(Mutex::new(None::<Arc<ScanGuard>>));
        let looked_at = guard.clone();
        let is_over = move || {
            let guard = looked_at.lock().unwrap_or_else(PoisonError::into_inner);
            guard.as_ref().is_some_and(|guard| guard.is_over())
        };
        let set = connection.raw.progress_handler(INSTRUCTIONS_UNCHECKED_MAX, Some(is_over));
        set.map_err(|error| sqlite::meaning(&connection.names, error))?;
        Ok(Self { connection, guard, cache: ReaderCache::default() })
    }

    /// Runs a read over one snapshot.
    fn snapshot(
        &mut self,
        names: &Names,
        read: impl FnOnce(&rusqlite::Connection, &mut ReaderCache),
    ) -> Result<()> {
        let fail = |error| sqlite::meaning(names, error);
        let raw = &self.connection.raw;
        let mut statement = raw.prepare_cached(reader_cache::VERSION).map_err(fail)?;
        let mut rows = statement.raw_query();
        let version = rows.next().map_err(fail)?.ok_or(Error::Decode("version"))?.get(0).map_err(fail)?;
        self.cache.set_version(version);
        read(raw, &mut self.cache);
        // The end of the statement ends the snapshot.
        drop(rows);
        Ok(())
    }

    fn set_guard(&self, guard: Option<Arc<ScanGuard>>) {
        *self.guard.lock().unwrap_or_else(PoisonError::into_inner) = guard;
    }
}

impl Readers {
    pub(super) fn new(
        path: PathBuf,
        names: Names,
        side_files: &'static [SideFile],
        watch: Arc<Watch>,
    ) -> Self {
        Self { path, names, side_files, watch, idle: Mutex::new(Vec::new()) }
    }

    /// Runs a read on this thread, over one snapshot.
    pub(super) fn run(&self, read: Read<'_>) -> Result<()> {
        catch_unwind(AssertUnwindSafe(|| self.run_on(None, read))).unwrap_or(Err(Error::Panicked))
    }

    /// Runs a long read on this thread, over one snapshot, until its guard is over.
    pub(super) fn scan(&self, guard: &Arc<ScanGuard>, read: Read<'_>) -> Result<()> {
        self.run_on(Some(guard), read)
    }

    fn run_on(&self, guard: Option<&Arc<ScanGuard>>, read: Read<'_>) -> Result<()> {
        let mut reader = self.take()?;
        if guard.is_some() {
            reader.set_guard(guard.cloned());
        }
        reader.snapshot(&self.names, |raw, cache| {
            let tx = ReadTx::sqlite(raw, &self.names)
                .watched_by(self.watch.slow.as_ref())
                .held_by(guard.map(AsRef::as_ref));
            read(&mut tx.keeping(cache));
        })?;
        if guard.is_some() {
            reader.set_guard(None);
        }
        self.put(reader);
        Ok(())
    }

    /// Runs a read of one statement, which is a snapshot by itself.
    pub(super) fn read_single(&self, read: Read<'_>) -> Result<()> {
        let run = || {
            let reader = self.take()?;
            let tx = ReadTx::sqlite(&reader.connection.raw, &self.names);
            read(&mut tx.watched_by(self.watch.slow.as_ref()));
            self.put(reader);
            Ok(())
        };
        catch_unwind(AssertUnwindSafe(run)).unwrap_or(Err(Error::Panicked))
    }

    fn take(&self) -> Result<Reader> {
        let idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner).pop();
        idle.map_or_else(|| self.open(), Ok)
    }

    fn open(&self) -> Result<Reader> {
        let connection = Connection::open(&self.path)?;
        for file in self.side_files {
            file.attach(&connection, &self.path)?;
        }
        sqlite::execute(&connection.raw, &self.names, "PRAGMA query_only = ON", &[])?;
        Reader::new(connection)
    }

    fn put(&self, reader: Reader) {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner).push(reader);
    }

    pub(super) fn close(&self) {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner).clear();
    }
}
