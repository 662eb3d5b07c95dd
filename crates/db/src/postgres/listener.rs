//! Wake-ups between servers, over LISTEN and NOTIFY on separate connections.
//!
//! A notification inside a transaction would make all commits wait for one lock, so wake-ups are sent after
//! the commit, collected for a few milliseconds. A crash may lose them; waiters also poll. A payload is the
//! sender's name and then words, separated by spaces: a topic, or a topic and a text with a `=` between them.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

use uuid::Uuid;

use super::connect;
use super::session::Session;
use crate::error::Result;
use crate::query::Query;
use crate::wake::{Topic, Wakes};

const CHANNEL: &str = "frontdesk";
/// Replaces the server's name in a payload.
const UNSIGNED: &str = "-";
/// How long wake-ups for other servers are collected.
const GATHER: Duration = Duration::from_millis(10);
/// How long a thread waits for notifications before it checks whether to stop.
const STOP_CHECK_PERIOD: Duration = Duration::from_millis(100);
/// PostgreSQL takes payloads of less than 8000 bytes. Longer texts are not sent, and neither are more than fit: the topic
/// alone is.
const TEXTS_MAX: usize = 32;
const TEXT_BYTES_MAX: usize = 200;
const RECONNECT_PAUSE: Duration = Duration::from_millis(500);
/// How often a server looks whether another host was promoted.
const PROMOTION_LOOK_PERIOD: Duration = Duration::from_secs(2);

/// A wake-up that a transaction sends with its own commit. It names no server, so all servers process it.
pub(crate) fn notify(topic: Topic) -> Query {
    let payload = format!("{UNSIGNED} {topic}");
    Query::whole("SELECT pg_notify($1, $2)", vec![Box::new(CHANNEL.to_owned()), Box::new(payload)])
}

/// Words to send to the other servers.
#[derive(Clone, Default)]
pub(crate) struct Outbox(Arc<(Mutex<BTreeSet<Word>>, Condvar)>);

type Word = Cow<'static, str>;

impl Outbox {
    pub(crate) fn send(&self, topic: Topic) {
        self.add(|_| Word::Borrowed(topic));
    }

    pub(crate) fn tell(&self, topic: Topic, text: &str) {
        self.add(|words| {
            let fits = words.len() < TEXTS_MAX && text.len() <= TEXT_BYTES_MAX && !text.contains(' ');
            if fits { Word::Owned(format!("{topic}={text}")) } else { Word::Borrowed(topic) }
        });
    }

    fn add(&self, word: impl FnOnce(&BTreeSet<Word>) -> Word) {
        let mut words = self.0.0.lock().unwrap_or_else(PoisonError::into_inner);
        let word = word(&words);
        if words.insert(word) {
            self.0.1.notify_one();
        }
    }

