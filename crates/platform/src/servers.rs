//! The servers that run on this installation: the secret key that each of them seals under, and what it says about itself.
//!
//! A server writes its row when it starts, renews it while it runs, and deletes it when it stops. A row that is not
//! renewed for [`SILENCE_MAX`] belongs to a server that has died; it stays for a while, so that an operator sees it. All
//! servers go by the database's clock (see `clock` of the server), so their times can be compared.
//!
//! Whose work another server takes over is decided by the heartbeats of `db` alone.

use std::collections::BTreeMap;
use std::time::Duration;

use frontdesk_db::{self as db, Incarnation, ReadTx, Row, Tx, heartbeat};
use frontdesk_kernel::{Id, Timestamp};
use serde::{Deserialize, Serialize};
use uuid::Uuid;

/// How often a server renews its row.
pub const RENEW_EVERY: Duration = Duration::from_secs(3);
/// A server without a renewal for this long is shown as dead.
pub const SILENCE_MAX: Duration = Duration::from_secs(10);
/// A server without a renewal for this long no longer seals anything. It is longer, because a secret that is sealed under
/// a dropped key is lost.
pub const SEEN_TIME_MAX: Duration = Duration::from_secs(20);
/// The row of a dead server is deleted after this long.
pub const KEPT_TIME_MAX: Duration = Duration::from_hours(1);

frontdesk_db::statements! {
    SEE = "INSERT INTO servers (id, key_id, seen_at, report) VALUES ($1, $2, $3, $4)
        ON CONFLICT (id) DO UPDATE SET key_id = excluded.key_id, seen_at = excluded.seen_at, report = excluded.report";
    LEAVE = "DELETE FROM servers WHERE id = $1";
    FORGET = "DELETE FROM servers WHERE seen_at <= $1";
    ANY = "SELECT id FROM servers WHERE seen_at > $1 LIMIT 1";
    RUNNING = "SELECT id, seen_at FROM servers WHERE seen_at > $1 ORDER BY id";
    OTHERS = "SELECT id, seen_at FROM servers WHERE key_id <> $1 AND seen_at > $2 ORDER BY id";
    ALL = "SELECT id, seen_at, report FROM servers ORDER BY id";
    SILENT = "SELECT id, seen_at, report FROM servers WHERE seen_at <= $1 ORDER BY id";
    TAKEN_OVER = "UPDATE servers SET report = $3 WHERE id = $1 AND seen_at = $2";
}

/// Marks the id of a server.
pub enum Server {}
pub type ServerId = Id<Server>;

/// A server that runs.
#[derive(Clone, Debug)]
pub struct Running {
    pub id: ServerId,
    pub seen_at: Timestamp,
}

/// What a server says about itself.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Report {
    pub version: String,
    pub role: String,
    /// The name of its machine.
    pub host: String,
    pub process_id: u32,
    /// The address that it listens on.
    pub address: String,
    pub started_at: String,
    pub is_draining: bool,
    /// How far its machine's clock is ahead of the database's. 0 if too little to matter.
    pub clock_ahead_ms: i64,
    pub load: Load,
    /// The jobs that it has claimed, by kind. Kinds without any are left out.
    pub leases: BTreeMap<String, usize>,
    /// Its name in leases.
    #[serde(default)]
    pub incarnation: Option<Uuid>,
}

/// How busy a server is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Load {
    pub requests_last_minute: u64,
    /// Jobs that run.
    pub jobs_at_work: usize,
    pub connections: usize,
    /// Open event streams and web-chat streams.
    pub streams: usize,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Status {
    Serving,
    /// It was asked to stop, and finishes.
    Draining,
    /// It has not renewed its row.
    Dead,
}

impl Status {
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Serving => "serving",
            Self::Draining => "draining",
            Self::Dead => "dead",
        }
    }
}

/// A server as others see it.
#[derive(Clone, Debug)]
pub struct Seen {
    pub id: ServerId,
    pub status: Status,
    pub seen_at: Timestamp,
    /// None for a server of an earlier version.
    pub report: Option<Report>,
}

/// Records that this server runs, and deletes servers that died long ago.
pub fn see(tx: &mut Tx<'_>, id: ServerId, key_id: &str, report: &Report, now: Timestamp) -> db::Result<()> {
    let _any = tx.execute(FORGET, &[&(now - KEPT_TIME_MAX)])?;
    let report = serde_json::to_string(report).map_err(|_| db::Error::Decode("report of a server"))?;
    tx.execute(SEE, &[&id, &key_id, &now, &report])?.exactly(1)
}

/// Records that this server has stopped.
pub fn leave(tx: &mut Tx<'_>, id: ServerId) -> db::Result<()> {
    let _gone_is_fine = tx.execute(LEAVE, &[&id])?;
    Ok(())
}

/// Whether a server runs.
pub fn any(tx: &mut ReadTx<'_>, now: Timestamp) -> db::Result<bool> {
    Ok(!tx.query(ANY, &[&(now - SEEN_TIME_MAX)], db::only::<ServerId>)?.is_empty())
}

