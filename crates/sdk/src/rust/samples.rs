//! Samples: every operation's call, as a person would write it, and the functions that run them.

use std::collections::BTreeMap;
use std::fmt::Write;

use serde_json::Value;

use super::calls;
use super::source::{HEAD, ident, method, variant};
use crate::model::{Body, Field, Kind, Model, Operation, Response, Shape, Union, placeholder};
use crate::name::Name;

/// Samples are shown beside text, so they are narrower than files.
const WIDTH: usize = 96;

/// A part of a call.
enum Expr {
    Text(String),
    /// `f(a, b)`
    Call(String, Vec<Expr>),
    /// `base.f(a).g(b)`
    Chain(Box<Expr>, Vec<(String, Vec<Expr>)>),
    /// `[a, b]`
    List(Vec<Expr>),
    /// `(a, b)`
    Pair(Box<Expr>, Box<Expr>),
}

/// The variables of a sample: whether each is an id or a text.
type Variables = BTreeMap<String, &'static str>;

struct Writer<'m> {
    model: &'m Model,
    variables: Variables,
}

pub(super) fn index() -> String {
    format!("{HEAD}// They are written as they are shown.\n#[rustfmt::skip]\npub(crate) mod samples;\n")
}

/// The functions that run the samples, by the names of their operations.
pub(super) fn all(model: &Model) -> String {
    let mut text = format!("{HEAD}//! The sample of every operation.\n\n{USES}");
    text.push_str("/// The samples by the names of their operations.\npub(crate) const SAMPLES: &[(&str, Sample)] = &[\n");
    for operation in model.operations() {
        let _ = writeln!(text, "    (\"{}\", {}),", operation.id, Name::parse(&operation.id).snake());
    }
    text.push_str("];\n");
    for operation in model.operations() {
        let (sample, variables, result) = written(model, operation);
        let name = Name::parse(&operation.id).snake();
        let _ = write!(text, "\nfn {name}<'f>(client: &'f Client, values: &'f Values) -> Outcome<'f> {{\n");
        text.push_str("    Box::pin(async move {\n");
        if variables.is_empty() {
            text.push_str("        let _ = values;\n");
        }
        for (variable, kind) in variables {
            let _ = writeln!(text, "        let {variable} = values.{kind}(\"{variable}\")?;");
        }
        for line in sample.lines() {
            let _ = writeln!(text, "        {line}");
        }
        if let Some(result) = result {
            let _ = writeln!(text, "        let _ = &{result};");
        }
        text.push_str("        Ok(())\n    })\n}\n");
    }
    text
}

const USES: &str = "use std::error::Error;
use std::pin::Pin;

use frontdesk::types::*;
use frontdesk::{Client, Date, Timestamp, Upload};

use crate::values::Values;

pub(crate) type Outcome<'f> = Pin<Box<dyn Future<Output = Result<(), Box<dyn Error + Send + Sync>>> + 'f>>;
pub(crate) type Sample = for<'f> fn(&'f Client, &'f Values) -> Outcome<'f>;

";

/// The call of an operation, as it is shown.
pub(super) fn sample(model: &Model, operation: &Operation) -> String {
    written(model, operation).0
}

/// The sample, its variables, and the variable with its result.
fn written(model: &Model, operation: &Operation) -> (String, Variables, Option<String>) {
    let mut writer = Writer { model, variables: Variables::new() };
    let mut links = vec![
        (ident(&operation.resource.snake()), Vec::new()),
        (method(&operation.name), writer.arguments(operation)),
    ];
    let query = |required: bool| {
        operation.sample.query.iter().filter(move |(key, _)| {
            operation.query.iter().any(|param| param.key == *key && param.required == required)
        })
    };
    for (key, value) in query(false) {
        let argument = writer.filter(operation, key, value);
        links.push((ident(key), vec![argument]));
    }
    let client = || Box::new(Expr::Text("client".to_owned()));
    let text = match &operation.response {
        Response::Data(_) | Response::List { .. } if !calls::is_walked(operation) => {
            let result = match &operation.response {
                Response::Data(shape) => result_name(shape),
                _ => rows_name(operation),
            };
            let call = Expr::Chain(client(), links);
            let text = statement(&format!("let {result} = "), call, ".await?;");
            return (text, writer.variables, Some(result));
        }
        Response::Data(item) | Response::List { item, .. } => {
            links.push(("stream".to_owned(), Vec::new()));
            let (many, one) = (rows_name(operation), result_name(item));
            let call = Expr::Chain(client(), links);
            format!(
                "{}while let Some({one}) = {many}.next().await {{\n    println!(\"{{:?}}\", {one}?);\n}}\n",
                statement(&format!("let mut {many} = "), call, ";")
            )
        }
        Response::EventStream => {
            writer.variables.insert("event_id".to_owned(), "text");
            links.push(("after".to_owned(), vec![Expr::Text("event_id".to_owned())]));
            let call = Expr::Chain(client(), links);
            format!(
                "{}if let Some(event) = events.next().await {{\n    println!(\"{{}}\", event?.data.event_type());\n}}\n",
                statement("let mut events = ", call, ";")
            )
        }
    };
    (text, writer.variables, None)
}

