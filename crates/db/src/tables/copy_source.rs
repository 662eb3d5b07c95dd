//! The database that a copy reads. From the first row on no server and no other command uses it.

use std::thread::sleep;
use std::time::Duration;

use frontdesk_kernel::Timestamp;
use uuid::Uuid;

use crate::copies::{self, CopyMark, CopySide};
use crate::error::{Error, Result};
use crate::migrate;
use crate::postgres::Session;
use crate::sqlite::{Connection, real_path};
use crate::store::{DatabaseClaim, claim_database};
use crate::tables::engine::Engine;
use crate::url::DatabaseUrl;

/// No statement waits longer for a lock, except for one that changes a table.
const LOCK_MILLIS_MAX: u32 = 10_000;
/// The advisory lock of a copy, the same for all.
pub(super) const COPY_LOCK: i64 = 0x6672_6f6e_7463_6f70;
/// How often a copy looks whether another one has ended, for ten seconds in all.
const COPY_LOOKS: usize = 100;
const COPY_LOOK_PAUSE: Duration = Duration::from_millis(100);
/// A server shows signs of life every few seconds. One that shows none in all of these looks is gone, whatever its clock says.
const LOOKS: usize = 26;
const LOOK_PAUSE: Duration = Duration::from_millis(500);

/// An open source. Nobody else opens it to copy until it is dropped, and no server starts on a SQLite file.
pub struct CopySource {
    place: String,
    engine: Engine,
    _no_server_starts: Option<DatabaseClaim>,
}

impl CopySource {
    /// Opens a database that has exactly the migrations of this program. Changes nothing.
    pub fn open(url: &DatabaseUrl) -> Result<Self> {
        let place = place_of(url);
        let none = || Error::NoDatabase(place.clone());
        let (engine, applied, claim) = match url {
            DatabaseUrl::Sqlite(path) => {
                let path = real_path(path).map_err(|_| none())?;
                if std::fs::metadata(&path).map_or(true, |file| file.len() == 0) {
                    return Err(none());
                }
                let claim = claim(&path, &place)?;
                let connection = Connection::open(&path)?;
                let applied = migrate::applied_sqlite(&connection)?;
                (Engine::Sqlite(connection), applied, Some(claim))
            }
            DatabaseUrl::Postgres(address) => {
                let mut session = Session::connect(address)?;
                session.lift_limits(LOCK_MILLIS_MAX)?;
                lock(&mut session, &place)?;
                let applied = migrate::applied_postgres(&mut session)?;
                (Engine::Postgres(Box::new(session)), applied, None)
            }
        };
        if applied.is_empty() {
            return Err(none());
        }
        migrate::check_known(&applied)?;
        if applied != migrate::known() {
            return Err(Error::InUse(format!(
                "the database {place} is of an older version: bring it up to date with this version, such as by \
                 `frontdesk account list --database URL`, and run the copy again"
            )));
        }
        Ok(Self { place, engine, _no_server_starts: claim })
    }

    /// Where it is.
    pub fn place(&self) -> &str {
        &self.place
    }

    pub fn mark(&mut self) -> Result<Option<CopyMark>> {
        self.engine.copy_mark()
    }

    /// Marks the database as one that is being moved, or keeps the mark that it has, and makes sure that no server runs on it.
    pub fn begin(&mut self, new_id: Uuid, target: &str) -> Result<CopyMark> {
        let found = self.mark()?;
        let is_new = found.is_none();
        match found {
            Some(mark) if mark.side == CopySide::Target => return Err(mark.refusal(&self.place)),
            Some(mark) if mark.completed_at.is_some() => return Ok(mark),
            _ => {}
        }
        let side = CopySide::Source.as_str();
        self.engine.execute(copies::PUT, &[&new_id, &side, &target])?;
        // Servers that start from now on see the mark, and all others have shown themselves before.
        if let Err(error) = refuse_servers(&mut self.engine, &self.place) {
            if is_new {
                self.undo()?;
            }
            return Err(error);
        }
        self.mark()?.ok_or(Error::Decode("mark of a copy"))
    }

    /// Remembers that everything is in the target.
    pub fn complete(&mut self, now: Timestamp) -> Result<()> {
        self.engine.execute(copies::COMPLETE, &[&now]).map(drop)
    }

    /// Removes the mark, so that servers start on this database again.
    pub fn undo(&mut self) -> Result<()> {
        self.engine.execute(copies::REMOVE, &[]).map(drop)
    }
}

/// Where a database is, whatever the working directory.
pub(super) fn place_of(url: &DatabaseUrl) -> String {
    match url {
        DatabaseUrl::Sqlite(path) => real_path(path).unwrap_or_else(|_| path.clone()).display().to_string(),
        DatabaseUrl::Postgres(_) => url.place(),
    }
}

/// Takes the lock of a server on a SQLite file.
pub(super) fn claim(path: &std::path::Path, place: &str) -> Result<DatabaseClaim> {
    claim_database(path).map_err(|error| match error {
        Error::InUse(_) => {
            Error::InUse(format!("a server or another copy works on {place}: stop it, and run this again"))
        }
        other => other,
    })
}

/// Takes the lock of a copy on a PostgreSQL database, which ends with the session. The session of a copy that was killed ends
/// with its statement, so this waits for a while.
pub(super) fn lock(session: &mut Session, place: &str) -> Result<()> {
    for _ in 0..COPY_LOOKS {
        let taken =
            session.query("SELECT pg_try_advisory_lock($1)", &[&COPY_LOCK], crate::row::only::<bool>)?;
        if taken == [true] {
            return Ok(());
        }
        sleep(COPY_LOOK_PAUSE);
    }
    Err(Error::CopyRuns(format!(
        "another copy works on {place}: wait until it has ended, and run this again"
    )))
}

/// Fails if a server runs on a PostgreSQL database. On SQLite the lock has shown that none does.
pub(super) fn refuse_servers(engine: &mut Engine, place: &str) -> Result<()> {
    if let Engine::Sqlite(_) = engine {
        return Ok(());
    }
    let mut look = || {
        engine.query(copies::SERVERS, &[], |row| Ok((row.next::<Uuid>()?, row.next::<Timestamp>()?.millis())))
    };
    let before = look()?;
    // A server that was stopped has left no rows, so this waits only for one that was killed.
    for _ in 0..LOOKS {
        if before.is_empty() {
            break;
        }
        sleep(LOOK_PAUSE);
        if look()?.iter().any(|sign| !before.contains(sign)) {
            return Err(Error::InUse(format!(
                "a server runs on {place}: stop all of its servers, and run this again"
            )));
        }
    }
    Ok(())
}
