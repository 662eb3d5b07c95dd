//! The job engine: a job is a row until it is done.
//!
//! A [`Kind`] of job finds the lanes with due jobs, claims the jobs, acts on them, and settles their outcomes. The
//! engine does the rest. It polls for work and reacts to wake-ups. It enforces limits per lane, per account and
//! overall, and keeps each lane's pace. It gathers outcomes, so that many are settled in one transaction. When the
//! server stops, it releases the jobs that have not begun.
//!
//! A job is claimed under a lease: a fresh token and an expiry time. `settle` writes only where the token still
//! matches. If this process dies, another server takes its jobs over within seconds, by the heartbeats of `db`; at the
//! latest, they are due again when the lease expires. If it was only slow, its late outcome changes nothing.
//!
//! Each kind has one task. `scheduler` makes the task's decisions and does no I/O; `engine` carries them out. Work that
//! has no rows to claim, such as keeping an index up to date, is a [`Chore`].

#![cfg_attr(
    test,
    expect(clippy::disallowed_methods, reason = "tests measure time and need names of their own")
)]

mod backlog;
mod chore;
mod drain;
mod engine;
mod job_counts;
mod kind;
mod lane;
mod leased_rows;
mod limits;
mod pace;
mod queue;
mod scheduler;
mod set_aside;
mod settle_buffer;
mod spawn;
mod sql;
mod supervisor;
#[cfg(test)]
mod tests;

pub use backlog::{Backlog, BacklogSize, LANES_COUNTED_MAX, WAITING_COUNTED_MAX};
pub use chore::Chore;
pub use drain::{Context, Drain, Takeover, Worker};
pub use engine::start;
pub use job_counts::{JobCounts, KindCount};
pub use kind::{Claimed, Done, Kind};
pub use lane::{Health, LaneId, ONLY_LANE};
pub use leased_rows::{LeasedRow, LeasedRows};
pub use limits::{Limits, Stop};
pub use queue::{Place, Queue};
pub use set_aside::{FAULTS_MAX, set_aside};
pub use sql::{Claim, ClaimSql, Statement};
pub use supervisor::{Supervisor, TaskEnd, catch_panic};
