//! A minimal HTTP client: one keep-alive connection that takes a request as bytes and returns the response.
//!
//! It shares the machine with the server it measures, so it does no work that it does not need.

use std::io;
use std::net::SocketAddr;

use memchr::memmem;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

const BUFFER_BYTES: usize = 64 * 1024;

/// A connection with one request in flight at a time.
pub(crate) struct Connection {
    stream: TcpStream,
    unread: Vec<u8>,
    body: Vec<u8>,
}

/// A response, borrowed from the connection's buffer.
pub(crate) struct Response<'c> {
    pub(crate) status: u16,
    pub(crate) head: &'c [u8],
    pub(crate) body: &'c [u8],
}

impl Connection {
    pub(crate) async fn open(address: SocketAddr) -> io::Result<Self> {
        let stream = TcpStream::connect(address).await?;
        stream.set_nodelay(true)?;
        Ok(Self { stream, unread: Vec::with_capacity(BUFFER_BYTES), body: Vec::new() })
    }

    /// Sends a request and reads the whole response.
    pub(crate) async fn exchange(&mut self, request: &[u8]) -> io::Result<Response<'_>> {
        self.stream.write_all(request).await?;
        self.unread.clear();
        let head = loop {
            if let Some(head) = Head::read(&self.unread)? {
                break head;
            }
            self.more().await?;
        };
        let end = match head.body {
            Length::Exactly(length) => head.end + length,
            Length::Chunked => loop {
                self.body.clear();
                if let Some(end) = join_chunks(&self.unread, head.end, &mut self.body)? {
                    break end;
                }
                self.more().await?;
            },
        };
        while self.unread.len() < end {
            self.more().await?;
        }
        if self.unread.len() > end {
            return Err(wrong("bytes after the answer"));
        }
        let body = match head.body {
            Length::Exactly(_) => &self.unread[head.end..],
            Length::Chunked => &self.body[..],
        };
        Ok(Response { status: head.status, head: &self.unread[..head.end], body })
    }

    async fn more(&mut self) -> io::Result<()> {
        if self.stream.read_buf(&mut self.unread).await? == 0 {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        Ok(())
    }
}

struct Head {
    status: u16,
    /// Where the body begins.
    end: usize,
    body: Length,
}

#[derive(Clone, Copy)]
enum Length {
    Exactly(usize),
    Chunked,
}

impl Head {
    /// Returns none until the whole head has arrived.
    fn read(bytes: &[u8]) -> io::Result<Option<Self>> {
        let Some(end) = find(bytes, b"\r\n\r\n") else { return Ok(None) };
        let text = std::str::from_utf8(&bytes[..end]).map_err(|_| wrong("a head that is not text"))?;
        let mut lines = text.split("\r\n");
        let status = lines.next().and_then(|line| line.split(' ').nth(1)?.parse().ok());
        let status = status.ok_or_else(|| wrong("no status line"))?;
        let mut body = None;
        for (name, value) in lines.filter_map(|line| line.split_once(':')) {
            if name.eq_ignore_ascii_case("content-length") {
                let length = value.trim().parse().map_err(|_| wrong("a length that is no number"))?;
                body = Some(Length::Exactly(length));
            } else if name.eq_ignore_ascii_case("transfer-encoding") {
                body = Some(Length::Chunked);
            }
        }
        let body = body.or((status == 204).then_some(Length::Exactly(0)));
        let body = body.ok_or_else(|| wrong("an answer of unknown length"))?;
        Ok(Some(Self { status, end: end + b"\r\n\r\n".len(), body }))
    }
}

/// Joins the chunks and returns where they end. Returns none until all of them have arrived.
fn join_chunks(bytes: &[u8], start: usize, body: &mut Vec<u8>) -> io::Result<Option<usize>> {
    let mut at = start;
    loop {
        let Some(line) = find(&bytes[at..], b"\r\n") else { return Ok(None) };
        let size = std::str::from_utf8(&bytes[at..at + line]).ok();
        let size = size.and_then(|size| usize::from_str_radix(size.split(';').next()?.trim(), 16).ok());
        let size = size.ok_or_else(|| wrong("a chunk of no size"))?;
        let (from, to) = (at + line + 2, at + line + 2 + size);
        let Some(chunk) = bytes.get(from..to + 2) else { return Ok(None) };
        body.extend_from_slice(&chunk[..size]);
        at = to + 2;
        if size == 0 {
            return Ok(Some(at));
        }
    }
}

pub(crate) fn find(bytes: &[u8], wanted: &[u8]) -> Option<usize> {
    memmem::find(bytes, wanted)
}

