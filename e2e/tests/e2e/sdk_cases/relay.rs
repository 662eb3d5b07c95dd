//! Stands between a client and the server, and breaks their connections when it is told to.

use std::io::{Read, Write};
use std::net::{Shutdown, SocketAddr, TcpListener, TcpStream};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;

use frontdesk_e2e::PATIENCE;

/// A fixed address whose connections lead to a server that may be started anew elsewhere.
pub(super) struct Relay {
    address: SocketAddr,
    shared: Arc<Shared>,
}

#[derive(Default)]
struct Shared {
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Default)]
struct State {
    /// Where new connections lead.
    server: Option<SocketAddr>,
    open: Vec<TcpStream>,
    /// How many connections were opened to the server.
    opened: usize,
    /// The next response is not passed on: its connection breaks instead.
    swallows: bool,
    swallowed: bool,
}

impl Relay {
    /// A relay to the server at this base URL.
    pub(super) fn to(base: &str) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
        let address = listener.local_addr().expect("its address");
        let relay = Self { address, shared: Arc::default() };
        relay.lead_to(base);
        let shared = Arc::clone(&relay.shared);
        thread::spawn(move || {
            for client in listener.incoming().flatten() {
                let shared = Arc::clone(&shared);
                thread::spawn(move || shared.serve(client));
            }
        });
        relay
    }

    pub(super) fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// New connections lead to the server at this base URL.
    pub(super) fn lead_to(&self, base: &str) {
        let address = base.strip_prefix("http://").expect("an http:// address");
        self.shared.state().server = Some(address.parse().expect("an address and a port"));
    }

    /// Breaks every open connection.
    pub(super) fn cut(&self) {
        for stream in self.shared.state().open.drain(..) {
            // It may be closed already, which is as good.
            let _ = stream.shutdown(Shutdown::Both);
        }
    }

    /// Waits until so many connections were opened to the server.
    #[track_caller]
    pub(super) fn wait_for_connections(&self, count: usize) {
        self.shared.wait("a connection", |state| state.opened >= count);
    }

    /// Breaks the next connection whose response begins to arrive.
    pub(super) fn swallow_next(&self) {
        let mut state = self.shared.state();
        (state.swallows, state.swallowed) = (true, false);
    }

    /// Waits until the server has responded and the client knows nothing of it.
    #[track_caller]
    pub(super) fn wait_until_swallowed(&self) {
        self.shared.wait("a response", |state| state.swallowed);
    }
}

impl Shared {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    #[track_caller]
    fn wait(&self, what: &str, is_so: impl Fn(&State) -> bool) {
        let waited = self.changed.wait_timeout_while(self.state(), PATIENCE, |state| !is_so(state));
        assert!(!waited.unwrap_or_else(PoisonError::into_inner).1.timed_out(), "{what} never came");
    }

    fn serve(self: Arc<Self>, client: TcpStream) {
        let Some(address) = self.state().server else { return };
        let Ok(server) = TcpStream::connect(address) else { return };
        let (Ok(to_client), Ok(to_server)) = (client.try_clone(), server.try_clone()) else { return };
        let mut state = self.state();
        state.opened += 1;
        state.open.extend([client.try_clone(), server.try_clone()].into_iter().flatten());
        drop(state);
        self.changed.notify_all();
        thread::spawn(move || pass_on(client, to_server, || true));
        pass_on(server, to_client, || !self.swallows());
    }

    /// Whether the response that has begun to arrive is lost.
    fn swallows(&self) -> bool {
        let mut state = self.state();
        if !state.swallows {
            return false;
        }
        (state.swallows, state.swallowed) = (false, true);
        self.changed.notify_all();
        true
    }
}

/// Passes bytes on, as long as each piece may pass. The connection then ends on both sides.
fn pass_on(mut from: TcpStream, mut to: TcpStream, may_pass: impl Fn() -> bool) {
    let mut bytes = [0; 16 * 1024];
    while let Ok(read) = from.read(&mut bytes) {
        if read == 0 || !may_pass() || to.write_all(&bytes[..read]).is_err() {
            break;
        }
    }
    let _ = from.shutdown(Shutdown::Both);
    let _ = to.shutdown(Shutdown::Both);
}
