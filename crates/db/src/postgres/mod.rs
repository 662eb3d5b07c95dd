//! PostgreSQL: threads that own a connection and its prepared statements.

mod line;
mod listener;
mod pool;
mod session;

pub(crate) use listener::Listener;
pub(crate) use pool::{Kind, Pool};
pub(crate) use session::Session;
