//! Reads CSV files as spreadsheets make them: any of the usual separators, quotes, UTF-8 or Windows-1252. One row at a time.
//! An apostrophe that keeps a cell from being a formula is dropped.

use std::fs::File;
use std::io::{BufRead, BufReader, Read, Seek};
use std::path::Path;

use frontdesk_crm::desk::csv::read_cell;

/// Limits of a row, so that a quote that is never closed does not read the whole file as one cell.
pub(super) const CELL_BYTES_MAX: usize = 256 << 10;
pub(super) const COLUMNS_MAX: usize = 500;
const SEPARATORS: [u8; 4] = [b',', b';', b'\t', b'|'];
const BOM: &[u8] = &[0xEF, 0xBB, 0xBF];
/// How much of the file is looked at for the separator.
const HEAD_BYTES: usize = 64 << 10;
/// The characters of Windows-1252 from 0x80 to 0x9F, where it differs from Latin-1.
const WINDOWS: [char; 32] = [
    '\u{20AC}', '\u{81}', '\u{201A}', '\u{192}', '\u{201E}', '\u{2026}', '\u{2020}', '\u{2021}', '\u{2C6}',
    '\u{2030}', '\u{160}', '\u{2039}', '\u{152}', '\u{8D}', '\u{17D}', '\u{8F}', '\u{90}', '\u{2018}',
    '\u{2019}', '\u{201C}', '\u{201D}', '\u{2022}', '\u{2013}', '\u{2014}', '\u{2DC}', '\u{2122}', '\u{161}',
    '\u{203A}', '\u{153}', '\u{9D}', '\u{17E}', '\u{178}',
];

#[derive(Debug, thiserror::Error)]
pub(crate) enum CsvError {
    #[error("cannot read the file: {0}")]
    Read(#[from] std::io::Error),
    #[error("line {0}: a cell has more than {max} KiB; is a quote not closed?", max = CELL_BYTES_MAX >> 10)]
    LongCell(i64),
    #[error("line {0}: there are more than {COLUMNS_MAX} columns")]
    ManyColumns(i64),
    #[error("the file is empty: its first row has the headings of its columns")]
    Empty,
}

/// A row, and the line on which it begins, counted from 1.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct CsvRow {
    pub(crate) line: i64,
    pub(crate) cells: Vec<String>,
}

/// A file that is being read.
pub(crate) struct CsvFile {
    pub(crate) headings: Vec<String>,
    /// The size of the file.
    pub(crate) bytes: u64,
    /// How much of it was read.
    pub(crate) read: u64,
    pub(super) separator: u8,
    reader: Box<dyn BufRead>,
    is_utf8: bool,
    line: i64,
}

impl CsvFile {
    pub(crate) fn open(path: &Path) -> Result<Self, CsvError> {
        let file = File::open(path)?;
        let bytes = file.metadata()?.len();
        Self::begin(file, bytes)
    }

    /// Reads the headings.
    pub(super) fn begin(mut file: impl Read + Seek + 'static, bytes: u64) -> Result<Self, CsvError> {
        let is_utf8 = is_utf8(&mut file)?;
        file.rewind()?;
        let mut reader = BufReader::with_capacity(HEAD_BYTES, file);
        if reader.fill_buf()?.starts_with(BOM) {
            reader.consume(BOM.len());
        }
        let separator = separator(reader.fill_buf()?);
        let mut file = Self {
            headings: Vec::new(),
            bytes,
            read: 0,
            separator,
            reader: Box::new(reader),
            is_utf8,
            line: 1,
        };
        file.headings = file.next_row()?.ok_or(CsvError::Empty)?.cells;
        Ok(file)
    }

    /// The next row that has any content; none at the end.
    pub(crate) fn next_row(&mut self) -> Result<Option<CsvRow>, CsvError> {
        loop {
            let (line, found) = (self.line, self.read_row()?);
            match found {
                Some(cells) if cells.iter().all(|cell| cell.trim().is_empty()) => {}
                Some(cells) => return Ok(Some(CsvRow { line, cells })),
                None => return Ok(None),
            }
        }
    }

