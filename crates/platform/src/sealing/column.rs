//! Columns with sealed values.

use frontdesk_kernel::ids::AccountId;
use uuid::Uuid;

/// The id of a row within its account.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RowId {
    Uuid,
    Text,
}

/// A column with sealed values. Declared with [`sealed_column!`](crate::sealed_column); sealing, opening and
/// rotation all use this declaration.
#[derive(Clone, Copy, Debug)]
pub struct SealedColumn {
    pub table: &'static str,
    pub column: &'static str,
    /// The name that values are bound to. Columns between which SQL copies values share one.
    pub bound_as: &'static str,
    pub row_id: RowId,
    /// Rows whose value is not like `$1`, after account `$2` and row `$3`, at most `$4`.
    pub stale: &'static str,
    /// Replaces `$3` by `$4` in a row.
    pub replace: &'static str,
}

impl SealedColumn {
    /// The place of a row's value.
    pub fn at<'a>(&self, account: AccountId, row: impl Into<std::borrow::Cow<'a, str>>) -> SealedCell<'a> {
        SealedCell { table: self.table, column: self.bound_as, account: account.uuid(), row: row.into() }
    }

    /// Its statements, by name.
    pub fn statements(&self) -> [(&'static str, &'static str); 2] {
        [("sealed::STALE", self.stale), ("sealed::REPLACE", self.replace)]
    }
}

/// Declares a [`SealedColumn`]: `sealed_column!("table", "row id", "column", Uuid)`. `bound_as` names another
/// column whose values it may hold; `only` restricts which rows are sealed.
#[macro_export]
macro_rules! sealed_column {
    ($table:literal, $id:literal, $column:literal, $kind:ident) => {
        $crate::sealed_column!($table, $id, $column, $kind, bound_as $column, only "")
    };
    ($table:literal, $id:literal, $column:literal, $kind:ident, bound_as $bound_as:literal, only $only:literal) => {
        $crate::sealing::SealedColumn {
            table: $table,
            column: $column,
            bound_as: $bound_as,
            row_id: $crate::sealing::RowId::$kind,
            stale: concat!(
                "SELECT account_id, ", $id, ", ", $column, " FROM ", $table, " WHERE ", $column, " NOT LIKE $1",
                $only, " AND (account_id, ", $id, ") > ($2, $3) ORDER BY account_id, ", $id, " LIMIT $4"
            ),
            replace: concat!(
                "UPDATE ", $table, " SET ", $column, " = $4 WHERE account_id = $1 AND ", $id, " = $2 AND ", $column,
                " = $3"
            ),
        }
    };
}

pub(crate) use sealed_column;

/// The place of one sealed value.
#[derive(Clone, Debug)]
pub struct SealedCell<'a> {
    table: &'static str,
    column: &'static str,
    account: Uuid,
    row: std::borrow::Cow<'a, str>,
}

impl<'a> SealedCell<'a> {
    /// The place of a setting of the installation, which belongs to no account.
    pub fn setting(name: &'a str) -> Self {
        Self { table: "settings", column: "value", account: Uuid::nil(), row: name.into() }
    }

    /// A place outside the database, such as within a token that is about one thing.
    pub fn outside(purpose: &'static str, about: Uuid) -> Self {
        Self { table: purpose, column: "", account: Uuid::nil(), row: about.to_string().into() }
    }

    /// The place as bytes. Each part is preceded by its length, so no two places have the same bytes.
    pub(super) fn associated_data(&self) -> Vec<u8> {
        let parts =
            [self.table.as_bytes(), self.column.as_bytes(), self.account.as_bytes(), self.row.as_bytes()];
        parts
            .iter()
            .flat_map(|part| (part.len() as u64).to_be_bytes().into_iter().chain(part.iter().copied()))
            .collect()
    }
}
