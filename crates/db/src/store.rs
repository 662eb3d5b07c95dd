//! The store: `read`, `scan` and `write`, whatever the engine.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::str::FromStr;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use crossbeam_channel::{Sender, TrySendError};
use tokio::sync::oneshot;
use uuid::Uuid;

use crate::postgres::{Kind, Listener, Pool, Queues, Session, Work};
use crate::scans::{ScanGuard, Scans};
use crate::sqlite::{self, Checkpointer, Claim, Opened, Readers, Writer};
use crate::wake::AfterCommit;
use crate::{Dialect, Error, ReadTx, Result, Tx, Wakes, migrate};

/// Jobs that may wait; past that a caller is told to come back.
const QUEUE_JOBS_MAX: usize = 4096;
/// Long reads that run at once on SQLite.
const SQLITE_SCANS_MAX: usize = 4;
/// How long a long read of an account may take. Together with its wait for a slot it ends before its request does.
const SCAN_TIME_MAX: Duration = Duration::from_secs(10);
const POOL_DEFAULT: usize = 24;

/// Where the data is: `sqlite:PATH` or `postgres://…`.
#[derive(Clone, PartialEq, Eq)]
pub enum DatabaseUrl {
    Sqlite(PathBuf),
    Postgres(String),
}

#[derive(Debug, Clone, thiserror::Error)]
#[error("a database is sqlite:PATH or postgres://USER:PASSWORD@HOST/NAME")]
pub struct InvalidUrl;

impl FromStr for DatabaseUrl {
    type Err = InvalidUrl;

    fn from_str(text: &str) -> Result<Self, InvalidUrl> {
        if let Some(path) = text.strip_prefix("sqlite:").filter(|path| !path.is_empty()) {
            return Ok(Self::Sqlite(PathBuf::from(path)));
        }
        if text.starts_with("postgres://") || text.starts_with("postgresql://") {
            return Ok(Self::Postgres(text.to_owned()));
        }
        Err(InvalidUrl)
    }
}

impl DatabaseUrl {
    /// Where the data is, for people: a path, or a URL without the user, the password and the options.
    pub fn place(&self) -> String {
        match self {
            Self::Sqlite(path) => path.display().to_string(),
            Self::Postgres(url) => {
                let (scheme, rest) = url.split_once("://").unwrap_or(("postgres", url));
                let place = rest.split('?').next().unwrap_or_default();
                let bare = match place.rsplit_once('@') {
                    Some((_, bare)) => bare,
                    // Where a password holds a question mark, what stands before it may be a part of the password.
                    None if rest.contains('@') => "…",
                    None => place,
                };
                format!("{scheme}://{bare}")
            }
        }
    }
}

impl std::fmt::Debug for DatabaseUrl {
    /// A URL may hold a password, so only the kind is told.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Sqlite(path) => write!(f, "sqlite:{}", path.display()),
            Self::Postgres(_) => f.write_str("postgres://…"),
        }
    }
}

/// How a store is opened.
#[derive(Clone, Debug)]
pub struct Options {
    pub url: DatabaseUrl,
    /// Whether this process is a server, of which SQLite takes only one, and not a command beside it.
    pub server: bool,
    /// Connections to PostgreSQL.
    pub pool: usize,
    /// Whether to make the database when there is none yet.
    pub create: bool,
    /// How long a long read of an account may take.
    pub scan_time_max: Duration,
}

impl Options {
    pub fn new(url: DatabaseUrl) -> Self {
        Self { url, server: false, pool: POOL_DEFAULT, create: true, scan_time_max: SCAN_TIME_MAX }
    }
}

/// A handle to the data; clones share it.
#[derive(Clone)]
pub struct Store {
    shared: Arc<StoreInner>,
}

struct StoreInner {
    engine: Engine,
    scans: Scans,
    scan_time_max: Duration,
    wakes: Wakes,
    refusals: Arc<AtomicU64>,
    closing: Mutex<Option<Closing>>,
}

enum Engine {
    Sqlite {
        readers: Arc<Readers>,
        queue: Queue<Box<dyn Job>>,
        search_queue: Queue<Box<dyn Job>>,
    },
    Postgres {
        /// Reads and other single statements, for which threads are reserved.
        short: Queue<Work>,
        /// Transactions and long reads.
        long: Queue<Work>,
        live: Arc<AtomicBool>,
    },
}

/// A way in that can be shut.
type Queue<J> = Mutex<Option<Sender<J>>>;

struct Closing {
    threads: Vec<std::thread::JoinHandle<()>>,
    listener: Option<Listener>,
    /// Held until everything is closed.
    claim: Option<Claim>,
}

