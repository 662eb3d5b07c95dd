//! Comments, literals and shapes as TypeScript.

use serde_json::Value;

use crate::model::{Shape, placeholder};
use crate::name::Name;

pub(super) const HEAD: &str = "// Written by `make sdk` from the routes of the API. Changes are lost.\n";

/// The width at which a literal is broken into lines.
const WIDTH: usize = 90;

/// A doc comment, or nothing.
pub(super) fn comment(text: &str, indent: &str) -> String {
    let text = text.trim().replace("*/", "*\u{200b}/");
    let lines: Vec<&str> = text.lines().collect();
    match lines.as_slice() {
        [] => String::new(),
        [line] => format!("{indent}/** {line} */\n"),
        lines => {
            let lines = lines.iter().map(|line| format!("{indent} * {line}").trim_end().to_owned() + "\n");
            format!("{indent}/**\n{}{indent} */\n", lines.collect::<String>())
        }
    }
}

/// Which side writes a value. What the server writes may have words that this version does not know.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Side {
    Sent,
    Received,
}

/// The type of a shape.
pub(super) fn type_of(shape: &Shape, side: Side, is_words: &dyn Fn(&str) -> bool) -> String {
    let inner = |shape: &Shape| type_of(shape, side, is_words);
    match shape {
        Shape::Text | Shape::Id | Shape::Moment | Shape::Date | Shape::Uri => "string".to_owned(),
        Shape::Words(words) if side == Side::Received => format!("Open<{}>", union_of(words)),
        Shape::Words(words) => union_of(words),
        Shape::Boolean => "boolean".to_owned(),
        Shape::Integer | Shape::Number => "number".to_owned(),
        Shape::Any => "unknown".to_owned(),
        Shape::Named(name) if side == Side::Received && is_words(name) => format!("Open<{name}>"),
        Shape::Named(name) => name.clone(),
        Shape::List(item) => match inner(item) {
            item if item.contains(" | ") => format!("Array<{item}>"),
            item => format!("{item}[]"),
        },
        Shape::Map(value) => format!("Record<string, {}>", inner(value)),
        Shape::Nullable(value) => format!("{} | null", inner(value)),
    }
}

pub(super) fn union_of(words: &[String]) -> String {
    words.iter().map(|word| format!("{word:?}")).collect::<Vec<_>>().join(" | ")
}

/// A value as a literal, with placeholders as variables. `before` is how many characters stand before it in its line.
pub(super) fn literal(value: &Value, indent: usize, before: usize) -> String {
    let flat = flat(value);
    if before + flat.len() <= WIDTH {
        return flat;
    }
    let (pad, end) = (" ".repeat(indent + 2), " ".repeat(indent));
    let parts: Vec<String> = match value {
        Value::Object(fields) => fields
            .iter()
            .map(|(name, field)| {
                let name = key(name);
                let before = indent + 4 + name.len();
                format!("{pad}{name}: {},\n", literal(field, indent + 2, before))
            })
            .collect(),
        Value::Array(items) => {
            items.iter().map(|item| format!("{pad}{},\n", literal(item, indent + 2, indent + 2))).collect()
        }
        _ => return flat,
    };
    match value {
        Value::Object(_) => format!("{{\n{}{end}}}", parts.concat()),
        _ => format!("[\n{}{end}]", parts.concat()),
    }
}

fn flat(value: &Value) -> String {
    if let Some(name) = placeholder(value) {
        return Name::parse(name).camel();
    }
    match value {
        Value::Object(fields) if fields.is_empty() => "{}".to_owned(),
        Value::Object(fields) => {
            let fields: Vec<String> =
                fields.iter().map(|(name, field)| format!("{}: {}", key(name), flat(field))).collect();
            format!("{{ {} }}", fields.join(", "))
        }
        Value::Array(items) => format!("[{}]", items.iter().map(flat).collect::<Vec<_>>().join(", ")),
        other => other.to_string(),
    }
}

/// The name of a field, in quotes if it needs them.
pub(super) fn key(name: &str) -> String {
    let is_plain = name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
        && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    if is_plain { name.to_owned() } else { format!("{name:?}") }
}
