//! Rows of CSV files as spreadsheets read them. Pure.
//!
//! A cell that a spreadsheet would take for a formula is written with an apostrophe before it. [`read_cell`] drops that
//! apostrophe, so what was written is read back as it was.

use std::fmt::Write;

/// Tells spreadsheets that the text is UTF-8.
pub const BYTE_ORDER_MARK: char = '\u{feff}';
/// The first characters of formulas.
const FORMULA_SIGNS: [char; 6] = ['=', '+', '-', '@', '\t', '\r'];
/// What must be quoted, whichever separator the reader takes.
const QUOTED: [char; 7] = ['"', ',', ';', '\t', '|', '\n', '\r'];
const APOSTROPHE: char = '\'';

/// Adds a row to the text of a file.
pub fn push_row<C: AsRef<str>>(file: &mut String, separator: char, cells: impl IntoIterator<Item = C>) {
    for (at, cell) in cells.into_iter().enumerate() {
        if at > 0 {
            file.push(separator);
        }
        let cell = cell.as_ref();
        let apostrophe = if is_formula(cell) { "'" } else { "" };
        if cell.contains(QUOTED) {
            let _ = write!(file, "\"{apostrophe}{}\"", cell.replace('"', "\"\""));
        } else {
            file.push_str(apostrophe);
            file.push_str(cell);
        }
    }
    file.push_str("\r\n");
}

/// What a cell of a file says.
pub fn read_cell(cell: &str) -> &str {
    cell.strip_prefix(APOSTROPHE).filter(|text| text.starts_with(FORMULA_SIGNS)).unwrap_or(cell)
}

/// Whether a spreadsheet takes a cell for a formula. A phone number may begin with a plus sign.
fn is_formula(cell: &str) -> bool {
    let is_number =
        cell.strip_prefix('+').is_some_and(|digits| digits.bytes().all(|byte| byte.is_ascii_digit()));
    cell.starts_with(FORMULA_SIGNS) && !is_number
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(cells: &[&str]) -> String {
        let mut file = String::new();
        push_row(&mut file, ',', cells);
        file
    }

    #[test]
    fn a_cell_is_quoted_where_it_must_be() {
        assert_eq!(
            written(&["Ann", "", "a,b", "c;d", "say \"hi\"", "two\nlines"]),
            "Ann,,\"a,b\",\"c;d\",\"say \"\"hi\"\"\",\"two\nlines\"\r\n"
        );
    }

    #[test]
    fn a_cell_is_never_a_formula_and_reads_back() {
        let cells = ["=1+1", "+14155550123", "-x", "@cmd", "+cmd|x", "O'Hara", "'quoted'", "'"];
        assert_eq!(written(&cells), "'=1+1,+14155550123,'-x,'@cmd,\"'+cmd|x\",O'Hara,'quoted','\r\n");
        for cell in ["=1+1", "-x", "@cmd", "+49 (0)151", "\t=1"] {
            assert_eq!(read_cell(&format!("'{cell}")), cell);
            assert_eq!(read_cell(cell), cell);
        }
        for cell in ["'quoted'", "'", "", "O'Hara"] {
            assert_eq!(read_cell(cell), cell);
        }
    }
}
