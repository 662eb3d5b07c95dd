//! Checking the arguments of a tool call against the tool's schema.
//!
//! The schemas are our own and use few keywords. This module knows all of them, and a test rejects others. So no JSON
//! Schema library is needed, and problems are worded as in the rest of the API.

use frontdesk_kernel::{Date, Timestamp};
use serde_json::Value;
use uuid::Uuid;

/// Maximum problems that are reported at once.
const PROBLEMS_MAX: usize = 20;

#[cfg(test)]
pub(super) const KEYWORDS: &[&str] = &[
    "type",
    "description",
    "properties",
    "required",
    "additionalProperties",
    "enum",
    "minLength",
    "maxLength",
    "minimum",
    "maximum",
    "items",
    "maxItems",
    "format",
];

/// The problems of a value, each with its path. Empty when the value fits.
pub(crate) fn check(schema: &Value, value: &Value) -> Vec<String> {
    let mut problems = Vec::new();
    look(schema, value, "", &mut problems);
    problems.truncate(PROBLEMS_MAX);
    problems
}

fn look(schema: &Value, value: &Value, path: &str, problems: &mut Vec<String>) {
    let place = if path.is_empty() { "the arguments" } else { path };
    let problem_at = |must: String| format!("{place} {must}");
    if let Some(kind) = schema["type"].as_str()
        && !is_of(kind, value)
    {
        let article = if kind.starts_with(['a', 'i', 'o']) { "an" } else { "a" };
        return problems.push(problem_at(format!("must be {article} {kind}")));
    }
    if let Some(choices) = schema["enum"].as_array()
        && !choices.contains(value)
    {
        let words: Vec<String> = choices.iter().map(ToString::to_string).collect();
        return problems.push(problem_at(format!("must be one of {}", words.join(", "))));
    }
    match value {
        Value::String(text) => {
            let length = text.chars().count() as u64;
            if text.contains('\0') {
                problems.push(problem_at("must not contain the NUL character".to_owned()));
            }
            if schema["minLength"].as_u64().is_some_and(|min| length < min) {
                problems.push(problem_at("must not be empty".to_owned()));
            }
            if let Some(max) = schema["maxLength"].as_u64().filter(|max| length > *max) {
                problems.push(problem_at(format!("must have at most {max} characters")));
            }
            if let Some(problem) = schema["format"].as_str().and_then(|format| misfit(format, text)) {
                problems.push(problem_at(problem.to_owned()));
            }
        }
        Value::Number(number) => {
            let number = number.as_f64().unwrap_or(f64::NAN);
            let (min, max) = (schema["minimum"].as_f64(), schema["maximum"].as_f64());
            if min.is_some_and(|min| number < min) || max.is_some_and(|max| number > max) {
                let bound =
                    |bound: Option<f64>| bound.map_or_else(|| "any".to_owned(), |bound| bound.to_string());
                problems.push(problem_at(format!("must be from {} to {}", bound(min), bound(max))));
            }
        }
        Value::Array(items) => {
            if let Some(max) = schema["maxItems"].as_u64().filter(|max| items.len() as u64 > *max) {
                problems.push(problem_at(format!("must have at most {max} items")));
            }
            for (index, item) in items.iter().enumerate() {
                look(&schema["items"], item, &join(path, &index.to_string()), problems);
            }
        }
        Value::Object(fields) => {
            for name in schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str) {
                if fields.get(name).is_none_or(Value::is_null) {
                    problems.push(format!("{} is required", join(path, name)));
                }
            }
            for (name, field) in fields {
                let (known, place) = (&schema["properties"][name.as_str()], join(path, name));
                match &schema["additionalProperties"] {
                    // Models write null for arguments that they leave out.
                    _ if known.is_object() && field.is_null() => {}
                    _ if known.is_object() => look(known, field, &place, problems),
                    Value::Bool(false) => problems.push(format!("{place} is not an argument of this tool")),
                    others @ Value::Object(_) => look(others, field, &place, problems),
                    _ => {}
                }
            }
        }
        Value::Null | Value::Bool(_) => {}
    }
}

fn is_of(kind: &str, value: &Value) -> bool {
    match kind {
        "object" => value.is_object(),
        "array" => value.is_array(),
        "string" => value.is_string(),
        "integer" => value.is_i64() || value.is_u64(),
        "number" => value.is_number(),
        "boolean" => value.is_boolean(),
        _ => true,
    }
}

fn misfit(format: &str, text: &str) -> Option<&'static str> {
    let (fits, must) = match format {
        "uuid" => (text.len() == 36 && Uuid::try_parse(text).is_ok(), "must be a UUID"),
        "date-time" => {
            (text.parse::<Timestamp>().is_ok(), "must be a date-time such as 2026-01-31T09:30:00Z")
        }
        "date" => (text.parse::<Date>().is_ok(), "must be a date such as 2026-01-31"),
        _ => (true, ""),
    };
    (!fits).then_some(must)
}

fn join(path: &str, name: &str) -> String {
    if path.is_empty() { name.to_owned() } else { format!("{path}.{name}") }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn everything_wrong_is_told_at_its_path() {
        let schema = json!({
            "type": "object",
            "properties": {
                "deal_id": { "type": "string", "format": "uuid" },
                "title": { "type": "string", "minLength": 1, "maxLength": 3 },
                "value": { "type": "number", "minimum": 0 },
                "outcome": { "type": "string", "enum": ["won", "lost"] },
                "tags": { "type": "array", "maxItems": 2, "items": { "type": "string" } },
                "fields": { "type": "object", "additionalProperties": { "type": "string" } },
                "at": { "type": "string", "format": "date-time" },
            },
            "required": ["deal_id", "title"],
            "additionalProperties": false,
        });
        let fine = json!({ "deal_id": "01890a5d-ac96-774b-bcce-b302099a8057", "title": "abc", "value": null, "fields": { "a": "b" } });
        assert_eq!(check(&schema, &fine), [""; 0]);
        let wrong = json!({
            "deal_id": "7", "title": "abcd", "value": -1, "outcome": "draw", "tags": ["a", 2, "c"], "fields": { "a": 1 },
            "at": "soon", "hack": true,
        });
        let problems = check(&schema, &wrong).join("\n");
        for part in [
            "deal_id must be a UUID",
            "title must have at most 3",
            "value must be from 0",
            "outcome must be one of",
            "tags must have at most 2",
            "tags.1 must be a string",
            "fields.a must be a string",
            "at must be a date-time",
            "hack is not an argument",
        ] {
            assert!(problems.contains(part), "{part} is not in {problems}");
        }
        assert_eq!(check(&schema, &json!({})), ["deal_id is required", "title is required"]);
        assert_eq!(check(&schema, &json!([])), ["the arguments must be an object"]);
    }
}
