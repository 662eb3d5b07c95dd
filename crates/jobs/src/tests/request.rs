//! What servers ask of the store, and what it responds. A request is one transaction.

use frontdesk_simulation::{Deliveries, LeaseRange, Millis, Outcome, Sends, Servers};
use uuid::Uuid;

use super::sabotage::Sabotage;

/// A kind of job.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Work {
    Send,
    Deliver,
}

pub(super) const BOTH: [Work; 2] = [Work::Send, Work::Deliver];

/// A claimed job.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Job {
    pub(super) row: u64,
    pub(super) lease: Uuid,
}

/// A job and its outcome.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Done {
    pub(super) lane: u64,
    pub(super) job: Job,
    pub(super) outcome: Outcome,
    pub(super) slot: Option<u64>,
}

/// A claim of a lane's jobs.
#[derive(Clone, Copy, Debug)]
pub(super) struct LaneClaim {
    pub(super) lane: u64,
    pub(super) most: usize,
    pub(super) now: Millis,
    pub(super) lease: Uuid,
    pub(super) until: Millis,
    /// The lease on the lane, to be taken with the claim: the holder, and for how long.
    pub(super) charge: Option<(Uuid, Millis)>,
}

#[derive(Clone, Debug)]
pub(super) enum Request {
    Look(Work, Millis),
    Claim(Work, LaneClaim),
    /// Release what a claim may have taken whose response was lost.
    Release(Work, LaneClaim),
    Mark {
        number: u64,
        slot: u64,
        job: Job,
    },
    Settle(Work, Vec<Done>, Millis),
    GiveBack(Work, Vec<Job>, Millis),
    GiveUpLanes(Vec<u64>, Uuid),
    Beat(u64),
    Join(u64),
    FindDead(u64),
    TakeOver(u64, Millis),
    Forget(u64),
    Leave(u64),
}

#[derive(Clone, Debug)]
pub(super) enum Reply {
    Lanes(Vec<u64>),
    /// None when another server holds the lane.
    Claimed(Option<Vec<Job>>),
    Flag(bool),
    Dead(Vec<u64>),
    Written,
}

/// The database.
#[derive(Debug, Default)]
pub(super) struct Store {
    pub(super) sends: Sends,
    pub(super) deliveries: Deliveries,
    pub(super) servers: Servers,
}

impl Store {
    /// Runs a transaction. `now` is the database's clock.
    pub(super) fn run(&mut self, request: &Request, now: Millis, sabotage: Option<Sabotage>) -> Reply {
        match request {
            Request::Look(Work::Send, clock) => {
                self.sends.sweep(&self.servers, *clock);
                Reply::Lanes(self.sends.due(*clock))
            }
            Request::Look(Work::Deliver, clock) => Reply::Lanes(self.deliveries.due(*clock)),
            Request::Claim(work, claim) => {
                if sabotage == Some(Sabotage::ExpireByOwnClock) {
                    self.expire(claim.now);
                }
                Reply::Claimed(self.claim(*work, claim))
            }
            Request::Release(work, claim) => {
                self.take_over(*work, LeaseRange::only(claim.lease), claim.now, sabotage);
                Reply::Written
            }
            Request::Mark { slot, job, .. } => {
                let is_made = self.servers.mark(*slot, job.lease, job.row);
                Reply::Flag(is_made || sabotage == Some(Sabotage::MarkForTheDead))
            }
            Request::Settle(work, batch, clock) => {
                for done in batch {
                    self.settle(*work, done, *clock, sabotage == Some(Sabotage::SettleWithoutToken));
                }
                Reply::Written
            }
            Request::GiveBack(work, jobs, clock) => {
                for job in jobs {
                    self.give_back(*work, job, *clock);
                }
                Reply::Written
            }
            Request::GiveUpLanes(lanes, holder) => {
                for lane in lanes {
                    self.servers.give_up_lane(*lane, *holder);
                }
                Reply::Written
            }
            Request::Beat(server) => Reply::Flag(self.servers.beat(*server, now)),
            Request::Join(server) => {
                self.servers.join(*server, now);
                Reply::Written
            }
            Request::FindDead(own) => Reply::Dead(self.servers.declare_dead(*own, now)),
            Request::TakeOver(dead, clock) => {
                for work in [Work::Send, Work::Deliver] {
                    self.take_over(work, LeaseRange::of_server(*dead), *clock, sabotage);
                }
                self.servers.release_lanes(LeaseRange::of_server(*dead));
                Reply::Written
            }
            Request::Forget(server) => {
                self.servers.forget(*server);
                Reply::Written
            }
            Request::Leave(server) => {
                self.servers.leave(*server);
                Reply::Written
            }
        }
    }

    fn claim(&mut self, work: Work, claim: &LaneClaim) -> Option<Vec<Job>> {
        let LaneClaim { lane, most, now, lease, until, charge } = *claim;
        if let Some((holder, span)) = charge
            && !self.servers.take_lane(lane, holder, now, span)
        {
            return None;
        }
        let rows = match work {
            Work::Send => self.sends.claim(lane, now, most, lease).into_iter().map(|(row, _)| row).collect(),
            Work::Deliver => self.deliveries.claim(lane, now, most, lease, until),
        };
        Some(rows.into_iter().map(|row| Job { row, lease }).collect())
    }

    fn settle(&mut self, work: Work, done: &Done, now: Millis, any_lease: bool) {
        let Done { job: Job { row, lease }, outcome, .. } = *done;
        let lease = if any_lease { self.lease_of(work, row).unwrap_or(lease) } else { lease };
        match (work, outcome) {
            (Work::Send, outcome) => self.sends.settle(row, lease, outcome, now),
            (Work::Deliver, Outcome::Again(pause)) => self.deliveries.release(row, lease, now + pause),
            (Work::Deliver, _) => self.deliveries.finish(row, lease),
        }
    }

    fn give_back(&mut self, work: Work, job: &Job, now: Millis) {
        match work {
            Work::Send => self.sends.give_back(job.row, job.lease),
            Work::Deliver => self.deliveries.release(job.row, job.lease, now),
        }
    }

    fn take_over(&mut self, work: Work, dead: LeaseRange, now: Millis, sabotage: Option<Sabotage>) {
        match work {
            Work::Deliver => self.deliveries.take_over(dead, now),
            Work::Send if sabotage == Some(Sabotage::QueueBegunCalls) => {
                let held: Vec<(u64, Uuid)> = (self.sends.rows.iter())
                    .filter_map(|(row, it)| Some((*row, it.lease.filter(|lease| dead.contains(*lease))?)))
                    .collect();
                for (row, lease) in held {
                    self.sends.give_back(row, lease);
                }
            }
            Work::Send => self.sends.take_over(dead, &self.servers.begun(dead)),
        }
    }

    /// Queues messages again that were claimed more than a minute ago.
    fn expire(&mut self, now: Millis) {
        let held =
            self.sends.rows.iter().filter(|(_, row)| row.handed_at.is_some_and(|at| at < now - 60_000));
        let held: Vec<(u64, Uuid)> = held.filter_map(|(row, it)| Some((*row, it.lease?))).collect();
        for (row, lease) in held {
            self.sends.give_back(row, lease);
        }
    }

    fn lease_of(&self, work: Work, row: u64) -> Option<Uuid> {
        match work {
            Work::Send => self.sends.rows.get(&row)?.lease,
            Work::Deliver => self.deliveries.rows.get(&row)?.lease,
        }
    }
}
