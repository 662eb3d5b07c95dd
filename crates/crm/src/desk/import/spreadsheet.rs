//! Reads the rows of a spreadsheet file (.xlsx), so that the dashboard can import them like those of a CSV file.
//!
//! A spreadsheet is a ZIP archive of XML, which may be small and expand to gigabytes. So the archive is decompressed once
//! into nothing and counted before anything is read from it, and cells are read one by one, up to the limits below. A
//! formula is never evaluated: its last result, which the file holds, is its value.

use std::io::{self, Cursor, Read};
use std::sync::LazyLock;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use calamine::{DataRef, ExcelDateTime, Reader, Xlsx};
use frontdesk_db as db;
use frontdesk_kernel::Text;
use frontdesk_kernel::ids::AccountId;
use frontdesk_platform::{Caller, FairSlots, store_failure};
use frontdesk_web::{Body, Data, Failure, Result as WebResult, input, resource};
use zip::ZipArchive;

use super::SLOT_WAIT_MAX;

/// Maximum size of a file. In base64 it fits into a request.
const FILE_BYTES_MAX: usize = 700 << 10;
/// Maximum size of a request. A larger file is refused with its own message.
const CONTENT_CHARS_MAX: usize = 1 << 20;
/// Maximum size of everything in a file when it is decompressed.
const EXPANDED_BYTES_MAX: u64 = 32 << 20;
/// Maximum files in the archive. A spreadsheet has about twenty.
const ENTRIES_MAX: usize = 1_000;
const ROWS_MAX: usize = 20_000;
const COLUMNS_MAX: usize = 200;
/// Maximum size of all texts of the rows.
const TEXT_BYTES_MAX: usize = 8 << 20;
/// Maximum characters of a cell. The rest is cut off: no field takes as many.
const CELL_CHARS_MAX: usize = 2_000;
/// Maximum spreadsheets that are read at a time: of all accounts, and of one.
const FILES_MAX: usize = 2;
const ACCOUNT_FILES_MAX: usize = 1;

static SLOTS: LazyLock<FairSlots<AccountId>> = LazyLock::new(|| FairSlots::new(FILES_MAX, ACCOUNT_FILES_MAX));

input! {
    /// A spreadsheet file.
    pub struct SpreadsheetFile {
        /// The file in base64. The file has at most 700 KiB.
        pub content: Text<CONTENT_CHARS_MAX>,
    }
}

resource! {
    /// The first sheet of a spreadsheet.
    pub struct Spreadsheet {
        pub sheet: String,
        /// The rows that have any content, in their order.
        pub rows: Vec<SpreadsheetRow>,
    }
}

resource! {
    /// A row of a sheet.
    pub struct SpreadsheetRow {
        /// Counted from 1.
        pub line: i64,
        /// Its cells as text: dates as `2026-01-31`, the last results of formulas, and nothing for errors.
        pub cells: Vec<String>,
    }
}

/// Why a spreadsheet cannot be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
enum Unreadable {
    #[error("This file is not a spreadsheet. Save it as .xlsx or as CSV, and choose it again.")]
    NotASpreadsheet,
    #[error(
        "This spreadsheet is too large. Save it as CSV, or split it into files of up to {ROWS_MAX} rows."
    )]
    TooLarge,
    #[error("This spreadsheet has more than {COLUMNS_MAX} columns. Delete those that are not needed.")]
    TooManyColumns,
    #[error("This spreadsheet is damaged. Open and save it again, or save it as CSV.")]
    Damaged,
}

impl From<Unreadable> for Failure {
    fn from(error: Unreadable) -> Self {
        let reason = match error {
            Unreadable::NotASpreadsheet => "not_a_spreadsheet",
            Unreadable::TooLarge | Unreadable::TooManyColumns => "too_large",
            Unreadable::Damaged => "damaged",
        };
        Self::unprocessable(reason, error.to_string())
    }
}

pub(in crate::desk) async fn read(
    caller: Caller,
    Body(file): Body<SpreadsheetFile>,
) -> WebResult<Data<Spreadsheet>> {
    let slot = tokio::time::timeout(SLOT_WAIT_MAX, SLOTS.take(caller.by.account)).await;
    let slot = slot.map_err(|_| store_failure(&db::Error::Busy))?;
    // A thread of its own: other requests do not wait for it. The slot ends with the work, not with the request.
    let work = tokio::task::spawn_blocking(move || {
        let _turn = slot;
        rows_of(&decoded(file.content.as_str())?)
    });
    let read = work.await.map_err(|_| Failure::internal())?;
    Ok(Data(read?))
}

fn decoded(content: &str) -> Result<Vec<u8>, Unreadable> {
    let bytes = STANDARD.decode(content).map_err(|_| Unreadable::NotASpreadsheet)?;
    if bytes.len() > FILE_BYTES_MAX { Err(Unreadable::TooLarge) } else { Ok(bytes) }
}

