//! Where webhooks go in tests: an HTTP server on a loopback port of the test's own process.
//!
//! Every request is kept, with the moment it came. What a path answers is scripted with a [`Reply`]; a path that
//! nothing was said about takes everything with a 200. Waiting is for something to be so, and has an end.

mod connection;
mod reply;

use std::collections::{HashMap, VecDeque};
use std::fmt;
use std::net::{Shutdown, SocketAddr, TcpListener, TcpStream};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Instant;

use http::HeaderMap;
use serde_json::Value;

use crate::until::PATIENCE;

pub use reply::Reply;

/// A receiver of webhooks, gone when dropped.
#[derive(Debug)]
pub struct Sink {
    address: SocketAddr,
    desk: Arc<Desk>,
}

/// A request as it came.
#[derive(Clone, Debug)]
pub struct Received {
    pub at: Instant,
    pub method: String,
    pub path: String,
    pub headers: HeaderMap,
    pub body: Vec<u8>,
    /// Which connection it came over, by number.
    pub connection: usize,
}

impl Received {
    /// The value of a header that must be there.
    #[track_caller]
    pub fn header(&self, name: &str) -> &str {
        let value = self.headers.get(name).unwrap_or_else(|| panic!("no {name} in {:?}", self.headers));
        value.to_str().expect("text")
    }

    /// The body, which must be JSON.
    #[track_caller]
    pub fn json(&self) -> Value {
        serde_json::from_slice(&self.body).expect("a body of JSON")
    }
}

/// What the connections share.
#[derive(Debug, Default)]
struct Desk {
    /// Answers everything, and nothing is kept.
    always: Option<Always>,
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Debug, Default)]
struct State {
    received: Vec<Received>,
    scripts: HashMap<String, Script>,
    released: bool,
    closed: bool,
    streams: Vec<TcpStream>,
}

/// What a path answers.
enum Script {
    /// First these, one after the other, then always the last.
    InTurn { turns: VecDeque<Reply>, then: Reply },
    /// What the request calls for.
    By(Box<Responder>),
}

type Responder = dyn Fn(&Received) -> Reply + Send;

/// A function that answers every request, also several at a time.
struct Always(Box<dyn Fn(&Received) -> Reply + Send + Sync>);

impl fmt::Debug for Always {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Always")
    }
}

impl Script {
    fn next(&mut self, received: &Received) -> Reply {
        match self {
            Self::InTurn { turns, then } => turns.pop_front().unwrap_or_else(|| then.clone()),
            Self::By(respond) => respond(received),
        }
    }
}

impl fmt::Debug for Script {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::InTurn { turns, then } => f.debug_tuple("InTurn").field(turns).field(then).finish(),
            Self::By(_) => f.write_str("By"),
        }
    }
}

impl Sink {
    /// Starts one on a free port.
    pub fn start() -> Self {
        Self::serve(Desk::default())
    }

    /// Starts one that answers every request by a function and keeps none: for more requests than fit into memory.
    pub fn start_unrecorded(respond: impl Fn(&Received) -> Reply + Send + Sync + 'static) -> Self {
        Self::serve(Desk { always: Some(Always(Box::new(respond))), ..Desk::default() })
    }

    fn serve(desk: Desk) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
        let address = listener.local_addr().expect("its address");
        let desk = Arc::new(desk);
        let shared = desk.clone();
        thread::spawn(move || {
            for (number, stream) in listener.incoming().flatten().enumerate() {
                if !shared.keep(&stream) {
                    return;
                }
                let desk = shared.clone();
                thread::spawn(move || connection::serve(&desk, stream, number));
            }
        });
        Self { address, desk }
    }

    /// `http://127.0.0.1:PORT` and the path.
    pub fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.address)
    }

    pub fn port(&self) -> u16 {
        self.address.port()
    }

    /// Says what a path answers from now on.
    pub fn respond(&self, path: &str, reply: Reply) {
        self.answer_in_turn(path, [], reply);
    }

    /// Says what a path answers to the next requests, one after the other, and then always.
    pub fn answer_in_turn(&self, path: &str, turns: impl IntoIterator<Item = Reply>, then: Reply) {
        let script = Script::InTurn { turns: turns.into_iter().collect(), then };
        self.desk.state().scripts.insert(path.to_owned(), script);
    }

    /// Lets a function of the request say what a path answers from now on.
    pub fn answer_by(&self, path: &str, respond: impl Fn(&Received) -> Reply + Send + 'static) {
        self.desk.state().scripts.insert(path.to_owned(), Script::By(Box::new(respond)));
    }

    /// Lets every held answer go, those to come too.
    pub fn release(&self) {
        self.desk.state().released = true;
        self.desk.changed.notify_all();
    }

    /// What has come, in order.
    pub fn received(&self) -> Vec<Received> {
        self.desk.state().received.clone()
    }

    /// What has come to this path, in order.
    pub fn at(&self, path: &str) -> Vec<Received> {
        of(&self.desk.state().received, path)
    }

    /// How much has come to this path.
    pub fn count(&self, path: &str) -> usize {
        self.desk.state().received.iter().filter(|received| received.path == path).count()
    }

    /// Waits until this many requests have come to the path, and returns all that have.
    #[track_caller]
    pub fn wait(&self, path: &str, count: usize) -> Vec<Received> {
        let came =
            self.wait_until(|received| received.iter().filter(|one| one.path == path).count() >= count);
        assert!(came, "{} of {count} requests came to {path}", self.count(path));
        self.at(path)
    }

    /// Waits until what has come is enough; false when it never was.
    #[must_use = "what was waited for may not have come"]
    pub fn wait_until(&self, enough: impl Fn(&[Received]) -> bool) -> bool {
        let state = self.desk.state();
        let waited = self.desk.changed.wait_timeout_while(state, PATIENCE, |state| !enough(&state.received));
        !waited.unwrap_or_else(PoisonError::into_inner).1.timed_out()
    }
}

