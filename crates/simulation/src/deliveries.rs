//! Jobs whose claim moves their due time to the end of the lease, as `leased_rows!` makes them: a lost job is due again by
//! itself.

use std::collections::BTreeMap;

use uuid::Uuid;

use crate::millis::Millis;
use crate::servers::LeaseRange;

/// A job.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Delivery {
    pub lane: u64,
    pub due_at: Millis,
    pub lease: Option<Uuid>,
    pub is_done: bool,
}

/// The table of jobs.
#[derive(Clone, Debug, Default)]
pub struct Deliveries {
    pub rows: BTreeMap<u64, Delivery>,
}

impl Deliveries {
    /// Adds a job that is due.
    pub fn insert(&mut self, id: u64, lane: u64, now: Millis) {
        self.rows.insert(id, Delivery { lane, due_at: now, lease: None, is_done: false });
    }

    /// Adds a job as claimed.
    pub fn insert_claimed(&mut self, id: u64, lane: u64, lease: Uuid, until: Millis) {
        self.rows.insert(id, Delivery { lane, due_at: until, lease: Some(lease), is_done: false });
    }

    /// The lanes with something due.
    pub fn due(&self, now: Millis) -> Vec<u64> {
        let due = self.rows.values().filter(|row| !row.is_done && row.due_at <= now);
        let mut lanes: Vec<u64> = due.map(|row| row.lane).collect();
        lanes.sort_unstable();
        lanes.dedup();
        lanes
    }

    /// Claims jobs of a lane, those that are due longest first.
    pub fn claim(&mut self, lane: u64, now: Millis, most: usize, lease: Uuid, until: Millis) -> Vec<u64> {
        let due = self.rows.iter().filter(|(_, row)| row.lane == lane && !row.is_done && row.due_at <= now);
        let mut due: Vec<(Millis, u64)> = due.map(|(id, row)| (row.due_at, *id)).collect();
        due.sort_unstable();
        due.truncate(most);
        let claimed: Vec<u64> = due.into_iter().map(|(_, id)| id).collect();
        for id in &claimed {
            if let Some(row) = self.rows.get_mut(id) {
                (row.due_at, row.lease) = (until, Some(lease));
            }
        }
        claimed
    }

    /// Ends a job. A lost lease changes nothing.
    pub fn finish(&mut self, id: u64, lease: Uuid) {
        if let Some(row) = self.held(id, lease) {
            (row.is_done, row.lease) = (true, None);
        }
    }

    /// Makes a job due at a time: for another try, or because it did not begin. A lost lease changes nothing.
    pub fn release(&mut self, id: u64, lease: Uuid, due_at: Millis) {
        if let Some(row) = self.held(id, lease) {
            (row.due_at, row.lease) = (due_at, None);
        }
    }

    /// Makes the jobs due again that were claimed under these leases.
    pub fn take_over(&mut self, dead: LeaseRange, now: Millis) {
        for row in self.rows.values_mut() {
            if !row.is_done && row.lease.is_some_and(|lease| dead.contains(lease)) {
                (row.due_at, row.lease) = (now, None);
            }
        }
    }

    fn held(&mut self, id: u64, lease: Uuid) -> Option<&mut Delivery> {
        self.rows.get_mut(&id).filter(|row| row.lease == Some(lease))
    }
}