    /// Waits for words, up to a time limit; a few milliseconds more if there are any, so that they are sent
    /// together.
    fn take(&self) -> BTreeSet<Word> {
        let words = self.0.0.lock().unwrap_or_else(PoisonError::into_inner);
        let (words, _) = self
            .0
            .1
            .wait_timeout_while(words, STOP_CHECK_PERIOD, |words| words.is_empty())
            .unwrap_or_else(PoisonError::into_inner);
        let any = !words.is_empty();
        drop(words);
        if any {
            std::thread::sleep(GATHER);
        }
        std::mem::take(&mut *self.0.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

pub(crate) struct Listener {
    pub(crate) outbox: Outbox,
    stop: Arc<AtomicBool>,
    /// True while notifications arrive. A cache that depends on them may be used only then.
    pub(crate) live: Arc<AtomicBool>,
    threads: [JoinHandle<()>; 3],
}

impl Listener {
    #[expect(clippy::disallowed_methods, reason = "a name by which this process knows its own notifications")]
    pub(crate) fn start(url: &str, wakes: Wakes) -> Self {
        let outbox = Outbox::default();
        let stop = Arc::new(AtomicBool::new(false));
        let live = Arc::new(AtomicBool::new(false));
        let own = Uuid::from_u128(rand::random()).simple().to_string();
        let listen_thread = ListenThread {
            url: url.to_owned(),
            own: own.clone(),
            wakes,
            stop: stop.clone(),
            live: live.clone(),
        };
        let notify_thread =
            NotifyThread { url: url.to_owned(), own, outbox: outbox.clone(), stop: stop.clone() };
        let (hosts, hosts_stop) = (url.to_owned(), stop.clone());
        let threads = [
            thread("store-hosts", stop.clone(), move || look_for_promotions(&hosts, &hosts_stop)),
            thread("store-listener", stop.clone(), move || listen_thread.listen()),
            thread("store-notifier", stop.clone(), move || notify_thread.run()),
        ];
        Self { outbox, stop, live, threads }
    }

    pub(crate) fn close(self) {
        self.stop.store(true, Ordering::Relaxed);
        for thread in self.threads {
            let _ = thread.join();
        }
    }
}

/// Looks again and again whether another host was promoted, while connections to an old primary may live.
fn look_for_promotions(url: &str, stop: &AtomicBool) {
    let mut waited = Duration::ZERO;
    while !stop.load(Ordering::Relaxed) {
        std::thread::sleep(STOP_CHECK_PERIOD);
        waited += STOP_CHECK_PERIOD;
        if waited >= PROMOTION_LOOK_PERIOD {
            waited = Duration::ZERO;
            // A host that cannot be reached was not promoted, as far as this server can tell.
            let _ = connect::look_for_promotion(url);
        }
    }
}

/// Starts a thread. Its work is started again if it panics.
fn thread(name: &str, stop: Arc<AtomicBool>, work: impl Fn() + Send + 'static) -> JoinHandle<()> {
    let run = move || {
        while catch_unwind(AssertUnwindSafe(&work)).is_err() && !stop.load(Ordering::Relaxed) {
            std::thread::sleep(RECONNECT_PAUSE);
        }
    };
    std::thread::Builder::new().name(name.to_owned()).spawn(run).expect("a thread can be started")
}

/// Receives the notifications of other servers.
struct ListenThread {
    url: String,
    /// This server's name in its wake-ups, by which it ignores its own.
    own: String,
    wakes: Wakes,
    stop: Arc<AtomicBool>,
    live: Arc<AtomicBool>,
}

impl ListenThread {
    fn listen(&self) {
        // A run that panicked may have left this set.
        self.live.store(false, Ordering::Release);
        while !self.stop.load(Ordering::Relaxed) {
            if let Ok(mut session) = Session::connect(&self.url)
                && session.batch(&format!("LISTEN {CHANNEL}")).is_ok()
            {
                // Notifications may have been missed while not listening, so wake all waiters.
                self.wakes.wake_all();
                self.live.store(true, Ordering::Release);
                while !self.stop.load(Ordering::Relaxed)
                    && !session.is_closed()
                    && self.next_notification(&mut session).is_ok()
                {}
                self.live.store(false, Ordering::Release);
                self.wakes.wake_all();
            }
            if !self.stop.load(Ordering::Relaxed) {
                std::thread::sleep(RECONNECT_PAUSE);
            }
        }
    }

    fn next_notification(&self, session: &mut Session) -> Result<()> {
        let Some(notification) = session.next_notification(STOP_CHECK_PERIOD)? else { return Ok(()) };
        let mut words = notification.message().unwrap_or_default().split(' ');
        if words.next() != Some(&self.own) {
            words.for_each(|word| match word.split_once('=') {
                Some((topic, text)) => self.wakes.tell(topic, text.to_owned()),
                None => self.wakes.wake_from_elsewhere(word),
            });
        }
        Ok(())
    }
}

/// Sends notifications to other servers.
struct NotifyThread {
    url: String,
    own: String,
    outbox: Outbox,
    stop: Arc<AtomicBool>,
}

impl NotifyThread {
    fn run(&self) {
        let mut session: Option<Session> = None;
        while !self.stop.load(Ordering::Relaxed) {
            let words = self.outbox.take();
            if words.is_empty() {
                continue;
            }
            let payload = words.into_iter().fold(self.own.clone(), |payload, word| payload + " " + &word);
            if session.as_ref().is_none_or(Session::is_closed) {
                session = Session::connect(&self.url).ok();
            }
            // A wake-up that cannot be sent is dropped, because waiters also poll.
            if let Some(session) = &mut session {
                let _ = session.query("SELECT pg_notify($1, $2)", &[&CHANNEL, &payload], |_| Ok(()));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// PostgreSQL takes less than this.
    const PAYLOAD_BYTES_MAX: usize = 8_000;

    #[test]
    fn texts_that_do_not_fit_become_a_wake_up() {
        let outbox = Outbox::default();
        outbox.tell("few", "one/text");
        for number in 0..100 {
            outbox.tell("news", &format!("{number:0TEXT_BYTES_MAX$}"));
        }
        outbox.tell("long", &"x".repeat(TEXT_BYTES_MAX + 1));
        outbox.tell("spaced", "two words");
        let words = outbox.take();
        assert!(words.contains("few=one/text"));
        for topic in ["news", "long", "spaced"] {
            assert!(words.contains(topic), "{topic} is woken");
        }
        assert_eq!(words.iter().filter(|word| word.contains('=')).count(), TEXTS_MAX);
        assert!(words.iter().map(|word| word.len() + 1).sum::<usize>() < PAYLOAD_BYTES_MAX - 100);
    }
}
