//! Imports contacts from a file that the dashboard has parsed. Each row creates a contact, updates one, or is
//! rejected with its errors. A value that cannot be taken is left out with a warning, and its row is kept.
//!
//! The rows are written in parts, each in a small transaction, so that an import does not block other writes. After a
//! crash the rows of earlier parts are stored; importing the batch again finds their contacts. A dry run only reads, and
//! reports what the import would do.

mod preview;
mod row;
mod run;
mod spreadsheet;
mod value;

use std::sync::LazyLock;
use std::time::Duration;

use frontdesk_db::{self as db, ReadTx, Tx};
use frontdesk_kernel::ids::AccountId;
use frontdesk_kernel::{Country, Patch};
use frontdesk_platform::{By, Caller, Error as PlatformError, FairSlots, accounts, store_failure};
use frontdesk_web::{Body, Data, Items, Result as WebResult, choice, input, resource};
use serde_json::Value;

use crate::contacts::{ContactError, ContactId};
use row::{ImportRow, Reading, WantedContact};

pub(super) use spreadsheet::read as read_spreadsheet;
pub use spreadsheet::{Spreadsheet, SpreadsheetFile, SpreadsheetRow};
pub(crate) use value::{means_nothing, normalized};

/// Rows of one batch.
const ROWS_MAX: usize = 500;
/// Maximum characters of a value in a response.
const VALUE_CHARS_MAX: usize = 200;
/// Maximum work of one transaction, in the units of [`ImportRow::work`].
const PART_WORK_MAX: usize = 250;
/// Maximum imports at a time: of all accounts, and of one. The others wait, and are refused after `SLOT_WAIT_MAX`.
const IMPORTS_MAX: usize = 8;
const ACCOUNT_IMPORTS_MAX: usize = 1;
const SLOT_WAIT_MAX: Duration = Duration::from_secs(10);

static SLOTS: LazyLock<FairSlots<AccountId>> =
    LazyLock::new(|| FairSlots::new(IMPORTS_MAX, ACCOUNT_IMPORTS_MAX));

choice! {
    /// The field that finds the contact to update. The other one finds it for a row without this one.
    pub enum MatchBy {
        Phone => "phone",
        Email => "email",
    }
}

choice! {
    /// What came of a row.
    pub enum ImportOutcome {
        Created => "created",
        Updated => "updated",
        Unchanged => "unchanged",
        Rejected => "rejected",
    }
}

input! {
    /// Rows to import.
    pub struct ImportBatch {
        /// Whether to report only, and write nothing.
        pub dry_run: bool,
        pub match_by: MatchBy,
        /// False leaves a contact that a row matches as it is.
        pub update_existing: bool,
        /// The country of numbers without a country code, such as `DE`. Left out, it is the account's; null for none.
        pub country: Patch<Country>,
        /// Each with its `line`, the fields of a contact, and at most 100 `tags` by name; a tag that does not exist is created.
        pub rows: Items<Value, ROWS_MAX>,
    }
}

resource! {
    /// What came of a batch.
    pub struct Imported {
        pub results: Vec<ImportResult>,
    }
}

resource! {
    /// What came of a row.
    pub struct ImportResult {
        /// The line in the file, as it was sent.
        pub line: i64,
        pub outcome: ImportOutcome,
        /// Null for a rejected row, and in a dry run for a contact that does not exist yet.
        pub contact_id: Option<ContactId>,
        /// Why it was rejected.
        pub errors: Vec<ImportError>,
        /// What of it was left out.
        pub warnings: Vec<ImportError>,
    }
}

resource! {
    /// A field, and what is wrong with it.
    pub struct ImportError {
        pub path: String,
        pub message: String,
        /// The value as it was sent, cut after 200 characters; null where it is not a single value.
        pub value: Option<String>,
    }
}

impl ImportError {
    fn new(path: &str, message: &str, value: Option<&Value>) -> Self {
        let value = value.and_then(Value::as_str).map(|text| text.chars().take(VALUE_CHARS_MAX).collect());
        Self { path: path.to_owned(), message: message.to_owned(), value }
    }
}

/// Why a row is rejected whose phone number another contact has.
fn phone_taken(wanted: &WantedContact) -> Vec<ImportError> {
    let phone = wanted.new.phone.as_ref().map(|phone| Value::from(phone.as_str()));
    vec![ImportError::new("phone", "belongs to another contact", phone.as_ref())]
}

/// Why a row is rejected once the plan's limit is reached.
fn at_limit() -> Vec<ImportError> {
    row::error("", "is not imported: the account has reached its plan's limit of contacts")
}

