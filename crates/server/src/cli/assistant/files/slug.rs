//! Names of files: made from titles, and checked.

use std::collections::BTreeSet;

use crate::error::{Error, Result};

/// Maximum characters of a file's name without its ending.
const CHARS_MAX: usize = 60;

/// Whether a file may have this name: small letters, digits and hyphens. So a name has no path in it, and is the same on
/// systems that tell no capital letters from small ones.
pub(super) fn is_name(text: &str) -> bool {
    let is_fitting = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
    (1..=CHARS_MAX).contains(&text.len()) && text.chars().all(is_fitting) && !text.starts_with('-')
}

/// Refuses a name that no file may have.
pub(super) fn check(place: &str, text: &str) -> Result<()> {
    if is_name(text) {
        return Ok(());
    }
    Err(Error::Invalid(format!(
        "{place}: {text:?} is no name of a file. Use 1 to {CHARS_MAX} small letters, digits and hyphens"
    )))
}

/// A name for something with this title, which is not in `taken`.
pub(super) fn unused(title: &str, otherwise: &str, taken: &BTreeSet<String>) -> String {
    let mut slug = String::new();
    for c in title.chars() {
        if c.is_ascii_alphanumeric() {
            slug.push(c.to_ascii_lowercase());
        } else if !slug.is_empty() && !slug.ends_with('-') {
            slug.push('-');
        }
    }
    // Room for a number.
    slug.truncate(CHARS_MAX - 8);
    let slug = slug.trim_end_matches('-');
    let slug = if slug.is_empty() { otherwise } else { slug };
    let numbered = (2_u64..).map(|number| format!("{slug}-{number}"));
    let mut names = std::iter::once(slug.to_owned()).chain(numbered);
    names.find(|name| !taken.contains(name)).unwrap_or_else(|| slug.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_has_no_path_in_it() {
        for name in ["refunds", "a", "opening-hours-2", "0"] {
            assert!(is_name(name), "{name}");
        }
        let long = "x".repeat(CHARS_MAX + 1);
        for wrong in
            ["", "..", ".", "a/b", "../a", "a\\b", "/etc/passwd", "A", "a.md", "a b", "-a", "ä", "a\0", &long]
        {
            assert!(!is_name(wrong), "{wrong:?}");
        }
    }

    #[test]
    fn titles_become_names_that_are_told_apart() {
        let mut taken = BTreeSet::new();
        let mut name = |title: &str| {
            let name = unused(title, "instruction", &taken);
            assert!(is_name(&name), "{name}");
            taken.insert(name.clone());
            name
        };
        assert_eq!(name("Opening hours!"), "opening-hours");
        assert_eq!(name("opening-hours"), "opening-hours-2");
        assert_eq!(name("../../etc/passwd"), "etc-passwd");
        assert_eq!(name("退款"), "instruction");
        assert_eq!(name("\u{202e}"), "instruction-2");
        assert_eq!(name(&"long ".repeat(100)).len(), 52);
    }
}
