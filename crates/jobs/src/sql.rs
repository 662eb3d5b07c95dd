//! Claim statements. This is the one place that knows how two servers claim from one table without waiting for each other.

use frontdesk_db::{Dialect, Param, Result, Row, Tx};

/// A statement by name.
pub type Statement = (&'static str, &'static str);

/// A claim in the words of each engine. Made by [`claim_sql!`](crate::claim_sql).
#[derive(Clone, Copy, Debug)]
pub struct ClaimSql {
    #[doc(hidden)]
    pub plain: Statement,
    #[doc(hidden)]
    pub skipping: Statement,
}

impl ClaimSql {
    /// Claims rows.
    pub fn query<T>(
        &self,
        tx: &mut Tx<'_>,
        params: &[&dyn Param],
        map: impl FnMut(&mut Row<'_>) -> Result<T>,
    ) -> Result<Vec<T>> {
        let (_, sql) = match tx.dialect() {
            Dialect::Sqlite => self.plain,
            Dialect::Postgres => self.skipping,
        };
        tx.query(sql, params, map)
    }

    /// The text that both engines understand.
    pub const fn statement(&self) -> Statement {
        self.plain
    }

    /// The text that only PostgreSQL understands.
    pub const fn postgres_statement(&self) -> Statement {
        self.skipping
    }
}

/// A claim: an `UPDATE` of the rows that a subquery selects. PostgreSQL locks the selected rows and skips those that
/// another server is claiming; SQLite has one writer and needs no lock.
///
/// ```
/// use frontdesk_jobs::{ClaimSql, claim_sql};
///
/// const CLAIM: ClaimSql = claim_sql!("chores::CLAIM",
///     ["UPDATE chores SET lease = $1, leased_until = $2 WHERE id IN (SELECT id FROM chores WHERE due_at <= $3 LIMIT $4"],
///     [") RETURNING id"]);
/// assert!(CLAIM.postgres_statement().1.contains("SKIP LOCKED) RETURNING"));
/// ```
#[macro_export]
macro_rules! claim_sql {
    ($name:literal, [$($selecting:tt)+], [$($rest:tt)+]) => {
        $crate::ClaimSql {
            plain: ($name, concat!($($selecting)+, $($rest)+)),
            skipping: (
                concat!($name, "_POSTGRES"),
                concat!($($selecting)+, " FOR UPDATE SKIP LOCKED", $($rest)+),
            ),
        }
    };
}
