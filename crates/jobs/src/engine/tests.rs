//! Tests of the engine with a kind made for them, each on a store of its own.

use std::path::PathBuf;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU32, Ordering};

use frontdesk_db::{DatabaseUrl, Options, ReadTx, Store, Tx, only};
use frontdesk_kernel::{Id, Ids};
use tokio::sync::{Semaphore, watch};

use super::*;
use crate::chore::Chore;
use crate::claim_sql;
use crate::job_counts::JobCounts;
use crate::kind::Claimed;
use crate::lane::Health;
use crate::limits::{Limits, Stop};
use crate::queue::Queue;
use crate::sql::{Claim, ClaimSql};
use crate::supervisor::Supervisor;

const CLAIM: ClaimSql = claim_sql!(
    "toys::CLAIM",
    update: ["UPDATE toys SET state = 'claimed', lease = $4, leased_until = $5"],
    key: "id",
    from: ["FROM toys WHERE lane = $1 AND state = 'due' AND due_at <= $2 ORDER BY id LIMIT $3"],
    returning: "id",
);
const TABLE: &str = "CREATE TABLE toys (id INTEGER NOT NULL PRIMARY KEY, lane BLOB NOT NULL, state TEXT NOT NULL, due_at INTEGER NOT NULL,
    lease BLOB, leased_until INTEGER) STRICT";
const INSERT: &str =
    "INSERT INTO toys (id, lane, state, due_at, lease, leased_until) VALUES ($1, $2, $3, $4, $5, $6)";
const LEASE: Duration = Duration::from_mins(5);
/// The job whose outcome cannot be written.
const UNWRITABLE: i64 = 1_000;
const START: Timestamp = Timestamp::from_millis(1_800_000_000_000);

enum Toy {}
type ToyLane = Id<Toy>;

fn lane(n: u128) -> ToyLane {
    Id::from_uuid(Uuid::from_u128(n))
}

/// The state that a test observes and controls.
struct Shared {
    /// Jobs in the order in which they began.
    begun: Mutex<Vec<i64>>,
    /// A job ends when it gets a permit.
    ends: Semaphore,
    /// How many settles fail before one succeeds.
    settles_to_fail: AtomicU32,
    /// How many outcomes make the engine's own task panic.
    panics_to_come: AtomicU32,
    /// How many jobs were claimed.
    claimed: AtomicU32,
}

/// A kind whose jobs wait for a permit, and panic if their number is negative.
struct Toys<const FINISHES: bool>(Arc<Shared>);

struct Job {
    id: i64,
    lease: Uuid,
}

impl<const FINISHES: bool> Kind for Toys<FINISHES> {
    const NAME: &'static str = "toys";
    const TOPIC: db::Topic = "toys";
    const LIMITS: Limits = Limits {
        lane: 4,
        ahead: 2,
        lease: LEASE,
        look_period: Duration::from_millis(20),
        stop: if FINISHES { Stop::Finish(Duration::from_secs(20)) } else { Stop::GiveBack },
        ..Limits::DEFAULT
    };

    type Lane = ToyLane;
    type Job = Job;
    type Outcome = &'static str;
    type Settled = ();

    fn due(&self, tx: &mut ReadTx<'_>, now: Timestamp) -> db::Result<Vec<ToyLane>> {
        tx.query("SELECT DISTINCT lane FROM toys WHERE state = 'due' AND due_at <= $1", &[&now], only)
    }

    fn claim(&self, tx: &mut Tx<'_>, claim: &Claim<ToyLane>) -> db::Result<Claimed<Job>> {
        let Claim { lane, most, now, lease, leased_until } = *claim;
        let params: &[&dyn db::Param] = &[&lane, &now, &(most as i64), &lease, &leased_until];
        let jobs = CLAIM.query(tx, params, |row| Ok(Job { id: row.next()?, lease }))?;
        self.0.claimed.fetch_add(jobs.len() as u32, Ordering::Relaxed);
        Ok(Claimed::jobs(jobs))
    }

