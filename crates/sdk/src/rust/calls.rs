//! Calls, grouped by resource.

use std::fmt::Write;

use super::shapes;
use super::source::{self, HEAD, docs, ident, listed, method};
use crate::model::{Body, Kind, Model, Operation, QueryParam, Resource, Response, Shape};
use crate::name::Name;

/// The methods of the client that lead to the resources.
pub(super) fn root(model: &Model) -> String {
    let handles: Vec<String> = model.resources.iter().map(|resource| handle(model, resource)).collect();
    let mut handles: Vec<&str> = handles.iter().map(String::as_str).collect();
    handles.sort_unstable();
    let mut text = format!(
        "{HEAD}//! What depends on the API's routes, types and events.\n\npub mod resources;\npub(crate) mod types;\n\n{}use crate::client::Client;\n\n",
        source::import("self::resources", &handles)
    );
    text.push_str("/// The resources of the API.\nimpl Client {\n");
    for (at, resource) in model.resources.iter().enumerate() {
        let (name, handle) = (ident(&resource.name.snake()), handle(model, resource));
        let blank = if at == 0 { "" } else { "\n" };
        let _ = write!(
            text,
            "{blank}    /// Calls about {}.\n    pub fn {name}(&self) -> {handle}<'_> {{\n",
            topic(&resource.name)
        );
        let _ = write!(text, "        {handle}(self)\n    }}\n");
    }
    text + "}\n"
}

/// The file that names the others.
pub(super) fn index(model: &Model) -> String {
    let mut text = format!(
        "{HEAD}//! The calls of the API, grouped by resource. Each group is a method of [`Client`](crate::Client).\n\n"
    );
    for resource in &model.resources {
        let _ = writeln!(text, "mod {};", ident(&resource.name.snake()));
    }
    text.push('\n');
    for resource in &model.resources {
        let _ = writeln!(text, "pub use self::{}::*;", ident(&resource.name.snake()));
    }
    text
}

/// What a resource is about, for comments.
fn topic(resource: &Name) -> String {
    match resource.snake().as_str() {
        "ai" => "the use of AI".to_owned(),
        "me" => "the key and its account".to_owned(),
        "media" => "files".to_owned(),
        _ => resource.to_string(),
    }
}

/// The type that has the calls of a resource: `Contacts`; `MeCalls`, because there is a type `Me`.
fn handle(model: &Model, resource: &Resource) -> String {
    let name = resource.name.pascal();
    if model.types.iter().any(|each| each.name == name) { format!("{name}Calls") } else { name }
}

/// The calls about a resource.
pub(super) fn resource(model: &Model, resource: &Resource) -> String {
    let handle = handle(model, resource);
    let mut body = format!(
        "/// Calls about {}. [`Client::{}`] leads to them.\n#[derive(Clone, Copy, Debug)]\n",
        topic(&resource.name),
        resource.name.snake()
    );
    let _ = writeln!(
        body,
        "pub struct {handle}<'c>(pub(in crate::generated) &'c Client);\n\nimpl {handle}<'_> {{"
    );
    let calls: Vec<String> = resource.operations.iter().map(|operation| call(model, operation)).collect();
    body.push_str(&calls.join("\n"));
    body.push_str("}\n");
    for operation in resource.operations.iter().filter(|operation| has_builder(operation)) {
        body.push('\n');
        body.push_str(&builder(&handle, operation));
    }
    let about = format!("Calls about {}.", topic(&resource.name));
    format!("{HEAD}//! {about}\n\n{}{body}", imports(model, &body))
}

fn imports(model: &Model, body: &str) -> String {
    let one = |from: &str, names: &[&str]| source::import(from, &source::used(body, names));
    let mut types: Vec<&str> = model.types.iter().map(|each| each.name.as_str()).chain(["Event"]).collect();
    types.sort_unstable();
    let external = one("uuid", &["Uuid"]);
    let own = [
        one("crate::call", &["Call"]),
        one("crate::client", &["Client"]),
        one("crate::event_stream", &["EventStream"]),
        one("crate::list", &["List", "list_methods"]),
        one("crate::request", &["Request", "Write", "awaited", "request_methods"]),
        one("crate::time", &["Date", "Timestamp"]),
        one("crate::types", &types),
        one("crate::upload", &["Upload"]),
    ]
    .concat();
    source::paragraphs(&[external, own])
}

