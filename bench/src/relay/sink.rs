//! The endpoint that receives the server's requests. It records the number in each one and when it arrived, and
//! responds with 200.

use std::io;
use std::net::SocketAddr;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::Instant;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::runtime;

use super::journal::Journal;
use crate::error::Result;
use crate::http;

const BUFFER_BYTES: usize = 16 * 1024;

/// How an endpoint handles a request.
#[derive(Clone, Copy)]
pub(crate) struct SinkBehavior {
    /// Reads the number from a body.
    pub(crate) told_of: fn(&[u8]) -> Option<u64>,
    /// Writes the response to a body, given how many bodies came before it.
    pub(crate) response: fn(&[u8], u64, &mut Vec<u8>),
}

/// An endpoint that serves on its own thread until the program ends.
pub(crate) struct Sink {
    pub(crate) address: SocketAddr,
    shared: Arc<Shared>,
}

struct Shared {
    behavior: SinkBehavior,
    /// The run that arrivals belong to.
    current: Mutex<Option<Arc<Journal>>>,
    answered: AtomicU64,
    received: AtomicU64,
}

impl Sink {
    pub(crate) fn start(behavior: SinkBehavior) -> Result<Self> {
        let runtime = runtime::Builder::new_current_thread().enable_io().build()?;
        let listener = runtime.block_on(TcpListener::bind("127.0.0.1:0"))?;
        let address = listener.local_addr()?;
        let (current, answered, received) = (Mutex::default(), AtomicU64::new(0), AtomicU64::new(0));
        let shared = Arc::new(Shared { behavior, current, answered, received });
        let ours = shared.clone();
        thread::spawn(move || runtime.block_on(listen(listener, ours)));
        Ok(Self { address, shared })
    }

    /// Records arrivals in this journal from now on.
    pub(crate) fn write_into(&self, journal: &Arc<Journal>) {
        *self.shared.current.lock().unwrap_or_else(PoisonError::into_inner) = Some(journal.clone());
    }

    /// How many requests with a number have arrived, from all runs and including repetitions.
    pub(crate) fn received(&self) -> u64 {
        self.shared.received.load(Ordering::Relaxed)
    }
}

async fn listen(listener: TcpListener, shared: Arc<Shared>) {
    while let Ok((stream, _)) = listener.accept().await {
        let shared = shared.clone();
        // A broken connection leaves its request without a response, and the sender has to handle that.
        tokio::spawn(async move { drop(shared.serve(stream).await) });
    }
}

impl Shared {
    async fn serve(&self, mut stream: TcpStream) -> io::Result<()> {
        stream.set_nodelay(true)?;
        let (mut unread, mut response) = (Vec::with_capacity(BUFFER_BYTES), Vec::new());
        while stream.read_buf(&mut unread).await? > 0 {
            let Some(body) = http::body_of(&unread)? else { continue };
            self.write_down(body, Instant::now());
            response.clear();
            (self.behavior.response)(body, self.answered.fetch_add(1, Ordering::Relaxed), &mut response);
            unread.clear();
            stream.write_all(&response).await?;
        }
        Ok(())
    }

    fn write_down(&self, body: &[u8], now: Instant) {
        let Some(number) = (self.behavior.told_of)(body) else { return };
        self.received.fetch_add(1, Ordering::Relaxed);
        if let Some(journal) = &*self.current.lock().unwrap_or_else(PoisonError::into_inner) {
            journal.arrive(number, now);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::http::Connection;

    const MANNER: SinkBehavior = SinkBehavior {
        told_of: |body| std::str::from_utf8(body).ok()?.parse().ok(),
        response: |_, turn, out| http::write_answer(&turn.to_string(), out),
    };

    #[test]
    fn arrivals_are_written_down_and_repetitions_show() {
        let sink = Sink::start(MANNER).unwrap();
        let journal = Arc::new(Journal::new(2));
        sink.write_into(&journal);
        runtime::Builder::new_current_thread().enable_io().build().unwrap().block_on(async {
            let mut connection = Connection::open(sink.address).await.unwrap();
            for (turn, place) in [0, 1, 1].into_iter().enumerate() {
                let mut request = Vec::new();
                http::write_post("/", "k", &journal.number(place).to_string(), &mut request);
                let response = connection.exchange(&request).await.unwrap();
                assert_eq!((response.status, response.body), (200, turn.to_string().as_bytes()));
            }
            assert_eq!(connection.exchange(&http::get("/", "k")).await.unwrap().body, b"3");
        });
        assert_eq!((journal.arrived(), sink.received()), (2, 3));
    }
}
