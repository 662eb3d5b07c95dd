//! Wake-ups across servers, over LISTEN and NOTIFY on a connection of their own.
//!
//! A notification inside a busy transaction would queue all commits behind one lock, so wake-ups are sent
//! after the commit, gathered for a few milliseconds. What a crash swallows, the waiters' own looking finds.

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

use postgres::Client;
use postgres::fallible_iterator::FallibleIterator;

use super::session;
use crate::{Topic, Wakes};

const CHANNEL: &str = "frontdesk";
/// How long wake-ups for other servers are gathered.
const GATHER: Duration = Duration::from_millis(10);
const RECONNECT_PAUSE: Duration = Duration::from_millis(500);

/// Topics on their way to the other servers.
#[derive(Clone, Default)]
pub(crate) struct Outbox(Arc<Mutex<BTreeSet<Topic>>>);

impl Outbox {
    pub(crate) fn send(&self, topic: Topic) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).insert(topic);
    }

    fn take(&self) -> BTreeSet<Topic> {
        std::mem::take(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

pub(crate) struct Listener {
    pub(crate) outbox: Outbox,
    stop: Arc<AtomicBool>,
    /// True while notifications arrive: a cache that lives by them may be trusted only then.
    pub(crate) live: Arc<AtomicBool>,
    thread: JoinHandle<()>,
}

impl Listener {
    pub(crate) fn start(url: String, wakes: Wakes) -> Self {
        let outbox = Outbox::default();
        let stop = Arc::new(AtomicBool::new(false));
        let live = Arc::new(AtomicBool::new(false));
        let ears = Ears { url, wakes, outbox: outbox.clone(), stop: stop.clone(), live: live.clone() };
        let thread = std::thread::Builder::new()
            .name("store-listener".into())
            .spawn(move || ears.listen())
            .expect("a thread can be started");
        Self { outbox, stop, live, thread }
    }

    pub(crate) fn close(self) {
        self.stop.store(true, Ordering::Relaxed);
        let _ = self.thread.join();
    }
}

struct Ears {
    url: String,
    wakes: Wakes,
    outbox: Outbox,
    stop: Arc<AtomicBool>,
    live: Arc<AtomicBool>,
}

impl Ears {
    fn listen(self) {
        while !self.stop.load(Ordering::Relaxed) {
            if let Ok(mut client) = session::connect(&self.url)
                && client.batch_execute(&format!("LISTEN {CHANNEL}")).is_ok()
            {
                // Whatever was said while nobody listened is unknown, so everybody looks.
                self.wakes.wake_all();
                self.live.store(true, Ordering::Release);
                while !self.stop.load(Ordering::Relaxed) && self.turn(&mut client).is_ok() {}
                self.live.store(false, Ordering::Release);
                self.wakes.wake_all();
            }
            if !self.stop.load(Ordering::Relaxed) {
                std::thread::sleep(RECONNECT_PAUSE);
            }
        }
    }

    fn turn(&self, client: &mut Client) -> Result<(), postgres::Error> {
        for topic in self.outbox.take() {
            client.execute("SELECT pg_notify($1, $2)", &[&CHANNEL, &topic])?;
        }
        {
            let mut notifications = client.notifications();
            let mut arriving = notifications.timeout_iter(GATHER);
            while let Some(notification) = arriving.next()? {
                self.wakes.wake(notification.payload(), None);
            }
        }
        if client.is_closed() { client.batch_execute("SELECT 1") } else { Ok(()) }
    }
}