/// The rows of the first sheet.
fn rows_of(file: &[u8]) -> Result<Spreadsheet, Unreadable> {
    check_size(file)?;
    let mut book: Xlsx<_> = Xlsx::new(Cursor::new(file)).map_err(|_| Unreadable::NotASpreadsheet)?;
    let sheet = book.sheet_names().first().cloned().ok_or(Unreadable::NotASpreadsheet)?;
    let mut cells = book.worksheet_cells_reader(&sheet).map_err(|_| Unreadable::Damaged)?;
    let mut rows: Vec<SpreadsheetRow> = Vec::new();
    let mut left = TEXT_BYTES_MAX;
    while let Some(cell) = cells.next_cell().map_err(|_| Unreadable::Damaged)? {
        let text = text_of(cell.get_value());
        if text.trim().is_empty() {
            continue;
        }
        let (row, column) = cell.get_position();
        let (line, column) = (i64::from(row) + 1, column as usize);
        if column >= COLUMNS_MAX {
            return Err(Unreadable::TooManyColumns);
        }
        // An empty cell of the row costs a few bytes too.
        left = left.checked_sub(text.len() + 1).ok_or(Unreadable::TooLarge)?;
        if rows.last().is_none_or(|last| last.line != line) {
            if rows.len() == ROWS_MAX {
                return Err(Unreadable::TooLarge);
            }
            rows.push(SpreadsheetRow { line, cells: Vec::new() });
        }
        if let Some(row) = rows.last_mut() {
            if row.cells.len() <= column {
                row.cells.resize(column + 1, String::new());
            }
            row.cells[column] = text;
        }
    }
    Ok(Spreadsheet { sheet, rows })
}

/// Decompresses everything into nothing, and counts. What the archive says of its sizes is not trusted.
fn check_size(file: &[u8]) -> Result<(), Unreadable> {
    let mut archive = ZipArchive::new(Cursor::new(file)).map_err(|_| Unreadable::NotASpreadsheet)?;
    if archive.len() > ENTRIES_MAX {
        return Err(Unreadable::TooLarge);
    }
    let mut left = EXPANDED_BYTES_MAX;
    for at in 0..archive.len() {
        let entry = archive.by_index(at).map_err(|_| Unreadable::NotASpreadsheet)?;
        let size = io::copy(&mut entry.take(left + 1), &mut io::sink()).map_err(|_| Unreadable::Damaged)?;
        left = left.checked_sub(size).ok_or(Unreadable::TooLarge)?;
    }
    Ok(())
}

fn text_of(value: &DataRef<'_>) -> String {
    let text = match value {
        DataRef::Int(number) => number.to_string(),
        // A phone number in a cell of numbers: without a fraction and without an exponent.
        DataRef::Float(number) => format!("{number}"),
        DataRef::String(text) | DataRef::DateTimeIso(text) | DataRef::DurationIso(text) => text.clone(),
        DataRef::SharedString(text) => (*text).to_owned(),
        DataRef::Bool(is) => is.to_string(),
        DataRef::DateTime(moment) => moment_text(moment),
        DataRef::Error(_) | DataRef::Empty => String::new(),
    };
    match text.char_indices().nth(CELL_CHARS_MAX) {
        Some((end, _)) => text[..end].to_owned(),
        None => text,
    }
}

fn moment_text(moment: &ExcelDateTime) -> String {
    if !moment.is_datetime() || !(0.0..3_000_000.0).contains(&moment.as_f64()) {
        return moment.as_f64().to_string();
    }
    let (year, month, day, hour, minute, second, _) = moment.to_ymd_hms_milli();
    match (hour, minute, second) {
        (0, 0, 0) => format!("{year:04}-{month:02}-{day:02}"),
        _ => format!("{year:04}-{month:02}-{day:02} {hour:02}:{minute:02}:{second:02}"),
    }
}

#[cfg(test)]
mod fuzzed;

#[cfg(test)]
mod tests {
    use std::io::Write;

    use zip::ZipWriter;
    use zip::write::SimpleFileOptions;

    use super::*;

    const TYPES: &str = r#"<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" ContentType="application/xml"/><Override PartName="/xl/workbook.xml" ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.sheet.main+xml"/><Override PartName="/xl/worksheets/sheet1.xml" ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.worksheet+xml"/></Types>"#;
    const RELATIONS: &str = r#"<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="rId1" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument" Target="xl/workbook.xml"/></Relationships>"#;
    const WORKBOOK: &str = r#"<workbook xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main" xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships"><sheets><sheet name="People" sheetId="1" r:id="rId1"/></sheets></workbook>"#;
    const BOOK_RELATIONS: &str = r#"<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="rId1" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/worksheet" Target="worksheets/sheet1.xml"/><Relationship Id="rId2" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/styles" Target="styles.xml"/></Relationships>"#;
    /// The second format is a date.
    const STYLES: &str = r#"<styleSheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><cellXfs count="2"><xf numFmtId="0"/><xf numFmtId="14"/></cellXfs></styleSheet>"#;

    pub(super) fn archive(files: &[(&str, &[u8])]) -> Vec<u8> {
        let mut writer = ZipWriter::new(Cursor::new(Vec::new()));
        for (name, content) in files {
            writer.start_file(*name, SimpleFileOptions::default()).unwrap();
            writer.write_all(content).unwrap();
        }
        writer.finish().unwrap().into_inner()
    }

