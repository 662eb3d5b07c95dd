//! Mailboxes: what commits in this process leave for the worker of a topic, without a look at the database.
//!
//! A transaction may hand a job to a worker that has room for it. It first takes a [`Place`]. A place that is not used,
//! because the transaction is rolled back or run again, is returned, so closures that run twice take no place twice.

use std::any::Any;
use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::Notify;
use uuid::Uuid;

/// The subjects of a topic's wake-ups and the jobs handed over, kept until the topic's worker takes them.
pub struct Mailbox<T> {
    contents: Mutex<MailboxContents<T>>,
    notify: Notify,
}

struct MailboxContents<T> {
    about: HashSet<Uuid>,
    jobs: Vec<T>,
    /// How many jobs may be handed over, by subject.
    room: HashMap<Uuid, Room>,
    rooms_set: u64,
}

struct Room {
    free: usize,
    /// Which call of `set_room` made it.
    number: u64,
}

/// Room for one job in a mailbox.
pub struct Place<T> {
    mailbox: Arc<Mailbox<T>>,
    /// The subject, and the number of the room, until the place is used.
    of: Option<(Uuid, u64)>,
}

/// A mailbox of any type of job.
pub(crate) trait AnyMailbox: Any + Send + Sync {
    fn wake(&self, about: Uuid);
}

/// A job that is delivered when its transaction has committed.
pub(crate) trait Delivery: Send {
    fn deliver(self: Box<Self>);
}

impl<T> Default for Mailbox<T> {
    fn default() -> Self {
        let (about, jobs, room) = (HashSet::new(), Vec::new(), HashMap::new());
        Self {
            contents: Mutex::new(MailboxContents { about, jobs, room, rooms_set: 0 }),
            notify: Notify::new(),
        }
    }
}

impl<T> Mailbox<T> {
    /// Waits until there is something to take. A wake-up before the call counts too.
    pub async fn wait(&self) {
        self.notify.notified().await;
    }

    pub fn take_woken(&self) -> HashSet<Uuid> {
        std::mem::take(&mut self.contents().about)
    }

    /// Takes the jobs that were handed over.
    pub fn take_jobs(&self) -> Vec<T> {
        std::mem::take(&mut self.contents().jobs)
    }

    pub fn is_empty(&self) -> bool {
        let contents = self.contents();
        contents.about.is_empty() && contents.jobs.is_empty()
    }

    /// Sets how many jobs of a subject may be handed over from now on.
    pub fn set_room(&self, about: Uuid, free: usize) {
        let contents = &mut *self.contents();
        contents.rooms_set += 1;
        if free == 0 {
            contents.room.remove(&about);
        } else {
            contents.room.insert(about, Room { free, number: contents.rooms_set });
        }
    }

    /// Accepts no more jobs.
    pub fn close(&self) {
        self.contents().room.clear();
    }

    pub(crate) fn take_place(self: &Arc<Self>, about: Uuid) -> Option<Place<T>> {
        let mut contents = self.contents();
        let room = contents.room.get_mut(&about)?;
        room.free = room.free.checked_sub(1)?;
        Some(Place { mailbox: self.clone(), of: Some((about, room.number)) })
    }

    pub(crate) fn places(&self, about: Uuid) -> usize {
        self.contents().room.get(&about).map_or(0, |room| room.free)
    }

    pub(crate) fn deliver(&self, job: T) {
        self.contents().jobs.push(job);
        self.notify.notify_one();
    }

    fn contents(&self) -> MutexGuard<'_, MailboxContents<T>> {
        self.contents.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<T: Send + 'static> AnyMailbox for Mailbox<T> {
    fn wake(&self, about: Uuid) {
        self.contents().about.insert(about);
        self.notify.notify_one();
    }
}

/// A place that is not used is returned, unless the worker has set its room anew since.
impl<T> Drop for Place<T> {
    fn drop(&mut self) {
        let Some((about, number)) = self.of else { return };
        if let Some(room) = self.mailbox.contents().room.get_mut(&about).filter(|room| room.number == number)
        {
            room.free += 1;
        }
    }
}

impl<T: Send> Delivery for (Place<T>, T) {
    fn deliver(self: Box<Self>) {
        let (mut place, job) = *self;
        place.of = None;
        place.mailbox.deliver(job);
    }
}

impl<T: Send> Delivery for (Arc<Mailbox<T>>, T) {
    fn deliver(self: Box<Self>) {
        let (mailbox, job) = *self;
        mailbox.deliver(job);
    }
}
