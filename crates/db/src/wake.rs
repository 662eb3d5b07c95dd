//! Wake-ups: a commit that queues work tells those who wait for it.
//!
//! A wake-up is a hint. It may be lost with a crash, so a waiter also looks by itself from time to
//! time; it is never the only thing that makes work happen.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use tokio::sync::watch;

/// What a wake-up is about, such as `events`.
pub type Topic = &'static str;

/// The waiters of one process.
#[derive(Clone, Default)]
pub struct Wakes {
    topics: Arc<Mutex<HashMap<String, watch::Sender<u64>>>>,
}

impl Wakes {
    /// A receiver whose value changes with every wake-up of the topic.
    pub fn subscribe(&self, topic: Topic) -> watch::Receiver<u64> {
        let mut topics = self.topics.lock().unwrap_or_else(PoisonError::into_inner);
        topics.entry(topic.to_owned()).or_insert_with(|| watch::channel(0).0).subscribe()
    }

    pub(crate) fn wake(&self, topic: &str) {
        let topics = self.topics.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(waiters) = topics.get(topic) {
            waiters.send_modify(|count| *count += 1);
        }
    }

    pub(crate) fn wake_all(&self) {
        for waiters in self.topics.lock().unwrap_or_else(PoisonError::into_inner).values() {
            waiters.send_modify(|count| *count += 1);
        }
    }
}
