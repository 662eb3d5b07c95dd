//! What an import has brought, and what it has left out.

use std::collections::BTreeMap;

use serde::Serialize;

/// How many examples of what was left out are named, by reason.
const EXAMPLES_MAX: usize = 20;

/// The rows of one kind.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub(crate) struct TallyLine {
    pub(crate) kind: &'static str,
    /// Brought by this run, or in a dry run what would be.
    pub(crate) brought: u64,
    /// Rows that have become one that was there: the same person, member or name.
    pub(crate) joined: u64,
    /// Rows that an earlier run had brought.
    pub(crate) there_before: u64,
}

/// Something that does not come along.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub(crate) struct LeftOut {
    pub(crate) rows: u64,
    pub(crate) examples: Vec<String>,
}

#[derive(Clone, Debug, Default, Serialize)]
pub(crate) struct Tally {
    pub(crate) lines: Vec<TallyLine>,
    /// By the reason.
    pub(crate) left_out: BTreeMap<&'static str, LeftOut>,
}

impl Tally {
    fn line(&mut self, kind: &'static str) -> &mut TallyLine {
        let at = self.lines.iter().position(|line| line.kind == kind).unwrap_or_else(|| {
            self.lines.push(TallyLine { kind, ..TallyLine::default() });
            self.lines.len() - 1
        });
        &mut self.lines[at]
    }

    pub(crate) fn brought(&mut self, kind: &'static str, rows: usize) {
        self.line(kind).brought += rows as u64;
    }

    pub(crate) fn joined(&mut self, kind: &'static str, rows: usize) {
        self.line(kind).joined += rows as u64;
    }

    pub(crate) fn there_before(&mut self, kind: &'static str, rows: usize) {
        self.line(kind).there_before += rows as u64;
    }

    pub(crate) fn left_out(&mut self, reason: &'static str, example: impl Into<String>) {
        let left_out = self.left_out.entry(reason).or_default();
        left_out.rows += 1;
        if left_out.examples.len() < EXAMPLES_MAX {
            left_out.examples.push(example.into());
        }
    }

    /// Many rows at once, which are not named.
    pub(crate) fn left_out_many(&mut self, reason: &'static str, rows: u64) {
        if rows > 0 {
            self.left_out.entry(reason).or_default().rows += rows;
        }
    }

    /// Whether this run has brought anything.
    pub(crate) fn is_anything_new(&self) -> bool {
        self.lines.iter().any(|line| line.brought + line.joined > 0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_counted_by_kind_and_some_examples_are_kept() {
        let mut tally = Tally::default();
        tally.there_before("contacts", 3);
        assert!(!tally.is_anything_new());
        tally.brought("contacts", 2);
        tally.joined("contacts", 1);
        for n in 0..EXAMPLES_MAX + 5 {
            tally.left_out("numbers that cannot exist", format!("+49 {n}"));
        }
        tally.left_out_many("lines of activity", 0);
        assert!(tally.is_anything_new());
        assert_eq!(tally.lines.len(), 1);
        let left_out = &tally.left_out["numbers that cannot exist"];
        assert_eq!((left_out.rows, left_out.examples.len()), (25, EXAMPLES_MAX));
        assert_eq!(tally.left_out.len(), 1);
    }
}
