//! What a server under test keeps its data in.

/// A store, or a pair of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Engine {
    /// A file of its own; one server.
    Sqlite,
    /// A database of its own; any number of servers.
    Postgres,
    /// The same, with a Redis database of its own for counting.
    PostgresRedis,
}

/// What a test may ask for as its only argument: a running server, or the engine to start one on.
pub trait Given {
    fn given(engine: Engine) -> Self;
}

impl Given for Engine {
    fn given(engine: Engine) -> Self {
        engine
    }
}
