//! The sandbox: simulators of Meta's Graph API, a WhatsApp bridge and a language model.
//!
//! Each speaks its vendor's wire format over HTTP. It shares no code with the clients of the vendors, so a
//! misreading of a vendor's documentation in one is not repeated in the other. It makes the vendors' checks,
//! returns their responses, and signs and sends their webhooks. On the page at `/sandbox` a person can act as
//! a customer; tests can script the vendors' behaviour and inject faults.
//!
//! Everything is in memory, bounded, and lost when the process ends. It reads only the clock that it is
//! given, except to wait.

mod bridge;
mod chat;
mod connection;
mod control;
mod customer;
mod fault;
mod form;
mod graph;
mod home;
mod mark;
mod media;
mod model;
mod model_state;
mod page;
mod report;
mod request;
mod response;
mod routes;
mod sandbox;
mod sent;
mod serve;
mod sessions;
mod settings;
mod template;
mod webhook;

pub use connection::{Connection, Directory};
pub use home::{Fetch, Fetched, Fetching, Home};
pub use request::BODY_BYTES_MAX;
pub use response::{Disconnect, SandboxResponse};
pub use sandbox::{Clock, Sandbox};
pub use serve::serve;
