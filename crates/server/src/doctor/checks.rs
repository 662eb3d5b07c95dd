//! The checks.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::time::Instant;

use frontdesk_db::{self as db, DatabaseUrl, Dialect, Store, only};
use frontdesk_kernel::Timestamp;
use frontdesk_platform::{Proxies, holds, settings};

use super::{Check, channels};
use crate::backup::BackupState;
use crate::config::Config;
use crate::error::Result;
use crate::secret_key::{self, LoadedKeys, Source};
use crate::serve::UndeclaredProxy;
use crate::{clock, redis, routes};

/// The first moment of 2025: a clock before it was never set.
const EARLIEST: Timestamp = Timestamp::from_millis(1_735_689_600_000);
/// The allowed difference between the clocks of server and database.
const CLOCK_MILLIS_APART_MAX: i64 = clock::APART_MAX.as_millis() as i64;
const VERSION: &str = "SELECT max(version) FROM migrations";
/// The row that is written and removed to check that writing works.
const PROBE: &str = "doctor";

pub(super) fn configuration(config: &std::result::Result<Config, Vec<String>>) -> Vec<Check> {
    const NAME: &str = "configuration";
    let config = match config {
        Ok(config) => config,
        Err(wrong) => return wrong.iter().map(|problem| Check::failed(NAME, problem)).collect(),
    };
    let mut checks =
        vec![Check::ok(NAME, format!("listens on {}, database {:?}", config.listen, config.database))];
    if config.redis.is_some() && matches!(config.database, DatabaseUrl::Sqlite(_)) {
        checks.push(Check::warning(
            NAME,
            "Redis is not used with SQLite, which serves one server: leave --redis out",
        ));
    }
    checks
}

/// Checks that the read replica can be used.
pub(super) fn replica(database: &DatabaseUrl, replica: &DatabaseUrl) -> Check {
    const NAME: &str = "read replica";
    match db::look_at_replica(database, replica) {
        Ok(lag_seconds) => Check::ok(NAME, format!("is used; it is {lag_seconds:.1} s behind")),
        Err(why) => Check::warning(NAME, format!("is not used, so all reads go to the primary: {why}")),
    }
}

/// A check of pending migrations; none if all were applied.
pub(super) fn migrations(pending: &[i64]) -> Option<Check> {
    let (first, last) = (pending.first()?, pending.last()?);
    let which = if first == last { format!("number {first} is") } else { format!("{first} to {last} are") };
    Some(Check::warning(
        "migrations",
        format!(
            "{which} pending: back the database up, then start `frontdesk serve`, which applies them. What needs them was \
             not checked"
        ),
    )
    .shared())
}

/// The checks that need an open store.
pub(super) async fn of_store(store: &Store, database: &DatabaseUrl, redis_url: Option<&str>) -> Vec<Check> {
    let mut found = vec![
        version(store).await,
        statements(store).await,
        writes(store).await,
        // A database that several servers share has a clock of its own.
        if store.is_shared() { time(store).await } else { year() },
    ];
    found.extend(held(store).await);
    found.extend(backups(store).await);
    if let Some(url) = redis_url.filter(|_| store.is_shared()) {
        found.push(match redis::connect(store, url).await {
            Ok(_) => Check::ok("redis", "answers").shared(),
            Err(why) => {
                Check::failed("redis", format!("cannot be reached: {why}; start it, or correct --redis"))
                    .sharing("cannot be reached")
            }
        });
    }
    let key = secret_key::find(store, database).await;
    found.push(self::key(&key));
    if let Ok(Some(key)) = key {
        found.extend(channels::examine(store, key.keys).await);
    }
    found
}

/// Whether work waits since a restore; none if there is nothing to say.
async fn held(store: &Store) -> Option<Check> {
    const NAME: &str = "restored";
    match store.read(holds::find).await {
        Ok(hold) => hold.map(|hold| Check::warning(NAME, hold.message())),
        Err(error) => Some(Check::store_failed(NAME, &error)),
    }
}

/// How old the last scheduled backup is; none if a server has never taken one.
async fn backups(store: &Store) -> Option<Check> {
    const NAME: &str = "backups";
    let now = clock::now();
    Some(match store.read(BackupState::recall).await {
        Ok(state) => {
            let state = state?;
            match state.problem(now) {
                Some(problem) => Check::warning(
                    NAME,
                    format!("{problem}: see that a server runs with FRONTDESK_BACKUP_TO, and what it logs"),
                ),
                None => Check::ok(NAME, state.last(now)),
            }
        }
        Err(error) => Check::store_failed(NAME, &error),
    })
}

async fn version(store: &Store) -> Check {
    match store.read(|tx| tx.find(VERSION, &[], only::<Option<i64>>)).await {
        Ok(version) => {
            let version = version.flatten().unwrap_or(0);
            Check::ok("database", format!("answers and is up to date at version {version}")).shared()
        }
        Err(error) => Check::store_failed("database", &error),
    }
}

/// Checks that no server has noticed a proxy that is not declared; none if there is nothing to say.
pub(super) async fn proxies(store: &Store, declared: &Proxies) -> Option<Check> {
    const NAME: &str = "proxies";
    let noticed = match store.read(UndeclaredProxy::recall).await {
        Ok(noticed) => noticed?,
        Err(error) => return Some(Check::store_failed(NAME, &error)),
    };
    let UndeclaredProxy { address, at } = noticed;
    let what = if declared.trusts(address) {
        "restart the server with the FRONTDESK_TRUSTED_PROXIES that is set now".to_owned()
    } else {
        format!("set FRONTDESK_TRUSTED_PROXIES={address} and restart the server")
    };
    Some(Check::warning(
        NAME,
        format!(
            "requests come through {address}, which is not declared as a proxy (noticed at {at}): its clients share one \
             address, so a few failed sign-ins lock all of them out; {what}"
        ),
    ))
}

