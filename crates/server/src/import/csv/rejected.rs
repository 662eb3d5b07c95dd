//! Writes the rows that an import has refused to a CSV file, with a column that says why.
//!
//! The file has the columns and the separator of the one that was read, so it is imported with the same mapping once its rows
//! are corrected. The additional column has no place in the mapping and is ignored; an import of the file replaces it. No
//! file is overwritten, and none is left without rows.

use std::fs::{self, File, OpenOptions};
use std::io::{ErrorKind, Write as _};
use std::path::{Path, PathBuf};

use frontdesk_crm::desk::csv::{BYTE_ORDER_MARK, push_row};

use super::batch::RefusedRow;
use super::reader::CsvFile;
use crate::error::{Error, Result};

/// The heading of the column that says why.
const HEADING: &str = "Refused because";

/// A file that is being written. Dropped without rows, it is removed.
pub(crate) struct RejectedFile {
    path: PathBuf,
    file: File,
    layout: Layout,
    rows: u64,
}

/// Where the cells of a row go.
#[derive(Clone, Copy)]
struct Layout {
    separator: char,
    /// The columns of the file that is read, without the one that says why.
    columns: usize,
    /// The column that says why in the file that is read, if an earlier import has written it.
    earlier: Option<usize>,
}

impl Layout {
    fn of(file: &CsvFile, targets: &[Option<String>]) -> Self {
        let is_earlier =
            |(heading, target): (&String, &Option<String>)| target.is_none() && heading.trim() == HEADING;
        let earlier = file.headings.iter().zip(targets).position(is_earlier);
        let columns = file.headings.len() - usize::from(earlier.is_some());
        Self { separator: char::from(file.separator), columns, earlier }
    }

    /// Adds a row. What it has beyond the last column comes after the reason.
    fn push(self, text: &mut String, cells: &[String], why: &str) {
        let kept = cells.iter().enumerate().filter(|(at, _)| Some(*at) != self.earlier);
        let mut cells: Vec<&str> = kept.map(|(_, cell)| cell.as_str()).collect();
        if cells.len() < self.columns {
            cells.resize(self.columns, "");
        }
        cells.insert(self.columns, why);
        push_row(text, self.separator, cells);
    }
}

impl RejectedFile {
    /// Creates the file for rows of the one that is read, readable by its owner alone. Fails if there is one already.
    pub(crate) fn create(path: &Path, read: &CsvFile, targets: &[Option<String>]) -> Result<Self> {
        let mut options = OpenOptions::new();
        options.write(true).create_new(true);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        let file = options.open(path).map_err(|cause| match cause.kind() {
            ErrorKind::AlreadyExists => Error::Invalid(format!(
                "{} exists already: name another file with --rejected, or move it away",
                path.display()
            )),
            _ => Error::System { doing: format!("create {}", path.display()), cause },
        })?;
        let mut rejected = Self { path: path.to_owned(), file, layout: Layout::of(read, targets), rows: 0 };
        let mut text = String::from(BYTE_ORDER_MARK);
        rejected.layout.push(&mut text, &read.headings, HEADING);
        rejected.write(&text)?;
        Ok(rejected)
    }

    pub(crate) fn add(&mut self, rows: &[RefusedRow]) -> Result<()> {
        let mut text = String::new();
        for row in rows {
            self.layout.push(&mut text, &row.cells, &row.why);
        }
        self.rows += rows.len() as u64;
        self.write(&text)
    }

    /// The file's path. None without rows.
    pub(crate) fn finish(self) -> Option<PathBuf> {
        (self.rows > 0).then(|| self.path.clone())
    }

    fn write(&mut self, text: &str) -> Result<()> {
        let written = self.file.write_all(text.as_bytes());
        written.map_err(Error::doing(format!("write {}", self.path.display())))
    }
}

impl Drop for RejectedFile {
    fn drop(&mut self) {
        if self.rows == 0 {
            // The rest of the import does not depend on it.
            let _ = fs::remove_file(&self.path);
        }
    }
}

