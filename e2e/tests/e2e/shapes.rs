//! The forms of what is returned: fields, ids and moments.

use serde_json::Value;

/// An id that nothing has.
pub(crate) const NOTHING: &str = "0192f0c4-0000-7000-8000-000000000000";

/// Demands exactly these fields, named in one string.
#[track_caller]
pub(crate) fn has_fields(value: &Value, wanted: &str) {
    let object = value.as_object().unwrap_or_else(|| panic!("an object was expected: {value}"));
    let mut found: Vec<&str> = object.keys().map(String::as_str).collect();
    let mut wanted: Vec<&str> = wanted.split_whitespace().collect();
    found.sort_unstable();
    wanted.sort_unstable();
    assert_eq!(found, wanted, "{value}");
}

/// Demands a `UUIDv7`, written as usual.
#[track_caller]
pub(crate) fn is_id(value: &Value) {
    let text = value.as_str().unwrap_or_else(|| panic!("an id was expected: {value}"));
    let form = text.char_indices().all(|(at, c)| match at {
        8 | 13 | 18 | 23 => c == '-',
        14 => c == '7',
        19 => matches!(c, '8' | '9' | 'a' | 'b'),
        _ => matches!(c, '0'..='9' | 'a'..='f'),
    });
    assert!(text.len() == 36 && form, "{text} is no UUIDv7");
}

/// Demands a moment in UTC with milliseconds.
#[track_caller]
pub(crate) fn is_moment(value: &Value) {
    let text = value.as_str().unwrap_or_else(|| panic!("a moment was expected: {value}"));
    let form = text.chars().zip("0000-00-00T00:00:00.000Z".chars()).all(|(c, pattern)| match pattern {
        '0' => c.is_ascii_digit(),
        fixed => c == fixed,
    });
    assert!(text.len() == 24 && form, "{text} is no moment");
}

/// The text of a value that must be one.
#[track_caller]
pub(crate) fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_else(|| panic!("text was expected: {value}"))
}
