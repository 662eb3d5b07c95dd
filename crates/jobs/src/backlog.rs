//! Backlogs: how many jobs of a kind wait, and for how long, for the metrics.
//!
//! A backlog is one statement that reads entries of an index, and no more of them than a limit. So it takes as long for a
//! million waiting jobs as for ten thousand. Jobs of suspended accounts wait for their accounts, and are not counted.

use frontdesk_db::{ReadTx, Result};
use frontdesk_kernel::Timestamp;

use crate::sql::Statement;

/// Waiting jobs of a kind that are counted at most.
pub const WAITING_COUNTED_MAX: i64 = 10_000;
/// Lanes of a kind that are looked at at most.
pub const LANES_COUNTED_MAX: i64 = 10_000;

/// The backlog of a kind. Made by [`backlog!`](crate::backlog) and [`lane_backlog!`](crate::lane_backlog).
#[derive(Clone, Copy, Debug)]
pub struct Backlog {
    /// The name of the kind.
    pub kind: &'static str,
    pub statement: Statement,
    #[doc(hidden)]
    pub is_by_lane: bool,
}

/// The size of a backlog.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BacklogSize {
    /// Jobs that are due and not claimed, up to [`WAITING_COUNTED_MAX`].
    pub waiting: i64,
    /// Since when the oldest of them is due.
    pub oldest_due_at: Option<Timestamp>,
}

impl Backlog {
    pub fn read(&self, tx: &mut ReadTx<'_>, now: Timestamp) -> Result<BacklogSize> {
        let map = |row: &mut frontdesk_db::Row<'_>| {
            Ok(BacklogSize { waiting: row.next()?, oldest_due_at: row.next()? })
        };
        let (_, sql) = self.statement;
        let found = if self.is_by_lane {
            tx.find(sql, &[&now, &WAITING_COUNTED_MAX, &LANES_COUNTED_MAX], map)?
        } else {
            tx.find(sql, &[&now, &WAITING_COUNTED_MAX], map)?
        };
        let found = found.unwrap_or(BacklogSize { waiting: 0, oldest_due_at: None });
        Ok(BacklogSize { oldest_due_at: found.oldest_due_at.filter(|due| *due <= now), ..found })
    }
}

/// The backlog of a table with an index that begins with `due_at`. `where` names the condition of a partial index.
/// `counted` is true of the rows that count, and may use the `columns`.
///
/// ```
/// use frontdesk_jobs::{Backlog, backlog};
///
/// const BACKLOG: Backlog = backlog!("toys", "toys::BACKLOG",
///     table: "toys", where: "state = 'new'", columns: "box", counted: ["box > 3"]);
/// assert_eq!(
///     BACKLOG.statement.1,
///     "SELECT count(*), min(due_at) FROM (SELECT due_at, box FROM toys WHERE state = 'new' AND due_at <= $1 \
///      ORDER BY due_at LIMIT $2) waiting WHERE box > 3"
/// );
/// ```
#[macro_export]
macro_rules! backlog {
    ($kind:expr, $name:literal, table: $table:literal, where: $where:literal, columns: $columns:literal, counted: [$($counted:tt)+] $(,)?) => {
        $crate::Backlog {
            kind: $kind,
            statement: (
                $name,
                concat!(
                    "SELECT count(*), min(due_at) FROM (SELECT due_at, ", $columns, " FROM ", $table, " WHERE ", $where,
                    " AND due_at <= $1 ORDER BY due_at LIMIT $2) waiting WHERE ", $($counted)+
                ),
            ),
            is_by_lane: false,
        }
    };
}

/// The backlog of a table with an index of each lane's jobs by the time at which they are due. It skips from one lane to the
/// next. `counted` is true of the lanes, `hop.lane`, that count.
#[macro_export]
macro_rules! lane_backlog {
    (
        $kind:expr, $name:literal, table: $table:literal, lane: $lane:literal, due_at: $due_at:literal, where: $where:literal,
        counted: [$($counted:tt)+] $(,)?
    ) => {
        $crate::Backlog {
            kind: $kind,
            statement: (
                $name,
                concat!(
                    "WITH RECURSIVE hop (lane, n) AS (
                        SELECT (SELECT ", $lane, " FROM ", $table, " WHERE ", $where, " ORDER BY ", $lane, " LIMIT 1), CAST(1 AS bigint)
                        UNION ALL
                        SELECT (SELECT ", $lane, " FROM ", $table, " WHERE ", $where, " AND ", $lane, " > hop.lane ORDER BY ", $lane, " LIMIT 1), hop.n + 1
                        FROM hop WHERE hop.lane IS NOT NULL AND hop.n < $3),
                    lanes (lane) AS (SELECT hop.lane FROM hop WHERE hop.lane IS NOT NULL AND ", $($counted)+, ")
                    SELECT (SELECT count(*) FROM (SELECT 1 FROM lanes CROSS JOIN ", $table, " WHERE ", $lane, " = lanes.lane AND ", $where,
                        " AND ", $due_at, " <= $1 LIMIT $2) waiting),
                    (SELECT min((SELECT ", $due_at, " FROM ", $table, " WHERE ", $where, " AND ", $lane, " = lanes.lane ORDER BY ", $due_at,
                        " LIMIT 1)) FROM lanes)"
                ),
            ),
            is_by_lane: true,
        }
    };
}