/// The body of a request, once it has arrived. Nothing follows it, because the client sends its next request only after
/// the response to this one.
pub(crate) fn body_of(request: &[u8]) -> io::Result<Option<&[u8]>> {
    let Some(end) = find(request, b"\r\n\r\n") else { return Ok(None) };
    let head = std::str::from_utf8(&request[..end]).map_err(io::Error::other)?;
    let length = head.split("\r\n").filter_map(|line| line.split_once(':')).find_map(|(name, value)| {
        name.eq_ignore_ascii_case("content-length").then(|| value.trim().parse::<usize>().ok()).flatten()
    });
    let start = end + b"\r\n\r\n".len();
    let length = length.or_else(|| head.starts_with("GET ").then_some(0));
    let length = length.ok_or_else(|| io::Error::other("a request of unknown length"))?;
    Ok(request.get(start..start + length))
}

fn wrong(what: &str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, what)
}

/// A request without a body.
pub(crate) fn get(path: &str, key: &str) -> Vec<u8> {
    format!("GET {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer {key}\r\n\r\n").into_bytes()
}

/// A request with a JSON body, written into a buffer that the caller can reuse.
pub(crate) fn write_post(path: &str, key: &str, body: &str, out: &mut Vec<u8>) {
    write_vouched(path, ("Authorization: Bearer ", key), body, out);
}

/// The same with any header that authenticates the caller: the text before the credential, and the credential.
pub(crate) fn write_vouched(path: &str, (header, proof): (&str, &str), body: &str, out: &mut Vec<u8>) {
    out.extend_from_slice(b"POST ");
    out.extend_from_slice(path.as_bytes());
    out.extend_from_slice(b" HTTP/1.1\r\nHost: 127.0.0.1\r\n");
    out.extend_from_slice(header.as_bytes());
    out.extend_from_slice(proof.as_bytes());
    out.extend_from_slice(b"\r\nContent-Type: application/json\r\nContent-Length: ");
    out.extend_from_slice(body.len().to_string().as_bytes());
    out.extend_from_slice(b"\r\n\r\n");
    out.extend_from_slice(body.as_bytes());
}

/// A 200 response with a JSON body.
pub(crate) fn write_answer(body: &str, out: &mut Vec<u8>) {
    out.extend_from_slice(b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: ");
    out.extend_from_slice(body.len().to_string().as_bytes());
    out.extend_from_slice(b"\r\n\r\n");
    out.extend_from_slice(body.as_bytes());
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_head_is_read_once_it_is_whole() {
        let bytes = b"HTTP/1.1 201 Created\r\nContent-Type: x\r\ncontent-LENGTH: 5\r\n\r\nhello";
        assert!(Head::read(&bytes[..40]).unwrap().is_none());
        let head = Head::read(bytes).unwrap().unwrap();
        assert_eq!((head.status, &bytes[head.end..]), (201, &b"hello"[..]));
        assert!(matches!(head.body, Length::Exactly(5)));
        assert!(Head::read(b"HTTP/1.1 200 OK\r\n\r\n").is_err());
        assert!(Head::read(b"nonsense\r\n\r\n").is_err());
    }

    #[test]
    fn chunks_are_joined_once_they_are_whole() {
        let bytes = b"5\r\nhello\r\n6;x=y\r\n world\r\n0\r\n\r\n";
        for cut in 0..bytes.len() {
            assert_eq!(join_chunks(&bytes[..cut], 0, &mut Vec::new()).unwrap(), None, "{cut}");
        }
        let mut body = Vec::new();
        assert_eq!(join_chunks(bytes, 0, &mut body).unwrap(), Some(bytes.len()));
        assert_eq!(body, b"hello world");
    }

    #[test]
    fn a_post_says_how_long_it_is() {
        let mut out = Vec::new();
        write_post("/x", "k", "{\"ü\":1}", &mut out);
        let text = String::from_utf8(out).unwrap();
        assert!(text.ends_with("Content-Length: 8\r\n\r\n{\"ü\":1}"), "{text}");
    }

    #[test]
    fn a_body_is_read_once_it_is_whole() {
        let request = b"POST / HTTP/1.1\r\nhost: x\r\ncontent-length: 5\r\n\r\nhello";
        assert_eq!(body_of(&request[..request.len() - 1]).unwrap(), None);
        assert_eq!(body_of(request).unwrap(), Some(&b"hello"[..]));
        assert_eq!(body_of(b"GET / HTTP/1.1\r\nhost: x\r\n\r\n").unwrap(), Some(&b""[..]));
        assert!(body_of(b"POST / HTTP/1.1\r\nhost: x\r\n\r\n").is_err());
    }
}
