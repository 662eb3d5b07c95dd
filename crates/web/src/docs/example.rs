//! Examples from schemas: a valid body, and the call that sends it.

use serde_json::{Map, Value, json};

use super::entry::Entry;
use super::fields::resolve;

/// The depth at which a recursive type is cut off.
const DEPTH_MAX: usize = 6;

const SAMPLE_ID: &str = "0190f3c2-a1b2-7c3d-8e4f-5a6b7c8d9e0f";

/// The call as a shell command.
pub(super) fn curl(document: &Value, entry: &Entry<'_>) -> String {
    let path: Vec<&str> =
        entry.path.split('/').map(|part| if part.starts_with('{') { SAMPLE_ID } else { part }).collect();
    let mut call = format!("curl -X {} \"$FRONTDESK_URL{}\"", entry.method.to_uppercase(), path.join("/"));
    if entry.operation["security"].as_array().is_none_or(|schemes| !schemes.is_empty()) {
        call.push_str(" \\\n  -H \"Authorization: Bearer $FRONTDESK_KEY\"");
    }
    if entry.is_idempotent() {
        call.push_str(" \\\n  -H \"Idempotency-Key: $(uuidgen)\"");
    }
    let schema = &entry.operation["requestBody"]["content"]["application/json"]["schema"];
    if schema.is_object() {
        let body = serde_json::to_string_pretty(&value(document, schema, 0)).unwrap_or_default();
        call.push_str(" \\\n  -H \"Content-Type: application/json\" \\\n  -d '");
        call.push_str(&body.replace('\'', "'\\''"));
        call.push('\'');
    }
    call
}

fn value(document: &Value, schema: &Value, depth: usize) -> Value {
    let schema = resolve(document, schema);
    if depth > DEPTH_MAX {
        return Value::Null;
    }
    for known in [&schema["examples"][0], &schema["default"], &schema["const"], &schema["enum"][0]] {
        if !known.is_null() {
            return known.clone();
        }
    }
    for choices in ["anyOf", "oneOf"] {
        if let Some(first) = schema[choices].get(0) {
            return value(document, first, depth + 1);
        }
    }
    if let Some(parts) = schema["allOf"].as_array() {
        let parts = parts.iter().map(|part| value(document, part, depth + 1));
        return parts.filter_map(|part| part.as_object().cloned()).flatten().collect::<Map<_, _>>().into();
    }
    let kind = schema["type"].as_str().or(schema["type"][0].as_str()).unwrap_or_default();
    match (kind, schema["format"].as_str()) {
        ("object", _) => object(document, schema, depth),
        ("array", _) => json!([value(document, &schema["items"], depth + 1)]),
        ("string", Some("uuid")) => SAMPLE_ID.into(),
        ("string", _) => "text".into(),
        ("boolean", _) => true.into(),
        ("integer" | "number", _) => schema.get("minimum").cloned().unwrap_or_else(|| 1.into()),
        _ => json!({}),
    }
}

/// The required fields, or all fields if none is required, because an empty PATCH shows nothing.
fn object(document: &Value, schema: &Value, depth: usize) -> Value {
    let required = schema["required"].as_array();
    let shown = |name: &str| required.is_none_or(|names| names.iter().any(|known| known == name));
    let fields = schema["properties"].as_object().into_iter().flatten();
    fields
        .filter(|(name, _)| shown(name))
        .map(|(name, field)| (name.clone(), value(document, field, depth + 1)))
        .collect::<Map<_, _>>()
        .into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_type_that_contains_itself_ends() {
        let document = json!({ "components": { "schemas": { "Node": {
            "type": "object", "required": ["next"],
            "properties": { "next": { "$ref": "#/components/schemas/Node" } },
        } } } });
        let example = value(&document, &json!({ "$ref": "#/components/schemas/Node" }), 0);
        assert!(example["next"]["next"].is_object());
    }
}