/// Whether its request has a type of its own, for filters and pages.
fn has_builder(operation: &Operation) -> bool {
    match operation.response {
        Response::List { .. } => is_walked(operation),
        Response::Data(_) => operation.query.iter().any(|param| !param.required),
        Response::EventStream => false,
    }
}

/// Whether its list is a stream of rows. One that a change returns comes with it.
pub(super) fn is_walked(operation: &Operation) -> bool {
    matches!(operation.response, Response::List { .. }) && operation.method == "GET"
}

/// The name of that type: `ListContacts`.
fn builder_name(operation: &Operation) -> String {
    Name::parse(&operation.id).pascal()
}

/// What a call is about, for its comment.
fn about(operation: &Operation) -> String {
    let mut about = format!("{}.", operation.summary);
    if !operation.notes.is_empty() {
        let _ = write!(about, "\n\n{}", operation.notes);
    }
    let mut needs = Vec::new();
    if let Some(scope) = operation.scope.as_ref().filter(|scope| !operation.notes.contains(*scope)) {
        needs.push(format!("Needs the scope `{scope}`."));
    }
    if operation.units > 1 {
        needs.push(format!("Takes {} units.", operation.units));
    }
    if !needs.is_empty() {
        let _ = write!(about, "\n\n{}", needs.join(" "));
    }
    about
}

/// The argument for a body, by its type: `contact` for `NewContact`, `change` for `ContactPatch`.
fn body_name(type_name: &str) -> String {
    let name = match type_name.strip_prefix("New") {
        Some(rest) => rest,
        None if type_name.ends_with("Patch") => "change",
        None => type_name,
    };
    ident(name)
}

fn call(model: &Model, operation: &Operation) -> String {
    let mut arguments = vec!["self".to_owned()];
    let mut text = String::new();
    for param in &operation.path_params {
        let name = ident(&param.name.snake());
        assert!(
            param.shape == Shape::Id,
            "{} is not an id; encode it before it is a part of a path",
            param.name
        );
        arguments.push(format!("{name}: Uuid"));
    }
    let path = operation.path_params.iter().fold(operation.path.clone(), |path, param| {
        path.replace(&format!("{{{}}}", param.placeholder), &format!("{{{}}}", param.name.snake()))
    });
    let verb = operation.method.to_lowercase();
    let path = if operation.path_params.is_empty() {
        format!("\"{path}\"")
    } else {
        let _ = writeln!(text, "        let path = format!(\"{path}\");");
        "path".to_owned()
    };
    let mut made = format!("Call::{verb}({path})");
    match &operation.body {
        Some(Body::Json { type_name, .. }) => {
            let name = body_name(type_name);
            if matches!(model.named(type_name).kind, Kind::Union(_)) {
                arguments.push(format!("{name}: impl Into<{type_name}>"));
                made = format!("{made}.json(&{name}.into())");
            } else {
                arguments.push(format!("{name}: {type_name}"));
                made = format!("{made}.json(&{name})");
            }
        }
        Some(Body::File) => {
            arguments.push("file: Upload".to_owned());
            made = format!("file.form({made})");
        }
        None => {}
    }
    let filters: Vec<&QueryParam> = operation.query.iter().filter(|param| param.required).collect();
    arguments.extend(filters.iter().map(|param| {
        let name = ident(&param.key);
        format!("{name}: {}", shapes::query(&param.shape, &name).0)
    }));
    let filters: String = filters
        .iter()
        .map(|param| format!(".query(\"{}\", {})", param.key, query_value(&param.shape, &ident(&param.key))))
        .collect::<Vec<_>>()
        .concat();
    let (result, value) = match &operation.response {
        Response::EventStream => ("EventStream".to_owned(), "EventStream::new(self.0)".to_owned()),
        Response::List { item, .. } if !is_walked(operation) => {
            let kind = if operation.idempotent { "Write" } else { "Request" };
            (format!("{kind}<Vec<{}>>", shapes::owned(item)), format!("{kind}::new(self.0, {made}){filters}"))
        }
        Response::List { .. } => {
            let name = builder_name(operation);
            (name.clone(), format!("{name}(List::new(self.0, {made}){filters})"))
        }
        Response::Data(_) if has_builder(operation) => {
            let name = builder_name(operation);
            (name.clone(), format!("{name}(Request::new(self.0, {made}){filters})"))
        }
        Response::Data(shape) => {
            let kind = if operation.idempotent { "Write" } else { "Request" };
            (format!("{kind}<{}>", shapes::owned(shape)), format!("{kind}::new(self.0, {made}){filters}"))
        }
    };
    let head = format!("pub fn {}", method(&operation.name));
    format!(
        "{}{}{text}        {value}\n    }}\n",
        docs(4, &about(operation)),
        listed(4, &head, ("(", ")"), &arguments, &format!(" -> {result} {{"))
    )
}

