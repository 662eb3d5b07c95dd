//! Turns at a limited resource, such as files in memory. One key, such as an account, has only part of them, so its
//! slow work leaves room for everybody else.

use std::collections::HashMap;
use std::hash::Hash;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// The turns of all keys.
pub struct Turns<K: Copy + Eq + Hash> {
    overall: Arc<Semaphore>,
    each: usize,
    keys: Arc<Keys<K>>,
}

type Keys<K> = Mutex<HashMap<K, Queue>>;

/// The turns of one key.
struct Queue {
    turns: Arc<Semaphore>,
    /// Those who wait for a turn or have one.
    pending: usize,
}

/// A turn, until it is dropped.
pub struct Turn<K: Copy + Eq + Hash> {
    /// Freed before `_place`, which may remove the key.
    _overall: OwnedSemaphorePermit,
    _own: OwnedSemaphorePermit,
    _place: Place<K>,
}

/// A place in the queue of a key.
struct Place<K: Copy + Eq + Hash> {
    key: K,
    keys: Arc<Keys<K>>,
}

impl<K: Copy + Eq + Hash> Turns<K> {
    /// At most `overall` turns at a time, of which one key has at most `each`.
    pub fn new(overall: usize, each: usize) -> Self {
        Self { overall: Arc::new(Semaphore::new(overall)), each, keys: Arc::default() }
    }

    /// Waits for a turn. None only while the program ends.
    pub async fn take(&self, key: K) -> Option<Turn<K>> {
        let (own, place) = self.queue(key);
        let own = own.acquire_owned().await.ok()?;
        let overall = self.overall.clone().acquire_owned().await.ok()?;
        Some(Turn { _overall: overall, _own: own, _place: place })
    }

    fn queue(&self, key: K) -> (Arc<Semaphore>, Place<K>) {
        let mut keys = locked(&self.keys);
        let queue = keys
            .entry(key)
            .or_insert_with(|| Queue { turns: Arc::new(Semaphore::new(self.each)), pending: 0 });
        queue.pending += 1;
        (queue.turns.clone(), Place { key, keys: self.keys.clone() })
    }
}

impl<K: Copy + Eq + Hash> Drop for Place<K> {
    fn drop(&mut self) {
        let mut keys = locked(&self.keys);
        if let Some(queue) = keys.get_mut(&self.key) {
            queue.pending -= 1;
            if queue.pending == 0 {
                keys.remove(&self.key);
            }
        }
    }
}

fn locked<K>(keys: &Keys<K>) -> MutexGuard<'_, HashMap<K, Queue>> {
    keys.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use futures_util::FutureExt;

    use super::*;

    #[tokio::test]
    async fn one_key_leaves_turns_for_others() {
        let turns = Turns::new(3, 2);
        let first = turns.take("noisy").await;
        let _second = turns.take("noisy").await;
        let mut third = Box::pin(turns.take("noisy"));
        assert!((&mut third).now_or_never().is_none(), "it has its share");
        let quiet = turns.take("quiet").now_or_never().flatten();
        assert!(quiet.is_some());
        assert!(turns.take("late").now_or_never().is_none(), "all turns are taken");
        drop(first);
        assert!((&mut third).now_or_never().flatten().is_some());
    }

    #[tokio::test]
    async fn a_key_that_waits_for_nothing_is_forgotten() {
        let turns = Turns::new(1, 1);
        let held = turns.take(1).await;
        assert!(turns.take(1).now_or_never().is_none());
        assert!(turns.take(2).now_or_never().is_none());
        assert_eq!(locked(&turns.keys).len(), 1);
        drop(held);
        assert!(locked(&turns.keys).is_empty());
    }
}
