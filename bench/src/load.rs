//! The load: connections that each send their next request as soon as they have the last response.

use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use tokio::runtime;
use tokio::task::LocalSet;

use crate::error::Result;
use crate::histogram::Histogram;
use crate::http::{self, Connection};
use crate::people;
use crate::process::{self, Cluster};
use crate::run::Run;

const CONTACTS: &str = "/api/v1/contacts";

/// How many connections send requests, and for how long.
#[derive(Clone, Copy)]
pub(crate) struct Load {
    pub(crate) connections: usize,
    pub(crate) warm_up: Duration,
    pub(crate) measured: Duration,
}

/// The address that requests go to, and the processes that do the work.
#[derive(Clone, Copy)]
pub(crate) struct Target {
    pub(crate) address: SocketAddr,
    pub(crate) pid: u32,
    pub(crate) cluster: Option<Cluster>,
}

/// Writes the request with a given number.
pub(crate) type Request = Arc<dyn Fn(u64, &mut Vec<u8>) + Send + Sync>;

/// The requests to send.
pub(crate) enum Requests {
    /// These requests, in turn.
    Listed(Vec<Vec<u8>>),
    /// Each request creates a new contact. The requests use these keys in turn.
    Contacts { keys: Vec<String>, next: &'static AtomicU64 },
    /// Each request is built from a new number.
    Numbered(Request),
}

impl Requests {
    fn write(&self, turn: usize, out: &mut Vec<u8>) {
        match self {
            Self::Listed(requests) => out.extend_from_slice(&requests[turn % requests.len()]),
            Self::Contacts { keys, next } => {
                let person = people::newcomer(next.fetch_add(1, Ordering::Relaxed));
                http::write_post(CONTACTS, &keys[turn % keys.len()], &person.json(), out);
            }
            Self::Numbered(request) => request(people::reserve(1), out),
        }
    }
}

/// The responses that one thread's connections received.
struct Seen {
    latencies: Histogram,
    refused: u64,
    first_refusal: Option<String>,
}

#[derive(Clone, Copy)]
struct Window {
    begin: Instant,
    end: Instant,
}

impl Load {
    /// Loads the target and measures it. A response that is not a 2xx invalidates the run, so it is an error.
    pub(crate) fn run(&self, target: &Target, requests: Requests) -> Result<Run> {
        let requests = Arc::new(requests);
        let begin = Instant::now() + self.warm_up;
        let window = Window { begin, end: begin + self.measured };
        let threads = thread::available_parallelism()?.get().min(self.connections);
        let workers: Vec<_> = (0..threads)
            .map(|thread| {
                let (requests, target) = (requests.clone(), *target);
                let places: Vec<usize> = (thread..self.connections).step_by(threads).collect();
                thread::spawn(move || work(target, &requests, &places, window))
            })
            .collect();

        sleep_until(window.begin);
        let before = process::usage(target.pid, target.cluster)?;
        sleep_until(window.end);
        let after = process::usage(target.pid, target.cluster)?;

        let mut all = Seen::new();
        for worker in workers {
            all.add(worker.join().map_err(|_| "a thread of the load panicked")??);
        }
        if let Some(refusal) = all.first_refusal {
            return Err(format!("{} answers were not 2xx; the first was {refusal}", all.refused).into());
        }
        let answered = all.latencies.count();
        if answered == 0 {
            return Err("nothing was answered within the measured time".into());
        }
        let each = |after: Duration, before| after.saturating_sub(before).div_f64(answered as f64);
        Ok(Run {
            rate: answered as f64 / self.measured.as_secs_f64(),
            p50: Some(all.latencies.quantile(0.5)),
            p99: Some(all.latencies.quantile(0.99)),
            cpu: Some(each(after.server, before.server)),
            database_cpu: after.database.zip(before.database).map(|(after, before)| each(after, before)),
            memory: Some(process::memory(target.pid)?),
        })
    }
}

fn sleep_until(moment: Instant) {
    thread::sleep(moment.saturating_duration_since(Instant::now()));
}

/// Drives some of the connections on their own thread and runtime.
fn work(target: Target, requests: &Arc<Requests>, places: &[usize], window: Window) -> Result<Seen> {
    let runtime = runtime::Builder::new_current_thread().enable_io().build()?;
    let local = LocalSet::new();
    let tasks: Vec<_> = places
        .iter()
        .map(|place| local.spawn_local(connection(target.address, requests.clone(), *place, window)))
        .collect();
    runtime.block_on(local.run_until(async {
        let mut all = Seen::new();
        for task in tasks {
            all.add(task.await??);
        }
        Ok(all)
    }))
}

async fn connection(
    address: SocketAddr,
    requests: Arc<Requests>,
    place: usize,
    window: Window,
) -> Result<Seen> {
    let mut connection = Connection::open(address).await?;
    let mut seen = Seen::new();
    let mut request = Vec::with_capacity(1024);
    let mut turn = place;
    let mut started = Instant::now();
    while started < window.end {
        request.clear();
        requests.write(turn, &mut request);
        let response = connection.exchange(&request).await?;
        let ended = Instant::now();
        if !(200..300).contains(&response.status) {
            seen.refuse(response.status, response.body);
        } else if ended >= window.begin && ended < window.end {
            seen.latencies.record(ended - started);
        }
        started = ended;
        turn += 1;
    }
    Ok(seen)
}

impl Seen {
    fn new() -> Self {
        Self { latencies: Histogram::new(), refused: 0, first_refusal: None }
    }

    fn refuse(&mut self, status: u16, body: &[u8]) {
        self.refused += 1;
        self.first_refusal.get_or_insert_with(|| format!("{status} {}", String::from_utf8_lossy(body)));
    }

    fn add(&mut self, other: Self) {
        self.latencies.add(&other.latencies);
        self.refused += other.refused;
        self.first_refusal = self.first_refusal.take().or(other.first_refusal);
    }
}
