//! Kills imports in the middle, and looks at the rows behind the server's back.

use std::process::Child;
use std::thread;
use std::time::Duration;

use frontdesk_e2e::App;
use postgres::{Client as Postgres, NoTls};

/// The number that a statement returns.
pub(crate) fn stored(app: &App, sql: &str) -> u64 {
    let rows: i64 = if let Some(path) = app.database().strip_prefix("sqlite:") {
        let database = rusqlite::Connection::open(path).expect("the database");
        database.query_row(sql, [], |row| row.get(0)).expect("a count")
    } else {
        let mut database = Postgres::connect(app.database(), NoTls).expect("the database");
        database.query_one(sql, &[]).expect("a count").get(0)
    };
    rows as u64
}

/// Changes rows.
pub(crate) fn change(app: &App, sql: &str) {
    if let Some(path) = app.database().strip_prefix("sqlite:") {
        let database = rusqlite::Connection::open(path).expect("the database");
        database.busy_timeout(Duration::from_secs(30)).expect("a timeout");
        assert!(database.execute(sql, []).expect("a change") > 0, "{sql}");
    } else {
        let mut database = Postgres::connect(app.database(), NoTls).expect("the database");
        assert!(database.execute(sql, &[]).expect("a change") > 0, "{sql}");
    }
}

/// Begins a command, and kills it as soon as so much of its work is stored.
pub(crate) fn kill_when(app: &App, arguments: &[&str], is_stored: &dyn Fn() -> bool) {
    let mut command: Child = app.begin(arguments);
    while !is_stored() {
        assert!(command.try_wait().expect("it is there").is_none(), "it ended before it was killed");
        thread::sleep(Duration::from_millis(2));
    }
    command.kill().expect("it runs");
    command.wait().expect("it ended");
}
