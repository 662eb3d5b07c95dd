//! A bare connection: for requests that no well-behaved client would make.

use std::io::{self, Write};
use std::net::{Shutdown, TcpStream};
use std::time::Duration;

use http::{HeaderMap, HeaderName, HeaderValue};

use crate::caller::{CallerAddress, read_some};
use crate::response::Response;

/// A connection that sends bytes as they are and reads the answers in turn.
#[derive(Debug)]
pub struct Wire {
    stream: TcpStream,
    unread: Vec<u8>,
}

impl Wire {
    /// A bare connection to the server at this address, or why there is none.
    pub fn try_to(base: &str) -> io::Result<Self> {
        let address = base.strip_prefix("http://").expect("an http:// address");
        let stream = CallerAddress::Usual.connect(address.parse().expect("an address and a port"))?;
        Ok(Self { stream, unread: Vec::new() })
    }

    pub(crate) fn open(base: &str, caller: CallerAddress) -> Self {
        let address = base.strip_prefix("http://").expect("an http:// address");
        let address = address.parse().expect("an address and a port");
        let stream = caller.connect(address).expect("the server takes connections");
        Self { stream, unread: Vec::new() }
    }

    /// Connects to a server that may be gone, and waits for no answer for longer than this.
    pub fn try_open(base: &str, patience: Duration) -> io::Result<Self> {
        let address = base.strip_prefix("http://").expect("an http:// address");
        let stream = CallerAddress::Usual.connect(address.parse().expect("an address and a port"))?;
        stream.set_read_timeout(Some(patience))?;
        Ok(Self { stream, unread: Vec::new() })
    }

    /// Sends these bytes. A server may hang up on them, so failing is for the caller to judge.
    pub fn send(&mut self, bytes: impl AsRef<[u8]>) -> io::Result<()> {
        self.stream.write_all(bytes.as_ref())
    }

    /// Says that nothing more will be sent.
    pub fn finish(&mut self) {
        // The server may have hung up first, which finishes it as well.
        let _ = self.stream.shutdown(Shutdown::Write);
    }

    /// The next answer.
    #[track_caller]
    pub fn response(&mut self) -> Response {
        self.try_answer().unwrap_or_else(|error| panic!("no answer on the wire: {error}"))
    }

    /// The next answer, or why there is none; `UnexpectedEof` when the server hung up.
    pub fn try_answer(&mut self) -> io::Result<Response> {
        let (status, headers) = self.head()?;
        let body = self.body(&headers)?;
        Ok(Response::new("a request on the wire".to_owned(), status, headers, body))
    }

    /// The head of an answer that goes on for as long as it likes; its body is read with [`Wire::chunk`].
    #[track_caller]
    pub fn begun(&mut self) -> Response {
        let head = self.head().unwrap_or_else(|error| panic!("no answer on the wire: {error}"));
        Response::new("a request on the wire".to_owned(), head.0, head.1, Vec::new())
    }

    fn head(&mut self) -> io::Result<(u16, HeaderMap)> {
        let head = self.through(b"\r\n\r\n")?;
        let head = String::from_utf8(head).map_err(io::Error::other)?;
        let mut lines = head.trim_end().split("\r\n");
        let first = lines.next().unwrap_or_default();
        let status = first.split(' ').nth(1).and_then(|code| code.parse().ok());
        let status = status.ok_or_else(|| io::Error::other(format!("not a status line: {first:?}")))?;
        Ok((status, lines.map(header).collect::<io::Result<_>>()?))
    }

    /// Everything up to the server's hanging up.
    pub fn rest(&mut self) -> io::Result<Vec<u8>> {
        while self.read_more()? {}
        Ok(std::mem::take(&mut self.unread))
    }

    /// Everything up to where it is enough, or to the server's hanging up.
    pub fn until(&mut self, is_enough: impl Fn(&[u8]) -> bool) -> io::Result<Vec<u8>> {
        while !is_enough(&self.unread) && self.read_more()? {}
        Ok(std::mem::take(&mut self.unread))
    }

    fn body(&mut self, headers: &HeaderMap) -> io::Result<Vec<u8>> {
        if let Some(length) = headers.get("content-length") {
            let length = length.to_str().ok().and_then(|length| length.parse().ok());
            return self.exactly(length.ok_or_else(|| io::Error::other("not a length"))?);
        }
        if !headers.contains_key("transfer-encoding") {
            return self.rest();
        }
        let mut body = Vec::new();
        loop {
            let chunk = self.chunk()?;
            if chunk.is_empty() {
                return Ok(body);
            }
            body.extend(chunk);
        }
    }

    /// The next piece of a body that comes in chunks; an empty one is its end.
    pub fn chunk(&mut self) -> io::Result<Vec<u8>> {
        let size = String::from_utf8(self.through(b"\r\n")?).map_err(io::Error::other)?;
        let size = usize::from_str_radix(size.trim_end(), 16).map_err(io::Error::other)?;
        let chunk = self.exactly(size)?;
        self.exactly(b"\r\n".len())?;
        Ok(chunk)
    }

    fn through(&mut self, end: &[u8]) -> io::Result<Vec<u8>> {
        loop {
            if let Some(at) = self.unread.windows(end.len()).position(|found| found == end) {
                return self.exactly(at + end.len());
            }
            if !self.read_more()? {
                return Err(io::ErrorKind::UnexpectedEof.into());
            }
        }
    }

    fn exactly(&mut self, length: usize) -> io::Result<Vec<u8>> {
        while self.unread.len() < length {
            if !self.read_more()? {
                return Err(io::ErrorKind::UnexpectedEof.into());
            }
        }
        Ok(self.unread.drain(..length).collect())
    }

    fn read_more(&mut self) -> io::Result<bool> {
        let mut bytes = [0; 16 * 1024];
        let read = read_some(&mut self.stream, &mut bytes)?;
        self.unread.extend_from_slice(&bytes[..read]);
        Ok(read > 0)
    }
}

fn header(line: &str) -> io::Result<(HeaderName, HeaderValue)> {
    let (name, value) = line.split_once(':').ok_or_else(|| io::Error::other("a header without a colon"))?;
    Ok((name.parse().map_err(io::Error::other)?, value.trim().parse().map_err(io::Error::other)?))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::net::TcpListener;
    use std::thread;

    #[test]
    fn answers_are_told_apart_by_length_by_chunks_and_by_the_end() {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let base = format!("http://{}", listener.local_addr().unwrap());
        let server = thread::spawn(move || {
            let mut stream = listener.accept().unwrap().0;
            stream.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\none").unwrap();
            let chunked =
                b"HTTP/1.1 404 No\r\nTransfer-Encoding: chunked\r\n\r\n2\r\ntw\r\n1\r\no\r\n0\r\n\r\n";
            for piece in chunked.chunks(7) {
                stream.write_all(piece).unwrap();
            }
            stream.write_all(b"HTTP/1.0 500 Oh\r\nX: y\r\n\r\nthree").unwrap();
        });
        let mut wire = Wire::open(&base, CallerAddress::Usual);
        for (status, text) in [(200, "one"), (404, "two"), (500, "three")] {
            assert_eq!(wire.response().expect(status).text, text);
        }
        assert_eq!(wire.try_answer().unwrap_err().kind(), io::ErrorKind::UnexpectedEof);
        server.join().unwrap();
    }
}
