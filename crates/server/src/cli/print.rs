//! The output of commands.

use std::fmt::Write as _;
use std::io::{ErrorKind, Write as _};

use serde::Serialize;

use crate::error::{Error, Result};

/// Prints a result: as JSON or as text.
pub(super) fn output(as_json: bool, value: &impl Serialize, text: impl FnOnce() -> String) -> Result<()> {
    if as_json { json(value) } else { out(&text()) }
}

pub(super) fn json(value: &impl Serialize) -> Result<()> {
    let text = serde_json::to_string_pretty(value).expect("an answer is plain data");
    out(&text)
}

/// Lines of a name and a value each, with aligned values.
pub(super) fn fields(fields: &[(&str, String)]) -> String {
    let rows: Vec<Vec<String>> =
        fields.iter().map(|(name, value)| vec![(*name).to_owned(), value.clone()]).collect();
    aligned(&rows)
}

/// A head and rows in columns; `empty` when there are no rows.
pub(super) fn table(head: &[&str], rows: Vec<Vec<String>>, empty: &str) -> String {
    if rows.is_empty() {
        return empty.to_owned();
    }
    let mut lines = vec![head.iter().map(|name| name.to_uppercase()).collect()];
    lines.extend(rows);
    aligned(&lines)
}

/// A value that may be missing.
pub(super) fn or_dash(value: Option<impl ToString>) -> String {
    value.map_or_else(|| "-".to_owned(), |value| value.to_string())
}

fn aligned(rows: &[Vec<String>]) -> String {
    let clean: Vec<Vec<String>> =
        rows.iter().map(|row| row.iter().map(|cell| printable(cell)).collect()).collect();
    let columns = clean.iter().map(Vec::len).max().unwrap_or(0);
    let width = |at: usize| clean.iter().filter_map(|row| row.get(at)).map(|cell| cell.chars().count()).max();
    let widths: Vec<usize> = (0..columns).map(|at| width(at).unwrap_or(0)).collect();
    let mut text = String::new();
    for row in &clean {
        let mut line = String::new();
        for (cell, width) in row.iter().zip(&widths) {
            let _ = write!(line, "{cell:<width$}  ");
        }
        text.push_str(line.trim_end());
        text.push('\n');
    }
    text.pop();
    text
}

/// A name may contain anything, so control characters are not sent to a terminal.
pub(super) fn printable(text: &str) -> String {
    text.chars().map(|c| if c.is_control() { char::REPLACEMENT_CHARACTER } else { c }).collect()
}

/// Prints a text before the result.
pub(super) fn line(text: &str) -> Result<()> {
    out(text)
}

/// Overwrites the last line.
pub(super) fn over(line: &str) -> Result<()> {
    let mut stdout = std::io::stdout().lock();
    match write!(stdout, "\r\x1b[K{line}").and_then(|()| stdout.flush()) {
        Err(error) if error.kind() == ErrorKind::BrokenPipe => Ok(()),
        outcome => outcome.map_err(Error::doing("print the answer")),
    }
}

fn out(text: &str) -> Result<()> {
    let mut stdout = std::io::stdout().lock();
    match writeln!(stdout, "{text}").and_then(|()| stdout.flush()) {
        // The reader, such as `head`, has closed the pipe.
        Err(error) if error.kind() == ErrorKind::BrokenPipe => Ok(()),
        outcome => outcome.map_err(Error::doing("print the answer")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_stand_under_each_other() {
        let rows = vec![
            vec!["1".to_owned(), "Ünal".to_owned(), String::new()],
            vec!["22".into(), "B".into(), "x".into()],
        ];
        assert_eq!(table(&["id", "name", "note"], rows, "none"), "ID  NAME  NOTE\n1   Ünal\n22  B     x");
        assert_eq!(table(&["id"], Vec::new(), "There are none."), "There are none.");
        assert_eq!(
            fields(&[("id", "7".to_owned()), ("expires", "never".to_owned())]),
            "id       7\nexpires  never"
        );
    }

    #[test]
    fn a_name_cannot_move_the_cursor() {
        assert_eq!(fields(&[("name", "a\u{1b}[2Jb\nc".to_owned())]), "name  a\u{fffd}[2Jb\u{fffd}c");
    }
}
