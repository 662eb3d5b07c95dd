//! PostgreSQL: threads that own a connection and its prepared statements.

mod line;
mod listener;
mod login;
mod pool;
mod session;
mod socket;

pub(crate) use listener::{Listener, notify};
pub(crate) use pool::{Kind, Pool};
pub(crate) use session::Session;
