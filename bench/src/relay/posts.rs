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
#[derive(Clone)]
pub(crate) struct Posts {
    pub(crate) address: SocketAddr,
    pub(crate) request: Request,
    pub(crate) connections: usize,
    pub(crate) pace: Pace,
}

impl Posts {
    /// Sends every request of a journal. Any answer but a 2xx is an error.
    pub(crate) fn send(&self, journal: &Arc<Journal>) -> Result<()> {
        let next = Arc::new(AtomicUsize::new(0));
        let begin = Instant::now() + OPENING;
        let threads = thread::available_parallelism()?.get().min(self.connections);
        let workers: Vec<_> = (0..threads)
            .map(|thread| {
                let connections = (thread..self.connections).step_by(threads).count();
                let (posts, journal, next) = (self.clone(), journal.clone(), next.clone());
                thread::spawn(move || posts.work(connections, &journal, &next, begin))
            })
            .collect();
        for worker in workers {
            worker.join().map_err(|_| "a thread of the load panicked")??;
        }
        Ok(())
    }

    fn work(
        self,
        connections: usize,
        journal: &Arc<Journal>,
        next: &Arc<AtomicUsize>,
        begin: Instant,
    ) -> Result<()> {
        let runtime = runtime::Builder::new_current_thread().enable_all().build()?;
        let local = LocalSet::new();
        let tasks: Vec<_> = (0..connections)
            .map(|_| local.spawn_local(self.clone().connection(journal.clone(), next.clone(), begin)))
            .collect();
        runtime.block_on(local.run_until(async {
            for task in tasks {
                task.await??;
            }
            Ok(())
        }))
    }

    async fn connection(self, journal: Arc<Journal>, next: Arc<AtomicUsize>, begin: Instant) -> Result<()> {
        let mut connection = Connection::open(self.address).await?;
        let mut request = Vec::with_capacity(1024);
        loop {
            let place = next.fetch_add(1, Ordering::Relaxed);
            if place >= journal.len() {
                return Ok(());
            }
            request.clear();
            (self.request)(journal.number(place), &mut request);
            let sent = match self.pace {
                Pace::Saturating => Instant::now(),
                Pace::Steady(rate) => wait(begin + Duration::from_secs_f64(place as f64 / rate)).await,
            };
            journal.send(place, sent);
            let answer = connection.exchange(&request).await?;
            if !(200..300).contains(&answer.status) {
                let body = String::from_utf8_lossy(answer.body);
                return Err(format!("an answer was {} {body}", answer.status).into());
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
