//! The world outside: the vendors' stand-ins, run in the test's own process, so that they outlive a server that is
//! killed and know what truly reached them.

use std::net::{SocketAddr, TcpListener};
use std::pin::Pin;
use std::sync::atomic::{AtomicI64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::SystemTime;

use frontdesk_sandbox::{Connection, Directory, Sandbox};
use hmac::{Hmac, KeyInit, Mac};
use serde_json::{Value, json};
use sha2::Sha256;
use tokio::sync::oneshot;

use crate::base::Base;
use crate::caller::CallerAddress;
use crate::client::Client;

/// What the stand-ins list at once, at most.
const LIST_MAX: usize = 1000;

/// The vendors, gone when dropped.
#[derive(Debug)]
pub struct Vendors {
    address: SocketAddr,
    register: Arc<Register>,
    ahead_millis: Arc<AtomicI64>,
    calls: Client,
    over: Option<oneshot::Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

/// The connections that the vendors know.
#[derive(Debug, Default)]
struct Register(Mutex<Vec<Connection>>);

impl Register {
    fn lock(&self) -> MutexGuard<'_, Vec<Connection>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Directory for Register {
    fn connections(&self) -> Pin<Box<dyn Future<Output = Vec<Connection>> + Send + '_>> {
        Box::pin(async { self.lock().clone() })
    }
}

impl Vendors {
    /// Starts them on a free port.
    pub fn start() -> Self {
        Self::at("127.0.0.1:0".parse().expect("an address"), Vec::new())
    }

    /// Starts them at this address. They know these connections from the start.
    pub fn at(address: SocketAddr, known: Vec<Connection>) -> Self {
        let listener = TcpListener::bind(address).expect("the address is free");
        listener.set_nonblocking(true).expect("an option");
        let address = listener.local_addr().expect("its address");
        let (register, ahead) = (Arc::new(Register(Mutex::new(known))), Arc::new(AtomicI64::new(0)));
        let (known, offset) = (register.clone(), ahead.clone());
        let (over, ended) = oneshot::channel();
        let thread = thread::spawn(move || {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
            runtime.expect("a runtime").block_on(async {
                let clock = Arc::new(move || real_millis() + offset.load(Ordering::Relaxed));
                let sandbox = Sandbox::new(known, clock);
                let listener = tokio::net::TcpListener::from_std(listener).expect("a listener");
                tokio::select! {
                    () = frontdesk_sandbox::serve(sandbox, listener) => {}
                    _ = ended => {}
                }
            });
        });
        let base = Base::default();
        base.set(format!("http://{address}"));
        let calls = Client::new(base, CallerAddress::Usual).vendors();
        Self { address, register, ahead_millis: ahead, calls, over: Some(over), thread: Some(thread) }
    }

    /// Where the Graph API answers.
    pub fn graph_url(&self) -> String {
        graph_url(self.address)
    }

    /// Where the sandbox model answers, in both formats.
    pub fn model_url(&self) -> String {
        format!("http://{}/sandbox/model/v1", self.address)
    }

    /// Makes a connection known, in place of one with the same name.
    pub fn keep(&self, connection: Connection) {
        let mut known = self.register.lock();
        known.retain(|other| other.name != connection.name);
        known.push(connection);
    }

    /// A caller of the stand-ins; paths begin with `/sandbox`.
    pub fn calls(&self) -> &Client {
        &self.calls
    }

    /// What has reached customers, oldest first.
    #[track_caller]
    pub fn sent(&self) -> Vec<Value> {
        let listed = self.calls.get(&format!("/sandbox/messages?limit={LIST_MAX}")).expect(200);
        listed.data().as_array().expect("a list").clone()
    }

    /// Says what goes wrong from now on, in place of what did.
    #[track_caller]
    pub fn faults(&self, faults: Value) {
        self.calls.put("/sandbox/faults", json!({ "faults": faults })).expect(200);
    }

    /// What is still to go wrong.
    #[track_caller]
    pub fn faults_left(&self) -> usize {
        let left = self.calls.get("/sandbox/faults").expect(200);
        left.data()["faults"].as_array().expect("a list").len()
    }

    /// Reports come only when they are asked for.
    #[track_caller]
    pub fn report_by_hand(&self) {
        self.calls.put("/sandbox/settings", json!({ "statuses": "manual" })).expect(200);
    }

    /// Has a message reported, by the channel's id of it.
    #[track_caller]
    pub fn report(&self, channel_message_id: &str, status: &str) {
        let path = format!("/sandbox/messages/{channel_message_id}/status");
        self.calls.post(&path, json!({ "status": status })).expect(200);
    }

    /// Follows a server's clock that was moved.
    pub fn advance(&self, seconds: u64) {
        self.ahead_millis.fetch_add(seconds as i64 * 1000, Ordering::Relaxed);
    }

    /// Milliseconds since 1970, as a server sees them whose clock was moved as far.
    pub fn now(&self) -> i64 {
        real_millis() + self.ahead_millis.load(Ordering::Relaxed)
    }
}

impl Drop for Vendors {
    fn drop(&mut self) {
        if let Some(over) = self.over.take() {
            // It may have ended by itself, which is as good.
            let _ = over.send(());
        }
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

/// An address at which nobody listens until a test does. No other test listens at this host.
pub fn nowhere() -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.2:0").expect("a free port");
    listener.local_addr().expect("its address")
}

/// Where the Graph API answers when the vendors are at this address.
pub fn graph_url(address: SocketAddr) -> String {
    format!("http://{address}/sandbox/graph")
}

/// `X-Hub-Signature-256` of a body.
pub fn signed_by_meta(app_secret: &str, body: &[u8]) -> String {
    let mut mac = Hmac::<Sha256>::new_from_slice(app_secret.as_bytes()).expect("a key of any length");
    mac.update(body);
    let hex: Vec<String> = mac.finalize().into_bytes().iter().map(|byte| format!("{byte:02x}")).collect();
    format!("sha256={}", hex.concat())
}

fn real_millis() -> i64 {
    #[expect(clippy::disallowed_methods, reason = "the vendors go by the real clock, as the server does")]
    let now = SystemTime::now();
    let since = now.duration_since(SystemTime::UNIX_EPOCH).expect("a clock past 1970");
    i64::try_from(since.as_millis()).expect("a clock before the year 292 million")
}
