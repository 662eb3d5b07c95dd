//! Full queues.

use super::*;

#[test]
fn a_full_queue_refuses_at_once_and_loses_no_accepted_job() {
    on_both(|store| async move {
        let gate = Arc::new((Mutex::new(false), Condvar::new()));
        let begun = Arc::new(AtomicU32::new(0));
        // One of PostgreSQL's four threads is reserved for short statements.
        let threads = if store.dialect() == Dialect::Sqlite { 1 } else { 3 };
        let blockers = (0..threads).map(|_| {
            let (store, held, begun) = (store.clone(), gate.clone(), begun.clone());
            tokio::spawn(async move {
                store
                    .write(move |_| {
                        begun.fetch_add(1, Ordering::Relaxed);
                        let mut open = held.0.lock().unwrap();
                        while !*open {
                            open = held.1.wait(open).unwrap();
                        }
                        Ok::<(), Error>(())
                    })
                    .await
            })
        });
        let blockers: Vec<_> = blockers.collect();
        while begun.load(Ordering::Relaxed) < threads {
            tokio::task::yield_now().await;
        }
        let mut queued = Vec::new();
        let refused = loop {
            let store = store.clone();
            let n = queued.len();
            let mut write =
                Box::pin(async move { store.write(move |tx| put(tx, &format!("{n:05}"), "1")).await });
            match futures_poll(&mut write).await {
                Some(outcome) => break outcome,
                None => queued.push(write),
            }
            assert!(queued.len() < 10_000, "the queue has an end");
        };
        assert!(matches!(refused, Err(Error::Busy)), "{refused:?}");
        *gate.0.lock().unwrap() = true;
        gate.1.notify_all();
        for blocker in blockers {
            blocker.await.unwrap().unwrap();
        }
        let taken = queued.len();
        for write in queued {
            write.await.unwrap();
        }
        assert_eq!(names(&store).await.len(), taken);
    });
}

/// Polls once: the outcome, if there is one already.
async fn futures_poll<T>(future: &mut std::pin::Pin<Box<impl Future<Output = T>>>) -> Option<T> {
    std::future::poll_fn(|context| {
        std::task::Poll::Ready(match future.as_mut().poll(context) {
            std::task::Poll::Ready(outcome) => Some(outcome),
            std::task::Poll::Pending => None,
        })
    })
    .await
}
