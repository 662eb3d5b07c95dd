//! Shared parts of lists. `q` matches any part of a text, without case, in a lowercase column named `search`.
//!
//! PostgreSQL uses a trigram index. SQLite reads all of the account's rows, so such a list runs as a scan.

use frontdesk_db::Query;
use frontdesk_web::Page;

/// A number of rows that may be larger than was counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Counted {
    pub count: i64,
    /// Whether there are more, which were not counted.
    pub is_more: bool,
}

impl Counted {
    /// What was counted by looking for one row more than `max`.
    pub fn up_to(max: i64, found: i64) -> Self {
        Self { count: found.min(max), is_more: found > max }
    }
}

/// Adds the condition that the row's `search` contains this text.
pub fn any_part(query: &mut Query, text: &str) {
    query.push(" AND search LIKE ").bind(pattern(&text.trim().to_lowercase())).push(" ESCAPE '\\'");
}

/// Adds the end of a page's query: rows before its cursor, newest first.
pub fn newest_first(query: &mut Query, page: &Page) {
    if let Some(before) = page.before {
        query.push(" AND id < ").bind(before);
    }
    query.push(" ORDER BY id DESC LIMIT ").bind(page.fetch());
}

/// The pattern for LIKE, with `\` as escape, of values that contain this text.
pub fn pattern(text: &str) -> String {
    let mut pattern = String::from("%");
    for c in text.chars() {
        if matches!(c, '%' | '_' | '\\') {
            pattern.push('\\');
        }
        pattern.push(c);
    }
    pattern.push('%');
    pattern
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_row_more_than_the_maximum_is_not_counted_but_told() {
        assert_eq!(Counted::up_to(10, 9), Counted { count: 9, is_more: false });
        assert_eq!(Counted::up_to(10, 10), Counted { count: 10, is_more: false });
        assert_eq!(Counted::up_to(10, 11), Counted { count: 10, is_more: true });
    }

    #[test]
    fn wildcards_are_letters() {
        assert_eq!(pattern("100%_ \\äb"), "%100\\%\\_ \\\\äb%");
    }
}
