//! Rows that are exported as they are stored, column by column.

use frontdesk_db::{self as db, Row};
use frontdesk_kernel::ids::AccountId;

/// Makes a line of a row, whose key has been read already.
pub type ReadLine = fn(&mut Row<'_>, AccountId) -> db::Result<String>;

/// Columns of a table called `t`, and how a row of them becomes a line.
#[derive(Clone, Copy)]
pub struct Columns {
    pub sql: &'static str,
    pub line: ReadLine,
}

/// Columns with their types, which become fields of the same names.
#[macro_export]
macro_rules! export_columns {
    ($first:literal: $type:ty $(, $name:literal: $next:ty)* $(,)?) => {
        $crate::export::Columns {
            sql: concat!("t.", $first $(, ", t.", $name)*),
            line: |row, _| {
                let fields = $crate::export::LineFields::default().with($first, &row.next::<$type>()?)?;
                $(let fields = fields.with($name, &row.next::<$next>()?)?;)*
                Ok(fields.finish())
            },
        }
    };
}

pub(crate) use export_columns;
