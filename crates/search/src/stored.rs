//! The search columns of rows, on an engine that has them.

use frontdesk_db::Dialect;

use crate::keys::keys;
use crate::messages::compared;
use crate::text::{account_prefix, text};

/// Columns that are computed from others of the same row, by table.
pub const SEARCH_COLUMNS: &[(&str, &[&str])] =
    &[("contacts", &["search", "search_keys"]), ("messages", &["search"])];

/// What a SQLite database needs after rows were copied into it. Contacts may share a place, and the indexer looks at those
/// places once more.
pub const AFTER_COPY: &[&str] = &["INSERT INTO contact_changes (seq, times)
    SELECT seq, 1 FROM contacts GROUP BY seq HAVING count(*) > 1 ON CONFLICT DO NOTHING"];

/// The columns of a contact with this name, phone, email and company: its text and its keys.
pub fn of_contact(
    dialect: Dialect,
    fields: [Option<&str>; 4],
    account_number: i64,
) -> (Option<String>, Option<String>) {
    if dialect.has_side_files() {
        return (None, None);
    }
    let text = text(fields);
    let keys = keys(&text, &account_prefix(account_number));
    (Some(text), Some(keys))
}

/// The column of a message with this text.
pub fn of_message(dialect: Dialect, text: Option<&str>) -> Option<String> {
    text.filter(|_| !dialect.has_side_files()).and_then(compared)
}
