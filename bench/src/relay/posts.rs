//! Sends a fixed number of requests, as fast as the server responds or at a steady rate.

use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use tokio::runtime;
use tokio::task::LocalSet;

use super::journal::Journal;
use crate::error::Result;
use crate::http::Connection;
use crate::load::Request;

/// Time to open connections before the first request of a steady load is due.
const OPENING: Duration = Duration::from_millis(100);

#[derive(Clone, Copy)]
pub(crate) enum Pace {
    /// Each connection sends its next request as soon as it has the last response.
    Saturating,
    /// This many requests a second, whether or not earlier ones have a response.
    Steady(f64),
}

/// The requests, where they go, and at what pace.
pub(crate) struct Posts {
    pub(crate) address: SocketAddr,
    pub(crate) request: Request,
    pub(crate) connections: usize,
    pub(crate) pace: Pace,
}

impl Posts {
    /// Sends every request of a journal. A response that is not a 2xx is an error.
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

    /// Builds all requests before the first is sent, so that building them takes no CPU time from the server.
    fn requests(&self, journal: &Journal) -> Vec<Vec<u8>> {
        let make = |place| {
            let mut request = Vec::new();
            (self.request)(journal.number(place), &mut request);
            request
        };
        (0..journal.len()).map(make).collect()
    }
}

/// The requests of a run. Each connection takes the next one as soon as it is free.
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

/// Waits until a request is due, and returns when it was sent. A request that found no free connection is timed from
/// when it was due.
async fn wait(turn: Instant) -> Instant {
    if Instant::now() >= turn {
        return turn;
    }
    tokio::time::sleep_until(turn.into()).await;
    Instant::now()
}