impl ImportResult {
    /// A row that was taken, with what was left out of it when it was read and then.
    fn imported(
        row: &ImportRow,
        outcome: ImportOutcome,
        contact_id: Option<ContactId>,
        left_out: Vec<ImportError>,
    ) -> Self {
        let warnings = row.warnings.iter().cloned().chain(left_out).collect();
        Self { line: row.line, outcome, contact_id, errors: Vec::new(), warnings }
    }

    fn rejected(row: &ImportRow, errors: Vec<ImportError>) -> Self {
        let warnings = row.warnings.clone();
        Self { line: row.line, outcome: ImportOutcome::Rejected, contact_id: None, errors, warnings }
    }
}

pub(super) async fn import(caller: Caller, Body(batch): Body<ImportBatch>) -> WebResult<Data<Imported>> {
    let ImportBatch { dry_run, match_by, update_existing, country, rows } = batch;
    let country = match country {
        Patch::Set(country) => Some(country),
        Patch::Clear => None,
        Patch::Keep => {
            let account =
                caller.read(|tx, by| accounts::country(tx, by.account).map_err(PlatformError::from));
            account.await?
        }
    };
    let reading = Reading { match_by, country };
    let rows: Vec<ImportRow> =
        rows.0.iter().enumerate().map(|(at, row)| ImportRow::read(at, row, reading)).collect();
    if dry_run {
        let looked = caller.scan(move |tx, by| preview::preview(tx, by, &rows, update_existing));
        return Ok(Data(Imported { results: looked.await? }));
    }
    let slot = tokio::time::timeout(SLOT_WAIT_MAX, SLOTS.take(caller.by.account)).await;
    let _turn = slot.map_err(|_| store_failure(&db::Error::Busy))?;
    let mut results = Vec::new();
    for rows in parts(rows) {
        let by = caller.by_now();
        let written = caller.store().write(move |tx| run::run(tx, &by, &rows, update_existing));
        results.extend(written.await?);
    }
    // A retry after a lost response finds the contacts that were imported, so only the response is stored here.
    caller.write(move |_, _| Ok::<_, ContactError>(Imported { results: results.clone() })).await.map(Data)
}

/// Rows to import, as [`ImportBatch`] describes them, for a caller that splits them itself.
#[derive(Clone, Debug)]
pub struct ImportRows {
    pub rows: Vec<Value>,
    pub match_by: MatchBy,
    pub update_existing: bool,
    /// The country of numbers without a country code.
    pub country: Option<Country>,
}

impl ImportRows {
    fn read(&self) -> Vec<ImportRow> {
        let reading = Reading { match_by: self.match_by, country: self.country };
        self.rows.iter().enumerate().map(|(at, row)| ImportRow::read(at, row, reading)).collect()
    }
}

/// Writes rows in one transaction.
pub fn write_rows(tx: &mut Tx<'_>, by: &By, rows: &ImportRows) -> Result<Vec<ImportResult>, ContactError> {
    run::run(tx, by, &rows.read(), rows.update_existing)
}

/// Tells what would become of rows.
pub fn preview_rows(
    tx: &mut ReadTx<'_>,
    by: &By,
    rows: &ImportRows,
) -> Result<Vec<ImportResult>, ContactError> {
    preview::preview(tx, by, &rows.read(), rows.update_existing)
}

/// Splits rows into the parts that a transaction writes. A row that alone is too much is a part of its own.
fn parts(rows: Vec<ImportRow>) -> Vec<Vec<ImportRow>> {
    let (mut parts, mut left) = (Vec::new(), 0);
    for row in rows {
        let work = row.work();
        match parts.last_mut() {
            Some(part) if work <= left => {
                left -= work;
                Vec::push(part, row);
            }
            _ => {
                left = PART_WORK_MAX.saturating_sub(work);
                parts.push(vec![row]);
            }
        }
    }
    parts
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_part_is_bounded_by_work_and_not_only_by_rows() {
        let row = |tags: usize| {
            let tags: Vec<String> = (0..tags).map(|n| format!("tag {n}")).collect();
            let reading = Reading { match_by: MatchBy::Phone, country: None };
            ImportRow::read(0, &json!({ "phone": "+14155550123", "tags": tags }), reading)
        };
        let sizes = |rows: Vec<ImportRow>| parts(rows).iter().map(Vec::len).collect::<Vec<_>>();
        assert_eq!(sizes((0..=PART_WORK_MAX).map(|_| row(0)).collect()), [PART_WORK_MAX, 1]);
        assert_eq!(sizes((0..5).map(|_| row(99)).collect()), [2, 2, 1]);
        assert_eq!(sizes(Vec::new()), [0; 0]);
    }
}
