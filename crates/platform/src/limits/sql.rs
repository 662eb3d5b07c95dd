//! Counters in PostgreSQL: key, account, address and counter in one statement.

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::{Arc, Mutex, PoisonError};

use frontdesk_db::{self as db, Store, only};
use frontdesk_kernel::Timestamp;
use frontdesk_kernel::key::KeyHash;
use tokio::sync::oneshot;

use super::{Admission, AdmissionRequest, FAILURES_MAX};
use crate::keys::{key_columns, key_tables, read_record};

/// `$1` hash, `$2` now, `$3` address, `$4` minute, `$5` units, `$6` failures at which an address is blocked.
/// The counter's row is locked for this statement alone, and a crash may lose the count, so counting does not
/// wait for the disk. Servers' clocks differ, so the next minute's count may be in use already. A count of any other minute
/// is past, or was made before the clock was set back.
const ADMIT: &str = concat!(
    "WITH key AS (SELECT ",
    key_columns!(),
    " FROM ",
    key_tables!(),
    " WHERE k.hash = $1),
    address AS (SELECT coalesce((SELECT failed FROM auth_failures WHERE address = $3 AND minute = $4::bigint), 0) AS failed),
    taken AS (
        INSERT INTO rate_windows AS w (key_id, minute, used)
        SELECT key.id, $4::bigint, $5::bigint FROM key, address
        WHERE NOT key.revoked AND (key.expires_at IS NULL OR key.expires_at > $2)
            AND $5::bigint <= key.budget AND address.failed < $6::bigint
        ON CONFLICT (key_id) DO UPDATE SET
            minute = CASE WHEN w.minute = excluded.minute + 1 THEN w.minute ELSE excluded.minute END,
            used = CASE WHEN w.minute BETWEEN excluded.minute AND excluded.minute + 1 THEN w.used ELSE 0 END + excluded.used
        WHERE CASE WHEN w.minute BETWEEN excluded.minute AND excluded.minute + 1 THEN w.used ELSE 0 END + excluded.used <= (SELECT budget FROM key)
        RETURNING used)
    SELECT address.failed, taken.used, key.*
    FROM address LEFT JOIN key ON true LEFT JOIN taken ON true"
);

/// The current count, for a refused call. The statement above read the count before it waited for the row
/// lock.
const USED: &str = "SELECT used FROM rate_windows WHERE key_id = $1 AND minute BETWEEN $2 AND $2 + 1";

const FAIL: &str = "INSERT INTO auth_failures AS f (address, minute, failed) VALUES ($1, $2, 1)
    ON CONFLICT (address) DO UPDATE SET minute = excluded.minute,
        failed = CASE WHEN f.minute = excluded.minute THEN f.failed ELSE 0 END + 1
    RETURNING failed";

/// Counters of past minutes deleted in one transaction.
const TIDY_ROWS_MAX: i64 = 1_000;
/// A counter that is used again in the meantime stays.
const TIDY_KEYS: &str = "DELETE FROM rate_windows WHERE minute < $1 AND key_id IN
    (SELECT key_id FROM rate_windows WHERE minute < $1 LIMIT $2)";
const TIDY_ADDRESSES: &str = "DELETE FROM auth_failures WHERE minute < $1 AND address IN
    (SELECT address FROM auth_failures WHERE minute < $1 LIMIT $2)";

pub const POSTGRES_STATEMENTS: &[(&str, &str)] = &[
    ("limits::ADMIT", ADMIT),
    ("limits::USED", USED),
    ("limits::FAIL", FAIL),
    ("limits::TIDY_KEYS", TIDY_KEYS),
    ("limits::TIDY_ADDRESSES", TIDY_ADDRESSES),
];

/// Counts simultaneous requests of one key together, because they all need the lock on one row.
#[derive(Default)]
pub(super) struct Counters {
    /// Waiting requests, by key and address. An entry exists while a task counts for it.
    waiting: Arc<Mutex<HashMap<CounterKey, Vec<Waiting>>>>,
}

/// The requests that are counted together have one key and one address.
type CounterKey = (KeyHash, IpAddr);

struct Waiting {
    ask: AdmissionRequest,
    caller: oneshot::Sender<db::Result<Admission>>,
}

/// Requests counted by one statement.
const BATCH_REQUESTS_MAX: usize = 256;

impl Counters {
    pub(super) async fn admit(&self, store: &Store, ask: AdmissionRequest) -> db::Result<Admission> {
        let key = (ask.hash, ask.address);
        let (caller, response) = oneshot::channel();
        let is_first = {
            let mut waiting = self.waiting.lock().unwrap_or_else(PoisonError::into_inner);
            let is_first = !waiting.contains_key(&key);
            waiting.entry(key).or_default().push(Waiting { ask, caller });
            is_first
        };
        if is_first {
            // A separate task, which continues for the others if this caller disconnects.
            tokio::spawn(count(self.waiting.clone(), store.clone(), key));
        }
        response.await.unwrap_or(Err(db::Error::Closed))
    }
}

