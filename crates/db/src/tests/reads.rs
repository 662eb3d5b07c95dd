//! The guarantees of a read: one snapshot, and no writes.

use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, mpsc};

use uuid::Uuid;

use super::{Database, on_both, put, runtime};
use crate::{ReadTx, Result, Store, only};

const NAMES: &str = "SELECT name FROM settings ORDER BY name";

#[test]
fn all_statements_of_a_read_see_one_snapshot() {
    for database in [Database::sqlite(), Database::postgres()] {
        let store = database.open();
        let (begun, has_begun) = mpsc::channel();
        let (go_on, may_go_on) = mpsc::channel();
        let may_go_on = std::sync::Mutex::new(may_go_on);
        let reading = store.clone();
        let reader = std::thread::spawn(move || {
            runtime().block_on(reading.read(move |tx| -> Result<_> {
                let before: Vec<String> = tx.query(NAMES, &[], only)?;
                begun.send(()).unwrap();
                may_go_on.lock().unwrap().recv().unwrap();
                Ok((before, tx.query(NAMES, &[], only::<String>)?))
            }))
        });
        has_begun.recv().unwrap();
        runtime().block_on(store.write(|tx| put(tx, "meanwhile", "1"))).unwrap();
        go_on.send(()).unwrap();
        let (before, after) = reader.join().unwrap().unwrap();
        assert_eq!((before, after), (Vec::new(), Vec::new()));
        let next = runtime().block_on(store.read(|tx| tx.query(NAMES, &[], only::<String>))).unwrap();
        assert_eq!(next, ["meanwhile"], "the next read has a snapshot of its own");
        store.close();
    }
}

#[test]
fn a_read_cannot_write_with_any_statement() {
    fn sneak(tx: &mut ReadTx<'_>) -> Result<Vec<String>> {
        tx.query("INSERT INTO settings (name, value) VALUES ('a', '1') RETURNING name", &[], only)
    }
    on_both(async |store| {
        store.read(sneak).await.unwrap_err();
        store.scan(sneak).await.unwrap_err();
        assert!(store.read(|tx| tx.query(NAMES, &[], only::<String>)).await.unwrap().is_empty());
        store.write(|tx| put(tx, "b", "1")).await.unwrap();
    });
}

#[test]
fn a_failed_statement_in_a_read_leaves_the_connection_usable() {
    on_both(async |store| {
        for _ in 0..8 {
            let swallowed = store.read(|tx| -> Result<bool> {
                Ok(tx.query("SELECT name FROM nothing_like_this", &[], only::<String>).is_err())
            });
            assert!(swallowed.await.unwrap());
            store.write(|tx| tx.query(NAMES, &[], only::<String>)).await.unwrap();
        }
    });
}

/// Reads the names as a cacheable value, and returns whether they were read again.
async fn kept_names(store: &Store) -> (Vec<String>, bool) {
    let reads = Arc::new(AtomicU32::new(0));
    let counted = reads.clone();
    let read = store.read(move |tx| {
        tx.keep(Uuid::nil(), |tx| {
            counted.fetch_add(1, Ordering::Relaxed);
            tx.query(NAMES, &[], only::<String>)
        })
    });
    let names: Arc<Vec<String>> = read.await.unwrap();
    (names.to_vec(), reads.load(Ordering::Relaxed) > 0)
}

#[test]
fn a_kept_value_is_read_again_after_a_commit_of_any_process() {
    let database = Database::sqlite();
    let (server, command) = (database.open(), database.try_open(false).unwrap());
    runtime().block_on(async {
        assert_eq!(kept_names(&server).await, (vec![], true));
        assert_eq!(kept_names(&server).await, (vec![], false));
        server.write(|tx| put(tx, "a", "1")).await.unwrap();
        assert_eq!(kept_names(&server).await, (vec!["a".to_owned()], true));
        assert_eq!(kept_names(&server).await, (vec!["a".to_owned()], false));
        command.write(|tx| put(tx, "b", "1")).await.unwrap();
        assert_eq!(kept_names(&server).await, (vec!["a".to_owned(), "b".to_owned()], true));
    });
    command.close();
    server.close();
}

#[test]
fn a_value_that_is_kept_belongs_to_the_snapshot() {
    on_both(async |store| {
        let writing = store.clone();
        let read = store.read(move |tx| -> Result<_> {
            let before = tx.query(NAMES, &[], only::<String>)?;
            let writing = writing.clone();
            let writer = std::thread::spawn(move || {
                runtime().block_on(writing.write(|tx| put(tx, "meanwhile", "1"))).unwrap();
            });
            writer.join().unwrap();
            Ok((before, tx.keep(Uuid::nil(), |tx| tx.query(NAMES, &[], only::<String>))?))
        });
        let (before, kept) = read.await.unwrap();
        assert_eq!((before, &*kept), (vec![], &vec![]));
        assert_eq!(kept_names(&store).await.0, ["meanwhile"]);
    });
}

#[test]
fn a_change_reads_what_it_has_changed_itself() {
    on_both(async |store| {
        assert_eq!(kept_names(&store).await.0, [] as [&str; 0]);
        let changed = store.write(|tx| {
            put(tx, "a", "1")?;
            tx.keep(Uuid::nil(), |tx| tx.query(NAMES, &[], only::<String>))
        });
        assert_eq!(*changed.await.unwrap(), ["a"]);
    });
}