/// `contacts` for `contacts.list`, `notes` for `contacts.list_notes`.
fn rows_name(operation: &Operation) -> String {
    let name = operation.name.snake();
    match name.strip_prefix("list_").or_else(|| name.strip_prefix("set_")) {
        Some(rows) => ident(rows),
        None => ident(&operation.resource.snake()),
    }
}

fn result_name(shape: &Shape) -> String {
    match shape {
        Shape::Named(name) if !name.ends_with("Result") => ident(name),
        _ => "result".to_owned(),
    }
}

impl Writer<'_> {
    fn arguments(&mut self, operation: &Operation) -> Vec<Expr> {
        let path = operation.path_params.iter().zip(&operation.sample.path);
        let mut arguments: Vec<Expr> = path.map(|(param, value)| self.value(&param.shape, value)).collect();
        match &operation.body {
            Some(Body::Json { type_name, .. }) => {
                let empty = Value::Object(serde_json::Map::new());
                let body = operation.sample.body.as_ref().unwrap_or(&empty);
                arguments.push(self.value(&Shape::Named(type_name.clone()), body));
            }
            Some(Body::File) => arguments.push(Expr::Call(
                "Upload::new".to_owned(),
                vec![Expr::Text("\"hello.txt\"".to_owned()), Expr::Text("\"Hello!\"".to_owned())],
            )),
            None => {}
        }
        for param in operation.query.iter().filter(|param| param.required) {
            let given = operation.sample.query.iter().find(|(key, _)| *key == param.key);
            let (_, value) =
                given.unwrap_or_else(|| panic!("the sample of {} lacks {}", operation.id, param.key));
            arguments.push(self.value(&param.shape, value));
        }
        arguments
    }

    fn filter(&mut self, operation: &Operation, key: &str, value: &Value) -> Expr {
        let param = operation.query.iter().find(|param| param.key == key);
        let param = param.unwrap_or_else(|| panic!("{} has no parameter {key}", operation.id));
        self.value(&param.shape, value)
    }

    fn value(&mut self, shape: &Shape, value: &Value) -> Expr {
        if let Some(name) = placeholder(value) {
            let name = ident(name);
            let kind = if is_id(shape) { "id" } else { "text" };
            self.variables.insert(name.clone(), kind);
            return Expr::Text(name);
        }
        let text = || format!("{:?}", value.as_str().unwrap_or_default());
        match shape {
            Shape::Nullable(_) if value.is_null() => Expr::Text("None".to_owned()),
            Shape::Nullable(inner) => self.value(inner, value),
            Shape::Text | Shape::Words(_) | Shape::Uri => Expr::Text(text()),
            Shape::Any if value.is_string() => Expr::Text(text()),
            Shape::Id => Expr::Text(format!("{}.parse()?", text())),
            Shape::Moment => Expr::Text(format!("{}.parse::<Timestamp>()?", text())),
            Shape::Date => Expr::Text(format!("{}.parse::<Date>()?", text())),
            Shape::Boolean | Shape::Integer => Expr::Text(value.to_string()),
            Shape::Number => Expr::Text(format!("{:?}", value.as_f64().unwrap_or_default())),
            Shape::Any => Expr::Text(format!("serde_json::json!({value})")),
            Shape::List(item) => Expr::List(
                value.as_array().into_iter().flatten().map(|each| self.value(item, each)).collect(),
            ),
            Shape::Map(inner) => {
                let entries = value.as_object().into_iter().flatten().map(|(key, each)| {
                    let made = self.value(inner, each);
                    Expr::Pair(Box::new(Expr::Text(format!("{key:?}"))), Box::new(made))
                });
                Expr::List(entries.collect())
            }
            Shape::Named(name) => self.named(name, value),
        }
    }

    fn named(&mut self, name: &str, value: &Value) -> Expr {
        let model = self.model;
        match &model.named(name).kind {
            Kind::Words(_) => Expr::Text(format!("{name}::{}", variant(value.as_str().unwrap_or_default()))),
            Kind::Union(union) => {
                let chosen = chosen(model, union, value);
                self.named(chosen, value)
            }
            Kind::Object(fields) => self.object(name, fields, value),
        }
    }

    fn object(&mut self, name: &str, fields: &[Field], value: &Value) -> Expr {
        let known: Vec<&str> = fields.iter().map(|field| field.name.as_str()).collect();
        let odd = value.as_object().into_iter().flatten().find(|(key, _)| !known.contains(&key.as_str()));
        assert!(odd.is_none(), "a sample has {odd:?}, which {name} has not");
        let fields = || fields.iter().filter(|field| field.constant.is_none());
        let required: Vec<Expr> = fields()
            .filter(|field| field.required)
            .map(|field| self.value(&field.shape, &value[&field.name]))
            .collect();
        let made = Expr::Call(format!("{name}::new"), required);
        let given = fields().filter(|field| !field.required && value.get(&field.name).is_some());
        let setters: Vec<_> = given
            .map(|field| (ident(&field.name), vec![self.value(&field.shape, &value[&field.name])]))
            .collect();
        if setters.is_empty() { made } else { Expr::Chain(Box::new(made), setters) }
    }
}

