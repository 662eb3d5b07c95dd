//! The endpoint that deliveries go to: it writes down whom each tells of, and when, and says yes.

use std::io;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::Instant;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpSocket, TcpStream};
use tokio::runtime;

use super::journal::Journal;
use crate::{Result, http, people};

const ANSWER: &[u8] = b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n";
const BUFFER_BYTES: usize = 16 * 1024;
const PHONE_DIGITS: usize = 10;

/// The run that arrivals belong to.
type Current = Arc<Mutex<Option<Arc<Journal>>>>;

/// An endpoint on a thread of its own, which serves until the program ends.
pub(super) struct Sink {
    pub(super) address: SocketAddr,
    current: Current,
}

impl Sink {
    pub(super) fn start() -> Result<Self> {
        let runtime = runtime::Builder::new_current_thread().enable_io().build()?;
        let listener = runtime.block_on(TcpListener::bind("127.0.0.1:0"))?;
        let (address, current) = (listener.local_addr()?, Current::default());
        let ours = current.clone();
        thread::spawn(move || runtime.block_on(listen(listener, ours)));
        Ok(Self { address, current })
    }

    /// From now on arrivals are written into this journal.
    pub(super) fn write_into(&self, journal: &Arc<Journal>) {
        *self.current.lock().unwrap_or_else(PoisonError::into_inner) = Some(journal.clone());
    }
}

async fn listen(listener: TcpListener, current: Current) {
    while let Ok((stream, _)) = listener.accept().await {
        let current = current.clone();
        // A connection that breaks has lost nothing: whatever was not answered is delivered again.
        tokio::spawn(async move { drop(answer(stream, &current).await) });
    }
}

async fn answer(mut stream: TcpStream, current: &Current) -> io::Result<()> {
    stream.set_nodelay(true)?;
    let mut unread = Vec::with_capacity(BUFFER_BYTES);
    while stream.read_buf(&mut unread).await? > 0 {
        let Some(body) = body_of(&unread)? else { continue };
        let now = Instant::now();
        if let Some(number) = told_of(body)
            && let Some(journal) = &*current.lock().unwrap_or_else(PoisonError::into_inner)
        {
            journal.arrive(number, now);
        }
        unread.clear();
        stream.write_all(ANSWER).await?;
    }
    Ok(())
}

/// The body of a request, once it is there; the next is not sent before this one is answered.
fn body_of(request: &[u8]) -> io::Result<Option<&[u8]>> {
    let Some(end) = http::find(request, b"\r\n\r\n") else { return Ok(None) };
    let head = std::str::from_utf8(&request[..end]).map_err(io::Error::other)?;
    let length = head.split("\r\n").filter_map(|line| line.split_once(':')).find_map(|(name, value)| {
        name.eq_ignore_ascii_case("content-length").then(|| value.trim().parse::<usize>().ok()).flatten()
    });
    let start = end + b"\r\n\r\n".len();
    let length = length.ok_or_else(|| io::Error::other("a request of unknown length"))?;
    Ok(request.get(start..start + length))
}

/// The number of the newcomer that a body tells of.
fn told_of(body: &[u8]) -> Option<u64> {
    let start = http::find(body, people::PHONE_MARK)? + people::PHONE_MARK.len();
    let digits = std::str::from_utf8(body.get(start..start + PHONE_DIGITS)?).ok()?;
    Some(people::newcomer_by(digits.parse().ok()?))
}

/// An address where connections are refused, for as long as this is kept: nobody else gets it.
pub(super) struct Dead {
    pub(super) address: SocketAddr,
    _socket: TcpSocket,
}

impl Dead {
    pub(super) fn new() -> Result<Self> {
        let socket = TcpSocket::new_v4()?;
        socket.bind(SocketAddr::from(([127, 0, 0, 1], 0)))?;
        Ok(Self { address: socket.local_addr()?, _socket: socket })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::http::Connection;
    use std::net::TcpStream as Plain;

    #[test]
    fn a_body_is_read_once_it_is_whole() {
        let request = b"POST / HTTP/1.1\r\nhost: x\r\ncontent-length: 5\r\n\r\nhello";
        assert_eq!(body_of(&request[..request.len() - 1]).unwrap(), None);
        assert_eq!(body_of(request).unwrap(), Some(&b"hello"[..]));
        assert!(body_of(b"POST / HTTP/1.1\r\nhost: x\r\n\r\n").is_err());
    }

    #[test]
    fn arrivals_are_written_down_and_the_dead_refuse() {
        let sink = Sink::start().unwrap();
        let journal = Arc::new(Journal::new(2));
        sink.write_into(&journal);
        runtime::Builder::new_current_thread().enable_io().build().unwrap().block_on(async {
            let mut connection = Connection::open(sink.address).await.unwrap();
            for place in [0, 1, 1] {
                let mut request = Vec::new();
                let body = people::newcomer(journal.number(place)).json();
                http::write_post("/", "k", &body, &mut request);
                assert_eq!(connection.exchange(&request).await.unwrap().status, 200);
            }
        });
        assert_eq!(journal.arrived(), 2);
        let refused = Plain::connect(Dead::new().unwrap().address).unwrap_err();
        assert_eq!(refused.kind(), io::ErrorKind::ConnectionRefused);
    }
}
