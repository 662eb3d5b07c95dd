//! Examples: values that match their schemas. Every response of the document has one.

use serde_json::{Map, Value, json};

/// The id in examples.
pub(crate) const EXAMPLE_ID: &str = "0190f3c2-a1b2-7c3d-8e4f-5a6b7c8d9e0f";

/// The depth at which a recursive type is cut off.
const DEPTH_MAX: usize = 8;

/// Adds an example to every JSON response that has a schema and no example yet.
pub(super) fn add_to_responses(document: &mut Value, examples: &[(&str, Value)]) {
    let schemas = document["components"]["schemas"].clone();
    let known = Known { schemas: &schemas, examples };
    for item in document["paths"].as_object_mut().into_iter().flat_map(Map::values_mut) {
        for operation in item.as_object_mut().into_iter().flat_map(Map::values_mut) {
            for response in operation["responses"].as_object_mut().into_iter().flat_map(Map::values_mut) {
                let Some(content) = response.pointer_mut("/content/application~1json") else { continue };
                if content["example"].is_null() && content["schema"].is_object() {
                    content["example"] = known.value(&content["schema"], 0);
                }
            }
        }
    }
}

struct Known<'d> {
    schemas: &'d Value,
    examples: &'d [(&'d str, Value)],
}

impl Known<'_> {
    fn value(&self, schema: &Value, depth: usize) -> Value {
        if let Some(name) = crate::schema::referred(schema) {
            return self.named(name, depth);
        }
        for known in ["example", "default", "const"] {
            if let Some(value) = schema.get(known) {
                return value.clone();
            }
        }
        for choices in ["examples", "enum"] {
            if let Some(first) = schema[choices].get(0) {
                return first.clone();
            }
        }
        for choices in ["anyOf", "oneOf"] {
            if let Some(first) = schema[choices].get(0) {
                return self.value(first, depth + 1);
            }
        }
        self.of_type(schema, depth)
    }

    /// The given example of a named schema, with missing fields filled in, or one generated from the schema.
    fn named(&self, name: &str, depth: usize) -> Value {
        let mut made = self.value(&self.schemas[name], depth + 1);
        let Some((_, given)) = self.examples.iter().find(|(known, _)| *known == name) else { return made };
        match (made.as_object_mut(), given.as_object()) {
            (Some(fields), Some(given)) => {
                fields.extend(given.clone());
                made
            }
            _ => given.clone(),
        }
    }

    fn of_type(&self, schema: &Value, depth: usize) -> Value {
        let nullable = schema["type"].is_array();
        let kind = schema["type"].as_str().or(schema["type"][0].as_str()).unwrap_or_default();
        match (kind, schema["format"].as_str()) {
            ("object", _) if depth <= DEPTH_MAX => {
                let fields = schema["properties"].as_object().into_iter().flatten();
                let fields = fields.map(|(name, field)| (name.clone(), self.value(field, depth + 1)));
                Value::Object(fields.collect())
            }
            ("array", _) if depth > DEPTH_MAX => json!([]),
            ("array", _) => json!([self.value(&schema["items"], depth + 1)]),
            ("string", Some("uuid")) => EXAMPLE_ID.into(),
            // A text that may be null and has no other constraint is null.
            ("string", None) if nullable => Value::Null,
            ("string", _) => "text".into(),
            ("boolean", _) => true.into(),
            ("integer" | "number", _) => schema.get("minimum").cloned().unwrap_or_else(|| 1.into()),
            _ => json!({}),
        }
    }
}