/// What is written for a parameter: something that can be displayed.
fn query_value(shape: &Shape, name: &str) -> String {
    let (_, value) = shapes::query(shape, name);
    match shape {
        // What it is made into has to be said.
        Shape::Named(kind) => format!("Into::<{kind}>::into({name})"),
        Shape::Moment => format!("Into::<Timestamp>::into({name})"),
        _ => value,
    }
}

/// The type of a request with filters or pages.
fn builder(handle: &str, operation: &Operation) -> String {
    let name = builder_name(operation);
    let leads = format!("{handle}::{}", method(&operation.name));
    let (inner, item, must_use) = match &operation.response {
        Response::List { item, .. } => {
            let item = shapes::owned(item);
            (format!("List<{item}>"), item, "a list is requested by `stream`, `all` or `page`")
        }
        Response::Data(shape) => {
            let item = shapes::owned(shape);
            (format!("Request<{item}>"), item, "a request is sent when it is awaited")
        }
        Response::EventStream => panic!("{} has no request of its own", operation.id),
    };
    let mut text =
        format!("/// The request of [`{leads}`].\n#[derive(Clone, Debug)]\n#[must_use = \"{must_use}\"]\n");
    let _ = writeln!(text, "pub struct {name}({inner});\n\nimpl {name} {{");
    for param in operation.query.iter().filter(|param| !param.required) {
        text.push_str(&filter(param));
        text.push('\n');
    }
    match operation.response {
        Response::List { paginated, .. } => {
            if paginated {
                text.push_str(PAGES);
            }
            let _ = writeln!(text, "    list_methods!({item});\n}}");
        }
        _ => {
            let _ = write!(text, "    request_methods!({item});\n}}\n\nawaited!({name}, {item});\n");
        }
    }
    text
}

fn filter(param: &QueryParam) -> String {
    let name = ident(&param.key);
    let (kind, _) = shapes::query(&param.shape, &name);
    let about = if param.docs.is_empty() { format!("Sets `{}`.", param.key) } else { param.docs.clone() };
    format!(
        "{}    pub fn {name}(self, {name}: {kind}) -> Self {{\n        Self(self.0.query(\"{}\", {}))\n    }}\n",
        docs(4, &about),
        param.key,
        query_value(&param.shape, &name)
    )
}

const PAGES: &str = "    /// How many rows a page has, at most 100; 20 by default.
    pub fn limit(self, limit: u32) -> Self {
        Self(self.0.query(\"limit\", limit))
    }

    /// Begins with the page at this cursor: an earlier page's `next_cursor`, with the same filters.
    pub fn cursor(self, cursor: &str) -> Self {
        Self(self.0.query(\"cursor\", cursor))
    }

";
