//! The community node for n8n.
//!
//! The package is plain JavaScript that reads three generated files: the parameters that a node shows
//! (`properties.json`), what they make of an operation (`operations.json`), and the event types of the trigger
//! (`events.json`).

mod fields;
mod operations;
mod properties;

use std::path::PathBuf;

use serde_json::{Value, json};

use crate::model::{Model, Operation, Response};
use crate::name::Name;

/// The generated files of the package.
pub fn files(model: &Model) -> Vec<(PathBuf, String)> {
    let generated = [
        ("operations.json", operations::file(model)),
        ("properties.json", properties::file(model)),
        ("events.json", events(model)),
    ];
    let in_package = |(name, value): (&str, Value)| {
        let text = serde_json::to_string_pretty(&value).expect("it is plain data");
        (PathBuf::from("n8n/generated").join(name), format!("{text}\n"))
    };
    generated.into_iter().map(in_package).collect()
}

/// The operations that a node has. A stream without an end is no step of a workflow; the trigger takes its place.
fn operations_of(operations: &[Operation]) -> impl Iterator<Item = &Operation> {
    operations.iter().filter(|operation| !matches!(operation.response, Response::EventStream))
}

fn events(model: &Model) -> Value {
    let options = model.events.iter().map(|event| {
        json!({ "name": title(&Name::parse(&event.name)), "value": event.name, "description": sentence(&event.docs) })
    });
    let mut options: Vec<Value> = options.collect();
    options.sort_by_key(|option| option["name"].as_str().map(str::to_owned));
    Value::Array(options)
}

/// A name as n8n shows it: `Contact ID`.
fn title(name: &Name) -> String {
    let words = name.words().iter().map(|word| match word.as_str() {
        "id" => "ID".to_owned(),
        "ids" => "IDs".to_owned(),
        "url" | "ai" | "usd" => word.to_uppercase(),
        _ => Name::parse(word).pascal(),
    });
    words.collect::<Vec<_>>().join(" ")
}

/// Text without the stop at its end, as n8n shows descriptions of one sentence.
fn sentence(text: &str) -> String {
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    match text.strip_suffix('.') {
        Some(one) if !one.contains(". ") => one.to_owned(),
        _ => text,
    }
}

#[cfg(test)]
mod tests;