/// Prepares every statement, which shows that the tables are as the program expects them.
async fn statements(store: &Store) -> Check {
    let asked = match store.dialect() {
        Dialect::Sqlite => routes::sqlite_statements(),
        Dialect::Postgres => routes::postgres_statements(),
    };
    let count = asked.len();
    let refused = store.scan(move |tx| {
        let refused = asked.iter().find_map(|(name, sql)| tx.prepare(sql).err().map(|error| (*name, error)));
        db::Result::Ok(refused)
    });
    match refused.await {
        Ok(None) => Check::ok("statements", format!("all {count} are understood")).shared(),
        Ok(Some((name, error))) => Check::failed(
            "statements",
            format!(
                "{name} is refused ({error}): the tables were changed by hand, so restore them from a backup"
            ),
        )
        .sharing(format!("{name} is refused")),
        Err(error) => Check::store_failed("statements", &error),
    }
}

/// Commits a change, and then one that reverts it, as a request would. The text differs every time, because
/// SQLite writes nothing for an unchanged row.
async fn writes(store: &Store) -> Check {
    let began = Instant::now();
    let text = clock::now().to_string();
    let committed = async {
        store.write(move |tx| settings::put(tx, PROBE, &text)).await?;
        store.write(|tx| settings::remove(tx, PROBE)).await
    };
    match committed.await {
        Ok(()) => Check::ok(
            "writes",
            format!("a change was committed and undone in {} ms", began.elapsed().as_millis()),
        )
        .shared(),
        Err(error) => Check::store_failed("writes", &error),
    }
}

/// Checks the clock without another one to compare it with.
pub(super) fn year() -> Check {
    let now = clock::machine();
    if now < EARLIEST {
        return Check::failed("clock", format!("it says {now}, which is past: set the machine's clock"))
            .shared();
    }
    Check::ok("clock", format!("it says {now}")).shared()
}

async fn time(store: &Store) -> Check {
    match store.database_time().await {
        Ok(Some(theirs)) => compare(clock::machine(), theirs),
        Ok(None) => year(),
        Err(error) => Check::store_failed("clock", &error),
    }
}

fn compare(ours: Timestamp, theirs: Timestamp) -> Check {
    let ahead = ours.millis() - theirs.millis();
    let apart = ahead.abs();
    let check = if ours < EARLIEST {
        Check::failed("clock", format!("it says {ours}, which is past: set the machine's clock"))
    } else if apart > CLOCK_MILLIS_APART_MAX {
        let message = format!(
            "this machine's clock is {}. A server on it corrects its time by that; let both machines follow a time server, \
             such as chrony",
            clock::describe(ahead)
        );
        Check::warning("clock", message)
    } else {
        Check::ok("clock", format!("it agrees with the database's to {apart} ms"))
    };
    check.shared()
}

/// Checks that the key opens the sealed values.
fn key(found: &Result<Option<LoadedKeys>>) -> Check {
    const NAME: &str = "secret key";
    match found {
        Ok(None) => Check::ok(NAME, "there is none yet; the first `frontdesk serve` makes it").shared(),
        Ok(Some(found)) => match &found.source {
            Source::Environment => Check::ok(NAME, "from FRONTDESK_SECRET_KEY; it opens what is sealed").shared(),
            Source::File(path) => {
                let is_open = fs::metadata(path).is_ok_and(|file| file.permissions().mode() & 0o077 != 0);
                let path = path.display();
                if is_open {
                    Check::warning(NAME, format!("others can read {path}: chmod 600 {path}"))
                        .sharing("others can read its file")
                } else {
                    Check::ok(
                        NAME,
                        format!("in {path}; it opens what is sealed. Back it up with the database"),
                    )
                    .sharing("in a file; it opens what is sealed")
                }
            }
            Source::Database => Check::warning(
                NAME,
                "it is kept in the database, beside what it protects: set FRONTDESK_SECRET_KEY in a new installation",
            )
            .shared(),
        },
        Err(error) => Check::failed(NAME, error.to_string()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::doctor::Status;

    #[test]
    fn pending_migrations_are_named_and_do_not_fail() {
        assert!(migrations(&[]).is_none());
        let said = |pending: &[i64]| migrations(pending).unwrap();
        assert!(said(&[9]).message.starts_with("number 9 is pending"), "{:?}", said(&[9]));
        assert!(said(&[9, 10, 12]).message.starts_with("9 to 12 are pending"));
        assert_eq!(said(&[9]).status, Status::Warning);
    }

    #[test]
    fn clocks_that_differ_are_noticed() {
        let now = Timestamp::from_millis(1_800_000_000_000);
        let at = |millis: i64| Timestamp::from_millis(now.millis() + millis);
        assert_eq!(compare(now, at(-CLOCK_MILLIS_APART_MAX)).status, Status::Ok);
        assert_eq!(compare(now, at(CLOCK_MILLIS_APART_MAX + 1)).status, Status::Warning);
        assert_eq!(compare(Timestamp::from_millis(0), now).status, Status::Failed);
        assert_eq!(EARLIEST.to_string(), "2025-01-01T00:00:00.000Z");
    }
}
