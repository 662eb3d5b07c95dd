//! Whether a value is what a document's schema says.

use serde_json::Value;

/// What is wrong with a value by a schema of an OpenAPI document; nothing when it fits. A field that
/// the schema does not name is wrong too.
pub(crate) fn faults(document: &Value, schema: &Value, value: &Value) -> Vec<String> {
    let mut found = Vec::new();
    look(document, schema, value, "", &mut found);
    found
}

fn look(document: &Value, schema: &Value, value: &Value, at: &str, found: &mut Vec<String>) {
    if let Some(reference) = schema["$ref"].as_str() {
        match reference.strip_prefix('#').and_then(|pointer| document.pointer(pointer)) {
            Some(schema) => look(document, schema, value, at, found),
            None => found.push(format!("{at}: {reference} is nowhere")),
        }
        return;
    }
    for choice in ["anyOf", "oneOf"] {
        if let Some(schemas) = schema[choice].as_array() {
            let fits = schemas.iter().filter(|schema| faults(document, schema, value).is_empty()).count();
            if fits == 0 || (choice == "oneOf" && fits > 1) {
                found.push(format!("{at}: {value} fits {fits} of {choice}"));
            }
            return;
        }
    }
    let fits = match &schema["type"] {
        Value::String(kind) => is_a(kind, value),
        Value::Array(kinds) => kinds.iter().filter_map(Value::as_str).any(|kind| is_a(kind, value)),
        _ => true,
    };
    let listed = schema["enum"].as_array().is_none_or(|choices| choices.contains(value))
        && schema.get("const").is_none_or(|only| only == value);
    if !fits || !listed {
        found.push(format!("{at}: {value} is not {schema}"));
        return;
    }
    match value {
        Value::Array(items) => {
            for (index, item) in items.iter().enumerate() {
                look(document, &schema["items"], item, &format!("{at}.{index}"), found);
            }
        }
        Value::Object(fields) => {
            if let Some(required) = schema["required"].as_array() {
                let missing =
                    required.iter().filter_map(Value::as_str).filter(|name| !fields.contains_key(*name));
                found.extend(missing.map(|name| format!("{at}.{name} is missing")));
            }
            let Some(properties) = schema["properties"].as_object() else { return };
            for (name, value) in fields {
                match properties.get(name) {
                    Some(schema) => look(document, schema, value, &format!("{at}.{name}"), found),
                    None if schema["additionalProperties"] == true => {}
                    None => found.push(format!("{at}.{name} is not in the schema")),
                }
            }
        }
        _ => {}
    }
}

fn is_a(kind: &str, value: &Value) -> bool {
    match kind {
        "null" => value.is_null(),
        "boolean" => value.is_boolean(),
        "integer" => value.is_i64() || value.is_u64(),
        "number" => value.is_number(),
        "string" => value.is_string(),
        "array" => value.is_array(),
        "object" => value.is_object(),
        _ => false,
    }
}

#[test]
fn faults_are_found_and_nothing_else_is() {
    let document = serde_json::json!({ "s": { "type": "object", "required": ["id"], "properties": {
        "id": { "type": "string" }, "age": { "type": ["integer", "null"] }, "tags": { "type": "array", "items": { "$ref": "#/s" } },
    } } });
    let schema = &document["s"];
    let count = |value: Value| faults(&document, schema, &value).len();
    assert_eq!(count(serde_json::json!({ "id": "x", "age": null, "tags": [{ "id": "y" }] })), 0);
    assert_eq!(count(serde_json::json!({ "id": 7 })), 1);
    assert_eq!(count(serde_json::json!({ "age": "x", "tags": [{}], "more": 1 })), 4);
    let either = serde_json::json!({ "oneOf": [{ "const": "a" }, { "const": "b" }, { "type": "string", "enum": ["b"] }] });
    let fits = |value: &str| faults(&document, &either, &value.into()).is_empty();
    assert_eq!((fits("a"), fits("b"), fits("c")), (true, false, false));
}
