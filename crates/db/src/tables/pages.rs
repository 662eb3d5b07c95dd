//! Walks over a table in pages of about the same size in bytes.

use crate::error::Result;
use crate::tables::{Snapshot, StoredRow, StoredValue, TableSchema};

/// About how many bytes of rows are read at a time, and how many rows at most.
const PAGE_BYTES: usize = 1 << 20;
const PAGE_ROWS_MAX: usize = 2_000;
const PAGE_ROWS_FIRST: usize = 16;
/// A page has at most this many times the rows of the one before, because rows differ in size.
const PAGE_GROWTH_MAX: usize = 4;

pub struct Pages {
    rows_max: usize,
    last: Option<StoredRow>,
}

impl Pages {
    /// Begins after a row, of which only the key is read, or at the beginning.
    pub fn after(last: Option<StoredRow>) -> Self {
        Self { rows_max: PAGE_ROWS_FIRST, last }
    }

    /// The next page; none at the end.
    pub fn next(&mut self, snapshot: &mut Snapshot, table: &TableSchema) -> Result<Option<Vec<StoredRow>>> {
        let page = snapshot.page(table, self.last.as_ref(), self.rows_max)?;
        let Some(last) = page.last() else { return Ok(None) };
        let bytes: usize = page.iter().flatten().map(StoredValue::size).sum();
        let fitting = PAGE_BYTES / (bytes / page.len()).max(1);
        self.rows_max = fitting.min(self.rows_max * PAGE_GROWTH_MAX).clamp(1, PAGE_ROWS_MAX);
        self.last = Some(last.clone());
        Ok(Some(page))
    }
}