/// A closure on its way through an engine, and the caller who waits for it.
pub(crate) trait Job: Send {
    /// Runs the closure. False when it failed and its changes are to be undone.
    fn run(&mut self, tx: &mut Tx<'_>) -> bool;
    /// Tells what a commit brings, then answers the caller with the closure's result or with the commit's failure.
    fn finish(self: Box<Self>, outcome: &Result<()>, publish: &mut dyn FnMut(AfterCommit));
    /// Whether the caller still waits for the result.
    fn is_wanted(&self) -> bool;
}

struct Task<F, T, E> {
    operation: F,
    result: Option<Result<T, E>>,
    after_commit: AfterCommit,
    refusals: Arc<AtomicU64>,
    caller: oneshot::Sender<Result<T, E>>,
}

impl<F, T, E> Job for Task<F, T, E>
where
    F: Fn(&mut Tx<'_>) -> Result<T, E> + Send,
    T: Send,
    E: From<Error> + Send,
{
    fn run(&mut self, tx: &mut Tx<'_>) -> bool {
        let result = catch_unwind(AssertUnwindSafe(|| (self.operation)(tx)))
            .unwrap_or_else(|_| Err(Error::Panicked.into()));
        let done = result.is_ok();
        if tx.refusal().is_some() {
            self.refusals.fetch_add(1, Ordering::Relaxed);
        }
        self.after_commit = if done { tx.take_after_commit() } else { AfterCommit::default() };
        self.result = Some(result);
        done
    }

    fn finish(self: Box<Self>, outcome: &Result<()>, publish: &mut dyn FnMut(AfterCommit)) {
        let Self { operation, result, after_commit, refusals, caller } = *self;
        let result = match (outcome, result) {
            (Ok(()), Some(result)) => {
                publish(after_commit);
                result
            }
            (Ok(()), None) => Err(Error::Closed.into()),
            (Err(error), _) => {
                if error.refuses_writes() {
                    refusals.fetch_add(1, Ordering::Relaxed);
                }
                Err(error.clone().into())
            }
        };
        // The closure is dropped before the caller resumes, so that nothing it captured outlives the call.
        drop(operation);
        // A caller who went away does not matter: the change is made.
        let _ = caller.send(result);
    }

    fn is_wanted(&self) -> bool {
        !self.caller.is_closed()
    }
}

impl Store {
    /// Opens the store and brings its tables up to date. Blocks; meant for the start of a program.
    pub fn open(options: &Options) -> Result<Self> {
        let wakes = Wakes::default();
        match &options.url {
            DatabaseUrl::Sqlite(path) => {
                let Opened { path, database, search, claim } =
                    sqlite::open(path, options.server, options.create)?;
                let readers = Arc::new(Readers::new(path.clone(), database.names.clone()));
                let checkpointer = options.server.then(|| Checkpointer::start(path));
                let writer =
                    Writer::start("store-writer", database, QUEUE_JOBS_MAX, wakes.clone(), checkpointer);
                let searching = Writer::start("store-search", search, QUEUE_JOBS_MAX, wakes.clone(), None);
                let engine = Engine::Sqlite {
                    readers,
                    queue: Mutex::new(Some(writer.queue)),
                    search_queue: Mutex::new(Some(searching.queue)),
                };
                let threads = vec![writer.thread, searching.thread];
                let scans = Scans::new(SQLITE_SCANS_MAX);
                Ok(Self::new(engine, scans, options, wakes, Closing { threads, listener: None, claim }))
            }
            DatabaseUrl::Postgres(url) => {
                let mut session = Session::connect(url)?;
                if !options.create && !migrate::has_tables(&mut session)? {
                    return Err(Error::NoDatabase(options.url.place()));
                }
                migrate::migrate_postgres(&mut session)?;
                // A command that runs beside the servers is over before anybody could wake it.
                let listener = options.server.then(|| Listener::start(url, wakes.clone()));
                let outbox = listener.as_ref().map(|listener| listener.outbox.clone()).unwrap_or_default();
                let live = listener.as_ref().map(|listener| listener.live.clone()).unwrap_or_default();
                let pool = Pool::start(url, session, options.pool, QUEUE_JOBS_MAX, &wakes, &outbox);
                let Queues { short, long } = pool.queues;
                let engine =
                    Engine::Postgres { short: Mutex::new(Some(short)), long: Mutex::new(Some(long)), live };
                let closing = Closing { threads: pool.threads, listener, claim: None };
                Ok(Self::new(engine, Scans::new(pool.scans_max), options, wakes, closing))
            }
        }
    }

    fn new(engine: Engine, scans: Scans, options: &Options, wakes: Wakes, closing: Closing) -> Self {
        Self {
            shared: Arc::new(StoreInner {
                engine,
                scans,
                scan_time_max: options.scan_time_max,
                wakes,
                refusals: Arc::default(),
                closing: Mutex::new(Some(closing)),
            }),
        }
    }

    pub fn dialect(&self) -> Dialect {
        match self.shared.engine {
            Engine::Sqlite { .. } => Dialect::Sqlite,
            Engine::Postgres { .. } => Dialect::Postgres,
        }
    }

    pub fn wakes(&self) -> &Wakes {
        &self.shared.wakes
    }

    /// How often the database has refused a change because it takes none at present: its disk is full or failing, or
    /// it is read-only. It only ever rises.
    pub fn refusals(&self) -> u64 {
        self.shared.refusals.load(Ordering::Relaxed)
    }

    /// Whether wake-ups from other processes arrive right now.
    pub fn receives_notifications(&self) -> bool {
        match &self.shared.engine {
            Engine::Sqlite { .. } => false,
            Engine::Postgres { live, .. } => live.load(Ordering::Acquire),
        }
    }

    /// A short, indexed read. On SQLite it runs on the calling thread; what may take long is a [`Store::scan`].
    pub async fn read<T, E>(
        &self,
        operation: impl Fn(&mut ReadTx<'_>) -> Result<T, E> + Send + 'static,
    ) -> Result<T, E>
    where
        T: Send + 'static,
        E: From<Error> + Send + 'static,
    {
        match &self.shared.engine {
            Engine::Sqlite { readers, .. } => catch_unwind(AssertUnwindSafe(|| readers.run(operation)))
                .unwrap_or_else(|_| Err(Error::Panicked.into())),
            Engine::Postgres { short, .. } => {
                self.submit(short, move |tx| operation(tx), |job| Work::new(Kind::Read, job)).await
            }
        }
    }

    /// A read of one statement, which needs no transaction around it.
    pub async fn read_single<T, E>(
        &self,
        operation: impl Fn(&mut ReadTx<'_>) -> Result<T, E> + Send + 'static,
    ) -> Result<T, E>
    where
        T: Send + 'static,
        E: From<Error> + Send + 'static,
    {
        match &self.shared.engine {
            Engine::Sqlite { readers, .. } => {
                catch_unwind(AssertUnwindSafe(|| readers.read_single(operation)))
                    .unwrap_or_else(|_| Err(Error::Panicked.into()))
            }
            Engine::Postgres { short, .. } => {
                self.submit(short, move |tx| operation(tx), |job| Work::new(Kind::ReadSingle, job)).await
            }
        }
    }

    /// A read of the server's own that may take long. It never holds up a thread that serves others, and is stopped
    /// when the caller stops waiting.
    pub async fn scan<T, E>(
        &self,
        operation: impl Fn(&mut ReadTx<'_>) -> Result<T, E> + Send + 'static,
    ) -> Result<T, E>
    where
        T: Send + 'static,
        E: From<Error> + Send + 'static,
    {
        self.scan_as(None, operation).await
    }

    /// A read of an account that may take long. An account has a part of the slots alone, and its read a deadline, past
    /// which it is [`Error::TooLong`].
    pub async fn scan_for<T, E>(
        &self,
        account: Uuid,
        operation: impl Fn(&mut ReadTx<'_>) -> Result<T, E> + Send + 'static,
    ) -> Result<T, E>
    where
        T: Send + 'static,
        E: From<Error> + Send + 'static,
    {
        self.scan_as(Some(account), operation).await
    }

    async fn scan_as<T, E>(
        &self,
        account: Option<Uuid>,
        operation: impl Fn(&mut ReadTx<'_>) -> Result<T, E> + Send + 'static,
    ) -> Result<T, E>
    where
        T: Send + 'static,
        E: From<Error> + Send + 'static,
    {
        let slot = self.shared.scans.slot(account).await?;
        let time_max = account.map(|_| self.shared.scan_time_max);
        let guard = Arc::new(ScanGuard::new(slot, time_max));
        let _caller = ScanCaller { store: self, guard: guard.clone() };
        match &self.shared.engine {
            Engine::Sqlite { readers, .. } => {
                let readers = readers.clone();
                let scan = tokio::task::spawn_blocking(move || readers.scan(&guard, operation));
                scan.await.unwrap_or_else(|_| Err(Error::Panicked.into()))
            }
            Engine::Postgres { long, .. } => {
                self.submit(long, move |tx| operation(tx), |job| Work::new(Kind::Scan(guard), job)).await
            }
        }
    }

    /// One statement that is a transaction by itself.
    pub async fn single<T, E>(
        &self,
        operation: impl Fn(&mut Tx<'_>) -> Result<T, E> + Send + 'static,
    ) -> Result<T, E>
    where
        T: Send + 'static,
        E: From<Error> + Send + 'static,
    {
        match &self.shared.engine {
            Engine::Sqlite { .. } => self.write(operation).await,
            Engine::Postgres { short, .. } => {
                self.submit(short, operation, |job| Work::new(Kind::Single, job)).await
            }
        }
    }

    /// A change. When this returns `Ok`, it is durable. It runs to its end even if the caller stops waiting.
    pub async fn write<T, E>(
        &self,
        operation: impl Fn(&mut Tx<'_>) -> Result<T, E> + Send + 'static,
    ) -> Result<T, E>
    where
        T: Send + 'static,
        E: From<Error> + Send + 'static,
    {
        match &self.shared.engine {
            Engine::Sqlite { queue, .. } => self.submit(queue, operation, |job| job).await,
            Engine::Postgres { long, .. } => {
                self.submit(long, operation, |job| Work::new(Kind::Transaction, job)).await
            }
        }
    }

    /// A change of SQLite's full-text index, which has a file and a writer of its own. PostgreSQL has no such thing.
    pub async fn write_search<T, E>(
        &self,
        operation: impl Fn(&mut Tx<'_>) -> Result<T, E> + Send + 'static,
    ) -> Result<T, E>
    where
        T: Send + 'static,
        E: From<Error> + Send + 'static,
    {
        match &self.shared.engine {
            Engine::Sqlite { search_queue, .. } => self.submit(search_queue, operation, |job| job).await,
            Engine::Postgres { .. } => Err(Error::Engine("there is no file of an index".into()).into()),
        }
    }

    /// Finishes what is queued and closes every connection. Blocks.
    pub fn close(&self) {
        let closing = self.shared.closing.lock().unwrap_or_else(PoisonError::into_inner).take();
        match &self.shared.engine {
            Engine::Sqlite { queue, search_queue, readers, .. } => {
                readers.close();
                queue.lock().unwrap_or_else(PoisonError::into_inner).take();
                search_queue.lock().unwrap_or_else(PoisonError::into_inner).take();
            }
            Engine::Postgres { short, long, .. } => {
                short.lock().unwrap_or_else(PoisonError::into_inner).take();
                long.lock().unwrap_or_else(PoisonError::into_inner).take();
            }
        }
        if let Some(closing) = closing {
            for thread in closing.threads {
                let _ = thread.join();
            }
            if let Some(listener) = closing.listener {
                listener.close();
            }
            drop(closing.claim);
        }
    }

    async fn submit<T, E, J>(
        &self,
        queue: &Queue<J>,
        operation: impl Fn(&mut Tx<'_>) -> Result<T, E> + Send + 'static,
        wrap: impl FnOnce(Box<dyn Job>) -> J,
    ) -> Result<T, E>
    where
        T: Send + 'static,
        E: From<Error> + Send + 'static,
    {
        let response = self.enqueue(queue, operation, wrap)?;
        response.await.unwrap_or_else(|_| Err(Error::Closed.into()))
    }

    fn enqueue<T, E, J>(
        &self,
        queue: &Queue<J>,
        operation: impl Fn(&mut Tx<'_>) -> Result<T, E> + Send + 'static,
        wrap: impl FnOnce(Box<dyn Job>) -> J,
    ) -> Result<oneshot::Receiver<Result<T, E>>>
    where
        T: Send + 'static,
        E: From<Error> + Send + 'static,
    {
        let (caller, response) = oneshot::channel();
        let refusals = self.shared.refusals.clone();
        let job: Box<dyn Job> = Box::new(Task {
            operation,
            result: None,
            after_commit: AfterCommit::default(),
            refusals,
            caller,
        });
        let queue = queue.lock().unwrap_or_else(PoisonError::into_inner);
        let sender = queue.as_ref().ok_or(Error::Closed)?;
        sender.try_send(wrap(job)).map_err(|error| match error {
            TrySendError::Full(_) => Error::Busy,
            TrySendError::Disconnected(_) => Error::Closed,
        })?;
        Ok(response)
    }
}

/// The caller of a long read. When it is dropped, the read is stopped, unless it is done.
struct ScanCaller<'s> {
    store: &'s Store,
    guard: Arc<ScanGuard>,
}

impl Drop for ScanCaller<'_> {
    fn drop(&mut self) {
        let is_running = self.guard.let_go();
        if let Engine::Postgres { short, .. } = &self.store.shared.engine
            && is_running
        {
            let guard = self.guard.clone();
            // Should the queue be full, the statement runs until its deadline.
            let _ = self.store.enqueue::<(), Error, _>(
                short,
                move |tx| guard.cancel(tx),
                |job| Work::new(Kind::Single, job),
            );
        }
    }
}
