//! The samples of operations, and the module with which a test runs them.

use serde_json::Value;

use super::text::{literal, module, name};
use crate::model::{Body, Model, Operation, Response, Shape, placeholder};
use crate::name::Name;

/// The width of a sample's line, which is for pages of documentation.
const WIDTH: usize = 88;
const INDENT: &str = "    ";

/// The call as a person would write it.
pub(super) fn code(operation: &Operation) -> String {
    let call = call(operation);
    match &operation.response {
        Response::EventStream => format!("with {call} as events:\n{INDENT}print(next(events))"),
        Response::List { .. } if operation.method == "GET" => {
            let row = row_name(operation);
            format!("for {row} in {call}:\n{INDENT}print({row})")
        }
        Response::List { .. } => format!("page = {call}"),
        Response::Data(Shape::Named(type_name)) if type_name != "Deleted" => {
            format!("{} = {call}", variable(type_name))
        }
        Response::Data(_) => call,
    }
}

/// The name of a variable for one object of a type.
fn variable(type_name: &str) -> String {
    let words = Name::parse(type_name);
    match words.words().last().map(String::as_str) {
        Some("result") => "result".to_owned(),
        _ => name(&words.snake()),
    }
}

fn row_name(operation: &Operation) -> String {
    match &operation.response {
        Response::List { item: Shape::Named(type_name), .. } => variable(type_name),
        _ => "row".to_owned(),
    }
}

fn call(operation: &Operation) -> String {
    let sample = &operation.sample;
    let mut arguments: Vec<Argument> = sample.path.iter().map(|value| (None, value.clone())).collect();
    arguments.extend(sample.query.iter().map(|(key, value)| (Some(name(key)), value.clone())));
    if let Some(Value::Object(fields)) = &sample.body {
        arguments.extend(fields.iter().map(|(key, value)| (Some(name(key)), value.clone())));
    }
    let function = format!("client.{}.{}", operation.resource.snake(), name(&operation.name.snake()));
    if matches!(operation.body, Some(Body::File)) {
        return format!("{function}(b\"Hello\", filename=\"hello.txt\")");
    }
    if operation.response_is_stream() {
        return format!("{function}(after=event_id)");
    }
    printed(&function, &arguments)
}

/// An argument, with its name if it has one.
type Argument = (Option<String>, Value);

fn printed(function: &str, arguments: &[Argument]) -> String {
    let one = |(name, value): &Argument, indent: usize| {
        let before = name.as_ref().map_or_else(String::new, |name| format!("{name}="));
        format!("{before}{}", self::value(value, indent, WIDTH.saturating_sub(indent + before.len() + 1)))
    };
    let line = arguments.iter().map(|argument| one(argument, 0)).collect::<Vec<_>>().join(", ");
    // Room for the variable before it.
    let room = WIDTH.saturating_sub(function.len() + 22);
    if line.len() <= room && !line.contains('\n') {
        return format!("{function}({line})");
    }
    let lines: Vec<String> =
        arguments.iter().map(|each| format!("{INDENT}{},\n", one(each, INDENT.len()))).collect();
    format!("{function}(\n{})", lines.concat())
}

/// A value, in one line if it fits.
fn value(value: &Value, indent: usize, room: usize) -> String {
    let line = in_line(value);
    if line.len() <= room {
        return line;
    }
    let pad = " ".repeat(indent + INDENT.len());
    let end = " ".repeat(indent);
    let next = |each: &Value| self::value(each, indent + INDENT.len(), WIDTH - indent - 2 * INDENT.len());
    match value {
        Value::Array(items) => {
            let lines: Vec<String> = items.iter().map(|item| format!("{pad}{},\n", next(item))).collect();
            format!("[\n{}{end}]", lines.concat())
        }
        Value::Object(fields) => {
            let entry = |(key, each): (&String, &Value)| format!("{pad}{}: {},\n", literal(key), next(each));
            format!("{{\n{}{end}}}", fields.iter().map(entry).collect::<Vec<_>>().concat())
        }
        _ => line,
    }
}

fn in_line(value: &Value) -> String {
    if let Some(placeholder) = placeholder(value) {
        return name(placeholder);
    }
    match value {
        Value::Null => "None".to_owned(),
        Value::Bool(true) => "True".to_owned(),
        Value::Bool(false) => "False".to_owned(),
        Value::Number(number) => number.to_string(),
        Value::String(text) => literal(text),
        Value::Array(items) => format!("[{}]", items.iter().map(in_line).collect::<Vec<_>>().join(", ")),
        Value::Object(fields) => {
            let entries: Vec<String> =
                fields.iter().map(|(key, each)| format!("{}: {}", literal(key), in_line(each))).collect();
            format!("{{{}}}", entries.join(", "))
        }
    }
}

/// The module that a test runs: a function per operation, with the sample as its body, and a table of them.
pub(super) fn file(model: &Model) -> String {
    let mut parts = vec![
        "# ruff: noqa: F841\nfrom __future__ import annotations\n\nfrom collections.abc import Callable\n\nfrom frontdesk \
         import Frontdesk\n"
            .to_owned(),
    ];
    parts.extend(model.operations().map(function));
    parts.push("\n\nSAMPLES: dict[str, Callable[..., None]] = {\n".to_owned());
    let row = |operation: &Operation| {
        format!("{INDENT}{}: {},\n", literal(&operation.id), function_name(operation))
    };
    parts.extend(model.operations().map(row));
    parts.push("}\n".to_owned());
    module("A call of every operation, as the documentation shows it.", &parts.concat())
}

fn function_name(operation: &Operation) -> String {
    Name::parse(&operation.id).snake()
}

fn function(operation: &Operation) -> String {
    let placeholders = operation.sample.placeholders();
    let arguments =
        placeholders.iter().map(|each| format!(", {}: str", name(each))).collect::<Vec<_>>().concat();
    let body: Vec<String> = code(operation).lines().map(|line| format!("{INDENT}{line}\n")).collect();
    let name = function_name(operation);
    format!("\n\ndef {name}(client: Frontdesk{arguments}) -> None:\n{}", body.concat())
}

impl Operation {
    fn response_is_stream(&self) -> bool {
        matches!(self.response, Response::EventStream)
    }
}
