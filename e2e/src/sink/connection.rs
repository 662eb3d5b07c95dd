//! One connection to a sink: requests in turn, each answered as its path is scripted.

use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::{Shutdown, TcpStream};
use std::time::Instant;

use http::{HeaderMap, HeaderName, HeaderValue};

use super::{Desk, Received};

/// Serves until either side hangs up. What goes wrong is the caller's to notice.
pub(super) fn serve(desk: &Desk, stream: TcpStream, number: usize) {
    let Ok(mut writer) = stream.try_clone() else { return };
    let _ = writer.set_nodelay(true);
    let mut reader = BufReader::new(stream);
    while let Ok(Some(request)) = read(&mut reader, number) {
        let asked_to = request.headers.get("connection").is_some_and(|value| value == "close");
        let reply = desk.take(request);
        let is_answered = desk.hold(&reply) && !reply.is_closed() && writer.write_all(&reply.bytes()).is_ok();
        if !is_answered || asked_to || reply.hangs_up() {
            break;
        }
    }
    // The sink keeps the connection too, so letting go of it would not end it.
    let _ = writer.shutdown(Shutdown::Both);
}

/// The next request; none when there is no more.
fn read(reader: &mut BufReader<TcpStream>, connection: usize) -> io::Result<Option<Received>> {
    // Whoever begins otherwise speaks TLS, which is not spoken here.
    if !reader.fill_buf()?.first().is_some_and(u8::is_ascii_uppercase) {
        return Ok(None);
    }
    let mut first = String::new();
    reader.read_line(&mut first)?;
    let at = Instant::now();
    let mut parts = first.split(' ').map(ToOwned::to_owned);
    let (method, path) = (parts.next().unwrap_or_default(), parts.next().unwrap_or_default());
    let mut headers = HeaderMap::new();
    loop {
        let mut line = String::new();
        reader.read_line(&mut line)?;
        let Some((name, value)) = line.trim_end().split_once(':') else { break };
        let name: HeaderName = name.parse().map_err(io::Error::other)?;
        headers.append(name, HeaderValue::from_str(value.trim()).map_err(io::Error::other)?);
    }
    let length = headers.get("content-length").and_then(|value| value.to_str().ok()?.parse().ok());
    let mut body = vec![0; length.unwrap_or(0)];
    reader.read_exact(&mut body)?;
    Ok(Some(Received { at, method, path, headers, body, connection }))
}
