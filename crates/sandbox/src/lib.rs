//! The sandbox: stand-ins for Meta's Graph API, a WhatsApp bridge and a language model.
//!
//! Each speaks its vendor's wire format over HTTP, and nothing here is shared with the code that speaks to the vendors:
//! what works against the sandbox was understood from the same public descriptions, twice. It checks what the vendors
//! check, answers what they answer, and signs and sends the webhooks that they send. At `/sandbox` a person can be a
//! customer, and tests can script what the vendors do, and what goes wrong.
//!
//! Everything is kept in memory and bounded, and is gone when the process ends. It reads no clock but the one it is
//! given, except to wait.

mod bridge;
mod chat;
mod connection;
mod control;
mod customer;
mod fault;
mod graph;
mod home;
mod mark;
mod media;
mod model;
mod page;
mod report;
mod request;
mod response;
mod routes;
mod sandbox;
mod sent;
mod serve;
mod settings;
mod template;
mod webhook;

pub use connection::{Connection, Directory};
pub use home::{Fetch, Fetched, Fetching, Home};
pub use request::BODY_BYTES_MAX;
pub use response::{Disconnect, SandboxResponse};
pub use sandbox::{Clock, Sandbox};
pub use serve::serve;
