//! A model of the database, for simulations: the rows of queues, the heartbeats and marks of servers, and the leases on
//! lanes. Each function does what one transaction of the product does, in memory.
//!
//! That the model does what the SQL does is checked where the SQL is: `frontdesk-jobs` compares [`Deliveries`] with the
//! statements of `leased_rows!`, `frontdesk-db` compares [`Servers`] with the heartbeats, marks and leases, and
//! `frontdesk-inbox` compares [`Sends`] with the statements of the sender. The simulation itself is in `frontdesk-jobs`, next
//! to the scheduler that it drives.
//!
//! Times are milliseconds. A lease names the server that took it in its first half, as those of the product do.

mod deliveries;
mod millis;
mod sends;
mod servers;

pub use deliveries::{Deliveries, Delivery};
pub use millis::Millis;
pub use sends::{MessageState, Outcome, SendRow, SendState, Sends};
pub use servers::{Begun, LeaseRange, Servers};
