//! Which rows of another system have become which rows of an account, so that a second import brings only what is new.
//!
//! An import writes its entries in the transaction that writes the rows, so a killed import goes on where it was. An entry
//! outlives its row: what was deleted here is not brought again.

use frontdesk_db::{self as db, ReadTx, Tx, only};
use frontdesk_kernel::ids::AccountId;
use uuid::Uuid;

frontdesk_db::statements! {
    FIND = "SELECT id FROM imported_rows WHERE account_id = $1 AND source = $2 AND kind = $3 AND source_id = $4";
    NOTE = "INSERT INTO imported_rows (account_id, source, kind, source_id, id) VALUES ($1, $2, $3, $4, $5)";
    OF_KIND = "SELECT source_id, id FROM imported_rows WHERE account_id = $1 AND source = $2 AND kind = $3 AND source_id > $4 ORDER BY source_id LIMIT $5";
    COUNT = "SELECT count(*) FROM imported_rows WHERE account_id = $1 AND source = $2 AND kind = $3";
}

/// The rows of one kind that an account of another system has.
#[derive(Clone, Debug)]
pub struct ImportedKind {
    pub account: AccountId,
    /// Names the system, and the account there.
    pub source: String,
    pub kind: &'static str,
}

impl ImportedKind {
    /// What a row has become, if it was brought.
    pub fn find(&self, tx: &mut ReadTx<'_>, source_id: i64) -> db::Result<Option<Uuid>> {
        tx.find(FIND, &[&self.account, &self.source, &self.kind, &source_id], only)
    }

    /// The same for many rows, in their order.
    pub fn find_all(&self, tx: &mut ReadTx<'_>, source_ids: &[i64]) -> db::Result<Vec<Option<Uuid>>> {
        let rows: Vec<[&dyn db::Param; 4]> = source_ids
            .iter()
            .map(|id| [&self.account as &dyn db::Param, &self.source, &self.kind, id])
            .collect();
        tx.find_each(FIND, &rows, only)
    }

    /// Stores what a row has become.
    pub fn note(&self, tx: &mut Tx<'_>, source_id: i64, id: Uuid) -> db::Result<()> {
        tx.execute(NOTE, &[&self.account, &self.source, &self.kind, &source_id, &id])?.exactly(1)
    }

    /// The same for many rows.
    pub fn note_all(&self, tx: &mut Tx<'_>, made: &[(i64, Uuid)]) -> db::Result<()> {
        let rows: Vec<[&dyn db::Param; 5]> = made
            .iter()
            .map(|(source_id, id)| [&self.account as &dyn db::Param, &self.source, &self.kind, source_id, id])
            .collect();
        if rows.is_empty() { Ok(()) } else { tx.insert_each(NOTE, &rows) }
    }

    /// Some rows in the order of their numbers, after a number.
    pub fn page(&self, tx: &mut ReadTx<'_>, after: i64, rows_max: i64) -> db::Result<Vec<(i64, Uuid)>> {
        let params: &[&dyn db::Param] = &[&self.account, &self.source, &self.kind, &after, &rows_max];
        tx.query(OF_KIND, params, |row| Ok((row.next()?, row.next()?)))
    }

    /// How many rows were brought.
    pub fn count(&self, tx: &mut ReadTx<'_>) -> db::Result<i64> {
        Ok(tx.find(COUNT, &[&self.account, &self.source, &self.kind], only)?.unwrap_or(0))
    }
}
