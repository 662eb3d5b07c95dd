//! What an import has brought, for people.

use std::fmt::Write as _;

use super::super::print;
use crate::import::Tally;

/// The table of what was brought, and what was not.
pub(super) fn in_words(tally: &Tally, is_dry_run: bool) -> String {
    let head = ["rows", if is_dry_run { "would be brought" } else { "brought" }, "joined", "there before"];
    let lines = tally.lines.iter().map(|line| {
        vec![
            line.kind.to_owned(),
            line.brought.to_string(),
            line.joined.to_string(),
            line.there_before.to_string(),
        ]
    });
    let mut text = print::table(&head, lines.collect(), "There is nothing to bring.");
    if !tally.left_out.is_empty() {
        text.push_str("\n\nNot brought:");
        for (reason, left_out) in &tally.left_out {
            let _ = write!(text, "\n{:>8}  {reason}", left_out.rows);
            for example in &left_out.examples {
                let _ = write!(text, "\n            {}", print::printable(example));
            }
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_not_brought_is_named_with_its_reason() {
        let mut tally = Tally::default();
        assert!(in_words(&tally, true).contains("nothing to bring"));
        tally.brought("contacts", 7);
        tally.left_out("numbers that cannot exist", "+49 12\u{7}");
        let text = in_words(&tally, false);
        for part in ["contacts", "7", "Not brought:", "1  numbers that cannot exist", "+49 12"] {
            assert!(text.contains(part), "{part} is not in {text}");
        }
        assert!(!text.contains('\u{7}'));
    }
}
