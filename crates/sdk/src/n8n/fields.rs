//! Fields of requests as parameters of a node.

use serde_json::{Map, Value, json};

use super::{sentence, title};
use crate::model::{Field, Kind, Model, Shape};
use crate::name::Name;

/// How n8n lets a value be entered.
pub(super) struct Entry {
    /// `string`, `number`, `options`, …
    kind: &'static str,
    default: Value,
    options: Option<Vec<String>>,
    /// Whether it is entered as JSON text.
    pub(super) is_json: bool,
    /// Whether a blank text stands for no value.
    pub(super) blank_is_none: bool,
}

fn plain(kind: &'static str, default: Value) -> Entry {
    Entry { kind, default, options: None, is_json: false, blank_is_none: false }
}

pub(super) fn entry(model: &Model, shape: &Shape) -> Entry {
    match shape {
        Shape::Text => plain("string", json!("")),
        Shape::Id | Shape::Date | Shape::Uri => Entry { blank_is_none: true, ..plain("string", json!("")) },
        Shape::Moment => Entry { blank_is_none: true, ..plain("dateTime", json!("")) },
        Shape::Boolean => plain("boolean", json!(false)),
        Shape::Integer | Shape::Number => plain("number", json!(0)),
        Shape::Words(words) => options(words),
        Shape::Named(name) => match &model.named(name).kind {
            Kind::Words(words) => options(words),
            Kind::Object(_) | Kind::Union(_) => text_of_json(json!("{}")),
        },
        Shape::List(_) => text_of_json(json!("[]")),
        Shape::Map(_) | Shape::Any => text_of_json(json!("{}")),
        Shape::Nullable(inner) => entry(model, inner),
    }
}

fn options(words: &[String]) -> Entry {
    let mut words = words.to_vec();
    words.sort();
    let first = words.first().cloned().unwrap_or_default();
    Entry { options: Some(words), ..plain("options", json!(first)) }
}

fn text_of_json(default: Value) -> Entry {
    Entry { is_json: true, ..plain("json", default) }
}

/// The parameter by which a value is entered. `show` says when it is shown; within a collection it always is.
pub(super) fn property(
    model: &Model,
    param: &str,
    shape: &Shape,
    docs: &str,
    show: Option<&Value>,
) -> Map<String, Value> {
    let entry = entry(model, shape);
    let name = title(&Name::parse(param));
    let mut property = Map::new();
    property.insert("displayName".to_owned(), json!(name));
    property.insert("name".to_owned(), json!(param));
    property.insert("type".to_owned(), json!(entry.kind));
    if let Some(words) = entry.options {
        let options = words.iter().map(|word| json!({ "name": title(&Name::parse(word)), "value": word }));
        property.insert("options".to_owned(), options.collect());
    }
    property.insert("default".to_owned(), entry.default);
    if let Some(show) = show {
        property.insert("required".to_owned(), json!(true));
        property.insert("displayOptions".to_owned(), json!({ "show": show }));
    }
    if !docs.is_empty() {
        property.insert("description".to_owned(), json!(sentence(docs)));
    }
    property
}

/// The fields of an object that is sent. None if it is no object.
pub(super) fn of_object<'m>(model: &'m Model, type_name: &str) -> Option<&'m [Field]> {
    match &model.named(type_name).kind {
        Kind::Object(fields) => Some(fields),
        Kind::Words(_) | Kind::Union(_) => None,
    }
}

/// The name of the parameter for a required field. Those of the node itself, and those of the path, are taken.
pub(super) fn param_of(field: &str, taken: &[String]) -> String {
    const OWN: [&str; 8] = [
        "resource",
        "operation",
        "returnAll",
        "limit",
        "filters",
        "additionalFields",
        "binaryPropertyName",
        "body",
    ];
    let name = Name::parse(field).camel();
    if OWN.contains(&name.as_str()) || taken.contains(&name) { format!("{name}Field") } else { name }
}
