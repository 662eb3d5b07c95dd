//! Tables whose rows are jobs, with a `due_at` and a `lease`.
//!
//! A claim moves `due_at` to the end of the lease, so a job that is lost is due again by itself.

use frontdesk_db::{LeaseRange, Param, Result, Row, Tx};
use frontdesk_kernel::ids::AccountId;
use frontdesk_kernel::{Id, Timestamp};
use uuid::Uuid;

use crate::lane::LaneId;
use crate::sql::{Claim, ClaimSql, Statement};

/// The statements of such a table. Made by [`leased_rows!`](crate::leased_rows).
#[derive(Clone, Copy, Debug)]
pub struct LeasedRows {
    #[doc(hidden)]
    pub claim: ClaimSql,
    #[doc(hidden)]
    pub release: Statement,
    #[doc(hidden)]
    pub give_back: Statement,
    #[doc(hidden)]
    pub take_over: Statement,
}

/// A claimed row: its key, and the lease under which it was claimed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LeasedRow {
    pub account: AccountId,
    pub id: Uuid,
    pub lease: Uuid,
}

impl LeasedRow {
    pub fn new<T: ?Sized + 'static>(account: AccountId, id: Id<T>, lease: Uuid) -> Self {
        Self { account, id: id.uuid(), lease }
    }
}

impl LeasedRows {
    /// Claims rows. `params` begin with `$5`.
    pub fn claim<L: LaneId, T>(
        &self,
        tx: &mut Tx<'_>,
        claim: &Claim<L>,
        rows_max: usize,
        params: &[&dyn Param],
        map: impl FnMut(&mut Row<'_>) -> Result<T>,
    ) -> Result<Vec<T>> {
        let rows_max = rows_max as i64;
        let shared: [&dyn Param; 4] = [&claim.now, &claim.leased_until, &claim.lease, &rows_max];
        self.claim.query(tx, &[&shared, params].concat(), map)
    }

    /// Makes a row due at a time. If its lease was lost, nothing changes.
    pub fn release(&self, tx: &mut Tx<'_>, row: LeasedRow, due_at: Timestamp) -> Result<()> {
        run(tx, self.release, row, due_at)
    }

    /// Makes a row due again whose job did not begin.
    pub fn give_back(&self, tx: &mut Tx<'_>, row: LeasedRow, now: Timestamp) -> Result<()> {
        run(tx, self.give_back, row, now)
    }

    /// Makes the rows due again that a dead server had claimed.
    pub fn take_over(&self, tx: &mut Tx<'_>, dead: LeaseRange, now: Timestamp) -> Result<()> {
        let _any_number_is_fine = tx.execute(self.take_over.1, &[&now, &dead.first, &dead.last])?;
        Ok(())
    }

    /// The statements that both databases understand.
    pub fn statements(&self) -> Vec<Statement> {
        let mut statements = vec![self.claim.statement(), self.release, self.take_over];
        statements.extend((self.give_back.1 != self.release.1).then_some(self.give_back));
        statements
    }

    /// The statement that only PostgreSQL understands.
    pub const fn postgres_statement(&self) -> Statement {
        self.claim.postgres_statement()
    }
}

fn run(tx: &mut Tx<'_>, (_, sql): Statement, row: LeasedRow, due_at: Timestamp) -> Result<()> {
    let _lost_lease_changes_nothing = tx.execute(sql, &[&row.account, &row.id, &row.lease, &due_at])?;
    Ok(())
}

/// The statements of a table whose rows are jobs. `where` is true of every row that is claimed or may be; name the
/// condition of a partial index there. `due` adds what a claim requires, with parameters from `$5` on. `claim` and
/// `give_back` change further columns.
///
/// ```
/// use frontdesk_jobs::{LeasedRows, leased_rows};
///
/// const ROWS: LeasedRows = leased_rows!("toys", table: "toys", key: "id", where: "state = 'new'",
///     due: ["box = $5"], claim: ", tries = tries + 1", give_back: ", tries = tries - 1", returning: "id");
/// let sql: Vec<&str> = ROWS.statements().iter().map(|(_, sql)| *sql).collect();
/// assert_eq!(sql, [
///     "UPDATE toys SET due_at = $2, lease = $3, tries = tries + 1 WHERE (account_id, id) IN (SELECT account_id, id \
///      FROM toys WHERE state = 'new' AND due_at <= $1 AND box = $5 ORDER BY due_at LIMIT $4) RETURNING id",
///     "UPDATE toys SET due_at = $4, lease = NULL WHERE account_id = $1 AND id = $2 AND lease = $3",
///     "UPDATE toys SET due_at = $1, lease = NULL WHERE state = 'new' AND lease >= $2 AND lease <= $3",
///     "UPDATE toys SET due_at = $4, lease = NULL, tries = tries - 1 WHERE account_id = $1 AND id = $2 AND lease = $3",
/// ]);
/// ```
#[macro_export]
macro_rules! leased_rows {
    (
        $name:literal, table: $table:literal, key: $key:literal, where: $where:literal, due: [$($due:tt)+],
        claim: $claim:literal, give_back: $give_back:literal, returning: $returning:literal $(,)?
    ) => {
        $crate::LeasedRows {
            claim: $crate::claim_sql!(
                concat!($name, "::CLAIM"),
                update: ["UPDATE ", $table, " SET due_at = $2, lease = $3", $claim],
                key: concat!("account_id, ", $key),
                from: ["FROM ", $table, " WHERE ", $where, " AND due_at <= $1 AND ", $($due)+, " ORDER BY due_at LIMIT $4"],
                returning: $returning,
            ),
            release: (
                concat!($name, "::RELEASE"),
                concat!("UPDATE ", $table, " SET due_at = $4, lease = NULL WHERE account_id = $1 AND ", $key, " = $2 AND lease = $3"),
            ),
            give_back: (
                concat!($name, "::GIVE_BACK"),
                concat!("UPDATE ", $table, " SET due_at = $4, lease = NULL", $give_back, " WHERE account_id = $1 AND ", $key, " = $2 AND lease = $3"),
            ),
            take_over: (
                concat!($name, "::TAKE_OVER"),
                concat!("UPDATE ", $table, " SET due_at = $1, lease = NULL WHERE ", $where, " AND lease >= $2 AND lease <= $3"),
            ),
        }
    };
}
