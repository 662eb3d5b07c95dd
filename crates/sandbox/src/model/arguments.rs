//! Arguments that fit a tool's schema, taken from the conversation.

use serde_json::{Map, Value, json};

use super::intents::Intent;
use super::transcript::Conversation;
use crate::mark;

const UUID_CHARS: usize = 36;
const MILLIS_PER_MINUTE: u64 = 60_000;

/// The arguments of a call, with everything that the schema requires.
pub(super) fn fill(schema: &Value, intent: &Intent, conversation: &Conversation, now: i64) -> Value {
    let empty = Map::new();
    let properties = schema["properties"].as_object().unwrap_or(&empty);
    let mut arguments = Map::new();
    for (names, value) in &intent.values {
        let name =
            names.iter().find(|name| properties.contains_key(**name) && !arguments.contains_key(**name));
        if let Some(name) = name {
            arguments.insert((*name).to_owned(), fit(&properties[*name], value));
        }
    }
    let required = schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str);
    for name in required.filter(|name| properties.contains_key(*name)) {
        if !arguments.contains_key(name) {
            let value = invent(name, &properties[name], intent, conversation, now);
            arguments.insert(name.to_owned(), value);
        }
    }
    Value::Object(arguments)
}

/// A required id that the conversation does not contain.
pub(super) fn missing_id<'a>(schema: &'a Value, conversation: &Conversation) -> Option<&'a str> {
    let mut required = schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str);
    required.find(|name| name.ends_with("_id") && known_id(name, conversation).is_none())
}

/// Converts a value to the schema's type.
fn fit(schema: &Value, value: &Value) -> Value {
    match (schema["type"].as_str(), value) {
        (Some("string"), Value::Number(number)) => json!(number.to_string()),
        (Some("number" | "integer"), Value::String(text)) => text.parse().map_or(json!(1), |n: u64| json!(n)),
        (Some("array"), value) if !value.is_array() => json!([value]),
        _ => value.clone(),
    }
}

/// A value for an argument that the conversation does not contain.
fn invent(name: &str, schema: &Value, intent: &Intent, conversation: &Conversation, now: i64) -> Value {
    if let Some(id) = known_id(name, conversation).filter(|_| name.ends_with("_id")) {
        return json!(id);
    }
    if let Some(choices) = schema["enum"].as_array() {
        let lower = conversation.asked.to_ascii_lowercase();
        let named =
            choices.iter().find(|choice| choice.as_str().is_some_and(|choice| lower.contains(choice)));
        return named.or(choices.first()).cloned().unwrap_or_default();
    }
    if !schema["default"].is_null() {
        return schema["default"].clone();
    }
    let said = intent.values.iter().map(|(_, value)| value);
    match schema["type"].as_str() {
        Some("string") if schema["format"] == "date-time" => json!(mark::time(later(intent, now))),
        Some("string") if name == "currency" => json!("USD"),
        Some("string") => {
            let text = said.clone().find_map(Value::as_str).filter(|text| !text.is_empty());
            json!(text.unwrap_or(&conversation.asked))
        }
        Some("number" | "integer") => {
            said.clone().find(|value| value.is_number()).cloned().unwrap_or(json!(1))
        }
        Some("boolean") => json!(true),
        Some("array") => json!([]),
        _ => json!({}),
    }
}

/// The requested time; an hour from now by default.
fn later(intent: &Intent, now: i64) -> i64 {
    let minutes = intent.values.iter().find(|(names, _)| names.contains(&"minutes"));
    let minutes = minutes.and_then(|(_, value)| value.as_u64()).unwrap_or(60);
    now.saturating_add(i64::try_from(minutes.saturating_mul(MILLIS_PER_MINUTE)).unwrap_or(i64::MAX))
}

/// The newest id of this name, from the request or from the results of tools, where `deal_id` may also be the
/// `id` of a returned object.
fn known_id(name: &str, conversation: &Conversation) -> Option<String> {
    let asked = uuid(&conversation.asked);
    asked.or_else(|| {
        let after = |text: &str, key: &str| text.find(key).and_then(|at| uuid(&text[at..]));
        let (own, plain) = (format!("\"{name}\""), "\"id\"");
        conversation.results().find_map(|result| after(result, &own).or_else(|| after(result, plain)))
    })
}

/// The first UUID of a text.
fn uuid(text: &str) -> Option<String> {
    let is_uuid = |part: &[u8]| {
        part.iter().enumerate().all(|(index, byte)| match index {
            8 | 13 | 18 | 23 => *byte == b'-',
            _ => byte.is_ascii_hexdigit(),
        })
    };
    let found = text.as_bytes().windows(UUID_CHARS).find(|part| is_uuid(part))?;
    String::from_utf8(found.to_vec()).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::transcript::ToolUse;

    const ID: &str = "0199a1b2-0000-7000-8000-000000000001";

    fn intent(values: Vec<(&'static [&'static str], Value)>) -> Intent {
        Intent { tool: "t", values }
    }

    #[test]
    fn values_go_to_the_names_that_the_schema_has() {
        let schema = json!({
            "properties": {
                "amount": { "type": "string" }, "title": { "type": "string" }, "tags": { "type": "array" },
                "outcome": { "enum": ["won", "lost"] }, "currency": { "type": "string" }, "note": { "type": "string" },
                "due_at": { "type": "string", "format": "date-time" },
            },
            "required": ["title", "outcome", "currency", "due_at"],
        });
        let conversation = Conversation { asked: "It is lost.".into(), ..Conversation::default() };
        let values = vec![
            (&["value", "amount"][..], json!(500)),
            (&["tag", "tags"], json!("vip")),
            (&["title"], json!("Deal")),
        ];
        let filled = fill(&schema, &intent(values), &conversation, 0);
        assert_eq!(
            filled,
            json!({
                "amount": "500", "title": "Deal", "tags": ["vip"], "outcome": "lost", "currency": "USD",
                "due_at": "1970-01-01T01:00:00.000Z",
            })
        );
        assert_eq!(fill(&Value::Null, &intent(Vec::new()), &conversation, 0), json!({}));
    }

    #[test]
    fn ids_come_from_what_was_seen() {
        let schema = json!({ "properties": { "deal_id": { "type": "string" } }, "required": ["deal_id"] });
        let mut conversation = Conversation::default();
        assert_eq!(missing_id(&schema, &conversation), Some("deal_id"));
        let result = format!("{{\"data\":[{{\"id\":\"{ID}\"}}]}}");
        conversation.calls.push(ToolUse { name: "search_deals".into(), result, is_error: false });
        assert_eq!(missing_id(&schema, &conversation), None);
        assert_eq!(fill(&schema, &intent(Vec::new()), &conversation, 0), json!({ "deal_id": ID }));
    }
}
