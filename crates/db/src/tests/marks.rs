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
        heartbeat::forget(&store, server).await.unwrap();
        assert!(heartbeat::dead(&store).await.unwrap().is_empty());
        assert!(!known(&store, server).await.has_not_begun(&other), "nothing can be told any more");
        store.free_marks([slot]);
    });
    store.close();
}
