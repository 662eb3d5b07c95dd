//! PostgreSQL: threads that own a connection and its prepared statements.

mod binding;
mod connect;
mod connect_options;
mod connection;
mod listener;
mod login;
mod params;
mod pool;
mod refusal;
mod session;
mod socket;
#[cfg(test)]
mod tests;
mod tls;

pub(crate) use listener::{Listener, notify};
pub(crate) use pool::{Kind, Pool, Queues, Work};
pub(crate) use session::Session;
