//! Wake-ups: a commit that queues work wakes the workers that wait for it.
//!
//! A wake-up is a hint. A crash may lose it, so a worker also polls from time to time.

use std::any::Any;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use tokio::sync::watch;
use uuid::Uuid;

use crate::mailbox::{AnyMailbox, Delivery, Mailbox};

/// The topic of a wake-up, such as `events`.
pub type Topic = &'static str;

/// The effects of a commit: wake-ups, texts for every server, and jobs that are handed over.
#[derive(Default)]
pub(crate) struct AfterCommit {
    pub(crate) wakes: Vec<Wake>,
    pub(crate) texts: Vec<(Topic, String)>,
    pub(crate) deliveries: Vec<Box<dyn Delivery>>,
    /// The accounts that the transaction has changed.
    pub(crate) accounts: Vec<Uuid>,
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
    mailbox: Option<Arc<dyn AnyMailbox>>,
}

impl Default for Waiters {
    fn default() -> Self {
        Self { count: watch::channel(0).0, elsewhere: watch::channel(0).0, mailbox: None }
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

    /// The mailbox of the topic's worker in this process. A topic has one type of job.
    ///
    /// # Panics
    ///
    /// If the topic's jobs have another type.
    pub fn mailbox<T: Send + 'static>(&self, topic: Topic) -> Arc<Mailbox<T>> {
        let mut topics = self.topics.lock().unwrap_or_else(PoisonError::into_inner);
        let mailbox = topics.entry(topic.to_owned()).or_default().mailbox.get_or_insert_with(|| {
            let made: Arc<Mailbox<T>> = Arc::default();
            made
        });
        typed(mailbox.clone())
    }

    /// The mailbox of the topic's worker, if this process has one.
    pub(crate) fn open_mailbox<T: Send + 'static>(&self, topic: &str) -> Option<Arc<Mailbox<T>>> {
        let topics = self.topics.lock().unwrap_or_else(PoisonError::into_inner);
        topics.get(topic)?.mailbox.clone().map(typed)
    }

    pub(crate) fn publish(&self, after_commit: AfterCommit) {
        for wake in after_commit.wakes {
            self.wake(wake.topic, wake.about);
        }
        for (topic, text) in after_commit.texts {
            self.tell(topic, text);
        }
        after_commit.deliveries.into_iter().for_each(Delivery::deliver);
    }

    fn wake(&self, topic: &str, about: Option<Uuid>) {
        let topics = self.topics.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(waiters) = topics.get(topic) else { return };
        waiters.count.send_modify(|count| *count += 1);
        if let (Some(mailbox), Some(about)) = (&waiters.mailbox, about) {
            mailbox.wake(about);
        }
    }

    /// Leaves a text in the topic's mailbox, if this process has one.
    pub(crate) fn tell(&self, topic: &str, text: String) {
        if let Some(mailbox) = self.open_mailbox::<String>(topic) {
            mailbox.deliver(text);
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

fn typed<T: Send + 'static>(mailbox: Arc<dyn AnyMailbox>) -> Arc<Mailbox<T>> {
    let mailbox: Arc<dyn Any + Send + Sync> = mailbox;
    mailbox.downcast().expect("a topic has one type of job")
}
