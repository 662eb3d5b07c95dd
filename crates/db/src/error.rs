//! Errors of the store.

/// An error of the store. Slices map [`Error::Constraint`] by name to their own errors.
#[derive(Debug, Clone, thiserror::Error)]
pub enum Error {
    #[error("the store's queue is full")]
    Busy,
    #[error("the read was stopped: it took longer than it may, or its caller is gone")]
    TooLong,
    #[error("the store is shutting down")]
    Closed,
    #[error("the database cannot be reached: {0}")]
    Unavailable(String),
    #[error("the database's disk is full or failing: {0}")]
    Disk(String),
    #[error("the database takes no writes: {0}")]
    ReadOnly(String),
    /// There is no database at that path, or it has none of our tables.
    #[error(
        "there is no Frontdesk database at {0}: check --database, or make one with `frontdesk init --account NAME --owner-email EMAIL`"
    )]
    NoDatabase(String),
    #[error("constraint {0} refused the change")]
    Constraint(String),
    #[error("the change was undone by the engine and may be run again")]
    Undone,
    #[error("a lock was not free in time: run it again")]
    LockTimeout,
    #[error("a stored {0} cannot be read")]
    Decode(&'static str),
    #[error("a write touched {got} rows where {wanted} was meant")]
    Touched { wanted: u64, got: u64 },
    #[error("the change was called off by its caller")]
    CalledOff,
    #[error("a transaction panicked")]
    Panicked,
    #[error(
        "the database has migration {found}, which this program (up to {known}) does not know: use a newer frontdesk"
    )]
    TooNew { found: i64, known: i64 },
    #[error("{0}")]
    InUse(String),
    /// Another copy holds the database, or the session of one that was killed still does.
    #[error("{0}")]
    CopyRuns(String),
    /// What was named as a read replica is none of this database.
    #[error("{0}")]
    NotAReplica(String),
    #[error("the database refused a statement: {0}")]
    Engine(String),
}

pub type Result<T, E = Error> = std::result::Result<T, E>;

impl Error {
    /// Whether the database currently refuses every change.
    pub fn refuses_writes(&self) -> bool {
        matches!(self, Self::Disk(_) | Self::ReadOnly(_))
    }

    /// Whether the change itself causes the error, so that it fails in the same way again. All other errors are of the
    /// database or of the moment, and a later try may succeed.
    pub fn is_lasting(&self) -> bool {
        match self {
            Self::Constraint(_)
            | Self::Decode(_)
            | Self::Touched { .. }
            | Self::CalledOff
            | Self::Panicked
            | Self::Engine(_) => true,
            Self::Busy
            | Self::TooLong
            | Self::Closed
            | Self::Unavailable(_)
            | Self::Disk(_)
            | Self::ReadOnly(_)
            | Self::NoDatabase(_)
            | Self::Undone
            | Self::LockTimeout
            | Self::TooNew { .. }
            | Self::InUse(_)
            | Self::CopyRuns(_)
            | Self::NotAReplica(_) => false,
        }
    }

    /// Whether the named constraint caused the error.
    pub fn is_constraint(&self, name: &str) -> bool {
        matches!(self, Self::Constraint(constraint) if constraint == name)
    }
}
