//! The text that `q` searches, the same on both engines.
//!
//! The searched fields of a row, such as a contact's name, phone, email and company, are joined into one text: lowercase, one field per line, and a
//! mark before each character that begins a word. A query is normalised the same way, and matches if it is
//! part of that text. A short query keeps the mark before its first character, so it matches only the
//! beginnings of words..

/// Precedes a character that begins a word. No field contains it: control characters become spaces.
pub(crate) const MARK: char = '\u{1}';
pub(crate) const FIELD_END: char = '\n';
/// The text of a row's fields.
pub fn text(fields: [Option<&str>; 4]) -> String {
    let mut text = String::new();
    for field in fields.into_iter().flatten() {
        mark(field, &mut text);
        text.push(FIELD_END);
    }
    text
}

pub(crate) fn mark(field: &str, out: &mut String) {
    let mut previous: Option<char> = None;
    for c in field.chars().flat_map(char::to_lowercase) {
        let c = if c.is_control() { ' ' } else { c };
        let begins = match previous {
            None => true,
            Some(before) => before.is_whitespace() || (c.is_alphanumeric() && !before.is_alphanumeric()),
        };
        if begins && !c.is_whitespace() {
            out.push(MARK);
        }
        out.push(c);
        previous = Some(c);
    }
}

/// The prefix of every word and key of an account. It ends in a letter that is not a hexadecimal digit, so
/// that number and text cannot run together.
pub fn account_prefix(account_num: i64) -> String {
    format!("{account_num:x}z")
}