/// Counts for a group until no request waits.
async fn count(waiting: Arc<Mutex<HashMap<CounterKey, Vec<Waiting>>>>, store: Store, key: CounterKey) {
    let _free_after_a_panic = CountingTask { waiting: waiting.clone(), key };
    loop {
        let batch = {
            let mut waiting = waiting.lock().unwrap_or_else(PoisonError::into_inner);
            let Some(queue) = waiting.get_mut(&key).filter(|queue| !queue.is_empty()) else {
                waiting.remove(&key);
                return;
            };
            // A whole batch is counted in one minute.
            let minute = queue[0].ask.now.minute();
            let fit = queue.iter().take(BATCH_REQUESTS_MAX).take_while(|one| one.ask.now.minute() == minute);
            let fit = fit.count();
            queue.drain(..fit).collect::<Vec<_>>()
        };
        admit_batch(&store, batch).await;
    }
}

/// The task that counts for a group. If it panics, the waiting requests get an error, and the next request starts another
/// task.
struct CountingTask {
    waiting: Arc<Mutex<HashMap<CounterKey, Vec<Waiting>>>>,
    key: CounterKey,
}

impl Drop for CountingTask {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.waiting.lock().unwrap_or_else(PoisonError::into_inner).remove(&self.key);
        }
    }
}

async fn admit_batch(store: &Store, batch: Vec<Waiting>) {
    let units: i64 = batch.iter().map(|one| one.ask.units).sum();
    let together = AdmissionRequest { units, ..batch[batch.len() - 1].ask };
    let counted = admit_alone(store, together).await;
    match counted {
        Ok(whole) if batch.len() > 1 && !whole.taken && is_open(&whole, together.now) => {
            // There are not enough units for all, so each takes its own, in order of arrival.
            for one in batch {
                let _gone_is_fine = one.caller.send(admit_alone(store, one.ask).await);
            }
        }
        Ok(whole) => {
            let mut used = whole.used - if whole.taken { units } else { 0 };
            for one in batch {
                used += if whole.taken { one.ask.units } else { 0 };
                let _gone_is_fine = one.caller.send(Ok(Admission { used, ..whole.clone() }));
            }
        }
        Err(error) => {
            for one in batch {
                let _gone_is_fine = one.caller.send(Err(error.clone()));
            }
        }
    }
}

/// Whether units could be taken at all.
fn is_open(admission: &Admission, now: Timestamp) -> bool {
    admission.failed < FAILURES_MAX && admission.key.as_ref().is_some_and(|key| key.is_good(now))
}

async fn admit_alone(store: &Store, ask: AdmissionRequest) -> db::Result<Admission> {
    let address = ask.address.to_string();
    let found = store
        .single(move |tx| {
            let params: &[&dyn db::Param] =
                &[&ask.hash.as_bytes(), &ask.now, &address, &ask.now.minute(), &ask.units, &FAILURES_MAX];
            tx.find(ADMIT, params, |row| {
                let (failed, taken) = (row.next::<i64>()?, row.next::<Option<i64>>()?);
                // The first column of a key that was not found is null.
                let key = read_record(row).ok().map(Arc::new);
                Ok(Admission { failed, key, used: taken.unwrap_or(0), taken: taken.is_some() })
            })
        })
        .await?;
    let mut admission = found.ok_or(db::Error::Decode("admission"))?;
    if let Some(key) = admission.key.as_ref().filter(|key| !admission.taken && key.is_good(ask.now)) {
        let key = key.id;
        let used = store.single(move |tx| tx.find(USED, &[&key, &ask.now.minute()], only)).await?;
        admission.used = used.unwrap_or(admission.used);
    }
    Ok(admission)
}

pub(super) async fn fail(store: &Store, address: IpAddr, now: Timestamp) -> db::Result<i64> {
    let address = address.to_string();
    let failed = store.single(move |tx| tx.find(FAIL, &[&address, &now.minute()], only)).await?;
    failed.ok_or(db::Error::Decode("count"))
}

pub(super) async fn tidy(store: &Store, now: Timestamp) -> db::Result<()> {
    for tidy in [TIDY_KEYS, TIDY_ADDRESSES] {
        let mut deleted = TIDY_ROWS_MAX as u64;
        while deleted >= TIDY_ROWS_MAX as u64 {
            let some = store.write(move |tx| tx.execute(tidy, &[&now.minute(), &TIDY_ROWS_MAX]));
            deleted = some.await?.rows();
        }
    }
    Ok(())
}
