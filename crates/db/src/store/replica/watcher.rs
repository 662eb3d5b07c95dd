//! Looks whether the replica can be used: it lives, is a standby of our primary, has its epoch and our migrations, and is not
//! far behind.

use std::sync::Arc;
use std::time::Duration;

use super::state::{ReplicaReport, ReplicaState};
use crate::error::{Error, Result};
use crate::migrate;
use crate::position::{EPOCH, REPLAYED};
use crate::postgres::{Replayed, Session};
use crate::row::only;
use crate::url::DatabaseUrl;

/// How often the replica is looked at.
const LOOK_PERIOD: Duration = Duration::from_millis(500);
/// How long connecting to it may take.
const CONNECT_TIME_MAX: Duration = Duration::from_secs(2);
/// A replica that is silent for longer, when it is only asked how far it is, hangs.
const SILENCE_MAX: Duration = Duration::from_secs(1);
/// A replica that is further behind is not used. It limits how old anything can be that no position covers, such as what a
/// command changes beside the servers.
const LAG_SECONDS_MAX: f64 = 60.0;
/// Looks in a row that must find it so far behind. A first commit after a long pause looks late while it is on its way.
const LATE_LOOKS_MIN: u32 = 2;

const DATABASE: &str = "SELECT current_database()::text";
const SYSTEM: &str = "SELECT system_identifier FROM pg_control_system()";

/// Which database it is, of which cluster.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Identity {
    database: String,
    /// None where this user may not know.
    system: Option<i64>,
}

impl Identity {
    pub(super) fn of(session: &mut Session) -> Result<Self> {
        let database =
            session.query(DATABASE, &[], only)?.into_iter().next().ok_or(Error::Decode("database"))?;
        let system = match session.query(SYSTEM, &[], only) {
            Ok(found) => found.into_iter().next(),
            Err(error @ Error::Unavailable(_)) => return Err(error),
            Err(_) => None,
        };
        Ok(Self { database, system })
    }

    fn is_of(&self, primary: &Self) -> bool {
        let same_system = match (self.system, primary.system) {
            (Some(ours), Some(theirs)) => ours == theirs,
            _ => true,
        };
        self.database == primary.database && same_system
    }
}

/// Connects to the replica of a database, and checks that it is one that this program can read.
pub(super) fn connect(url: &str, primary: &Identity) -> Result<Session> {
    let mut session = Session::connect_to_replica(url, CONNECT_TIME_MAX, SILENCE_MAX)?;
    let found = Identity::of(&mut session)?;
    if !found.is_of(primary) {
        return Err(Error::NotAReplica(
            "the read replica is none of this database: its cluster has another system identifier, or the name of the \
             database differs. Let --database-read (FRONTDESK_DATABASE_READ) name a streaming replica of --database"
                .to_owned(),
        ));
    }
    if !migrate::is_current_postgres(&mut session)? {
        return Err(Error::Unavailable("it does not have the migrations of this version yet".to_owned()));
    }
    Ok(session)
}

/// Looks at the replica again and again.
pub(super) struct Watcher {
    url: String,
    primary: Identity,
    state: Arc<ReplicaState>,
    session: Option<Session>,
    late_looks: u32,
}

impl Watcher {
    pub(super) fn new(url: &str, primary: Identity, state: Arc<ReplicaState>) -> Self {
        Self { url: url.to_owned(), primary, state, session: None, late_looks: 0 }
    }

    /// Looks for the first time. Fails if it is no replica of this database.
    pub(super) fn look_first(&mut self) -> Result<()> {
        match self.look() {
            Err(error @ Error::NotAReplica(_)) => Err(error),
            found => {
                self.report(found);
                Ok(())
            }
        }
    }

    pub(super) fn watch(mut self) {
        while self.state.wait(LOOK_PERIOD) {
            let found = self.look();
            self.report(found);
        }
    }

    fn report(&mut self, found: Result<f64>) {
        let report = match found {
            Ok(lag_seconds) => ReplicaReport { problem: None, lag_seconds },
            Err(error) => {
                self.session = None;
                ReplicaReport { problem: Some(problem(error)), lag_seconds: self.state.report().lag_seconds }
            }
        };
        self.state.set(report);
    }

    /// How many seconds it is behind, if it can be used.
    fn look(&mut self) -> Result<f64> {
        if self.session.as_ref().is_none_or(Session::is_closed) {
            self.session = Some(connect(&self.url, &self.primary)?);
        }
        let session = self.session.as_mut().ok_or(Error::Closed)?;
        let replayed = replayed(session)?;
        check(&replayed, self.state.epoch().as_deref())?;
        let is_late = replayed.lag_seconds > LAG_SECONDS_MAX;
        self.late_looks = if is_late { self.late_looks + 1 } else { 0 };
        if self.late_looks >= LATE_LOOKS_MIN {
            let seconds = replayed.lag_seconds.round();
            return Err(Error::Unavailable(format!("it is {seconds} seconds behind the primary")));
        }
        Ok(replayed.lag_seconds)
    }
}

fn replayed(session: &mut Session) -> Result<Replayed> {
    session.query(REPLAYED, &[], Replayed::read)?.into_iter().next().ok_or(Error::Decode("position"))
}

fn check(replayed: &Replayed, epoch: Option<&str>) -> Result<()> {
    if !replayed.is_standby {
        let why = "it is not a standby: it was promoted, or --database-read names a primary";
        return Err(Error::Unavailable(why.to_owned()));
    }
    if epoch.is_some() && replayed.epoch.as_deref() != epoch {
        let why = "it does not have what the primary wrote when the current epoch began: it is behind, or follows another \
                   primary than --database";
        return Err(Error::Unavailable(why.to_owned()));
    }
    Ok(())
}

/// The problem without "the database cannot be reached".
fn problem(error: Error) -> String {
    if let Error::Unavailable(why) = error { why } else { error.to_string() }
}

/// Looks once at the replica of a database: the seconds that it is behind. For `frontdesk doctor`.
pub fn look_at_replica(database: &DatabaseUrl, replica: &DatabaseUrl) -> Result<f64, String> {
    let (DatabaseUrl::Postgres(database), DatabaseUrl::Postgres(replica)) = (database, replica) else {
        return Err("read replicas go with PostgreSQL".to_owned());
    };
    let look = || {
        let mut primary = Session::connect(database)?;
        let identity = Identity::of(&mut primary)?;
        let epoch = primary.query(EPOCH, &[], only::<String>)?.into_iter().next();
        let replayed = replayed(&mut connect(replica, &identity)?)?;
        check(&replayed, epoch.as_deref()).map(|()| replayed.lag_seconds)
    };
    look().map_err(problem)
}
