//! Shared parts of lists. `q` matches any part of a text, without case, in a lowercase column named `search`.
//!
//! PostgreSQL uses a trigram index. SQLite reads all of the account's rows, so such a list runs as a scan.

use frontdesk_db::Query;
use frontdesk_web::Page;

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
    fn wildcards_are_letters() {
        assert_eq!(pattern("100%_ \\äb"), "%100\\%\\_ \\\\äb%");
    }
}
