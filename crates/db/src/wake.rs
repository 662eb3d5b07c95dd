//! Wake-ups: a commit that queues work wakes the workers that wait for it.
//!
//! A wake-up is a hint. A crash may lose it, so a worker also polls from time to time.

use std::any::Any;
use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::{Notify, watch};
use uuid::Uuid;

/// The topic of a wake-up, such as `events`.
pub type Topic = &'static str;

/// Work that a transaction hands to the worker of a topic in its own process.
pub type FreshWork = Box<dyn Any + Send>;

/// The effects of a commit: wake-ups, and work that is handed over.
#[derive(Default)]
pub(crate) struct AfterCommit {
    pub(crate) wakes: Vec<Wake>,
    pub(crate) fresh: Vec<(Topic, FreshWork)>,
}

/// A wake-up: a topic, and its subject if it is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Wake {
    pub(crate) topic: Topic,
    pub(crate) about: Option<Uuid>,
}

/// The waiters of one process.
#[derive(Clone, Default)]
pub struct Wakes {
    topics: Arc<Mutex<HashMap<String, Waiters>>>,
}

struct Waiters {
    count: watch::Sender<u64>,
    /// The wake-ups from other servers.
    elsewhere: watch::Sender<u64>,
    mailbox: Option<Arc<Mailbox>>,
}

impl Default for Waiters {
    fn default() -> Self {
        Self { count: watch::channel(0).0, elsewhere: watch::channel(0).0, mailbox: None }
    }
}

/// The subjects of a topic's wake-ups and the work handed over, kept until the topic's worker takes them.
#[derive(Default)]
pub struct Mailbox {
    contents: Mutex<MailboxContents>,
    bell: Notify,
}

#[derive(Default)]
struct MailboxContents {
    about: HashSet<Uuid>,
    fresh: Vec<FreshWork>,
    /// How much may be handed over, by subject.
    room: HashMap<Uuid, usize>,
}

impl Mailbox {
    /// Waits until there is something to take. A wake-up before the call counts too.
    pub async fn wait(&self) {
        self.bell.notified().await;
    }

    pub fn take(&self) -> HashSet<Uuid> {
        std::mem::take(&mut self.contents().about)
    }

    /// Takes the work that was handed over.
    pub fn take_fresh(&self) -> Vec<FreshWork> {
        std::mem::take(&mut self.contents().fresh)
    }

    pub fn is_empty(&self) -> bool {
        let contents = self.contents();
        contents.about.is_empty() && contents.fresh.is_empty()
    }

    /// Sets how many jobs of a subject may be handed over from now on. A transaction that is rolled back
    /// leaves its place taken, so the worker sets this again whenever it changes.
    pub fn set_room(&self, about: Uuid, room: usize) {
        let mut contents = self.contents();
        if room == 0 {
            contents.room.remove(&about);
        } else {
            contents.room.insert(about, room);
        }
    }

    /// Accepts no more work.
    pub fn close(&self) {
        self.contents().room.clear();
    }

    fn take_place(&self, about: Uuid) -> bool {
        let mut contents = self.contents();
        let Some(room) = contents.room.get_mut(&about) else { return false };
        *room -= 1;
        if *room == 0 {
            contents.room.remove(&about);
        }
        true
    }

    fn places(&self, about: Uuid) -> usize {
        self.contents().room.get(&about).copied().unwrap_or(0)
    }

    fn contents(&self) -> MutexGuard<'_, MailboxContents> {
        self.contents.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Wakes {
    /// A receiver whose value changes with every wake-up of the topic.
    pub fn subscribe(&self, topic: Topic) -> watch::Receiver<u64> {
        let mut topics = self.topics.lock().unwrap_or_else(PoisonError::into_inner);
        topics.entry(topic.to_owned()).or_default().count.subscribe()
    }

    /// A receiver whose value changes with every wake-up of the topic that comes from another server.
    pub fn subscribe_elsewhere(&self, topic: Topic) -> watch::Receiver<u64> {
        let mut topics = self.topics.lock().unwrap_or_else(PoisonError::into_inner);
        topics.entry(topic.to_owned()).or_default().elsewhere.subscribe()
    }

    /// The mailbox of the topic's worker in this process.
    pub fn mailbox(&self, topic: Topic) -> Arc<Mailbox> {
        let mut topics = self.topics.lock().unwrap_or_else(PoisonError::into_inner);
        topics.entry(topic.to_owned()).or_default().mailbox.get_or_insert_default().clone()
    }

    /// Takes a place with the worker of a topic, if it has room for one more job of this subject.
    pub(crate) fn take_place(&self, topic: &str, about: Uuid) -> bool {
        self.with_mailbox(topic, |mailbox| mailbox.take_place(about)).unwrap_or(false)
    }

    /// How many jobs of this subject the worker of a topic has room for.
    pub(crate) fn places(&self, topic: &str, about: Uuid) -> usize {
        self.with_mailbox(topic, |mailbox| mailbox.places(about)).unwrap_or(0)
    }

    /// Reads the mailbox of the topic's worker, if this process has one.
    fn with_mailbox<T>(&self, topic: &str, read: impl FnOnce(&Mailbox) -> T) -> Option<T> {
        let topics = self.topics.lock().unwrap_or_else(PoisonError::into_inner);
        topics.get(topic).and_then(|waiters| waiters.mailbox.as_deref()).map(read)
    }

    pub(crate) fn publish(&self, after_commit: AfterCommit) {
        for wake in after_commit.wakes {
            self.wake(wake.topic, wake.about);
        }
        let topics = self.topics.lock().unwrap_or_else(PoisonError::into_inner);
        for (topic, fresh) in after_commit.fresh {
            if let Some(mailbox) = topics.get(topic).and_then(|waiters| waiters.mailbox.as_ref()) {
                mailbox.contents().fresh.push(fresh);
                mailbox.bell.notify_one();
            }
        }
    }

    fn wake(&self, topic: &str, about: Option<Uuid>) {
        let topics = self.topics.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(waiters) = topics.get(topic) else { return };
        waiters.count.send_modify(|count| *count += 1);
        if let (Some(mailbox), Some(about)) = (&waiters.mailbox, about) {
            mailbox.contents().about.insert(about);
            mailbox.bell.notify_one();
        }
    }

    /// Another server wakes the topic's waiters.
    pub(crate) fn wake_from_elsewhere(&self, topic: &str) {
        if let Some(waiters) = self.topics.lock().unwrap_or_else(PoisonError::into_inner).get(topic) {
            waiters.count.send_modify(|count| *count += 1);
            waiters.elsewhere.send_modify(|count| *count += 1);
        }
    }

    pub(crate) fn wake_all(&self) {
        for waiters in self.topics.lock().unwrap_or_else(PoisonError::into_inner).values() {
            waiters.count.send_modify(|count| *count += 1);
            waiters.elsewhere.send_modify(|count| *count += 1);
        }
    }
}