    async fn act(&self, job: Arc<Job>) -> &'static str {
        self.0.begun.lock().unwrap().push(job.id);
        assert!(job.id >= 0, "a toy that breaks");
        self.0.ends.acquire().await.unwrap().forget();
        "done"
    }

    fn settle(&self, tx: &mut Tx<'_>, batch: &[Arc<Done<Self>>], _: Timestamp) -> db::Result<()> {
        let fails = |left: u32| left.checked_sub(1);
        if self.0.settles_to_fail.fetch_update(Ordering::Relaxed, Ordering::Relaxed, fails).is_ok() {
            return Err(db::Error::Busy);
        }
        for done in batch {
            assert!(done.job.id != UNWRITABLE, "an outcome that breaks");
            let params: &[&dyn db::Param] = &[&done.job.id, &done.job.lease, &done.outcome];
            let _lost =
                tx.execute("UPDATE toys SET state = $3, lease = NULL WHERE id = $1 AND lease = $2", params)?;
        }
        Ok(())
    }

    fn health(&self, _: &&'static str) -> Health {
        let some_left = |left: u32| left.checked_sub(1);
        let panics = self.0.panics_to_come.fetch_update(Ordering::Relaxed, Ordering::Relaxed, some_left);
        assert!(panics.is_err(), "an engine that breaks");
        Health::Fine
    }

    fn give_up(&self, tx: &mut Tx<'_>, job: &Job) -> db::Result<()> {
        tx.execute("UPDATE toys SET state = 'given up' WHERE id = $1", &[&job.id])?.exactly(1)
    }

    fn give_back(&self, tx: &mut Tx<'_>, jobs: &[Arc<Job>], _: Timestamp) -> db::Result<()> {
        for job in jobs {
            let params: &[&dyn db::Param] = &[&job.id, &job.lease];
            let _lost = tx.execute(
                "UPDATE toys SET state = 'due', lease = NULL WHERE id = $1 AND lease = $2",
                params,
            )?;
        }
        Ok(())
    }

    fn is_stale(&self, tx: &mut ReadTx<'_>, now: Timestamp) -> db::Result<bool> {
        let sql = "SELECT id FROM toys WHERE state = 'claimed' AND leased_until <= $1 LIMIT 1";
        Ok(tx.find(sql, &[&now], only::<i64>)?.is_some())
    }

    fn sweep(&self, tx: &mut Tx<'_>, now: Timestamp) -> db::Result<bool> {
        let sql =
            "UPDATE toys SET state = 'due', lease = NULL WHERE state = 'claimed' AND leased_until <= $1";
        tx.execute(sql, &[&now]).map(|_| false)
    }
}

/// A running engine, its store, and a clock that stands still.
struct Scene {
    store: Store,
    shared: Arc<Shared>,
    worker: Worker,
    supervisor: Supervisor,
    stop: watch::Sender<bool>,
    directory: PathBuf,
}

impl Drop for Scene {
    fn drop(&mut self) {
        self.store.close();
        drop(std::fs::remove_dir_all(&self.directory));
    }
}

impl Scene {
    /// An engine whose jobs end at once.
    async fn new() -> Self {
        Self::start::<false>(Semaphore::MAX_PERMITS, &[]).await
    }

    async fn start<const FINISHES: bool>(permits: usize, rows: &[(i64, Option<Uuid>)]) -> Self {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let unique =
            format!("frontdesk-jobs-{}-{}", std::process::id(), NEXT.fetch_add(1, Ordering::Relaxed));
        let directory = std::env::temp_dir().join(unique);
        let store = Store::open(&Options::new(DatabaseUrl::Sqlite(directory.join("test.db")))).unwrap();
        store.write(|tx| tx.execute(TABLE, &[]).map(|_| ())).await.unwrap();
        for (id, lease) in rows.iter().copied() {
            store.write(move |tx| insert(tx, id, lease)).await.unwrap();
        }
        let shared = Arc::new(Shared {
            begun: Mutex::default(),
            ends: Semaphore::new(permits),
            settles_to_fail: AtomicU32::new(0),
            panics_to_come: AtomicU32::new(0),
            claimed: AtomicU32::new(0),
        });
        let (stop, stopped) = watch::channel(false);
        let supervisor = Supervisor::default();
        let (clock, ids) = (Arc::new(|| START), Arc::new(Ids::seeded(1)));
        let counts = JobCounts::default();
        let context =
            Context { store: store.clone(), clock, ids, stopped, supervisor: supervisor.clone(), counts };
        let worker = start(Toys::<FINISHES>(shared.clone()), &context);
        Self { store, shared, worker, supervisor, stop, directory }
    }

