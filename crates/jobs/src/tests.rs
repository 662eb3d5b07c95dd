//! A simulation of servers that work on the same queues, and what must hold whatever happens to them.
//!
//! Each server drives the real [`Scheduler`](crate::scheduler::Scheduler) of two kinds of jobs: messages, whose calls must not be
//! made twice, and deliveries, which must be made at least once. Around it everything is simulated and follows from a
//! seed: the clocks, the store (`frontdesk-simulation`), the network and the receivers. Servers are killed between any two
//! steps, suspended for longer than their leases, stopped and started; their clocks are set; requests to the store and their
//! responses are lost or late, and so are wake-ups; the database crashes.
//!
//! `docs/faults.md` says what the histories are checked for, and how to repeat one.

mod conformance;
mod engine;
mod faults;
mod histories;
mod judge;
mod replies;
mod request;
mod sabotage;
mod server;
mod world;
