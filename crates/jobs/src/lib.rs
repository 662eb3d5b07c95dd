//! The job engine: work that is a row until it is done.
//!
//! A [`Kind`] of job says which lanes have work that is due, claims it, acts on it, and settles what came of it. The
//! engine does the rest: it looks and is woken, keeps limits per lane, per account and overall, keeps each lane's pace,
//! gathers outcomes so that many are settled in one transaction, and gives back what was not begun when the server stops.
//!
//! A job is claimed under a lease: a fresh token and a time when it ends. `settle` writes only where the token still
//! matches. If this process dies, the job is due again when the lease ends; if it was only slow, its late outcome
//! changes nothing.
//!
//! Each kind has one task. What the task decides is in `scheduler`, which does no I/O; `engine` carries it out. Work that
//! has no rows to claim, such as keeping an index up to date, is a [`Chore`].

#![cfg_attr(
    test,
    expect(clippy::disallowed_methods, reason = "tests measure time and need names of their own")
)]

mod chore;
mod drain;
mod engine;
mod kind;
mod lane;
mod limits;
mod pace;
mod scheduler;
mod settle_buffer;
mod sql;

pub use chore::{Chore, keep_up};
pub use drain::{Drain, Worker};
pub use engine::{Context, start};
pub use kind::{Claim, Claimed, Done, Health, Kind, LaneId, ONLY_LANE, hand_over};
pub use limits::{Limits, Stop};
pub use sql::{ClaimSql, Statement};
