//! The store: `read`, `scan` and `write`, on both engines.

mod database_file;
mod job;
mod marks;
mod options;
mod pool;
mod readers;
mod replica;
mod scan_caller;
mod traced;
mod writer;

use std::pin::Pin;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use crossbeam_channel::{Sender, TrySendError};
use frontdesk_kernel::Timestamp;
use tokio::sync::oneshot;
use uuid::Uuid;

use crate::copies;
use crate::dialect::Dialect;
use crate::error::{Error, Result};
use crate::marks::Marks;
use crate::migrate;
use crate::postgres::{Listener, Session};
use crate::read_tx::ReadTx;
use crate::row::only;
use crate::scans::{ScanGuard, Scans};
use crate::slow::SlowLog;
use crate::sqlite::{Checkpointer, SideFile};
use crate::tx::Tx;
use crate::url::DatabaseUrl;
use crate::wake::Wakes;
use crate::watch::Watch;

use database_file::{Claim, Opened};
pub(crate) use database_file::{Claim as DatabaseClaim, claim as claim_database};
use job::{Job, Operation, ReadOperation, Slot};
pub use options::Options;
use pool::{Kind, Pool, Queues, Work};
use readers::Readers;
use replica::Replica;
pub use replica::{ReplicaReport, look_at_replica};
use scan_caller::ScanCaller;
use traced::{SpanName, TransactionSpan};
use writer::Writer;

/// Maximum queued jobs. Further ones fail with [`Error::Busy`].
const QUEUE_JOBS_MAX: usize = 4096;
pub(crate) const DATABASE_TIME: &str = "SELECT clock_timestamp()";
/// The extension of the file in which SQLite's server marks its calls.
const CALLS: &str = "calls";
/// Maximum concurrent long reads on SQLite.
const SQLITE_SCANS_MAX: usize = 4;

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
    marks: Marks,
    replica: Option<Replica>,
    refusals: Arc<AtomicU64>,
    closing: Mutex<Option<Closing>>,
}

enum Engine {
    Sqlite {
        readers: Arc<Readers>,
        queue: Queue<Job>,
        /// The queues of the side files, by name.
        side_queues: Vec<(&'static str, Queue<Job>)>,
    },
    Postgres {
        /// Reads and other single statements, for which threads are reserved.
        short: Queue<Work>,
        /// Transactions and long reads.
        long: Queue<Work>,
        live: Arc<AtomicBool>,
    },
}

/// How many jobs wait in a queue of the store.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct QueueLength {
    pub name: &'static str,
    pub jobs: usize,
    pub jobs_max: usize,
}

type BoxedFuture<'s> = Pin<Box<dyn Future<Output = Result<()>> + Send + 's>>;

/// A queue that can be closed.
type Queue<J> = Mutex<Option<Sender<J>>>;

struct Closing {
    threads: Vec<std::thread::JoinHandle<()>>,
    listener: Option<Listener>,
    /// Held until everything is closed.
    claim: Option<Claim>,
}

