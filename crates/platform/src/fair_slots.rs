//! Slots of a limited resource, such as files in memory. One key, such as an account, has only part of them, so its
//! slow work leaves room for everybody else.

use std::collections::HashMap;
use std::hash::Hash;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// The slots of all keys.
pub struct FairSlots<K: Copy + Eq + Hash> {
    overall: Arc<Semaphore>,
    each: usize,
    keys: Arc<Keys<K>>,
}

type Keys<K> = Mutex<HashMap<K, Queue>>;

/// The slots of one key.
struct Queue {
    slots: Arc<Semaphore>,
    /// Those who wait for a slot or have one.
    pending: usize,
}

/// A slot, until it is dropped.
pub struct FairSlot<K: Copy + Eq + Hash> {
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

impl<K: Copy + Eq + Hash> FairSlots<K> {
    /// At most `overall` slots at a time, of which one key has at most `each`.
    pub fn new(overall: usize, each: usize) -> Self {
        Self { overall: Arc::new(Semaphore::new(overall)), each, keys: Arc::default() }
    }

    /// Waits for a slot. None only while the program ends.
    pub async fn take(&self, key: K) -> Option<FairSlot<K>> {
        let (own, place) = self.queue(key);
        let own = own.acquire_owned().await.ok()?;
        let overall = self.overall.clone().acquire_owned().await.ok()?;
        Some(FairSlot { _overall: overall, _own: own, _place: place })
    }

    fn queue(&self, key: K) -> (Arc<Semaphore>, Place<K>) {
        let mut keys = locked(&self.keys);
        let queue = keys
            .entry(key)
            .or_insert_with(|| Queue { slots: Arc::new(Semaphore::new(self.each)), pending: 0 });
        queue.pending += 1;
        (queue.slots.clone(), Place { key, keys: self.keys.clone() })
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
        let slots = FairSlots::new(3, 2);
        let first = slots.take("noisy").await;
        let _second = slots.take("noisy").await;
        let mut third = Box::pin(slots.take("noisy"));
        assert!((&mut third).now_or_never().is_none(), "it has its share");
        let quiet = slots.take("quiet").now_or_never().flatten();
        assert!(quiet.is_some());
        assert!(slots.take("late").now_or_never().is_none(), "all slots are taken");
        drop(first);
        assert!((&mut third).now_or_never().flatten().is_some());
    }

    #[tokio::test]
    async fn a_key_that_waits_for_nothing_is_forgotten() {
        let slots = FairSlots::new(1, 1);
        let held = slots.take(1).await;
        assert!(slots.take(1).now_or_never().is_none());
        assert!(slots.take(2).now_or_never().is_none());
        assert_eq!(locked(&slots.keys).len(), 1);
        drop(held);
        assert!(locked(&slots.keys).is_empty());
    }
}
