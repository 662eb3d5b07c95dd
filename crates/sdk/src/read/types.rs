//! Types, from schemas.

use std::collections::BTreeSet;

use serde_json::{Map, Value};

use super::{object, reference, referred, text, texts};
use crate::model::{Field, Kind, Shape, Type, Union, Variant};

/// The type of a schema with a name.
pub(super) fn named(name: &str, schema: &Value, is_sent: bool, is_received: bool) -> Type {
    let kind = if schema["oneOf"].is_array() {
        Kind::Union(union(name, schema))
    } else if schema["enum"].is_array() {
        Kind::Words(texts(&schema["enum"]))
    } else {
        assert!(schema["type"] == "object", "{name} is {schema}, which is no kind of named type");
        Kind::Object(fields(name, schema))
    };
    Type { name: name.to_owned(), docs: text(&schema["description"]), kind, is_sent, is_received }
}

/// The fields of an object: those that are always there in the order of their declaration, then the others by name.
fn fields(name: &str, schema: &Value) -> Vec<Field> {
    let required = texts(&schema["required"]);
    let properties = object(&schema["properties"], name);
    let optional = properties.keys().filter(|field| !required.contains(field)).cloned();
    let names: Vec<String> = required.iter().cloned().chain(optional).collect();
    let field = |field: String| {
        let schema = &properties[&field];
        Field {
            docs: text(&schema["description"]),
            shape: shape(schema, &format!("{name}.{field}")),
            required: required.contains(&field),
            constant: schema["const"].as_str().map(str::to_owned),
            name: field,
        }
    };
    names.into_iter().map(field).collect()
}

fn union(name: &str, schema: &Value) -> Union {
    let mapping = schema["discriminator"]["mapping"].as_object();
    let word_of = |type_name: &str| {
        let pointer = format!("#/components/schemas/{type_name}");
        mapping?.iter().find(|(_, target)| **target == pointer).map(|(word, _)| word.clone())
    };
    let variants = schema["oneOf"].as_array().into_iter().flatten().map(|variant| {
        let type_name = referred(variant, name).to_owned();
        let word = word_of(&type_name);
        assert!(
            mapping.is_none() || word.is_some(),
            "{type_name} has no word in the discriminator of {name}"
        );
        Variant { word, type_name }
    });
    let tag = schema["discriminator"]["propertyName"].as_str().map(str::to_owned);
    Union { tag, variants: variants.collect() }
}

/// The shape of a value. `at` is its place, for the message if it has none.
pub(super) fn shape(schema: &Value, at: &str) -> Shape {
    if let Some(name) = reference(schema) {
        return Shape::Named(name.to_owned());
    }
    if let Some(choices) = schema["anyOf"].as_array() {
        let [value, null] = choices.as_slice() else { panic!("{at} is {schema}, not something or null") };
        assert!(null["type"] == "null", "{at} is {schema}, not something or null");
        return Shape::Nullable(Box::new(shape(value, at)));
    }
    if let Some(words) = schema["type"].as_array() {
        assert!(words.len() == 2 && words[1] == "null", "{at} is {schema}, not something or null");
        return Shape::Nullable(Box::new(of_type(&words[0], schema, at)));
    }
    if schema["type"].is_null() {
        assert!(schema["oneOf"].is_null() && schema["allOf"].is_null(), "{at} is {schema}; give it a name");
        return Shape::Any;
    }
    of_type(&schema["type"], schema, at)
}

fn of_type(kind: &Value, schema: &Value, at: &str) -> Shape {
    match (kind.as_str().unwrap_or_default(), schema["format"].as_str()) {
        ("string", Some("uuid")) => Shape::Id,
        ("string", Some("date-time")) => Shape::Moment,
        ("string", Some("date")) => Shape::Date,
        ("string", Some("uri")) => Shape::Uri,
        ("string", None) if schema["enum"].is_array() => Shape::Words(texts(&schema["enum"])),
        ("string", None) => Shape::Text,
        ("boolean", _) => Shape::Boolean,
        ("integer", _) => Shape::Integer,
        ("number", _) => Shape::Number,
        ("array", _) => Shape::List(Box::new(shape(&schema["items"], at))),
        ("object", _) if schema["properties"].is_null() => {
            Shape::Map(Box::new(shape(&schema["additionalProperties"], at)))
        }
        _ => panic!("{at} is {schema}, which has no shape; give it a name if it is an object"),
    }
}

/// The named schemas that these contain, at any depth, with themselves.
pub(super) fn reached(schemas: &Map<String, Value>, roots: BTreeSet<String>) -> BTreeSet<String> {
    let mut todo: Vec<String> = roots.into_iter().collect();
    let mut found = BTreeSet::new();
    while let Some(name) = todo.pop() {
        if let Some(schema) = schemas.get(&name)
            && found.insert(name)
        {
            todo.extend(references(schema));
        }
    }
    found
}

/// The named schemas that a part of the document refers to.
pub(super) fn references(part: &Value) -> BTreeSet<String> {
    let mut found: BTreeSet<String> = reference(part).map(str::to_owned).into_iter().collect();
    match part {
        Value::Array(items) => found.extend(items.iter().flat_map(references)),
        Value::Object(fields) => found.extend(fields.values().flat_map(references)),
        _ => {}
    }
    found
}
