//! A PostgreSQL server that follows a script, one for each connection.

use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::thread::JoinHandle;
use std::time::Duration;

/// The deadline of a script, so that a client that hangs fails its test.
const PATIENCE: Duration = Duration::from_secs(20);
const SSL_REQUEST: u32 = 80_877_103;
pub(super) const TEXT: u32 = 25;

pub(super) type Script = Box<dyn FnOnce(&mut Peer) + Send>;

pub(super) struct Scripted {
    port: u16,
    thread: Option<JoinHandle<()>>,
}

impl Scripted {
    /// The connections are served one after the other.
    pub(super) fn start<const N: usize>(scripts: [Script; N]) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let thread = std::thread::spawn(move || {
            for script in scripts {
                let (stream, _) = listener.accept().unwrap();
                stream.set_nodelay(true).unwrap();
                stream.set_read_timeout(Some(PATIENCE)).unwrap();
                script(&mut Peer { stream, in_pieces: false });
            }
        });
        Self { port, thread: Some(thread) }
    }

    pub(super) fn port(&self) -> u16 {
        self.port
    }

    /// With these parameters.
    pub(super) fn url(&self, parameters: &str) -> String {
        format!("postgres://someone@127.0.0.1:{}/x?{parameters}", self.port)
    }

    /// Waits for the end of the scripts, and fails if one of them did.
    pub(super) fn end(mut self) {
        self.thread.take().unwrap().join().expect("the script was followed");
    }
}

/// The server's side of one connection.
pub(super) struct Peer {
    stream: TcpStream,
    /// Sends every byte separately.
    pub(super) in_pieces: bool,
}

impl Peer {
    pub(super) fn send(&mut self, messages: &[Vec<u8>]) {
        let bytes = messages.concat();
        let pieces = if self.in_pieces { 1 } else { bytes.len().max(1) };
        for piece in bytes.chunks(pieces) {
            // The client may have disconnected, which its own side reports.
            let _ = self.stream.write_all(piece);
        }
    }

    fn take(&mut self, length: usize) -> Vec<u8> {
        let mut bytes = vec![0; length];
        self.stream.read_exact(&mut bytes).expect("the client sends");
        bytes
    }

    fn take_length(&mut self) -> usize {
        u32::from_be_bytes(self.take(4).try_into().unwrap()) as usize - 4
    }

    /// The next message: its tag and its body.
    pub(super) fn next(&mut self) -> (u8, Vec<u8>) {
        let tag = self.take(1)[0];
        let length = self.take_length();
        (tag, self.take(length))
    }

    /// Reads up to a Sync or a simple query, and returns the tags and the bodies.
    pub(super) fn group(&mut self) -> Vec<(u8, Vec<u8>)> {
        let mut group = Vec::new();
        loop {
            let message = self.next();
            let ends = matches!(message.0, b'S' | b'Q');
            group.push(message);
            if ends {
                return group;
            }
        }
    }

    /// Reads the request for TLS and responds with this byte.
    pub(super) fn refuse_tls(&mut self, response: u8) {
        let length = self.take_length();
        let code = u32::from_be_bytes(self.take(length).try_into().unwrap());
        assert_eq!(code, SSL_REQUEST, "the client asks for TLS first");
        self.stream.write_all(&[response]).unwrap();
    }

    pub(super) fn startup(&mut self) -> String {
        let length = self.take_length();
        String::from_utf8_lossy(&self.take(length)).into_owned()
    }

    /// Accepts the client without a password, and reads its settings.
    pub(super) fn welcome(&mut self) {
        self.startup();
        self.send(&[authentication_ok(), parameter("server_version", "17.0"), key(), ready(b'I')]);
        self.take_settings();
    }

    pub(super) fn take_settings(&mut self) {
        let options = self.group();
        assert!(options[0].1.starts_with(b"SET "), "the session is set up");
        self.send(&[command("SET"), ready(b'I')]);
    }

    /// Responds to the preparation of a statement without parameters; with rows of one text, if it has any.
    pub(super) fn prepare(&mut self, has_rows: bool) -> String {
        let group = self.group();
        assert_eq!(group.iter().map(|(tag, _)| *tag).collect::<Vec<_>>(), b"PDS");
        let rows = if has_rows { row_description() } else { message(b'n', &[]) };
        self.send(&[message(b'1', &[]), message(b't', &[0, 0]), rows, ready(b'I')]);
        let name = group[0].1.split(|byte| *byte == 0).next().unwrap();
        String::from_utf8(name.to_vec()).unwrap()
    }

    /// Reads a group of this many statements.
    pub(super) fn executes(&mut self, statements: usize) {
        let tags: Vec<u8> = self.group().iter().map(|(tag, _)| *tag).collect();
        assert_eq!(tags, [b"BE".repeat(statements), b"S".to_vec()].concat());
    }

    /// Waits until the client disconnects.
    pub(super) fn until_gone(&mut self) {
        let _ = self.stream.read_to_end(&mut Vec::new());
    }
}

pub(super) fn message(tag: u8, body: &[u8]) -> Vec<u8> {
    [&[tag][..], &(body.len() as u32 + 4).to_be_bytes(), body].concat()
}

fn text(text: &str) -> Vec<u8> {
    [text.as_bytes(), &[0]].concat()
}

pub(super) fn authentication_ok() -> Vec<u8> {
    message(b'R', &[0, 0, 0, 0])
}

pub(super) fn parameter(name: &str, value: &str) -> Vec<u8> {
    message(b'S', &[text(name), text(value)].concat())
}

pub(super) fn key() -> Vec<u8> {
    message(b'K', &[0, 0, 0, 1, 0, 0, 0, 2])
}

/// `I` is idle, `T` in a transaction, `E` in a failed one.
pub(super) fn ready(status: u8) -> Vec<u8> {
    message(b'Z', &[status])
}

pub(super) fn bound() -> Vec<u8> {
    message(b'2', &[])
}

pub(super) fn command(tag: &str) -> Vec<u8> {
    message(b'C', &text(tag))
}

pub(super) fn row(value: &str) -> Vec<u8> {
    message(b'D', &[&[0, 1][..], &(value.len() as u32).to_be_bytes(), value.as_bytes()].concat())
}

pub(super) fn row_description() -> Vec<u8> {
    let column =
        [text("a"), vec![0; 6], TEXT.to_be_bytes().to_vec(), vec![255, 255, 255, 255, 255, 255, 0, 0]];
    message(b'T', &[vec![0, 1], column.concat()].concat())
}

pub(super) fn notice() -> Vec<u8> {
    message(b'N', &[&b"SNOTICE\0VNOTICE\0C00000\0Mby the way\0"[..], &[0]].concat())
}

pub(super) fn notification(channel: &str, payload: &str) -> Vec<u8> {
    message(b'A', &[vec![0, 0, 0, 7], text(channel), text(payload)].concat())
}

pub(super) fn error(severity: &str, code: &str, why: &str) -> Vec<u8> {
    let fields = format!("S{severity}\0V{severity}\0C{code}\0M{why}\0\0");
    message(b'E', fields.as_bytes())
}
