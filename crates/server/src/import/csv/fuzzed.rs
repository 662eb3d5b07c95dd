//! CSV files that nobody wrote.

use std::io::Cursor;

use frontdesk_crm::desk::csv::{BYTE_ORDER_MARK, push_row, read_cell};
use frontdesk_fuzz::Target;

use super::reader::{CELL_BYTES_MAX, COLUMNS_MAX, CsvError, CsvFile, CsvRow};

/// A byte of Windows-1252 becomes at most so many of UTF-8.
const GROWTH_MAX: usize = 3;
/// The headings are always in the head of the file, where the separator is looked for, also after they have grown.
const BYTES_MAX: usize = 16 << 10;

fn read(bytes: &[u8]) -> Result<(Vec<CsvRow>, char), CsvError> {
    let mut file = CsvFile::begin(Cursor::new(bytes.to_vec()), bytes.len() as u64)?;
    let mut rows = vec![CsvRow { line: 1, cells: file.headings.clone() }];
    while let Some(row) = file.next_row()? {
        rows.push(row);
        assert!(file.read <= file.bytes);
    }
    Ok((rows, char::from(file.separator)))
}

/// What came of a file. What is read keeps the limits, and is the same when it is written and read again.
fn outcome(bytes: &[u8]) -> (Option<String>, usize, usize, char) {
    let (rows, separator) = match read(bytes) {
        Ok(read) => read,
        Err(CsvError::LongCell(_)) => return (Some("long".to_owned()), 0, 0, ' '),
        Err(CsvError::ManyColumns(_)) => return (Some("wide".to_owned()), 0, 0, ' '),
        Err(error) => return (Some(error.to_string()), 0, 0, ' '),
    };
    let lines = bytes.split(|byte| *byte == b'\n').count() as i64;
    // The headings may follow empty lines.
    for pair in rows[1..].windows(2) {
        assert!(pair[0].line < pair[1].line && pair[1].line <= lines, "{pair:?}");
    }
    for cell in rows.iter().flat_map(|row| &row.cells) {
        assert!(cell.len() <= CELL_BYTES_MAX * GROWTH_MAX);
    }
    assert!(rows.iter().all(|row| row.cells.len() <= COLUMNS_MAX));
    let columns = rows.iter().map(|row| row.cells.len()).max().unwrap_or_default();
    if columns > 1 && rows[0].cells.len() > 1 {
        // Which separator a file has is found from its first row, so its cells are those of no other one.
        let mut file = String::from(BYTE_ORDER_MARK);
        for row in &rows {
            push_row(&mut file, separator, &row.cells);
        }
        let (again, its_separator) = read(file.as_bytes()).expect("a file as we write it");
        assert_eq!(its_separator, separator);
        let cells = |rows: &[CsvRow]| rows.iter().map(|row| row.cells.clone()).collect::<Vec<_>>();
        assert_eq!(cells(&again), cells(&rows));
    }
    let is_formula = rows.iter().flat_map(|row| &row.cells).any(|cell| read_cell(cell) != cell);
    (None, rows.len().min(5) + usize::from(is_formula) * 10, columns.min(5), separator)
}

#[test]
fn fuzzed_files_are_read_back_as_they_were_written() {
    let examples: [&[u8]; 5] = [
        b"Name,Phone\r\nAnn,+491510000489\r\n\"two\nlines\",\"say \"\"hi\"\"\"\r\n",
        b"\xEF\xBB\xBFName;Wert\n'=SUM(A1);\"1.234,50\"\n;\n\nBob;x",
        b"Name\tX\nJ\xFCrgen \x80\t1\n",
        b"a|b|c\n1|2\n1|2|3|4",
        b"\"open\n,",
    ];
    let words: [&[u8]; 12] = [
        b"\"",
        b"\"\"",
        b"\",\"",
        b"\r\n",
        b"\n\n",
        b"\xEF\xBB\xBF",
        b"'=",
        b"''",
        b";;;;",
        b"\xE2\x82",
        b"\0",
        b"\t|",
    ];
    Target::new("csv").examples(examples).words(words).bytes_max(BYTES_MAX).run(outcome);
}