impl Drop for Sink {
    fn drop(&mut self) {
        let mut state = self.desk.state();
        state.closed = true;
        for stream in state.streams.drain(..) {
            // It may be closed already, which is as good.
            let _ = stream.shutdown(Shutdown::Both);
        }
        drop(state);
        self.desk.changed.notify_all();
        // The listener is waiting for a connection, and ends with the next.
        let _ = TcpStream::connect(self.address);
    }
}

impl Desk {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Remembers a connection, to end it with the sink; false when that has ended.
    fn keep(&self, stream: &TcpStream) -> bool {
        let mut state = self.state();
        // One that keeps nothing may have thousands of connections; they end with the servers that made them.
        if self.always.is_none() {
            state.streams.extend(stream.try_clone());
        }
        !state.closed
    }

    /// Keeps a request and says what is answered to it.
    fn take(&self, received: Received) -> Reply {
        if let Some(Always(respond)) = &self.always {
            return respond(&received);
        }
        let mut state = self.state();
        let reply =
            state.scripts.get_mut(&received.path).map(|script| script.next(&received)).unwrap_or_default();
        state.received.push(received);
        drop(state);
        self.changed.notify_all();
        reply
    }

    /// Waits as long as the reply says; false when the sink has ended.
    fn hold(&self, reply: &Reply) -> bool {
        let state = self.state();
        let state = if reply.is_held() {
            let waited = self.changed.wait_while(state, |state| !state.closed && !state.released);
            waited.unwrap_or_else(PoisonError::into_inner)
        } else {
            let waited = self.changed.wait_timeout_while(state, reply.delay(), |state| !state.closed);
            waited.unwrap_or_else(PoisonError::into_inner).0
        };
        !state.closed
    }
}

fn of(received: &[Received], path: &str) -> Vec<Received> {
    received.iter().filter(|one| one.path == path).cloned().collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::{Read, Write};

    fn ask(sink: &Sink, path: &str) -> String {
        let mut stream = TcpStream::connect(sink.address).unwrap();
        let request = format!("POST {path} HTTP/1.1\r\nContent-Length: 2\r\nConnection: close\r\n\r\n{{}}");
        stream.write_all(request.as_bytes()).unwrap();
        let mut response = String::new();
        stream.read_to_string(&mut response).unwrap();
        response
    }

    #[test]
    fn a_path_answers_what_it_was_told_and_keeps_what_came() {
        let sink = Sink::start();
        sink.answer_in_turn("/a", [Reply::status(500).body("oh")], Reply::status(204).header("x", "y"));
        assert!(
            ask(&sink, "/a").starts_with("HTTP/1.1 500 ") && ask(&sink, "/b").starts_with("HTTP/1.1 200 ")
        );
        assert!(ask(&sink, "/a").contains("x: y\r\n"));
        let kept = sink.wait("/a", 2);
        assert_eq!((kept.len(), kept[0].body.as_slice(), sink.received().len()), (2, &b"{}"[..], 3));
    }

    #[test]
    fn an_unrecorded_sink_answers_by_its_function_and_keeps_nothing() {
        let sink = Sink::start_unrecorded(|request| {
            Reply::status(if request.path == "/a" && request.body == b"{}" { 201 } else { 404 })
        });
        assert!(ask(&sink, "/a").starts_with("HTTP/1.1 201 "));
        assert!(ask(&sink, "/b").starts_with("HTTP/1.1 404 "));
        assert_eq!(sink.received().len(), 0);
    }

    #[test]
    fn a_held_answer_comes_when_it_is_let_go_and_a_closed_one_never() {
        let sink = Sink::start();
        sink.respond("/held", Reply::status(200).held());
        sink.respond("/closed", Reply::closed());
        thread::scope(|scope| {
            let asked = scope.spawn(|| ask(&sink, "/held"));
            sink.wait("/held", 1);
            assert_eq!(ask(&sink, "/closed"), "");
            assert!(!asked.is_finished());
            sink.release();
            assert!(asked.join().unwrap().starts_with("HTTP/1.1 200 "));
        });
    }
}