fn is_id(shape: &Shape) -> bool {
    match shape {
        Shape::Id => true,
        Shape::Nullable(inner) => is_id(inner),
        _ => false,
    }
}

/// The variant that a value is: by its tag, or the first whose required fields it has.
fn chosen<'m>(model: &'m Model, union: &'m Union, value: &Value) -> &'m str {
    let fits = |type_name: &str| match &model.named(type_name).kind {
        Kind::Object(fields) => {
            fields.iter().filter(|field| field.required).all(|field| value.get(&field.name).is_some())
        }
        _ => false,
    };
    let found = union.variants.iter().find(|each| match (&union.tag, &each.word) {
        (Some(tag), Some(word)) => value[tag] == word.as_str(),
        _ => fits(&each.type_name),
    });
    found.map_or_else(|| panic!("{value} is no variant of its union"), |each| each.type_name.as_str())
}

/// `head expr tail`, on one line if it fits.
fn statement(head: &str, expr: Expr, tail: &str) -> String {
    let line = format!("{head}{}{tail}\n", flat(&expr));
    if line.len() <= WIDTH {
        return line;
    }
    let awaited = tail.strip_suffix(';').filter(|rest| !rest.is_empty());
    let mut text = format!("{head}{}", broken(&expr, 0));
    match awaited {
        Some(awaited) => {
            let _ = write!(text, "\n    {awaited};");
        }
        None => text.push_str(tail),
    }
    text + "\n"
}

fn joined(parts: &[Expr]) -> String {
    parts.iter().map(flat).collect::<Vec<_>>().join(", ")
}

fn flat(expr: &Expr) -> String {
    match expr {
        Expr::Text(text) => text.clone(),
        Expr::Call(name, arguments) => format!("{name}({})", joined(arguments)),
        Expr::List(items) => format!("[{}]", joined(items)),
        Expr::Pair(first, second) => format!("({}, {})", flat(first), flat(second)),
        Expr::Chain(base, links) => {
            let links = links.iter().map(|(name, arguments)| format!(".{name}({})", joined(arguments)));
            flat(base) + &links.collect::<Vec<_>>().concat()
        }
    }
}

/// On one line if it fits, else on several.
fn fitted(expr: &Expr, indent: usize) -> String {
    let line = flat(expr);
    if indent + line.len() < WIDTH { line } else { broken(expr, indent) }
}

/// On several lines, of which the first is already indented.
fn broken(expr: &Expr, indent: usize) -> String {
    let (pad, deeper) = (" ".repeat(indent), indent + 4);
    let lines = |parts: &[Expr]| -> String {
        parts.iter().fold(String::new(), |text, part| text + &format!("{pad}    {},\n", fitted(part, deeper)))
    };
    match expr {
        Expr::Text(_) | Expr::Pair(..) => flat(expr),
        Expr::Call(name, arguments) => format!("{name}(\n{}{pad})", lines(arguments)),
        Expr::List(items) => format!("[\n{}{pad}]", lines(items)),
        Expr::Chain(base, links) => {
            let mut text = fitted(base, indent);
            // What follows the end of a list of arguments stands below its beginning.
            let deeper = if text.contains('\n') { indent } else { deeper };
            for (name, arguments) in links {
                let _ = write!(text, "\n{}.{}", " ".repeat(deeper), link(name, arguments, deeper));
            }
            text
        }
    }
}

/// A method's name with its arguments.
fn link(name: &str, arguments: &[Expr], indent: usize) -> String {
    let line = format!("{name}({})", joined(arguments));
    match arguments {
        _ if indent + 1 + line.len() <= WIDTH => line,
        [only @ (Expr::Call(..) | Expr::List(_))] => format!("{name}({})", broken(only, indent)),
        _ => {
            let pad = " ".repeat(indent);
            let lines = arguments.iter().map(|each| format!("{pad}    {},\n", fitted(each, indent + 4)));
            format!("{name}(\n{}{pad})", lines.collect::<Vec<_>>().concat())
        }
    }
}
