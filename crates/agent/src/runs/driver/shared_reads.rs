//! Shares one read between concurrent callers.
//!
//! A caller gets the value of a read that started after its request, so the value is never older than what the caller
//! would have read by itself. Callers that arrive during a read wait for the next one. After a read that several
//! callers shared, the next one starts after a short pause, so that more callers share it.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::hash::Hash;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use frontdesk_db as db;
use tokio::sync::oneshot;
use tokio::time::sleep;

/// The pause after a read that several callers shared.
const CROWD_PAUSE: Duration = Duration::from_millis(3);

type Waiting<V> = Vec<oneshot::Sender<db::Result<V>>>;

/// Reads by key. Clones share them.
pub(super) struct SharedReads<K, V> {
    /// Callers that wait for the next read. A key is present while its reads are in progress.
    waiting: Arc<Mutex<HashMap<K, Waiting<V>>>>,
}

impl<K, V> Clone for SharedReads<K, V> {
    fn clone(&self) -> Self {
        Self { waiting: self.waiting.clone() }
    }
}

impl<K, V> Default for SharedReads<K, V> {
    fn default() -> Self {
        Self { waiting: Arc::default() }
    }
}

impl<K: Clone + Eq + Hash + Send + 'static, V: Clone + Send + 'static> SharedReads<K, V> {
    /// Returns the value of a key, from `read` or from the read of a concurrent caller.
    pub(super) async fn get<F>(&self, key: K, read: impl Fn() -> F + Send + 'static) -> db::Result<V>
    where
        F: Future<Output = db::Result<V>> + Send + 'static,
    {
        let (told, value) = oneshot::channel();
        let is_first = match self.lock().entry(key.clone()) {
            Entry::Occupied(mut waiting) => {
                waiting.get_mut().push(told);
                false
            }
            Entry::Vacant(free) => {
                free.insert(vec![told]);
                true
            }
        };
        if is_first {
            tokio::spawn(self.clone().read_for_all(key, read));
        }
        value.await.unwrap_or(Err(db::Error::Closed))
    }

    async fn read_for_all<F>(self, key: K, read: impl Fn() -> F + Send)
    where
        F: Future<Output = db::Result<V>> + Send,
    {
        let _free_after_a_panic = Turn { reads: self.clone(), key: key.clone() };
        while let Some(waiting) = self.next(&key) {
            let value = read().await;
            let is_crowd = waiting.len() > 1;
            for told in waiting {
                let _gone_is_fine = told.send(value.clone());
            }
            if is_crowd {
                sleep(CROWD_PAUSE).await;
            }
        }
    }

    /// Takes the waiting callers. Returns None, and frees the key, when there are none.
    fn next(&self, key: &K) -> Option<Waiting<V>> {
        let mut all = self.lock();
        match all.get_mut(key).map(std::mem::take) {
            Some(waiting) if !waiting.is_empty() => Some(waiting),
            _ => {
                all.remove(key);
                None
            }
        }
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<K, Waiting<V>>> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The reads of a key. If a read panics, the waiting callers get an error, and the next caller starts a new read.
struct Turn<K: Eq + Hash, V> {
    reads: SharedReads<K, V>,
    key: K,
}

impl<K: Eq + Hash, V> Drop for Turn<K, V> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.reads.waiting.lock().unwrap_or_else(PoisonError::into_inner).remove(&self.key);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicUsize, Ordering};
    use tokio::sync::Semaphore;

    #[tokio::test]
    async fn those_who_ask_during_a_read_share_the_next_one() {
        let reads: SharedReads<u8, usize> = SharedReads::default();
        let (count, gate) = (Arc::new(AtomicUsize::new(0)), Arc::new(Semaphore::new(0)));
        let ask = || {
            let (reads, count, gate) = (reads.clone(), count.clone(), gate.clone());
            tokio::spawn(async move {
                let read = move || {
                    let (count, gate) = (count.clone(), gate.clone());
                    async move {
                        let number = count.fetch_add(1, Ordering::SeqCst) + 1;
                        gate.acquire().await.expect("it is open").forget();
                        Ok(number)
                    }
                };
                reads.get(1, read).await
            })
        };
        let first = ask();
        while count.load(Ordering::SeqCst) == 0 {
            tokio::task::yield_now().await;
        }
        let later: Vec<_> = (0..10).map(|_| ask()).collect();
        for _ in 0..100 {
            tokio::task::yield_now().await;
        }
        gate.add_permits(2);
        assert_eq!(first.await.unwrap().unwrap(), 1);
        for one in later {
            assert_eq!(one.await.unwrap().unwrap(), 2, "a read that began before they asked is too old");
        }
        assert_eq!(count.load(Ordering::SeqCst), 2);
        let freed = async {
            while !reads.lock().is_empty() {
                sleep(CROWD_PAUSE).await;
            }
        };
        tokio::time::timeout(Duration::from_mins(1), freed).await.expect("the key is freed");
    }

    #[tokio::test]
    async fn a_read_that_panics_leaves_its_key_free() {
        let reads: SharedReads<u8, usize> = SharedReads::default();
        let failed = reads.get(1, || async { panic!("a fault") }).await;
        assert!(matches!(failed, Err(db::Error::Closed)));
        assert!(matches!(reads.get(1, || async { Ok(7) }).await, Ok(7)));
    }
}
