//! Spreadsheets that nobody wrote: odd sheets in a sound archive, and odd archives.

use std::panic::{catch_unwind, resume_unwind};

use frontdesk_fuzz::Target;

use super::tests::{archive, book};
use super::{CELL_CHARS_MAX, COLUMNS_MAX, ROWS_MAX, Spreadsheet, Unreadable, rows_of};

/// What came of a file. What is read keeps the limits.
fn outcome(read: &Result<Spreadsheet, Unreadable>) -> (Option<String>, usize) {
    match read {
        Ok(sheet) => {
            assert!(sheet.rows.len() <= ROWS_MAX);
            for row in &sheet.rows {
                assert!(row.line > 0 && row.cells.len() <= COLUMNS_MAX, "{row:?}");
                assert!(row.cells.iter().all(|cell| cell.chars().count() <= CELL_CHARS_MAX));
            }
            (None, sheet.rows.len().min(5))
        }
        Err(error) => (Some(format!("{error:?}")), 0),
    }
}

/// Reads a file. The library counts rows and columns without checks: a build that checks numbers panics, and the request
/// fails; another build goes on with a wrong number, and refuses or reads the sheet.
fn read(file: &[u8]) -> Result<Spreadsheet, Unreadable> {
    catch_unwind(|| rows_of(file)).unwrap_or_else(|panicked| {
        let text = panicked.downcast_ref::<&str>().copied().unwrap_or_default();
        if text.ends_with("with overflow") { Err(Unreadable::Damaged) } else { resume_unwind(panicked) }
    })
}

#[test]
fn fuzzed_sheets_are_read_or_refused() {
    let examples = [
        r#"<row r="1"><c r="A1" t="inlineStr"><is><t>Name</t></is></c><c r="B1"><v>1510000482</v></c></row>"#,
        r#"<row r="3"><c r="A3" s="1"><v>46053</v></c><c r="B3" t="b"><v>1</v></c><c r="C3" t="e"><v>#N/A</v></c></row>"#,
        r#"<row r="1"><c r="A1" t="s"><v>0</v></c><c r="B1" t="str"><f>A1+1</f><v>x</v></c><c r="XFD1048576"/></row>"#,
        r#"<row><c><v>1e300</v></c><c t="d"><v>2026-01-31</v></c></row><mergeCells><mergeCell ref="A1:B2"/></mergeCells>"#,
    ];
    let words = [
        "<row r=\"",
        "<c r=\"",
        "\" t=\"s\"",
        "\" s=\"1\"",
        "<v>",
        "</v>",
        "</c>",
        "</row>",
        "A1",
        "ZZZZZZZZ1",
        "A0",
        "A99999999999",
        "1:1",
        "<f t=\"shared\" si=\"0\" ref=\"A1:XFD1\">",
        "<dimension ref=\"A1:XFD1048576\"/>",
        "&#0;",
        "&amp;",
        "&x;",
        "<!DOCTYPE x [",
        "<![CDATA[",
        "]]>",
        "nan",
        "-1e308",
        "\0",
    ];
    Target::new("sheet")
        .examples(examples)
        .words(words)
        .bytes_max(32 << 10)
        .run(|bytes| outcome(&read(&book(&String::from_utf8_lossy(bytes)))));
}

#[test]
fn fuzzed_archives_are_read_or_refused() {
    let whole = book(r#"<row r="1"><c r="A1"><v>1</v></c></row>"#);
    let examples = [
        whole,
        archive(&[("a", b"b")]),
        include_bytes!("../../../../../../e2e/tests/e2e/people.xlsx").to_vec(),
    ];
    let words: [&[u8]; 8] = [
        b"PK\x01\x02",
        b"PK\x03\x04",
        b"PK\x05\x06",
        b"PK\x06\x06",
        b"PK\x06\x07",
        b"\xff\xff\xff\xff",
        b"\x08\0",
        b"../",
    ];
    Target::new("archive")
        .examples(examples)
        .words(words)
        .bytes_max(32 << 10)
        .run(|bytes| outcome(&read(bytes)));
}
