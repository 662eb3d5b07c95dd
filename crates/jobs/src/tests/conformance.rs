//! The model of deliveries against the statements of `leased_rows!`, on both engines: the same operations, and the same rows
//! after each.

use frontdesk_db::{self as db, DatabaseUrl, Options, Store, Tx};
use frontdesk_fuzz::Dice;
use frontdesk_kernel::ids::AccountId;
use frontdesk_kernel::{Id, Timestamp};
use frontdesk_simulation::{Deliveries, Delivery, LeaseRange, Millis};
use frontdesk_testdb::TestDatabase;
use uuid::Uuid;

use super::engine::LaneNumber;
use crate::leased_rows;
use crate::leased_rows::{LeasedRow, LeasedRows};
use crate::sql::Claim;

const ROWS: LeasedRows = leased_rows!("parcels", table: "parcels", key: "id", where: "NOT is_done", due: ["lane = $5"],
    claim: "", give_back: "", returning: "id");
const TABLE_SQLITE: &str = "CREATE TABLE parcels (account_id BLOB NOT NULL, id BLOB NOT NULL, lane INTEGER NOT NULL, due_at INTEGER NOT NULL,
    lease BLOB, is_done INTEGER NOT NULL, PRIMARY KEY (account_id, id)) STRICT";
const TABLE_POSTGRES: &str = "CREATE TABLE parcels (account_id uuid NOT NULL, id uuid NOT NULL, lane bigint NOT NULL, due_at timestamptz NOT NULL,
    lease uuid, is_done boolean NOT NULL, PRIMARY KEY (account_id, id))";
const INSERT: &str =
    "INSERT INTO parcels (account_id, id, lane, due_at, lease, is_done) VALUES ($1, $2, $3, $4, $5, false)";
const FINISH: &str =
    "UPDATE parcels SET is_done = true, lease = NULL WHERE account_id = $1 AND id = $2 AND lease = $3";
const DUE: &str = "SELECT DISTINCT lane FROM parcels WHERE NOT is_done AND due_at <= $1 ORDER BY lane";
const ALL: &str = "SELECT id, lane, due_at, lease, is_done FROM parcels ORDER BY id";

const START: Millis = 1_800_000_000_000;
const STEPS: usize = 250;
const LANES: usize = 2;
/// More than there are: jobs that are due at the same time have no order.
const MOST: usize = 1_000;

fn account() -> AccountId {
    Id::from_uuid(Uuid::from_u128(1))
}

fn at(time: Millis) -> Timestamp {
    Timestamp::from_millis(START + time)
}

fn id(number: u64) -> Uuid {
    Uuid::from_u64_pair(0, number)
}

fn row(job: &(u64, Uuid)) -> LeasedRow {
    LeasedRow { account: account(), id: id(job.0), lease: job.1 }
}

fn insert(tx: &mut Tx<'_>, number: u64, lane: u64, due_at: Millis, lease: Option<Uuid>) -> db::Result<()> {
    tx.execute(INSERT, &[&account(), &id(number), &(lane as i64), &at(due_at), &lease])?.exactly(1)
}

/// One operation on both. Adds what was claimed to `jobs`.
fn step(
    tx: &mut Tx<'_>,
    model: &mut Deliveries,
    jobs: &mut Vec<(u64, Uuid)>,
    dice: &mut Dice,
    now: Millis,
) -> db::Result<()> {
    let (number, lane) = (model.rows.len() as u64 + 1, dice.roll(LANES) as u64);
    let lease = Uuid::from_u64_pair(1 + dice.roll(2) as u64, dice.number());
    let until = now + 90_000;
    let picked = (!jobs.is_empty()).then(|| dice.roll(jobs.len()));
    match (dice.roll(8), picked) {
        (0 | 1, _) => {
            model.insert(number, lane, now);
            insert(tx, number, lane, now, None)
        }
        (2, _) => {
            model.insert_claimed(number, lane, lease, until);
            jobs.push((number, lease));
            insert(tx, number, lane, until, Some(lease))
        }
        (3 | 4, _) | (_, None) => {
            let claim =
                Claim { lane: LaneNumber(lane), most: MOST, now: at(now), lease, leased_until: at(until) };
            let mut claimed = ROWS.claim(tx, &claim, MOST, &[&(lane as i64)], db::only::<Uuid>)?;
            claimed.sort_unstable();
            let mut expected = model.claim(lane, now, MOST, lease, until);
            expected.sort_unstable();
            assert_eq!(claimed, expected.iter().map(|number| id(*number)).collect::<Vec<_>>());
            jobs.extend(expected.into_iter().map(|number| (number, lease)));
            Ok(())
        }
        // A job is kept, so that a lease that was lost is tried too.
        (5, Some(picked)) => {
            let job = jobs[picked];
            model.finish(job.0, job.1);
            let _lost_lease_changes_nothing = tx.execute(FINISH, &[&account(), &id(job.0), &job.1])?;
            Ok(())
        }
        (6, Some(picked)) => {
            let (job, due_at) = (jobs[picked], now + dice.roll(5_000) as Millis);
            model.release(job.0, job.1, due_at);
            if dice.one_in(2) {
                ROWS.release(tx, row(&job), at(due_at))
            } else {
                ROWS.give_back(tx, row(&job), at(due_at))
            }
        }
        (_, Some(_)) => {
            let dead = LeaseRange::of_server(lease.as_u64_pair().0);
            model.take_over(dead, now);
            ROWS.take_over(tx, db::LeaseRange { first: dead.first, last: dead.last }, at(now))
        }
    }
}

/// The rows as the model has them.
fn stored(tx: &mut Tx<'_>) -> db::Result<Vec<(u64, Delivery)>> {
    tx.query(ALL, &[], |row| {
        let number = row.next::<Uuid>()?.as_u64_pair().1;
        let lane = row.next::<i64>()? as u64;
        let due_at = row.next::<Timestamp>()?.millis() - START;
        Ok((number, Delivery { lane, due_at, lease: row.next()?, is_done: row.next()? }))
    })
}

#[tokio::test]
async fn the_model_of_deliveries_does_what_the_statements_do() {
    for database in TestDatabase::both() {
        let url: DatabaseUrl = database.url().parse().expect("the URL is valid");
        let store = Store::open(&Options { pool: 2, ..Options::new(url) }).expect("the store opens");
        let table = if store.is_shared() { TABLE_POSTGRES } else { TABLE_SQLITE };
        store.write(move |tx| tx.execute(table, &[]).map(drop)).await.expect("a table");
        let mut state = (Deliveries::default(), Vec::new(), Dice::new(11), 0);
        for number in 0..STEPS {
            let old = state;
            let (rows, due, next) = store
                .write(move |tx| -> db::Result<_> {
                    // A transaction may run twice, so it changes copies.
                    let (mut model, mut jobs, mut dice, mut now) = old.clone();
                    now += dice.roll(20_000) as Millis;
                    step(tx, &mut model, &mut jobs, &mut dice, now)?;
                    let due = tx.query(DUE, &[&at(now)], db::only::<i64>)?;
                    Ok((stored(tx)?, due, (model, jobs, dice, now)))
                })
                .await
                .expect("it is written");
            state = next;
            let expected: Vec<(u64, Delivery)> =
                state.0.rows.iter().map(|(id, row)| (*id, row.clone())).collect();
            assert_eq!(rows, expected, "step {number}");
            assert_eq!(due, state.0.due(state.3).into_iter().map(|lane| lane as i64).collect::<Vec<_>>());
        }
        store.close();
    }
}
