//! A server that says what a test wants it to say.

use std::collections::VecDeque;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Condvar, Mutex};
use std::thread;
use std::time::{Duration, Instant};

use frontdesk::{Builder, Client};

const PATIENCE: Duration = Duration::from_secs(20);

/// A request as it arrived.
#[derive(Clone, Debug)]
pub(crate) struct Request {
    pub(crate) method: String,
    pub(crate) target: String,
    headers: Vec<(String, String)>,
    pub(crate) body: String,
    pub(crate) at: Instant,
}

impl Request {
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }
}

/// What the server does with a request.
#[derive(Clone)]
pub(crate) enum Reply {
    Full {
        status: u16,
        headers: Vec<(&'static str, String)>,
        body: String,
    },
    /// Closes the connection after these bytes.
    Closed(String),
    /// Says these bytes and then nothing, until the client has gone.
    Silent(String),
}

pub(crate) fn json(status: u16, body: &str) -> Reply {
    Reply::Full { status, headers: Vec::new(), body: body.to_owned() }
}

pub(crate) fn refused(status: u16, code: &str) -> Reply {
    json(status, &format!(r#"{{"error":{{"code":"{code}","message":"No.","request_id":"req_1"}}}}"#))
}

impl Reply {
    pub(crate) fn with(mut self, name: &'static str, value: &str) -> Self {
        if let Self::Full { headers, .. } = &mut self {
            headers.push((name, value.to_owned()));
        }
        self
    }
}

#[derive(Default)]
struct State {
    replies: Mutex<VecDeque<Reply>>,
    requests: Mutex<Vec<Request>>,
    /// How many clients have left while the server was silent.
    left: Mutex<usize>,
    changed: Condvar,
}

pub(crate) struct Server {
    url: String,
    state: Arc<State>,
}

impl Server {
    /// Gives these replies, one after the other, and closes the connection of every further request.
    pub(crate) fn start(replies: impl IntoIterator<Item = Reply>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let state =
            Arc::new(State { replies: Mutex::new(replies.into_iter().collect()), ..State::default() });
        let server = Self { url, state: Arc::clone(&state) };
        thread::spawn(move || {
            for connection in listener.incoming() {
                let state = Arc::clone(&state);
                thread::spawn(move || serve(&state, connection.unwrap()));
            }
        });
        server
    }

    pub(crate) fn url(&self) -> &str {
        &self.url
    }

    pub(crate) fn builder(&self) -> Builder {
        Client::builder(self.url.as_str(), "frontdesk_live_secret")
    }

    pub(crate) fn client(&self) -> Client {
        self.builder().build().unwrap()
    }

    pub(crate) fn requests(&self) -> Vec<Request> {
        self.state.requests.lock().unwrap().clone()
    }

    /// Waits until a client has left a silent connection.
    pub(crate) fn wait_until_left(&self) {
        let left = self.state.left.lock().unwrap();
        let (_left, waited) =
            self.state.changed.wait_timeout_while(left, PATIENCE, |left| *left == 0).unwrap();
        assert!(!waited.timed_out(), "the client is still there");
    }
}

fn serve(state: &State, connection: TcpStream) {
    let mut reader = BufReader::new(connection.try_clone().unwrap());
    let mut writer = connection;
    while let Some(request) = read(&mut reader) {
        state.requests.lock().unwrap().push(request);
        let reply = state.replies.lock().unwrap().pop_front().unwrap_or(Reply::Closed(String::new()));
        match reply {
            Reply::Full { status, headers, body } => {
                let headers = headers
                    .iter()
                    .fold(String::new(), |text, (name, value)| text + name + ": " + value + "\r\n");
                let length = body.len();
                let head = format!("HTTP/1.1 {status} Any\r\ncontent-length: {length}\r\n{headers}\r\n");
                if writer.write_all(format!("{head}{body}").as_bytes()).is_err() {
                    return;
                }
            }
            Reply::Closed(bytes) => {
                let _ = writer.write_all(bytes.as_bytes());
                let _ = writer.shutdown(std::net::Shutdown::Both);
                return;
            }
            Reply::Silent(bytes) => {
                let _ = writer.write_all(bytes.as_bytes());
                // Returns when the client has closed its side.
                let _ = reader.read(&mut [0]);
                *state.left.lock().unwrap() += 1;
                state.changed.notify_all();
                return;
            }
        }
    }
}

fn read(reader: &mut BufReader<TcpStream>) -> Option<Request> {
    let mut lines = Vec::new();
    loop {
        let mut line = String::new();
        if reader.read_line(&mut line).ok()? == 0 {
            return None;
        }
        match line.trim_end() {
            "" => break,
            line => lines.push(line.to_owned()),
        }
    }
    let mut words = lines.first()?.split(' ');
    let (method, target) = (words.next()?.to_owned(), words.next()?.to_owned());
    let headers: Vec<(String, String)> = lines[1..]
        .iter()
        .filter_map(|line| line.split_once(": "))
        .map(|(name, value)| (name.to_lowercase(), value.to_owned()))
        .collect();
    let length = headers.iter().find(|(name, _)| name == "content-length");
    let mut body = vec![0; length.map_or(0, |(_, length)| length.parse().unwrap())];
    reader.read_exact(&mut body).ok()?;
    let body = String::from_utf8_lossy(&body).into_owned();
    Some(Request { method, target, headers, body, at: Instant::now() })
}
