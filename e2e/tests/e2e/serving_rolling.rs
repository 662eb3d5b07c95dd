//! A rolling restart: three servers behind a balancer that looks at `/readyz`, each stopped and started again in turn while
//! callers work. No request fails.

use std::collections::{BTreeMap, BTreeSet};
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Mutex, RwLock};
use std::thread;
use std::time::{Duration, Instant};

use frontdesk_e2e::{Engine, Server, Wire, came_true, on_shared_stores};
use serde_json::{Value, json};

use crate::faults::{phone, whole};
use crate::inbound_scene::{Inbox, start};
use crate::shapes::text;

on_shared_stores! {
    alone a_rolling_restart_of_three_servers_fails_no_request,
}

const SERVERS: usize = 3;
const CALLERS: usize = 6;
/// Longer than a balancer takes to notice, on a busy machine.
const DRAIN_SECONDS: &str = "6";
/// The vendors list a thousand messages.
const TURNS_PER_MESSAGE: usize = 8;
/// How often the balancer looks.
const LOOK_PERIOD: Duration = Duration::from_millis(100);
/// Requests that must succeed between two restarts.
const REQUESTS_BETWEEN: usize = 60;

/// Where requests may go: the servers that were ready when they were last asked.
struct Balancer {
    ready: RwLock<BTreeMap<usize, String>>,
    known: Mutex<BTreeMap<usize, String>>,
    turns: AtomicUsize,
}

impl Balancer {
    fn new() -> Self {
        Self { ready: RwLock::default(), known: Mutex::default(), turns: AtomicUsize::new(0) }
    }

    fn add(&self, number: usize, base: String) {
        self.known.lock().unwrap().insert(number, base);
    }

    fn remove(&self, number: usize) {
        self.known.lock().unwrap().remove(&number);
    }

    fn look_on(&self, is_over: &AtomicBool) {
        while !is_over.load(Ordering::Relaxed) {
            let known = self.known.lock().unwrap().clone();
            let ready = known.into_iter().filter(|(_, base)| is_ready(base)).collect();
            *self.ready.write().unwrap() = ready;
            thread::sleep(LOOK_PERIOD);
        }
    }

    /// The server of the next turn, with its number.
    fn next(&self) -> (usize, String) {
        loop {
            let ready = self.ready.read().unwrap();
            let turn = self.turns.fetch_add(1, Ordering::Relaxed);
            if let Some((number, base)) = ready.iter().nth(turn % ready.len().max(1)) {
                return (*number, base.clone());
            }
        }
    }
}

/// Asks over a connection of its own, which a server that has ended refuses.
fn is_ready(base: &str) -> bool {
    let asked = Wire::try_to(base).and_then(|mut wire| {
        wire.send(b"GET /readyz HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")?;
        wire.try_answer()
    });
    asked.is_ok_and(|response| response.status == 200)
}

/// A caller that keeps a connection to each server.
struct Caller<'a> {
    balancer: &'a Balancer,
    key: &'a str,
    wires: BTreeMap<String, Wire>,
}

impl Caller<'_> {
    /// One request at the server whose turn it is, on the connection that is open, if any. Nothing is tried again.
    fn call(&mut self, method: &str, path: &str, body: &Value) -> Result<(u16, Value), String> {
        let (_, base) = self.balancer.next();
        let mut wire = match self.wires.remove(&base) {
            Some(wire) => wire,
            None => Wire::try_to(&base).map_err(|error| format!("connecting to {base}: {error}"))?,
        };
        let body = if body.is_null() { String::new() } else { body.to_string() };
        let request = format!(
            "{method} /api/v1{path} HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer {}\r\n\
             Content-Type: application/json\r\nContent-Length: {}\r\n\r\n{body}",
            self.key,
            body.len()
        );
        wire.send(request).map_err(|error| format!("sending to {base}: {error}"))?;
        let response = wire.try_answer().map_err(|error| format!("waiting for {base}: {error}"))?;
        if response.header("connection") != Some("close") {
            self.wires.insert(base, wire);
        }
        Ok((response.status, response.json))
    }
}

/// What the callers have achieved.
#[derive(Default)]
struct Tally {
    requests: AtomicUsize,
    failures: Mutex<Vec<String>>,
    contacts: Mutex<Vec<String>>,
    /// The numbers that a message was accepted for.
    messages: Mutex<Vec<String>>,
}

impl Tally {
    fn note(&self, wanted: u16, outcome: Result<(u16, Value), String>) -> Option<Value> {
        match outcome {
            Ok((status, body)) if status == wanted => {
                self.requests.fetch_add(1, Ordering::Relaxed);
                return Some(body);
            }
            Ok((status, body)) => self.failures.lock().unwrap().push(format!("{status}: {body}")),
            Err(error) => self.failures.lock().unwrap().push(error),
        }
        None
    }