    async fn queue(&self, ids: impl IntoIterator<Item = i64>) {
        for id in ids {
            let queue = self.store.write(move |tx| -> db::Result<()> {
                insert(tx, id, None)?;
                tx.wake_about("toys", lane(1).uuid());
                Ok(())
            });
            queue.await.unwrap();
        }
    }

    async fn begun(&self, jobs: usize) -> Vec<i64> {
        while self.shared.begun.lock().unwrap().len() < jobs {
            sleep(Duration::from_millis(1)).await;
        }
        self.shared.begun.lock().unwrap().clone()
    }

    async fn end(&mut self) {
        self.stop.send(true).unwrap();
        (&mut self.worker.task).await.unwrap();
    }

    async fn states(&self) -> Vec<String> {
        self.store.read(|tx| tx.query("SELECT state FROM toys ORDER BY id", &[], only)).await.unwrap()
    }
}

/// Inserts a row that is due, or one that is claimed under a lease.
fn insert(tx: &mut Tx<'_>, id: i64, lease: Option<Uuid>) -> db::Result<()> {
    let state = if lease.is_some() { "claimed" } else { "due" };
    let until = lease.map(|_| START);
    tx.execute(INSERT, &[&id, &lane(1), &state, &START, &lease, &until])?.exactly(1)
}

#[tokio::test]
async fn everything_that_is_due_is_done_when_the_engine_is_drained() {
    let scene = Scene::new().await;
    scene.queue(0..100).await;
    scene.worker.drain.wait().await;
    assert_eq!(scene.states().await, vec!["done"; 100]);
    assert_eq!(scene.begun(100).await.len(), 100, "each once");
}

#[tokio::test]
async fn what_a_dead_server_held_is_done_when_its_lease_has_ended() {
    let scene = Scene::start::<false>(Semaphore::MAX_PERMITS, &[(1, Some(Uuid::from_u128(9)))]).await;
    scene.worker.drain.wait().await;
    assert_eq!(scene.states().await, ["done"]);
}

#[tokio::test]
async fn an_outcome_whose_lease_was_lost_changes_nothing() {
    let scene = Scene::start::<false>(0, &[(1, None)]).await;
    scene.begun(1).await;
    let other = Uuid::from_u128(9);
    let taken = scene.store.write(move |tx| {
        let until = START + LEASE;
        tx.execute("UPDATE toys SET lease = $1, leased_until = $2", &[&other, &until])?.exactly(1)
    });
    taken.await.unwrap();
    scene.shared.ends.add_permits(1);
    scene.worker.drain.wait().await;
    assert_eq!(scene.states().await, ["claimed"]);
}

#[tokio::test]
async fn a_settle_that_fails_is_repeated() {
    let scene = Scene::new().await;
    scene.shared.settles_to_fail.store(2, Ordering::Relaxed);
    scene.queue(0..3).await;
    scene.worker.drain.wait().await;
    assert_eq!(scene.states().await, ["done"; 3]);
    assert_eq!(scene.begun(3).await.len(), 3, "no job is repeated");
}

#[tokio::test]
async fn a_job_that_panics_keeps_nothing_from_going_on() {
    let scene = Scene::new().await;
    scene.queue(-8..8).await;
    scene.worker.drain.wait().await;
    let expected: Vec<&str> = [["claimed"; 8], ["done"; 8]].concat();
    assert_eq!(scene.states().await, expected, "the broken ones wait for their lease to end");
}