    /// A spreadsheet with this content of its only sheet.
    pub(super) fn book(rows: &str) -> Vec<u8> {
        let sheet = format!(
            r#"<worksheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><sheetData>{rows}</sheetData></worksheet>"#
        );
        archive(&[
            ("[Content_Types].xml", TYPES.as_bytes()),
            ("_rels/.rels", RELATIONS.as_bytes()),
            ("xl/workbook.xml", WORKBOOK.as_bytes()),
            ("xl/_rels/workbook.xml.rels", BOOK_RELATIONS.as_bytes()),
            ("xl/styles.xml", STYLES.as_bytes()),
            ("xl/worksheets/sheet1.xml", sheet.as_bytes()),
        ])
    }

    fn cells(rows: &str) -> Vec<(i64, Vec<String>)> {
        let read = rows_of(&book(rows)).unwrap();
        assert_eq!(read.sheet, "People");
        read.rows.into_iter().map(|row| (row.line, row.cells)).collect()
    }

    #[test]
    fn cells_become_the_text_that_a_person_sees() {
        let found = cells(
            r#"<row r="1"><c r="A1" t="inlineStr"><is><t>Jürgen</t></is></c><c r="C1"><v>1510000482</v></c></row>
               <row r="3"><c r="A3" s="1"><v>46053</v></c><c r="B3" t="b"><v>1</v></c><c r="C3" t="e"><v>#N/A</v></c><c r="D3"><v>12.5</v></c></row>
               <row r="4"><c r="A4"/></row>"#,
        );
        let texts = |cells: &[&str]| cells.iter().map(|cell| (*cell).to_owned()).collect::<Vec<_>>();
        assert_eq!(
            found,
            [(1, texts(&["Jürgen", "", "1510000482"])), (3, texts(&["2026-01-31", "true", "", "12.5"]))]
        );
    }

    #[test]
    fn a_formula_is_its_last_result_and_is_never_evaluated() {
        let found = cells(
            r#"<row r="1"><c r="A1"><f>1+1</f><v>2</v></c><c r="B1" t="str"><f>HYPERLINK("http://x.test")</f><v>x</v></c></row>
               <row r="2"><c r="A2"><f>CMD()</f></c></row>"#,
        );
        assert_eq!(found, [(1, vec!["2".to_owned(), "x".to_owned()])]);
    }

    #[test]
    fn an_archive_that_expands_hugely_is_refused_before_it_is_read() {
        let bomb = vec![b' '; EXPANDED_BYTES_MAX as usize + 1];
        let file = archive(&[("xl/sharedStrings.xml", &bomb)]);
        assert!(file.len() < FILE_BYTES_MAX, "{} bytes", file.len());
        assert_eq!(rows_of(&file).unwrap_err(), Unreadable::TooLarge);
        let half = &bomb[..=bomb.len() / 2];
        assert_eq!(rows_of(&archive(&[("a", half), ("b", half)])).unwrap_err(), Unreadable::TooLarge);
    }

    #[test]
    fn a_sheet_is_read_up_to_its_limits() {
        // The last cell that a sheet can have is a row of its own, not a million empty ones.
        let last = r#"<row r="1048576"><c r="A1048576"><v>1</v></c></row>"#;
        assert_eq!(cells(last), [(1_048_576, vec!["1".to_owned()])]);
        let wide = r#"<row r="1"><c r="XFD1"><v>1</v></c></row>"#;
        assert_eq!(rows_of(&book(wide)).unwrap_err(), Unreadable::TooManyColumns);
        let many = "<row><c><v>1</v></c></row>".repeat(ROWS_MAX + 1);
        assert_eq!(rows_of(&book(&many)).unwrap_err(), Unreadable::TooLarge);
        let long = "x".repeat(CELL_CHARS_MAX * 2);
        let huge = format!(r#"<row r="1"><c r="A1" t="inlineStr"><is><t>{long}</t></is></c></row>"#);
        assert_eq!(cells(&huge)[0].1[0].len(), CELL_CHARS_MAX);
    }

    #[test]
    fn another_file_is_refused() {
        for (file, wrong) in [
            (b"%PDF-1.7 \0\x01".to_vec(), Unreadable::NotASpreadsheet),
            (b"name,phone\nAnn,1".to_vec(), Unreadable::NotASpreadsheet),
            (Vec::new(), Unreadable::NotASpreadsheet),
            (archive(&[("word/document.xml", b"<x/>")]), Unreadable::NotASpreadsheet),
            (book("<row><c><v>1</v></c>")[..600].to_vec(), Unreadable::NotASpreadsheet),
        ] {
            assert_eq!(rows_of(&file).unwrap_err(), wrong);
        }
        assert_eq!(decoded("no base64!").unwrap_err(), Unreadable::NotASpreadsheet);
        assert_eq!(decoded(&STANDARD.encode(vec![0; FILE_BYTES_MAX + 1])).unwrap_err(), Unreadable::TooLarge);
    }
}
