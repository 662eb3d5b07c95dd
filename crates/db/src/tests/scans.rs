//! Long reads: deadlines, callers that disconnect, and slots for others.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use uuid::Uuid;

use super::{Database, names, put, runtime};
use crate::{Error, Options, ReadTx, Result, Store, only};

/// Runs for minutes on either engine.
const ENDLESS: &str = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1000000000)
    SELECT count(*) FROM n";
/// A long read that is not interrupted fails these tests long before it ends.
const SOON: Duration = Duration::from_secs(5);
const LONG: Duration = Duration::from_mins(1);

fn on_both<F: Future<Output = ()>>(scan_time_max: Duration, test: impl Fn(Store) -> F) {
    for database in [Database::sqlite(), Database::postgres()] {
        let url = database.url.clone();
        let store =
            Store::open(&Options { server: true, pool: 4, scan_time_max, ..Options::new(url) }).unwrap();
        runtime().block_on(test(store.clone()));
        store.close();
    }
}

fn endless(tx: &mut ReadTx<'_>) -> Result<Option<i64>> {
    tx.find(ENDLESS, &[], only)
}

fn one(tx: &mut ReadTx<'_>) -> Result<Option<i64>> {
    tx.find("SELECT count(*) FROM leases", &[], |_| Ok(1))
}

async fn soon<T>(what: impl Future<Output = T>) -> T {
    tokio::time::timeout(SOON, what).await.expect("it ends soon")
}

#[test]
fn a_read_past_its_deadline_is_stopped_in_the_middle_of_its_statement() {
    on_both(Duration::from_millis(300), |store| async move {
        let account = Uuid::from_u128(1);
        for _ in 0..3 {
            let began = Instant::now();
            let outcome = soon(store.scan_for(account, endless)).await;
            assert!(matches!(outcome, Err(Error::TooLong)), "{outcome:?}");
            assert!(began.elapsed() >= Duration::from_millis(300));
        }
        // An interrupted read leaves nothing behind.
        assert_eq!(soon(store.scan_for(account, one)).await.unwrap(), Some(1));
        soon(store.write(|tx| put(tx, "a", "1"))).await.unwrap();
        assert_eq!(soon(names(&store)).await, ["a"]);
    });
}

#[test]
fn a_deadline_counts_for_all_statements_of_a_read_together() {
    on_both(Duration::from_millis(300), |store| async move {
        let outcome: Result<()> = soon(store.scan_for(Uuid::from_u128(1), |tx| {
            loop {
                one(tx)?;
            }
        }))
        .await;
        assert!(matches!(outcome, Err(Error::TooLong)), "{outcome:?}");
    });
}

#[test]
fn a_read_whose_caller_disconnected_is_interrupted() {
    on_both(LONG, |store| async move {
        let (started, stopped) = (Arc::new(AtomicBool::new(false)), Arc::new(AtomicBool::new(false)));
        let (starts, stops, scanning) = (started.clone(), stopped.clone(), store.clone());
        let scan = tokio::spawn(async move {
            scanning
                .scan_for(Uuid::from_u128(1), move |tx| {
                    one(tx)?;
                    starts.store(true, Ordering::Release);
                    let outcome = endless(tx);
                    stops.store(matches!(outcome, Err(Error::TooLong)), Ordering::Release);
                    outcome
                })
                .await
        });
        soon(until(&started)).await;
        // The statement itself has started too.
        tokio::time::sleep(Duration::from_millis(200)).await;
        scan.abort();
        soon(until(&stopped)).await;
        soon(store.write(|tx| put(tx, "a", "1"))).await.unwrap();
    });
}

#[test]
fn a_read_whose_caller_disconnected_while_queued_never_starts() {
    on_both(LONG, |store| async move {
        let account = Uuid::from_u128(1);
        let busy: Vec<_> = (0..8).map(|_| spawn_endless(&store, account)).collect();
        tokio::time::sleep(Duration::from_millis(200)).await;
        let began = Arc::new(AtomicBool::new(false));
        let (begins, scanning) = (began.clone(), store.clone());
        let late = tokio::spawn(async move {
            scanning
                .scan_for(account, move |tx| {
                    begins.store(true, Ordering::Release);
                    one(tx)
                })
                .await
        });
        tokio::time::sleep(Duration::from_millis(100)).await;
        late.abort();
        busy.iter().for_each(tokio::task::JoinHandle::abort);
        soon(store.scan_for(account, one)).await.unwrap();
        assert!(!began.load(Ordering::Acquire));
    });
}

#[test]
fn long_reads_of_one_account_leave_room_for_everything_else() {
    on_both(LONG, |store| async move {
        let (noisy, quiet) = (Uuid::from_u128(1), Uuid::from_u128(2));
        let busy: Vec<_> = (0..40).map(|_| spawn_endless(&store, noisy)).collect();
        tokio::time::sleep(Duration::from_millis(300)).await;
        for n in 0..10 {
            assert_eq!(soon(store.scan_for(quiet, one)).await.unwrap(), Some(1));
            assert_eq!(soon(store.read_single(one)).await.unwrap(), Some(1));
            soon(store.write(move |tx| put(tx, &n.to_string(), "1"))).await.unwrap();
        }
        assert_eq!(soon(names(&store)).await.len(), 10);
        busy.iter().for_each(tokio::task::JoinHandle::abort);
    });
}

#[test]
fn changes_that_wait_for_a_lock_leave_room_for_short_reads() {
    let database = Database::postgres();
    let store =
        Store::open(&Options { server: true, pool: 4, ..Options::new(database.url.clone()) }).unwrap();
    runtime().block_on(async {
        let held = store.clone();
        let (release, released) = std::sync::mpsc::channel::<()>();
        let released = std::sync::Mutex::new(released);
        let holder = tokio::spawn(async move {
            held.write(move |tx| -> Result<()> {
                tx.lock("row".into())?;
                one(tx)?;
                let _ = released.lock().unwrap().recv();
                Ok(())
            })
            .await
        });
        tokio::time::sleep(Duration::from_millis(200)).await;
        let waiting: Vec<_> = (0..8)
            .map(|_| {
                let store = store.clone();
                tokio::spawn(async move {
                    store
                        .write(|tx| {
                            tx.lock("row".into())?;
                            one(tx)
                        })
                        .await
                })
            })
            .collect();
        tokio::time::sleep(Duration::from_millis(200)).await;
        assert_eq!(soon(store.read(one)).await.unwrap(), Some(1));
        assert_eq!(soon(store.single(|tx| one(tx))).await.unwrap(), Some(1));
        release.send(()).unwrap();
        soon(holder).await.unwrap().unwrap();
        for change in waiting {
            soon(change).await.unwrap().unwrap();
        }
    });
    store.close();
}

fn spawn_endless(store: &Store, account: Uuid) -> tokio::task::JoinHandle<Result<Option<i64>>> {
    let store = store.clone();
    tokio::spawn(async move { store.scan_for(account, endless).await })
}

async fn until(flag: &AtomicBool) {
    while !flag.load(Ordering::Acquire) {
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
}