#[cfg(test)]
mod tests {
    use frontdesk_crm::desk::csv::read_cell;
    use proptest::prelude::*;

    use super::*;

    /// A directory of a test, which is removed with it.
    struct Directory(PathBuf);

    impl Directory {
        fn new(name: &str) -> Self {
            let path = std::env::temp_dir().join(format!("frontdesk-rejected-{}-{name}", std::process::id()));
            let _ = fs::remove_dir_all(&path);
            fs::create_dir_all(&path).unwrap();
            Self(path)
        }

        /// Reads a file and refuses all its rows. Returns the headings and the rows of what is written then.
        fn refuse(&self, text: &str) -> (Vec<String>, Vec<Vec<String>>) {
            let (from, to) = (self.0.join("from.csv"), self.0.join("to.csv"));
            fs::write(&from, text).unwrap();
            let mut read = CsvFile::open(&from).unwrap();
            let targets = vec![None; read.headings.len()];
            let mut rejected = RejectedFile::create(&to, &read, &targets).unwrap();
            while let Some(row) = read.next_row().unwrap() {
                rejected.add(&[RefusedRow { cells: row.cells, why: "name is odd".to_owned() }]).unwrap();
            }
            rejected.finish();
            let mut again = CsvFile::open(&to).unwrap();
            let mut rows = Vec::new();
            while let Some(row) = again.next_row().unwrap() {
                rows.push(row.cells);
            }
            let headings = again.headings.clone();
            fs::rename(&to, &from).unwrap();
            (headings, rows)
        }
    }

    impl Drop for Directory {
        fn drop(&mut self) {
            let _ = fs::remove_dir_all(&self.0);
        }
    }

    #[test]
    fn rows_keep_their_columns_and_get_one_that_says_why() {
        let directory = Directory::new("columns");
        let (headings, rows) =
            directory.refuse("\"a,b;c\";=d\r\nAnn\r\n\"say \"\"hi\"\"\nthere\";'-5;more\r\n");
        assert_eq!(headings, ["a,b;c", "=d", HEADING]);
        assert_eq!(rows[0], ["Ann", "", "name is odd"]);
        assert_eq!(rows[1], ["say \"hi\"\nthere", "-5", "name is odd", "more"]);
        // A second round replaces the column.
        let text = fs::read_to_string(directory.0.join("from.csv")).unwrap();
        let (headings, again) = directory.refuse(&text);
        assert_eq!(headings.iter().filter(|heading| *heading == HEADING).count(), 1);
        assert_eq!(again, rows);
    }

    #[test]
    fn nothing_is_overwritten_and_a_file_without_rows_is_removed() {
        let directory = Directory::new("files");
        let (from, to) = (directory.0.join("from.csv"), directory.0.join("to.csv"));
        fs::write(&from, "Name\nAnn\n").unwrap();
        let read = CsvFile::open(&from).unwrap();
        let refused = RejectedFile::create(&from, &read, &[None]).err().unwrap().to_string();
        assert!(refused.contains("from.csv exists already"), "{refused}");
        assert_eq!(fs::read_to_string(&from).unwrap(), "Name\nAnn\n");
        let rejected = RejectedFile::create(&to, &read, &[None]).unwrap();
        assert!(to.exists());
        assert_eq!(rejected.finish(), None);
        assert!(!to.exists());
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 64, failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn whatever_a_row_has_reads_back(rest in prop::collection::vec("[=+@'\",;|\t\n\r x\u{fc}-]{0,6}", 0..4)) {
            let directory = Directory::new("any");
            let cells: Vec<String> = ["Ann".to_owned()].into_iter().chain(rest).collect();
            let mut text = "A;B;C;D\n".to_owned();
            push_row(&mut text, ';', &cells);
            let (_, rows) = directory.refuse(&text);
            let expected: Vec<&str> = cells.iter().map(|cell| read_cell(cell)).collect();
            prop_assert_eq!(&rows[0][..cells.len()], &expected[..]);
        }
    }
}
