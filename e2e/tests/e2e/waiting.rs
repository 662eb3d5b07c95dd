//! Races on PostgreSQL, one step at a time: a test holds a lock and watches who waits.

use frontdesk_e2e::{App, came_true};
use postgres::{Client, NoTls};

/// Sees how many sessions wait for locks in the database of a server.
pub(crate) struct Watch(Client);

impl Watch {
    pub(crate) fn of(app: &App) -> Self {
        Self(connect(app))
    }

    /// Waits until so many sessions wait.
    #[track_caller]
    pub(crate) fn until(&mut self, waiting: i64) {
        let count = "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'";
        let reached = came_true(|| self.0.query_one(count, &[]).unwrap().get::<_, i64>(0) == waiting);
        assert!(reached, "there were never {waiting} sessions that wait for a lock");
    }
}

/// A session of the test's own in the database of a server.
pub(crate) fn connect(app: &App) -> Client {
    Client::connect(app.database(), NoTls).expect("the database takes a connection")
}