    fn read_row(&mut self) -> Result<Option<Vec<String>>, CsvError> {
        let (mut cells, mut cell, mut is_quoted, mut any) = (Vec::new(), Vec::new(), false, false);
        let line = self.line;
        while let Some(byte) = self.next_byte()? {
            any = true;
            if byte == b'\n' {
                self.line += 1;
            }
            match byte {
                b'"' if is_quoted => {
                    if self.peek()? == Some(b'"') {
                        self.next_byte()?;
                        cell.push(b'"');
                    } else {
                        is_quoted = false;
                    }
                }
                _ if is_quoted => cell.push(byte),
                b'"' if cell.is_empty() => is_quoted = true,
                b'\n' => {
                    cells.push(self.text(&cell));
                    return Ok(Some(cells));
                }
                b'\r' if self.peek()? == Some(b'\n') => {}
                _ if byte == self.separator => {
                    cells.push(self.text(&cell));
                    cell.clear();
                }
                _ => cell.push(byte),
            }
            if cell.len() > CELL_BYTES_MAX {
                return Err(CsvError::LongCell(line));
            }
            if cells.len() >= COLUMNS_MAX {
                return Err(CsvError::ManyColumns(line));
            }
        }
        cells.push(self.text(&cell));
        Ok(any.then_some(cells))
    }

    fn next_byte(&mut self) -> Result<Option<u8>, CsvError> {
        let byte = self.peek()?;
        if byte.is_some() {
            self.reader.consume(1);
            self.read += 1;
        }
        Ok(byte)
    }

    fn peek(&mut self) -> Result<Option<u8>, CsvError> {
        Ok(self.reader.fill_buf()?.first().copied())
    }

    fn text(&self, cell: &[u8]) -> String {
        let decode = |byte: &u8| match byte {
            0x80..=0x9F => WINDOWS[usize::from(byte - 0x80)],
            _ => char::from(*byte),
        };
        if self.is_utf8 {
            read_cell(&String::from_utf8_lossy(cell)).to_owned()
        } else {
            read_cell(&cell.iter().map(decode).collect::<String>()).to_owned()
        }
    }
}

/// Whether the whole file is UTF-8. A character may lie across two pieces.
fn is_utf8(reader: &mut impl Read) -> Result<bool, CsvError> {
    let (mut piece, mut kept) = (vec![0; HEAD_BYTES], 0);
    loop {
        let read = reader.read(&mut piece[kept..])?;
        let end = kept + read;
        match std::str::from_utf8(&piece[..end]) {
            Ok(_) if read == 0 => return Ok(true),
            Ok(_) => kept = 0,
            Err(error) if error.error_len().is_none() && read > 0 => {
                piece.copy_within(error.valid_up_to()..end, 0);
                kept = end - error.valid_up_to();
            }
            Err(_) => return Ok(false),
        }
    }
}

