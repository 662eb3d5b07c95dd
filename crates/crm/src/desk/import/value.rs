//! How people and spreadsheets write values.

use serde_json::Value;

use crate::custom_fields::{CustomField, FieldType};

/// Texts that stand for nothing, in lower case.
const NOTHING: &[&str] = &[
    "-",
    "--",
    "---",
    "\u{2013}",
    "\u{2014}",
    "?",
    ".",
    "n/a",
    "n.a.",
    "#n/a",
    "#nv",
    "k.a.",
    "k. a.",
    "keine angabe",
];
/// Words that stand for nothing where they could not be a value: in a phone number or an email address.
const NOTHING_WORDS: &[&str] =
    &["na", "nan", "nil", "none", "null", "unknown", "kein", "keine", "unbekannt", "0"];
const TRUE: &[&str] = &["true", "yes", "y", "ja", "j", "wahr", "x", "1"];
const FALSE: &[&str] = &["false", "no", "n", "nein", "falsch", "0"];
/// No text that stands for nothing is longer.
const NOTHING_BYTES_MAX: usize = 20;

/// Whether a value of this field of a row stands for nothing.
pub(crate) fn means_nothing(field: &str, value: &Value) -> bool {
    let text = match value {
        Value::Null => return true,
        Value::String(text) => text.trim(),
        _ => return false,
    };
    if text.is_empty() || text.len() > NOTHING_BYTES_MAX {
        return text.is_empty();
    }
    let text = text.to_lowercase();
    let is = |texts: &[&str]| texts.contains(&text.as_str());
    is(NOTHING) || (matches!(field, "phone" | "email") && is(NOTHING_WORDS))
}

/// A value as the field stores it, if it is written in another usual way: `31.12.2026`, `12,5`, `yes`, an option in other
/// letters.
pub(crate) fn normalized(field: &CustomField, text: &str) -> Option<String> {
    let text = text.trim();
    let word = || text.to_lowercase();
    match field.r#type {
        FieldType::Number => (!text.contains('.')).then(|| text.replacen(',', ".", 1)),
        FieldType::Date => {
            let parts: Vec<&str> = text.split('.').collect();
            let [day, month, year] = parts[..] else { return None };
            let is_number = |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
            let fits = day.len() <= 2 && month.len() <= 2 && year.len() == 4;
            (fits && [day, month, year].into_iter().all(is_number))
                .then(|| format!("{year}-{month:0>2}-{day:0>2}"))
        }
        FieldType::Boolean if TRUE.contains(&word().as_str()) => Some("true".to_owned()),
        FieldType::Boolean if FALSE.contains(&word().as_str()) => Some("false".to_owned()),
        FieldType::Boolean | FieldType::Text => None,
        FieldType::Select => field.options.iter().find(|option| option.to_lowercase() == word()).cloned(),
    }
}

#[cfg(test)]
mod tests {
    use frontdesk_kernel::Timestamp;
    use serde_json::json;

    use super::*;
    use crate::custom_fields::FieldId;

    #[test]
    fn what_people_write_for_nothing_is_nothing() {
        for nothing in ["", "  ", "n/a", "N/A", "-", " \u{2013} ", "k.A.", "#N/A"] {
            assert!(means_nothing("name", &json!(nothing)), "{nothing}");
        }
        // These are names of people and of companies.
        for name in ["Na", "None", "Null", "No", "x"] {
            assert!(!means_nothing("name", &json!(name)), "{name}");
        }
        assert!(means_nothing("phone", &json!("none")) && means_nothing("email", &json!("NULL")));
        assert!(!means_nothing("phone", &json!("-".repeat(1_000_000))));
    }

    #[test]
    fn values_are_read_as_they_are_usually_written() {
        let field = |kind| CustomField {
            id: FieldId::first_at(Timestamp::from_millis(0)),
            name: "Plan".into(),
            r#type: kind,
            options: vec!["Gold".into()],
            created_at: Timestamp::from_millis(0),
            updated_at: Timestamp::from_millis(0),
        };
        for (kind, written, stored) in [
            (FieldType::Date, "1.2.2026", Some("2026-02-01")),
            (FieldType::Date, "2026-02-01", None),
            (FieldType::Date, "02/01/2026", None),
            (FieldType::Date, "1.2.\u{0661}\u{0662}", None),
            (FieldType::Number, "12,5", Some("12.5")),
            (FieldType::Number, "1.234,5", None),
            (FieldType::Boolean, "Ja", Some("true")),
            (FieldType::Boolean, "no", Some("false")),
            (FieldType::Boolean, "maybe", None),
            (FieldType::Select, "gold", Some("Gold")),
            (FieldType::Select, "tin", None),
            (FieldType::Text, "1.2.2026", None),
        ] {
            assert_eq!(normalized(&field(kind), written).as_deref(), stored, "{written}");
        }
    }
}