impl Store {
    /// Opens the store and applies its migrations. Blocks; for the start of a program.
    pub fn open(options: &Options) -> Result<Self> {
        let wakes = Wakes::default();
        let slow = options.slow_statements.clone();
        let slow = slow.map(|slow| SlowLog::start(slow, &options.url, options.side_files));
        let watch = Arc::new(Watch::new(slow, options.replica.is_some()));
        match &options.url {
            DatabaseUrl::Sqlite(path) => {
                let Opened { path, database, side_files, claim } =
                    database_file::open(path, options.server, options.create, options.side_files)?;
                let names = database.names.clone();
                let readers = Arc::new(Readers::new(path.clone(), names, options.side_files, watch.clone()));
                let marks = if options.server {
                    Marks::open(path.with_added_extension(CALLS))
                } else {
                    Marks::default()
                };
                let checkpointer = options.server.then(|| Checkpointer::start(path));
                let start = |name: &str, connection, checkpointer| {
                    Writer::start(
                        name,
                        connection,
                        QUEUE_JOBS_MAX,
                        wakes.clone(),
                        checkpointer,
                        watch.clone(),
                    )
                };
                let writer = start("store-writer", database, checkpointer);
                let mut threads = vec![writer.thread];
                let mut side_queues = Vec::new();
                for (file, connection) in options.side_files.iter().zip(side_files) {
                    let name = format!("store-{}", file.name);
                    let writer = start(&name, connection, None);
                    threads.push(writer.thread);
                    side_queues.push((file.name, Mutex::new(Some(writer.queue))));
                }
                let engine = Engine::Sqlite { readers, queue: Mutex::new(Some(writer.queue)), side_queues };
                let scans = Scans::new(SQLITE_SCANS_MAX);
                let closing = Closing { threads, listener: None, claim };
                Ok(Self::new(engine, scans, options, wakes, marks, closing, None))
            }
            DatabaseUrl::Postgres(url) => {
                let mut session = Session::connect(url)?;
                if !options.create && !migrate::has_tables(&mut session)? {
                    return Err(Error::NoDatabase(options.url.place()));
                }
                migrate::migrate_postgres(&mut session)?;
                copies::check_postgres(&mut session, &options.url.place())?;
                let replica = match &options.replica {
                    Some(DatabaseUrl::Postgres(replica)) if options.server => {
                        Some(Replica::start(replica, &mut session, options.pool, QUEUE_JOBS_MAX)?)
                    }
                    _ => None,
                };
                // A command next to the servers ends too soon to need wake-ups.
                let listener = options.server.then(|| Listener::start(url, wakes.clone()));
                let outbox = listener.as_ref().map(|listener| listener.outbox.clone()).unwrap_or_default();
                let live = listener.as_ref().map(|listener| listener.live.clone()).unwrap_or_default();
                let pool = Pool::start(url, session, options.pool, QUEUE_JOBS_MAX, &wakes, &outbox, &watch);
                let Queues { short, long } = pool.queues;
                let engine =
                    Engine::Postgres { short: Mutex::new(Some(short)), long: Mutex::new(Some(long)), live };
                let closing = Closing { threads: pool.threads, listener, claim: None };
                let scans = Scans::new(pool.scans_max);
                Ok(Self::new(engine, scans, options, wakes, Marks::default(), closing, replica))
            }
        }
    }