/// The separator that the first line has most of, outside quotes.
fn separator(head: &[u8]) -> u8 {
    let (mut counts, mut is_quoted) = ([0_usize; SEPARATORS.len()], false);
    for byte in head {
        match byte {
            b'"' => is_quoted = !is_quoted,
            b'\n' if !is_quoted => break,
            _ if !is_quoted => {
                if let Some(at) = SEPARATORS.iter().position(|separator| separator == byte) {
                    counts[at] += 1;
                }
            }
            _ => {}
        }
    }
    let most = counts.iter().enumerate().rev().max_by_key(|(_, count)| **count);
    most.map_or(SEPARATORS[0], |(at, _)| SEPARATORS[at])
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use super::*;

    fn file(name: &str, bytes: &[u8]) -> PathBuf {
        let path = std::env::temp_dir().join(format!("frontdesk-csv-{}-{name}", std::process::id()));
        std::fs::write(&path, bytes).unwrap();
        path
    }

    fn rows(name: &str, bytes: &[u8]) -> Result<(Vec<String>, Vec<CsvRow>), CsvError> {
        let path = file(name, bytes);
        let mut csv = CsvFile::open(&path)?;
        let mut rows = Vec::new();
        while let Some(row) = csv.next_row()? {
            rows.push(row);
        }
        std::fs::remove_file(path)?;
        Ok((csv.headings, rows))
    }

    #[test]
    fn quotes_line_breaks_and_separators_are_read_as_spreadsheets_write_them() {
        let (headings, found) = rows(
            "quotes",
            b"\xEF\xBB\xBFName;Note\r\n\"Ann \"\"A\"\"\";\"two\nlines; one cell\"\r\n\r\n;\nBob;last",
        )
        .unwrap();
        assert_eq!(headings, ["Name", "Note"]);
        assert_eq!(
            found[0],
            CsvRow { line: 2, cells: vec!["Ann \"A\"".into(), "two\nlines; one cell".into()] }
        );
        assert_eq!(found[1], CsvRow { line: 6, cells: vec!["Bob".into(), "last".into()] });
        assert_eq!(found.len(), 2);
    }

    /// The cells of all rows, in the order of the file, with the headings first.
    fn cells(name: &str, bytes: &[u8]) -> Vec<Vec<String>> {
        let (headings, found) = rows(name, bytes).unwrap();
        std::iter::once(headings).chain(found.into_iter().map(|row| row.cells)).collect()
    }

    #[test]
    fn cells_are_split_as_spreadsheets_do() {
        for (at, (bytes, expected)) in [
            // Quotes: doubled, empty, in the middle of a cell, and after one.
            ("a,b\n\"\"\"\",\"x\"\"y\"\n", vec![vec!["a", "b"], vec!["\"", "x\"y"]]),
            ("a,b\n\"\",x\n", vec![vec!["a", "b"], vec!["", "x"]]),
            ("a,b\n5\" pipe,x\n", vec![vec!["a", "b"], vec!["5\" pipe", "x"]]),
            ("a,b\n\"x\" y,z\n", vec![vec!["a", "b"], vec!["x y", "z"]]),
            // Separators: each of them, also in quotes and in a heading.
            ("a,b\n1;2,3\n", vec![vec!["a", "b"], vec!["1;2", "3"]]),
            ("a;b\n1,2;3\n", vec![vec!["a", "b"], vec!["1,2", "3"]]),
            ("a\tb\n1,2\t3\n", vec![vec!["a", "b"], vec!["1,2", "3"]]),
            ("a|b\n1,2|3\n", vec![vec!["a", "b"], vec!["1,2", "3"]]),
            ("\"a,b,c\";d\n\"1;2\";3\n", vec![vec!["a,b,c", "d"], vec!["1;2", "3"]]),
            // Ends of lines, also in quotes, and none at the end.
            ("a,b\r\n1,2\r\n", vec![vec!["a", "b"], vec!["1", "2"]]),
            ("a,b\r\n\"1\r\n2\",3", vec![vec!["a", "b"], vec!["1\r\n2", "3"]]),
            ("a,b\n1\r2,3\n", vec![vec!["a", "b"], vec!["1\r2", "3"]]),
            // A mark of the order of bytes is no part of the first heading, and stays elsewhere.
            ("\u{feff}a,b\n\u{feff}1,2\n", vec![vec!["a", "b"], vec!["\u{feff}1", "2"]]),
            ("\u{feff}\"a\",b\n", vec![vec!["a", "b"]]),
            // One column, rows that are too short and too long, and a quote that is never closed.
            ("a\n1\n", vec![vec!["a"], vec!["1"]]),
            ("a,b\n1\n1,2,3\n", vec![vec!["a", "b"], vec!["1"], vec!["1", "2", "3"]]),
            ("a,b\n1,\"2\n3,4\n", vec![vec!["a", "b"], vec!["1", "2\n3,4\n"]]),
        ]
        .into_iter()
        .enumerate()
        {
            assert_eq!(cells(&format!("split{at}"), bytes.as_bytes()), expected, "{bytes:?}");
        }
    }

    #[test]
    fn a_cell_may_be_as_large_as_the_limit() {
        let file = format!("a,b\n\"{}\",x\n", "x".repeat(CELL_BYTES_MAX));
        let found = cells("largest", file.as_bytes());
        assert_eq!((found[1][0].len(), found[1][1].as_str()), (CELL_BYTES_MAX, "x"));
        // One more is too many, with quotes and without them.
        for quote in ["\"", ""] {
            let file = format!("a,b\n{quote}{}{quote},x\n", "x".repeat(CELL_BYTES_MAX + 1));
            assert!(matches!(rows("larger", file.as_bytes()), Err(CsvError::LongCell(2))), "{quote}");
        }
    }

    #[test]
    fn both_usual_encodings_are_read() {
        let (_, found) = rows("utf8", "Name,X\nJürgen €,1\n".as_bytes()).unwrap();
        assert_eq!(found[0].cells[0], "Jürgen €");
        let (_, found) = rows("windows", b"Name,X\nJ\xFCrgen \x80,1\n").unwrap();
        assert_eq!(found[0].cells[0], "Jürgen €");
        // A character across two pieces.
        let long = format!("Name,X\n{}é,1\n", "x".repeat(HEAD_BYTES - 8));
        assert!(rows("long", long.as_bytes()).unwrap().1[0].cells[0].ends_with('é'));
    }

    #[test]
    fn a_file_that_would_fill_the_memory_is_refused() {
        let open = format!("Name\n\"{}", "x".repeat(CELL_BYTES_MAX + 10));
        assert!(matches!(rows("open", open.as_bytes()), Err(CsvError::LongCell(2))));
        let wide = ",".repeat(COLUMNS_MAX + 1);
        assert!(matches!(rows("wide", wide.as_bytes()), Err(CsvError::ManyColumns(1))));
        assert!(matches!(rows("empty", b""), Err(CsvError::Empty)));
        assert!(matches!(CsvFile::open(Path::new("/nowhere.csv")), Err(CsvError::Read(_))));
    }
}
