//! A call as a person would write it.

use super::layout::literal;
use crate::model::{Body, Operation, Response, Shape};
use crate::name::Name;
use serde_json::{Map, Value};

/// The call of an operation's sample. `client` is a client, and each placeholder a variable in camel case.
pub fn sample(operation: &Operation) -> String {
    let call = format!("client.{}.{}", operation.resource.camel(), operation.name.camel());
    match &operation.response {
        Response::EventStream => {
            let arguments = arguments(operation, call.len());
            format!(
                "for await (const event of {call}({arguments})) {{\n  console.log(event.event_type);\n  \
                 break; // Leave this out to go on.\n}}"
            )
        }
        Response::List { item, .. } if operation.method == "GET" => {
            let row = variable(item).unwrap_or_else(|| "row".to_owned());
            let arguments = arguments(operation, call.len() + row.len() + 22);
            format!("for await (const {row} of {call}({arguments})) {{\n  console.log({row});\n}}")
        }
        Response::List { item, .. } => assigned(variable(item).map(|name| plural(&name)), operation, &call),
        Response::Data(shape) => assigned(variable(shape), operation, &call),
    }
}

fn assigned(name: Option<String>, operation: &Operation, call: &str) -> String {
    let start = name.map(|name| format!("const {name} = ")).unwrap_or_default();
    if matches!(operation.body, Some(Body::File)) {
        return format!(
            "const file = new File([\"Hello\"], \"hello.txt\", {{ type: \"text/plain\" }});\n{start}await {call}(file);"
        );
    }
    let arguments = arguments(operation, start.len() + call.len() + 8);
    format!("{start}await {call}({arguments});")
}

/// What a person would call a value of this type; none if there is nothing to do with it.
fn variable(shape: &Shape) -> Option<String> {
    match shape {
        Shape::Named(name) if name == "Deleted" => None,
        Shape::Named(name) => Some(Name::parse(name).camel()),
        _ => Some("result".to_owned()),
    }
}

fn plural(name: &str) -> String {
    format!("{name}s")
}

fn arguments(operation: &Operation, before: usize) -> String {
    let sample = &operation.sample;
    let mut values: Vec<Value> = sample.path.clone();
    values.extend(sample.body.clone());
    if !sample.query.is_empty() {
        values.push(Value::Object(sample.query.iter().cloned().collect::<Map<_, _>>()));
    }
    let mut written = Vec::new();
    let mut at = before;
    for value in &values {
        let text = literal(value, 0, at);
        at += text.len() + 2;
        written.push(text);
    }
    written.join(", ")
}