#[tokio::test]
async fn an_outcome_that_cannot_be_written_keeps_no_other_from_being_settled() {
    let scene = Scene::new().await;
    scene.queue((0..20).chain([UNWRITABLE]).chain(20..40)).await;
    scene.worker.drain.wait().await;
    let states = scene.states().await;
    assert_eq!(states[..40], vec!["done"; 40]);
    assert_eq!(states[40], "given up");
}

#[tokio::test]
async fn an_engine_that_panics_is_started_again() {
    let scene = Scene::new().await;
    scene.shared.panics_to_come.store(1, Ordering::Relaxed);
    scene.queue([1]).await;
    while scene.supervisor.failing().is_empty() {
        sleep(Duration::from_millis(1)).await;
    }
    assert_eq!(scene.supervisor.failing(), [("toys", 1)]);
    scene.queue([2, 3]).await;
    scene.worker.drain.wait().await;
    assert_eq!(scene.states().await, ["claimed", "done", "done"], "the first waits for its lease to end");
}

#[tokio::test]
async fn a_chore_that_panics_is_started_again() {
    let mut scene = Scene::new().await;
    let runs = Arc::new(AtomicU32::new(0));
    let context = Context {
        store: scene.store.clone(),
        clock: Arc::new(|| START),
        ids: Arc::new(Ids::seeded(2)),
        stopped: scene.stop.subscribe(),
        supervisor: scene.supervisor.clone(),
        counts: JobCounts::default(),
    };
    let fragile = Chore::every(Duration::from_millis(5), "fragile");
    let fragile = fragile.start(&context, runs.clone(), async |runs, _stopped| {
        assert!(runs.fetch_add(1, Ordering::Relaxed) > 0, "the first run panics");
        Ok(())
    });
    while runs.load(Ordering::Relaxed) < 3 {
        sleep(Duration::from_millis(1)).await;
    }
    assert_eq!(scene.supervisor.failing(), [("fragile", 1)]);
    scene.end().await;
    fragile.task.await.unwrap();
}

#[tokio::test]
async fn a_job_that_is_handed_over_begins_without_a_claim() {
    let scene = Scene::start::<false>(0, &[(1, None)]).await;
    scene.begun(1).await;
    while !scene.store.write(hand_over_one).await.unwrap() {
        sleep(Duration::from_millis(1)).await;
    }
    assert_eq!(scene.begun(2).await, [1, 2]);
    assert_eq!(scene.shared.claimed.load(Ordering::Relaxed), 1);
    scene.shared.ends.add_permits(2);
    scene.worker.drain.wait().await;
    assert_eq!(scene.states().await, ["done"; 2]);
}

/// Writes a job as claimed and hands it over, if the lane has room.
fn hand_over_one(tx: &mut Tx<'_>) -> db::Result<bool> {
    let queue = Queue::new("toys");
    let Some(place) = queue.take_place(tx, lane(1)) else { return Ok(false) };
    let (lease, until) = (Uuid::from_u128(5), START + LEASE);
    tx.execute(INSERT, &[&2_i64, &lane(1), &"claimed", &START, &lease, &until])?.exactly(1)?;
    place.hand_over(tx, Job { id: 2, lease }, until);
    Ok(true)
}

#[tokio::test]
async fn an_engine_that_stops_gives_back_what_is_not_done() {
    let mut scene = Scene::start::<false>(0, &[]).await;
    scene.queue(0..10).await;
    scene.begun(4).await;
    scene.end().await;
    assert_eq!(scene.states().await, ["due"; 10]);
}

#[tokio::test]
async fn an_engine_whose_jobs_must_finish_waits_for_those_under_way() {
    let mut scene = Scene::start::<true>(0, &[]).await;
    scene.queue(0..10).await;
    scene.begun(4).await;
    scene.shared.settles_to_fail.store(1, Ordering::Relaxed);
    let shared = scene.shared.clone();
    tokio::spawn(async move {
        sleep(Duration::from_millis(50)).await;
        shared.ends.add_permits(4);
    });
    scene.end().await;
    let states = scene.states().await;
    assert_eq!(states.iter().filter(|state| *state == "done").count(), 4, "{states:?}");
    assert_eq!(states.iter().filter(|state| *state == "due").count(), 6, "{states:?}");
}
