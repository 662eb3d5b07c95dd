//! Heartbeats and marks: what is known after the death of a server. One test, because the process has one incarnation.

use super::*;
use crate::{BegunCalls, Incarnation, LeaseRange, Mark, heartbeat, new_lease};

const NOW: Timestamp = Timestamp::from_millis(1_800_000_000_000);

fn call() -> Mark {
    Mark { lease: new_lease(), row: Uuid::from_u128(1), part: 0 }
}

async fn known(store: &Store, of: LeaseRange) -> BegunCalls {
    let asked = store.clone();
    store.read(move |tx| asked.begun_calls(tx, of)).await.unwrap()
}

fn of(server: LeaseRange) -> Incarnation {
    Incarnation::of(server.first)
}

async fn holders(store: &Store) -> Vec<Incarnation> {
    store.read(heartbeat::holders).await.unwrap()
}

async fn run(store: &Store, sql: &'static str) {
    store.write(move |tx| tx.execute(sql, &[]).map(drop)).await.unwrap();
}

#[test]
fn a_server_that_is_declared_dead_can_mark_no_call_until_it_has_another_incarnation() {
    let database = Database::postgres();
    let store = database.open();
    runtime().block_on(async {
        heartbeat::join(&store, NOW).await.unwrap();
        let (begun, other) = (call(), call());
        let server = Incarnation::current().leases();
        let slot = store.mark(begun).await.unwrap().expect("it lives");
        assert!(heartbeat::dead(&store).await.unwrap().is_empty(), "nobody is silent");
        let left = known(&store, server).await;
        assert!(!left.has_not_begun(&begun) && left.has_not_begun(&other));

        heartbeat::leave(&store).await.unwrap();
        assert_eq!(store.mark(other).await.unwrap(), None, "others believe that it is dead");
        assert!(known(&store, server).await.has_not_begun(&other));
        assert!(!heartbeat::beat(&store, NOW).await.unwrap(), "it notices");
        assert_eq!(store.mark(other).await.unwrap(), None, "the old lease stays void");
        assert!(store.mark(call()).await.unwrap().is_some());
        assert!(heartbeat::beat(&store, NOW).await.unwrap());

        assert_eq!(heartbeat::dead(&store).await.unwrap(), [server]);
        assert!(holders(&store).await.contains(&of(server)));
        assert!(heartbeat::release(&store, server).await.unwrap());
        assert!(!heartbeat::release(&store, server).await.unwrap(), "it is released already");
        assert!(!holders(&store).await.contains(&of(server)), "it holds nothing any more");
        let left = known(&store, server).await;
        assert!(left.has_not_begun(&other) && !left.has_not_begun(&begun), "a claim may be committed late");
        assert_eq!(heartbeat::dead(&store).await.unwrap(), [server], "it is remembered");

        heartbeat::forget(&store, server).await.unwrap();
        assert!(heartbeat::dead(&store).await.unwrap().is_empty());
        assert!(!known(&store, server).await.has_not_begun(&other), "nothing can be told any more");
        store.free_marks([slot]);

        // A mark that fails may still be made, late: its slot must not have the mark of another call by then.
        run(&store, "ALTER TABLE call_marks RENAME TO hidden_marks").await;
        store.mark(call()).await.expect_err("the table is gone, and the free slot was taken");
        run(&store, "ALTER TABLE hidden_marks RENAME TO call_marks").await;
        let next = store.mark(call()).await.unwrap().expect("it lives");
        assert_ne!(next, slot);
    });
    store.close();
}
