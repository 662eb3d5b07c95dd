//! Requests that are sent, so many in all, as fast as they are answered or at a steady pace.

use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use tokio::runtime;
use tokio::task::LocalSet;

use super::journal::Journal;
use crate::Result;
use crate::http::Connection;

/// Connections are opened before the first request of a steady load is due.
const OPENING: Duration = Duration::from_millis(100);

#[derive(Clone, Copy)]
pub(crate) enum Pace {
    /// Each connection sends its next request as soon as the last was answered.
    Saturating,
    /// So many a second, whatever becomes of them.
    Steady(f64),
}

/// Writes the request of a number.
pub(crate) type Request = Arc<dyn Fn(u64, &mut Vec<u8>) + Send + Sync>;

/// Whom the requests go to, and how.
pub(crate) struct Posts {
    pub(crate) address: SocketAddr,
    pub(crate) request: Request,
    pub(crate) connections: usize,
    pub(crate) pace: Pace,
}

impl Posts {
    /// Sends every request of a journal. Any answer but a 2xx is an error.
    pub(crate) fn send(&self, journal: &Arc<Journal>) -> Result<()> {
        let requests = Arc::new(self.requests(journal));
        let next = Arc::new(AtomicUsize::new(0));
        let begin = Instant::now() + OPENING;
        let threads = thread::available_parallelism()?.get().min(self.connections);
        let workers: Vec<_> = (0..threads)
            .map(|thread| {
                let connections = (thread..self.connections).step_by(threads).count();
                let turns = Turns {
                    requests: requests.clone(),
                    journal: journal.clone(),
                    next: next.clone(),
                    pace: self.pace,
                    begin,
                };
                let address = self.address;
                thread::spawn(move || work(address, connections, &turns))
            })
            .collect();
        for worker in workers {
            worker.join().map_err(|_| "a thread of the load panicked")??;
        }
        Ok(())
    }

    /// Made before the first is sent, so that making them takes nothing from the server.
    fn requests(&self, journal: &Journal) -> Vec<Vec<u8>> {
        let make = |place| {
            let mut request = Vec::new();
            (self.request)(journal.number(place), &mut request);
            request
        };
        (0..journal.len()).map(make).collect()
    }
}

/// The requests of a run, of which each connection takes the next as soon as it is free.
#[derive(Clone)]
struct Turns {
    requests: Arc<Vec<Vec<u8>>>,
    journal: Arc<Journal>,
    next: Arc<AtomicUsize>,
    pace: Pace,
    begin: Instant,
}

fn work(address: SocketAddr, connections: usize, turns: &Turns) -> Result<()> {
    let runtime = runtime::Builder::new_current_thread().enable_all().build()?;
    let local = LocalSet::new();
    let tasks: Vec<_> =
        (0..connections).map(|_| local.spawn_local(turns.clone().connection(address))).collect();
    runtime.block_on(local.run_until(async {
        for task in tasks {
            task.await??;
        }
        Ok(())
    }))
}

impl Turns {
    async fn connection(self, address: SocketAddr) -> Result<()> {
        let mut connection = Connection::open(address).await?;
        loop {
            let place = self.next.fetch_add(1, Ordering::Relaxed);
            let Some(request) = self.requests.get(place) else { return Ok(()) };
            let sent = match self.pace {
                Pace::Saturating => Instant::now(),
                Pace::Steady(rate) => wait(self.begin + Duration::from_secs_f64(place as f64 / rate)).await,
            };
            self.journal.send(place, sent);
            let response = connection.exchange(request).await?;
            if !(200..300).contains(&response.status) {
                let body = String::from_utf8_lossy(response.body);
                return Err(format!("an answer was {} {body}", response.status).into());
            }
        }
    }
}

/// Waits for a request's turn. One whose turn was over before a connection was free has been waiting since then.
async fn wait(turn: Instant) -> Instant {
    if Instant::now() >= turn {
        return turn;
    }
    tokio::time::sleep_until(turn.into()).await;
    Instant::now()
}
