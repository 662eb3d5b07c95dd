//! Reads a file in batches, and writes each.

use frontdesk_db::Store;
use frontdesk_kernel::Country;
use frontdesk_kernel::ids::AccountId;
use frontdesk_platform::By;
use serde::Serialize;
use sha2::{Digest, Sha256};

use super::mapping::Mapping;
use super::reader::CsvRow;

/// How many refused rows are named.
const REFUSED_MAX: usize = 100;

/// A row that was refused, or a value of it that was left out.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(crate) struct Refused {
    pub(crate) line: i64,
    pub(crate) field: String,
    pub(crate) reason: String,
    pub(crate) value: Option<String>,
}

impl Refused {
    pub(super) fn new(line: i64, field: &str, reason: impl Into<String>, value: Option<&str>) -> Self {
        Self { line, field: field.to_owned(), reason: reason.into(), value: value.map(ToOwned::to_owned) }
    }

    /// The field and the reason as a sentence.
    fn in_words(&self) -> String {
        format!("{} {}", self.field, self.reason).trim().to_owned()
    }
}

/// A row that was refused, as the file has it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct RefusedRow {
    pub(crate) cells: Vec<String>,
    /// All that is wrong with it.
    pub(crate) why: String,
}

/// What became of a file.
#[derive(Clone, Debug, Default, Serialize)]
pub(crate) struct Summary {
    pub(crate) created: u64,
    pub(crate) updated: u64,
    pub(crate) unchanged: u64,
    pub(crate) refused: u64,
    /// The first refused rows.
    pub(crate) refused_rows: Vec<Refused>,
    /// All refused rows of one batch, which are not added up.
    #[serde(skip)]
    pub(crate) refused_of_batch: Vec<RefusedRow>,
    /// Values that were left out of rows that were brought.
    pub(crate) warnings: u64,
    pub(crate) warned_rows: Vec<Refused>,
}

impl Summary {
    /// Counts a row that was refused, with all that is wrong with it.
    pub(super) fn refuse(&mut self, row: &CsvRow, refused: Vec<Refused>) {
        self.refused += 1;
        let why = refused.iter().map(Refused::in_words).collect::<Vec<_>>().join("; ");
        self.refused_of_batch.push(RefusedRow { cells: row.cells.clone(), why });
        self.refused_rows.extend(refused);
        self.refused_rows.truncate(REFUSED_MAX);
    }

    pub(super) fn warn(&mut self, warned: Refused) {
        self.warnings += 1;
        if self.warned_rows.len() < REFUSED_MAX {
            self.warned_rows.push(warned);
        }
    }

    pub(crate) fn add(&mut self, other: Self) {
        self.created += other.created;
        self.updated += other.updated;
        self.unchanged += other.unchanged;
        self.refused += other.refused;
        self.warnings += other.warnings;
        self.refused_rows.extend(other.refused_rows);
        self.refused_rows.truncate(REFUSED_MAX);
        self.warned_rows.extend(other.warned_rows);
        self.warned_rows.truncate(REFUSED_MAX);
    }
}

/// An import of a file into an account.
#[derive(Clone)]
pub(crate) struct Import {
    pub(crate) store: Store,
    pub(crate) account: AccountId,
    /// Who writes, now: silent unless the caller has chosen events.
    pub(crate) by: By,
    pub(crate) mapping: Mapping,
    pub(crate) targets: Vec<Option<String>>,
    pub(crate) country: Option<Country>,
    pub(crate) dry_run: bool,
}

impl Import {
    /// The cells of a row that have a target and a content.
    pub(super) fn cells<'r>(&'r self, row: &'r CsvRow) -> impl Iterator<Item = (&'r str, &'r str)> {
        let cells = self.targets.iter().zip(&row.cells);
        let cells = cells.filter_map(|(target, cell)| Some((target.as_deref()?, cell.trim())));
        cells.filter(|(_, cell)| !cell.is_empty())
    }

    pub(super) fn cell<'r>(&'r self, row: &'r CsvRow, target: &str) -> Option<&'r str> {
        self.cells(row).find(|(known, _)| *known == target).map(|(_, cell)| cell)
    }

    /// A number by which a row is known when the file is brought again: made from its id, or from all that it says.
    pub(super) fn number_of(&self, row: &CsvRow) -> i64 {
        let mut hash = Sha256::new();
        match self.cell(row, "id") {
            Some(id) => hash.update(format!("id {id}")),
            None => {
                for (target, cell) in self.cells(row) {
                    hash.update(format!("{target}\0{cell}\0"));
                }
            }
        }
        hash.finalize().iter().take(8).fold(0_i64, |sum, byte| (sum << 8) | i64::from(*byte))
    }
}
