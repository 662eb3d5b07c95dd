//! Options for opening a store.

use std::time::Duration;

use crate::slow::SlowStatements;
use crate::sqlite::SideFile;
use crate::url::DatabaseUrl;

/// How long a long read of an account may take. Together with its wait for a slot it ends before its request does.
const SCAN_TIME_MAX: Duration = Duration::from_secs(10);
const POOL_DEFAULT: usize = 24;

/// Options for opening a store.
#[derive(Clone, Debug)]
pub struct Options {
    pub url: DatabaseUrl,
    /// Whether this process is a server, of which SQLite allows only one, or a command.
    pub server: bool,
    /// Connections to PostgreSQL.
    pub pool: usize,
    /// A streaming replica of the database. A server reads from it; a command only tells servers what they need to know for it.
    pub replica: Option<DatabaseUrl>,
    /// Whether to create a missing database.
    pub create: bool,
    /// How long a long read of an account may take.
    pub scan_time_max: Duration,
    /// Additional SQLite files next to the database.
    pub side_files: &'static [SideFile],
    /// Which statements are logged because they are slow; none if this is not set.
    pub slow_statements: Option<SlowStatements>,
}

impl Options {
    pub fn new(url: DatabaseUrl) -> Self {
        Self {
            url,
            server: false,
            pool: POOL_DEFAULT,
            replica: None,
            create: true,
            scan_time_max: SCAN_TIME_MAX,
            side_files: &[],
            slow_statements: None,
        }
    }
}
