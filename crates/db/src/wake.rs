//! Wake-ups: a commit that queues work tells those who wait for it.
//!
//! A wake-up is a hint. It may be lost with a crash, so a waiter also looks by itself from time to
//! time; it is never the only thing that makes work happen.

use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Mutex, PoisonError};

use tokio::sync::{Notify, watch};
use uuid::Uuid;

/// What a wake-up is about, such as `events`.
pub type Topic = &'static str;

/// A wake-up on its way: a topic, and what it is about, if that is told.
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
    /// Those wake-ups that came from other servers.
    elsewhere: watch::Sender<u64>,
    marks: Option<Arc<Marks>>,
}

impl Default for Waiters {
    fn default() -> Self {
        Self { count: watch::channel(0).0, elsewhere: watch::channel(0).0, marks: None }
    }
}

/// What the wake-ups of a topic were about, gathered until somebody takes it.
#[derive(Default)]
pub struct Marks {
    gathered: Mutex<HashSet<Uuid>>,
    bell: Notify,
}

impl Marks {
    /// Waits until there is something to take. A bell that rang while nobody waited is heard too.
    pub async fn wait(&self) {
        self.bell.notified().await;
    }

    pub fn take(&self) -> HashSet<Uuid> {
        std::mem::take(&mut *self.gathered.lock().unwrap_or_else(PoisonError::into_inner))
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

    /// What wake-ups of this process are about, for the one who works on the topic.
    pub fn marks(&self, topic: Topic) -> Arc<Marks> {
        let mut topics = self.topics.lock().unwrap_or_else(PoisonError::into_inner);
        topics.entry(topic.to_owned()).or_default().marks.get_or_insert_default().clone()
    }

    pub(crate) fn wake(&self, topic: &str, about: Option<Uuid>) {
        let topics = self.topics.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(waiters) = topics.get(topic) else { return };
        waiters.count.send_modify(|count| *count += 1);
        if let (Some(marks), Some(about)) = (&waiters.marks, about) {
            marks.gathered.lock().unwrap_or_else(PoisonError::into_inner).insert(about);
            marks.bell.notify_one();
        }
    }

    /// Another server woke those who wait for the topic.
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
