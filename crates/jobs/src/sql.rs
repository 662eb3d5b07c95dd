//! Claim statements. This is the one place that knows how two servers claim from one table without waiting for each other.

use frontdesk_db::{EngineSql, Param, Result, Row, Tx};
use frontdesk_kernel::Timestamp;
use uuid::Uuid;

/// A statement's name and its text.
pub type Statement = (&'static str, &'static str);

/// The parameters of a claim.
#[derive(Clone, Copy, Debug)]
pub struct Claim<L> {
    pub lane: L,
    pub most: usize,
    pub now: Timestamp,
    /// The fencing token of the claimed jobs. No two claims share one.
    pub lease: Uuid,
    pub leased_until: Timestamp,
}

/// A claim in the SQL of each database. Made by [`claim_sql!`](crate::claim_sql).
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
        let sql = tx.sql(EngineSql { sqlite: self.plain.1, postgres: self.skipping.1 });
        tx.query(sql, params, map)
    }

    /// The text that both databases understand.
    pub const fn statement(&self) -> Statement {
        self.plain
    }

    /// The text that only PostgreSQL understands.
    pub const fn postgres_statement(&self) -> Statement {
        self.skipping
    }
}

/// A claim: an `UPDATE` of the rows that a subquery selects by their key. PostgreSQL locks the selected rows, skips
/// those that another transaction has locked, and finds the locked rows by their `ctid`. A join by key might get a bad
/// plan, because the statistics of a queue may date from a moment when it was empty. SQLite has one writer and needs no
/// lock.
///
/// ```
/// use frontdesk_jobs::{ClaimSql, claim_sql};
///
/// const CLAIM: ClaimSql = claim_sql!("toys::CLAIM",
///     update: ["UPDATE toys SET lease = $1, leased_until = $2"],
///     key: "account_id, id",
///     from: ["FROM toys WHERE due_at <= $3 ORDER BY due_at LIMIT $4"],
///     returning: "id");
/// assert_eq!(
///     CLAIM.statement().1,
///     "UPDATE toys SET lease = $1, leased_until = $2 WHERE (account_id, id) IN (SELECT account_id, id \
///      FROM toys WHERE due_at <= $3 ORDER BY due_at LIMIT $4) RETURNING id"
/// );
/// ```
#[macro_export]
macro_rules! claim_sql {
    ($name:expr, update: [$($update:tt)+], key: $key:expr, from: [$($from:tt)+], returning: $returning:literal $(,)?) => {
        $crate::ClaimSql {
            plain: (
                $name,
                concat!($($update)+, " WHERE (", $key, ") IN (SELECT ", $key, " ", $($from)+, ") RETURNING ", $returning),
            ),
            skipping: (
                concat!($name, "_POSTGRES"),
                concat!(
                    $($update)+, " WHERE ctid = ANY (ARRAY(SELECT ctid ", $($from)+,
                    " FOR NO KEY UPDATE SKIP LOCKED)) RETURNING ", $returning
                ),
            ),
        }
    };
}