    fn work(&self, caller: &mut Caller<'_>, number: usize, is_over: &AtomicBool) {
        for turn in 0.. {
            if is_over.load(Ordering::Relaxed) {
                return;
            }
            let phone = phone(number, turn);
            let made = self.note(201, caller.call("POST", "/contacts", &json!({ "phone": phone })));
            self.contacts.lock().unwrap().extend(made.map(|made| text(&made["data"]["id"]).to_owned()));
            if turn % TURNS_PER_MESSAGE == 0 {
                let to = json!({ "phone": phone });
                let hello = json!({ "type": "template", "to": to, "template": { "name": "hello_world" } });
                let sent = self.note(201, caller.call("POST", "/messages", &hello));
                self.messages.lock().unwrap().extend(sent.map(|_| phone));
            }
            let _counted = self.note(200, caller.call("GET", "/contacts?limit=5", &Value::Null));
        }
    }

    /// Waits until the callers have made more requests.
    fn advances(&self) {
        let before = self.requests.load(Ordering::Relaxed);
        let more = || {
            self.requests.load(Ordering::Relaxed) >= before + REQUESTS_BETWEEN
                || !self.failures.lock().unwrap().is_empty()
        };
        assert!(came_true(more), "the callers wait: {:?}", self.failures.lock().unwrap());
    }
}

fn a_rolling_restart_of_three_servers_fails_no_request(engine: Engine) {
    let inbox = Inbox::of(start(engine).env("FRONTDESK_DRAIN_SECONDS", DRAIN_SECONDS).alone());
    let (account, graph) = (inbox.tenant.account.id.clone(), inbox.vendors.graph_url());
    inbox.connect("whatsapp", &account, &graph, &[]);
    let servers: Vec<Mutex<Option<Server>>> =
        (0..SERVERS).map(|_| Mutex::new(Some(inbox.app.second_server()))).collect();
    let (balancer, tally, is_over) = (Balancer::new(), Tally::default(), AtomicBool::new(false));
    for (number, server) in servers.iter().enumerate() {
        balancer.add(number, server.lock().unwrap().as_ref().expect("it runs").base());
    }
    // The fourth has only made the account.
    assert!(inbox.app.stop().success());
    let started = Instant::now();
    thread::scope(|scope| {
        let (balancer, tally, is_over) = (&balancer, &tally, &is_over);
        let key = inbox.tenant.key.secret.as_str();
        scope.spawn(move || balancer.look_on(is_over));
        for number in 0..CALLERS {
            scope.spawn(move || {
                let mut caller = Caller { balancer, key, wires: BTreeMap::new() };
                tally.work(&mut caller, number, is_over);
            });
        }
        // The callers end also when an assertion fails.
        let outcome = catch_unwind(AssertUnwindSafe(|| restart_all(&inbox, &servers, balancer, tally)));
        is_over.store(true, Ordering::Relaxed);
        if let Err(panic) = outcome {
            resume_unwind(panic);
        }
    });
    let (requests, failures) = (tally.requests.into_inner(), tally.failures.into_inner().unwrap());
    println!("{requests} requests in {:?}, {} failed", started.elapsed(), failures.len());
    assert!(failures.is_empty(), "{} of {requests} requests failed: {failures:?}", failures.len());
    let client = inbox.client.at(servers[0].lock().unwrap().as_ref().expect("it runs"));
    // The messages made contacts of nobody else.
    whole(&client, &tally.contacts.into_inner().unwrap());
    let mut accepted = tally.messages.into_inner().unwrap();
    assert!(
        came_true(|| sent_count(&inbox) >= accepted.len()),
        "{} of {}",
        sent_count(&inbox),
        accepted.len()
    );
    let mut sent: Vec<String> = inbox
        .vendors
        .sent()
        .iter()
        .map(|sent| format!("+{}", text(&sent["to"]).trim_start_matches('+')))
        .collect();
    sent.sort();
    accepted.sort();
    let unique: BTreeSet<&String> = sent.iter().collect();
    assert_eq!(unique.len(), sent.len(), "somebody was reached twice");
    assert_eq!(sent, accepted, "what was accepted and what was sent differ");
}

/// Stops and starts one server after the other, and lets the callers work in between.
fn restart_all(inbox: &Inbox, servers: &[Mutex<Option<Server>>], balancer: &Balancer, tally: &Tally) {
    tally.advances();
    for (number, server) in servers.iter().enumerate() {
        let stopped = server.lock().unwrap().take().expect("it runs");
        assert!(stopped.stop().success(), "{}", stopped.logs());
        balancer.remove(number);
        let next = inbox.app.second_server();
        balancer.add(number, next.base());
        *server.lock().unwrap() = Some(next);
        assert!(came_true(|| balancer.ready.read().unwrap().len() == SERVERS), "it is not ready");
        tally.advances();
    }
}

fn sent_count(inbox: &Inbox) -> usize {
    inbox.vendors.sent().len()
}
