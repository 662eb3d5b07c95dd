//! The line to PostgreSQL: a client and its connection, driven by the thread that owns them.
//!
//! What is asked together is sent together, and answered in one round trip.

use std::future::{Future, poll_fn};
use std::pin::{Pin, pin};
use std::task::Context;

use tokio::runtime::Runtime;
use tokio_postgres::{Client, Config, Error, NoTls};

pub(crate) struct Line {
    runtime: Runtime,
    pub(crate) client: Client,
    /// None once it has ended, which every answer then says.
    connection: Option<Connection>,
}

type Connection = Pin<Box<dyn Future<Output = Result<(), Error>> + Send>>;

impl Line {
    pub(crate) fn connect(config: &Config) -> Result<Self, Error> {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .expect("a runtime of one thread can be made");
        let (client, connection) = runtime.block_on(config.connect(NoTls))?;
        Ok(Self { runtime, client, connection: Some(Box::pin(connection)) })
    }

    /// Asks, and waits for the answer. Whatever was asked before is sent with it.
    pub(crate) fn wait<T>(&mut self, ask: impl AsyncFnOnce(&Client) -> T) -> T {
        let Self { runtime, client, connection } = self;
        let mut answer = pin!(ask(client));
        runtime.block_on(poll_fn(|context| {
            // First what has arrived, for the answer may be among it; then what is newly asked.
            drive(connection, context);
            let answer = answer.as_mut().poll(context);
            if answer.is_pending() {
                drive(connection, context);
            }
            answer
        }))
    }
}

fn drive(connection: &mut Option<Connection>, context: &mut Context<'_>) {
    if connection.as_mut().is_some_and(|connection| connection.as_mut().poll(context).is_ready()) {
        *connection = None;
    }
}