    fn new(
        engine: Engine,
        scans: Scans,
        options: &Options,
        wakes: Wakes,
        marks: Marks,
        closing: Closing,
        replica: Option<Replica>,
    ) -> Self {
        Self {
            shared: Arc::new(StoreInner {
                engine,
                scans,
                scan_time_max: options.scan_time_max,
                wakes,
                marks,
                replica,
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

    /// The time by the database's own clock. None on SQLite, which goes by the machine's.
    pub async fn database_time(&self) -> Result<Option<Timestamp>> {
        match self.dialect() {
            Dialect::Sqlite => Ok(None),
            Dialect::Postgres => self.read_single(|tx| tx.find(DATABASE_TIME, &[], only::<Timestamp>)).await,
        }
    }

    pub fn wakes(&self) -> &Wakes {
        &self.shared.wakes
    }

    /// Whether other servers may use this database at the same time.
    pub fn is_shared(&self) -> bool {
        self.dialect() == Dialect::Postgres
    }

    /// Whether search indexes are side files, which the server writes. PostgreSQL has indexes of its own.
    pub fn has_side_files(&self) -> bool {
        self.dialect().has_side_files()
    }

    /// How often the database has refused a change because it accepts none: its disk is full or failing, or
    /// it is read-only. It only increases.
    pub fn refusals(&self) -> u64 {
        self.shared.refusals.load(Ordering::Relaxed)
    }

    /// How many jobs wait in each queue of the store now.
    pub fn queues(&self) -> Vec<QueueLength> {
        fn length<J>(name: &'static str, queue: &Queue<J>) -> QueueLength {
            let queue = queue.lock().unwrap_or_else(PoisonError::into_inner);
            QueueLength { name, jobs: queue.as_ref().map_or(0, Sender::len), jobs_max: QUEUE_JOBS_MAX }
        }
        match &self.shared.engine {
            Engine::Sqlite { queue, side_queues, .. } => {
                let sides = side_queues.iter().map(|(name, queue)| length(name, queue));
                [length("writer", queue)].into_iter().chain(sides).collect()
            }
            Engine::Postgres { short, long, .. } => vec![length("short", short), length("long", long)],
        }
    }

    /// Whether wake-ups from other processes currently arrive.
    pub fn receives_notifications(&self) -> bool {
        match &self.shared.engine {
            Engine::Sqlite { .. } => false,
            Engine::Postgres { live, .. } => live.load(Ordering::Acquire),
        }
    }

    /// A short, indexed read. On SQLite it runs on the calling thread; use [`Store::scan`] for reads that may
    /// take long.
    pub async fn read<T, E>(
        &self,
        operation: impl Fn(&mut ReadTx<'_>) -> Result<T, E> + Send + 'static,
    ) -> Result<T, E>
    where
        T: Send + 'static,
        E: From<Error> + Send + 'static,
    {
        match &self.shared.engine {
            Engine::Sqlite { readers, .. } => here(|read| readers.run(read), operation),
            Engine::Postgres { .. } => self.submit(Kind::Read, move |tx| operation(tx)).await,
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
            Engine::Sqlite { readers, .. } => here(|read| readers.read_single(read), operation),
            Engine::Postgres { .. } => self.submit(Kind::ReadSingle, move |tx| operation(tx)).await,
        }
    }

    /// A read of the server itself that may take long. It never blocks a thread that serves others, and is
    /// interrupted when the caller stops waiting.
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

    /// A read of an account that may take long. An account has only part of the slots, and its read has a
    /// deadline, after which it fails with [`Error::TooLong`].
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
        let slot = Slot::new();
        self.run_scan(account, slot.read_operation(operation)).await?;
        slot.take()
    }

    /// Boxed, so that it is compiled here and not in every crate that scans.
    fn run_scan(&self, account: Option<Uuid>, operation: ReadOperation) -> BoxedFuture<'_> {
        Box::pin(async move {
            let slot = self.shared.scans.slot(account).await?;
            let time_max = account.map(|_| self.shared.scan_time_max);
            let guard = Arc::new(ScanGuard::new(slot, time_max));
            let _caller = ScanCaller { store: self, guard: guard.clone() };
            match &self.shared.engine {
                Engine::Sqlite { readers, .. } => {
                    let readers = readers.clone();
                    let mut span = TransactionSpan::begin(SpanName::Scan, Dialect::Sqlite);
                    let scan = tokio::task::spawn_blocking(move || {
                        let scanned = readers.scan(&guard, &mut |tx| {
                            traced(span.as_deref_mut(), tx, |tx| operation(tx));
                        });
                        if let Some(span) = span {
                            span.end(scanned.is_ok());
                        }
                        scanned
                    });
                    scan.await.unwrap_or(Err(Error::Panicked))
                }
                Engine::Postgres { .. } => {
                    self.run(Kind::Scan(guard), Box::new(move |tx| operation(tx))).await
                }
            }
        })
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
        self.submit(Kind::Single, operation).await
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
        self.submit(Kind::Transaction, operation).await
    }

    /// A change of a side file. Only SQLite has them.
    pub async fn write_side<T, E>(
        &self,
        file: &SideFile,
        operation: impl Fn(&mut Tx<'_>) -> Result<T, E> + Send + 'static,
    ) -> Result<T, E>
    where
        T: Send + 'static,
        E: From<Error> + Send + 'static,
    {
        let queue = match &self.shared.engine {
            Engine::Sqlite { side_queues, .. } => side_queues.iter().find(|(name, _)| *name == file.name),
            Engine::Postgres { .. } => None,
        };
        let Some((_, queue)) = queue else {
            return Err(Error::Engine(format!("there is no side file {}", file.name)).into());
        };
        let slot = Slot::new();
        let (job, response) = self.job(SpanName::Transaction, slot.operation(operation));
        send(queue, job)?;
        response.await.unwrap_or(Err(Error::Closed))?;
        slot.take()
    }

    /// Finishes queued jobs and closes every connection. Blocks.
    pub fn close(&self) {
        let closing = self.shared.closing.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let Some(replica) = &self.shared.replica {
            replica.close();
        }
        match &self.shared.engine {
            Engine::Sqlite { queue, side_queues, readers } => {
                readers.close();
                for queue in side_queues.iter().map(|(_, queue)| queue).chain([queue]) {
                    queue.lock().unwrap_or_else(PoisonError::into_inner).take();
                }
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

    /// Queues an operation and waits for its result. On SQLite there is one writer.
    async fn submit<T, E>(
        &self,
        kind: Kind,
        operation: impl Fn(&mut Tx<'_>) -> Result<T, E> + Send + 'static,
    ) -> Result<T, E>
    where
        T: Send + 'static,
        E: From<Error> + Send + 'static,
    {
        let slot = Slot::new();
        self.run(kind, slot.operation(operation)).await?;
        slot.take()
    }

    async fn run(&self, kind: Kind, operation: Operation) -> Result<()> {
        let (job, response) = self.job(kind.span_name(), operation);
        self.enqueue(kind, job)?;
        response.await.unwrap_or(Err(Error::Closed))
    }

    fn job(&self, name: SpanName, operation: Operation) -> (Job, oneshot::Receiver<Result<()>>) {
        let span = TransactionSpan::begin(name, self.dialect());
        Job::new(operation, self.shared.refusals.clone(), span)
    }

    fn enqueue(&self, kind: Kind, job: Job) -> Result<()> {
        match &self.shared.engine {
            Engine::Sqlite { queue, .. } => send(queue, job),
            Engine::Postgres { short, long, .. } => {
                send(if kind.is_short() { short } else { long }, Work::new(kind, job))
            }
        }
    }
}

/// Runs a read on this thread.
fn here<T, E: From<Error>>(
    run: impl FnOnce(&mut dyn FnMut(&mut ReadTx<'_>)) -> Result<()>,
    operation: impl Fn(&mut ReadTx<'_>) -> Result<T, E>,
) -> Result<T, E> {
    let mut result = None;
    match TransactionSpan::begin(SpanName::Read, Dialect::Sqlite) {
        None => run(&mut |tx| result = Some(operation(tx)))?,
        Some(mut span) => {
            let ran = run(&mut |tx| {
                traced(Some(&mut *span), tx, |tx| {
                    let found = operation(tx);
                    let is_found = found.is_ok();
                    result = Some(found);
                    is_found
                });
            });
            span.end(ran.is_ok());
            ran?;
        }
    }
    result.unwrap_or_else(|| Err(Error::Closed.into()))
}

/// Runs a read inside its span, if it has one.
fn traced(
    span: Option<&mut TransactionSpan>,
    tx: &mut ReadTx<'_>,
    mut run: impl FnMut(&mut ReadTx<'_>) -> bool,
) {
    let Some(span) = span else {
        run(tx);
        return;
    };
    let entered = span.enter();
    let is_done = run(tx);
    drop(entered);
    span.ran(tx, is_done);
}

fn send<J>(queue: &Queue<J>, job: J) -> Result<()> {
    let queue = queue.lock().unwrap_or_else(PoisonError::into_inner);
    let sender = queue.as_ref().ok_or(Error::Closed)?;
    sender.try_send(job).map_err(|error| match error {
        TrySendError::Full(_) => Error::Busy,
        TrySendError::Disconnected(_) => Error::Closed,
    })
}
