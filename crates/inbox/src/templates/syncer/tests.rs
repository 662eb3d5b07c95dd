//! The queue of syncs, on a separate store.

use std::sync::atomic::{AtomicU32, Ordering};

use frontdesk_db::{Options, Store};
use frontdesk_kernel::Id;
use frontdesk_testdb::TestDatabase;

use super::*;

const START: Timestamp = Timestamp::from_millis(1_800_000_000_000);
const LEASE: Duration = Syncer::LIMITS.lease;

fn at(seconds: u64) -> Timestamp {
    START + Duration::from_secs(seconds)
}

fn account() -> AccountId {
    Id::from_uuid(Uuid::from_u128(7))
}

fn connection() -> ConnectionId {
    Id::from_uuid(Uuid::from_u128(1))
}

struct Queue {
    store: Store,
    _database: TestDatabase,
}

impl Drop for Queue {
    fn drop(&mut self) {
        self.store.close();
    }
}

impl Queue {
    fn new() -> Self {
        let database = TestDatabase::sqlite();
        let url = database.url().parse().unwrap();
        Self { store: Store::open(&Options::new(url)).unwrap(), _database: database }
    }

    async fn ask(&self, now: Timestamp) {
        self.store.write(move |tx| ask(tx, account(), connection(), now)).await.unwrap();
    }

    async fn claim(&self, now: Timestamp) -> Option<Arc<Job>> {
        static TOKENS: AtomicU32 = AtomicU32::new(1);
        let lease = Uuid::from_u128(TOKENS.fetch_add(1, Ordering::Relaxed).into());
        let asked = Claim { lane: (), most: 1, now, lease, leased_until: now + LEASE };
        let jobs = self.store.write(move |tx| claim(tx, &asked)).await.unwrap();
        jobs.into_iter().next().map(Arc::new)
    }

    async fn settle(&self, job: &Arc<Job>, outcome: Outcome, now: Timestamp) {
        let job = job.clone();
        self.store.write(move |tx| settle(tx, &job, outcome, now)).await.unwrap();
    }

    async fn is_due(&self, now: Timestamp) -> bool {
        self.store.read(move |tx| tx.find(DUE, &[&now], only::<ConnectionId>)).await.unwrap().is_some()
    }
}

#[tokio::test]
async fn a_burst_makes_one_sync() {
    let queue = Queue::new();
    for second in 0..2 {
        queue.ask(at(second)).await;
        assert!(queue.claim(at(second)).await.is_none(), "it waits for the rest of the burst");
    }
    let job = queue.claim(at(2)).await.unwrap();
    assert_eq!((job.account, job.connection, job.tries), (account(), connection(), 1));
    assert!(queue.claim(at(3)).await.is_none());
    queue.settle(&job, Outcome::Over, at(4)).await;
    assert!(!queue.is_due(at(100_000)).await);
}

#[tokio::test]
async fn a_sync_that_is_asked_for_during_a_sync_is_made_once_more() {
    let queue = Queue::new();
    queue.ask(at(0)).await;
    let first = queue.claim(at(2)).await.unwrap();
    queue.ask(at(3)).await;
    queue.ask(at(4)).await;
    queue.settle(&first, Outcome::Over, at(4)).await;
    let second = queue.claim(at(5)).await.unwrap();
    assert_eq!(second.tries, 1);
    queue.settle(&second, Outcome::Over, at(6)).await;
    assert!(!queue.is_due(at(100_000)).await);
}

#[tokio::test]
async fn a_sync_before_links_expire_delays_no_other() {
    let queue = Queue::new();
    let expiry = at(0).seconds() + 10 * 24 * 60 * 60;
    let refresh = move |tx: &mut Tx<'_>| ask_before(tx, account(), connection(), expiry, START);
    queue.store.write(refresh).await.unwrap();
    assert!(!queue.is_due(START.plus_days(7)).await);
    assert!(queue.is_due(START.plus_days(8)).await);
    queue.ask(at(60)).await;
    let sooner = queue.claim(at(62)).await.unwrap();
    // The sync itself asks for the next one, which its own end does not remove.
    queue.store.write(refresh).await.unwrap();
    queue.settle(&sooner, Outcome::Over, at(63)).await;
    assert!(!queue.is_due(START.plus_days(7)).await);
    assert!(queue.is_due(START.plus_days(8)).await);
    // Links that have nearly expired are read again once a day.
    let soon = move |tx: &mut Tx<'_>| ask_before(tx, account(), connection(), at(5).seconds(), START);
    queue.store.write(soon).await.unwrap();
    assert!(!queue.is_due(at(60 * 60)).await);
    assert!(queue.is_due(START.plus_days(1)).await);
}

#[tokio::test]
async fn a_sync_that_fails_is_tried_again_for_a_while() {
    let queue = Queue::new();
    queue.ask(at(0)).await;
    let mut now = at(2);
    for _ in 0..TRIES_MAX {
        let job = queue.claim(now).await.unwrap();
        queue.settle(&job, Outcome::Failed, now).await;
        assert!(!queue.is_due(now + PAUSE).await);
        now = now + Duration::from_hours(1);
    }
    assert!(!queue.is_due(now).await);
}

#[tokio::test]
async fn a_sync_of_a_dead_server_is_due_when_its_lease_ends_and_its_late_outcome_changes_nothing() {
    let queue = Queue::new();
    queue.ask(at(0)).await;
    let dead = queue.claim(at(2)).await.unwrap();
    assert!(!queue.is_due(at(60)).await);
    let next = queue.claim(at(2) + LEASE).await.unwrap();
    queue.settle(&dead, Outcome::Over, at(400)).await;
    queue.settle(&next, Outcome::Failed, at(400)).await;
    assert!(queue.is_due(at(100_000)).await);
}

#[tokio::test]
async fn a_sync_that_is_given_back_is_due_at_once_and_has_used_no_try() {
    let queue = Queue::new();
    queue.ask(at(0)).await;
    let job = queue.claim(at(2)).await.unwrap();
    let given = job.clone();
    queue.store.write(move |tx| ROWS.give_back(tx, given.row(), at(10))).await.unwrap();
    assert_eq!(queue.claim(at(10)).await.unwrap().tries, 1);
}
