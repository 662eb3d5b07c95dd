//! What a read promises: one snapshot, and no writes.

use std::sync::mpsc;

use super::{Database, on_both, put, runtime};
use crate::{ReadTx, Result, only};

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
fn a_read_cannot_write_whatever_its_statement_says() {
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