/// The servers that run.
pub fn running(tx: &mut ReadTx<'_>, now: Timestamp) -> db::Result<Vec<Running>> {
    tx.query(RUNNING, &[&(now - SEEN_TIME_MAX)], read)
}

/// The servers that run and seal under another key than this one.
pub fn sealing_under_another(tx: &mut ReadTx<'_>, key_id: &str, now: Timestamp) -> db::Result<Vec<Running>> {
    tx.query(OTHERS, &[&key_id, &(now - SEEN_TIME_MAX)], read)
}

fn read(row: &mut Row<'_>) -> db::Result<Running> {
    Ok(Running { id: row.next()?, seen_at: row.next()? })
}

/// All servers, the oldest first. A dead one has leases only until another server has taken its work over.
pub fn list(tx: &mut ReadTx<'_>, now: Timestamp) -> db::Result<Vec<Seen>> {
    let holders = heartbeat::holders(tx)?;
    tx.query(ALL, &[], |row| {
        let (id, seen_at, report) = (row.next()?, row.next()?, row.next::<Option<String>>()?);
        let report = report.and_then(|text| serde_json::from_str::<Report>(&text).ok());
        Ok(judge(id, seen_at, report, &holders, now))
    })
}

/// A dead server without a heartbeat: other servers took its work over, or its heartbeat was lost when the database crashed.
#[derive(Clone, Debug)]
pub struct Orphan {
    id: ServerId,
    seen_at: Timestamp,
    report: Report,
    pub incarnation: Incarnation,
}

/// The dead servers that have no heartbeat and may hold leases.
pub fn orphans(tx: &mut ReadTx<'_>, now: Timestamp) -> db::Result<Vec<Orphan>> {
    let silent = tx.query(SILENT, &[&(now - SILENCE_MAX)], |row| {
        Ok((row.next()?, row.next()?, row.next::<Option<String>>()?))
    })?;
    if silent.is_empty() {
        return Ok(Vec::new());
    }
    let remembered = heartbeat::remembered(tx)?;
    let orphan = |(id, seen_at, report): (ServerId, Timestamp, Option<String>)| {
        let report: Report = serde_json::from_str(&report?).ok()?;
        let incarnation = Incarnation::of(report.incarnation?);
        (!remembered.contains(&incarnation)).then_some(Orphan { id, seen_at, report, incarnation })
    };
    Ok(silent.into_iter().filter_map(orphan).collect())
}

/// Records that the leases of a dead server are released.
pub fn mark_taken_over(tx: &mut Tx<'_>, orphan: &Orphan) -> db::Result<()> {
    let report = Report { incarnation: None, leases: BTreeMap::new(), ..orphan.report.clone() };
    let report = serde_json::to_string(&report).map_err(|_| db::Error::Decode("report of a server"))?;
    let _alive_again_is_fine = tx.execute(TAKEN_OVER, &[&orphan.id, &orphan.seen_at, &report])?;
    Ok(())
}

fn judge(
    id: ServerId,
    seen_at: Timestamp,
    mut report: Option<Report>,
    holders: &[Incarnation],
    now: Timestamp,
) -> Seen {
    let status = match &report {
        _ if seen_at <= now - SILENCE_MAX => Status::Dead,
        Some(report) if report.is_draining => Status::Draining,
        _ => Status::Serving,
    };
    if status == Status::Dead
        && let Some(report) = &mut report
        && !report.incarnation.is_some_and(|name| holders.contains(&Incarnation::of(name)))
    {
        report.leases.clear();
    }
    Seen { id, status, seen_at, report }
}

#[cfg(test)]
mod tests {
    use super::*;
    use frontdesk_kernel::Ids;

    const NOW: Timestamp = Timestamp::from_millis(1_800_000_000_000);

    fn report(incarnation: Incarnation) -> Report {
        let leases = BTreeMap::from([("sender".to_owned(), 3)]);
        Report { leases, incarnation: Some(incarnation.leases().first), ..Report::default() }
    }

    #[test]
    fn a_silent_server_is_dead_and_holds_leases_until_they_are_taken_over() {
        let (id, server) = (Ids::new().next(NOW), Incarnation::current());
        let seen = |silent: u64, holders: &[Incarnation]| {
            judge(id, NOW - Duration::from_secs(silent), Some(report(server)), holders, NOW)
        };
        let leases = |seen: &Seen| seen.report.as_ref().unwrap().leases.len();
        let living = seen(9, &[]);
        assert_eq!((living.status, leases(&living)), (Status::Serving, 1));
        let dead = seen(10, &[server]);
        assert_eq!((dead.status, leases(&dead)), (Status::Dead, 1));
        assert_eq!(leases(&seen(10, &[])), 0);
    }

    #[test]
    fn a_server_of_an_earlier_version_serves_while_it_is_seen() {
        let id = Ids::new().next(NOW);
        assert_eq!(judge(id, NOW, None, &[], NOW).status, Status::Serving);
        let draining = Report { is_draining: true, ..Report::default() };
        assert_eq!(judge(id, NOW, Some(draining), &[], NOW).status, Status::Draining);
    }
}
