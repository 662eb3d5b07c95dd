//! Tasks whose futures are boxed: the code of a task is compiled once, and not once per future.

use std::pin::Pin;

use tokio::task::JoinHandle;

/// Runs a future in a task of its own.
pub(crate) fn spawn(future: impl Future<Output = ()> + Send + 'static) -> JoinHandle<()> {
    spawn_boxed(Box::pin(future))
}

fn spawn_boxed(future: Pin<Box<dyn Future<Output = ()> + Send>>) -> JoinHandle<()> {
    tokio::spawn(future)
}
