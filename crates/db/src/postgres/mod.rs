//! PostgreSQL: sessions with their prepared statements, and the listener.

mod binding;
mod connect;
mod connect_options;
mod connection;
mod listener;
mod login;
mod params;
mod refusal;
mod replayed;
mod session;
mod socket;
#[cfg(test)]
mod tests;
mod timelines;
mod tls;

pub(crate) use listener::{Listener, Outbox, notify};
pub(crate) use replayed::{Lateness, Replayed};
pub(crate) use session::Session;
