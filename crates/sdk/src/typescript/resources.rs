//! `resources.ts`: a class for each resource, with a method for each operation.

use std::collections::BTreeSet;

use super::layout::{HEAD, Side, comment, key, type_of};
use super::types::is_words;
use crate::model::{Body, Model, Operation, Resource, Response, Shape};

const PREFIX: &str = "/api/v1/";

/// What a resource has beside its operations.
const WEBHOOKS: &str = r"
  /**
   * Checks the signature of a delivery and returns its event. `body` must be as it arrived.
   * Without a client, import `webhooks` from this package.
   */
  readonly unwrap = unwrap;
";

pub(super) fn file(model: &Model) -> String {
    let mut names = BTreeSet::new();
    model.operations().for_each(|operation| collect(operation, &mut names));
    names.remove("Event");
    let imports: String = names.iter().map(|name| format!("  {name},\n")).collect();
    let queries: String = model.operations().filter_map(|operation| query_type(model, operation)).collect();
    let classes: String = model.resources.iter().map(|resource| class(model, resource)).collect();
    let fields: String = model
        .resources
        .iter()
        .map(|each| format!("  readonly {}: {};\n", each.name.camel(), class_name(each)))
        .collect();
    let made: String = model
        .resources
        .iter()
        .map(|each| format!("    this.{} = new {}(transport);\n", each.name.camel(), class_name(each)))
        .collect();
    format!(
        "{HEAD}\nimport {{ type Call, call, upload }} from \"../call.js\";\n\
         import {{ List, type Paging }} from \"../list.js\";\n\
         import {{ EventStream, type StreamOptions, type StreamQuery }} from \"../stream.js\";\n\
         import type {{ RequestOptions, Transport }} from \"../transport.js\";\n\
         import {{ unwrap }} from \"../webhooks.js\";\n\
         import {{ type Event, readEvent }} from \"./events.js\";\n\
         import type {{\n{imports}}} from \"./types.js\";\n{queries}{classes}\n\
         /** The resources of an account. */\nexport class Resources {{\n{fields}\n  \
         constructor(transport: Transport) {{\n{made}  }}\n}}\n"
    )
}

fn class_name(resource: &Resource) -> String {
    format!("{}Resource", resource.name.pascal())
}

fn class(model: &Model, resource: &Resource) -> String {
    let more = if resource.name.snake() == "webhooks" { WEBHOOKS } else { "" };
    let methods: String = resource.operations.iter().map(|each| method(model, each)).collect();
    format!(
        "\n/** The operations on {}. */\nexport class {} {{\n  readonly #transport: Transport;\n{more}\n  \
         constructor(transport: Transport) {{\n    this.#transport = transport;\n  }}\n{methods}}}\n",
        resource.name,
        class_name(resource),
    )
}

/// The names of the types that a method mentions.
fn collect(operation: &Operation, names: &mut BTreeSet<String>) {
    fn named(shape: &Shape, names: &mut BTreeSet<String>) {
        match shape {
            Shape::Named(name) => drop(names.insert(name.clone())),
            Shape::List(inner) | Shape::Map(inner) | Shape::Nullable(inner) => named(inner, names),
            _ => {}
        }
    }
    if let Some(Body::Json { type_name, .. }) = &operation.body {
        names.insert(type_name.clone());
    }
    if let Response::Data(shape) | Response::List { item: shape, .. } = &operation.response {
        named(shape, names);
    }
    operation.query.iter().for_each(|param| named(&param.shape, names));
}

fn query_name(operation: &Operation) -> String {
    format!("{}Query", capital(&operation.id))
}

fn capital(id: &str) -> String {
    id[..1].to_uppercase() + &id[1..]
}

fn is_paginated(operation: &Operation) -> bool {
    matches!(operation.response, Response::List { paginated: true, .. })
}

fn query_type(model: &Model, operation: &Operation) -> Option<String> {
    if operation.query.is_empty() {
        return None;
    }
    let fields = operation.query.iter().map(|param| {
        let kind = type_of(&param.shape, Side::Sent, &|name| is_words(model, name));
        let mark = if param.required { "" } else { "?" };
        format!("{}  {}{mark}: {kind};\n", comment(&param.docs, "  "), key(&param.key))
    });
    let extends = if is_paginated(operation) { " extends Paging" } else { "" };
    Some(format!(
        "\n/** The query of {}. */\nexport interface {}{extends} {{\n{}}}\n",
        operation.id,
        query_name(operation),
        fields.collect::<String>(),
    ))
}

/// The arguments of a method, as they are declared.
fn arguments(operation: &Operation) -> Vec<String> {
    let mut found: Vec<String> =
        operation.path_params.iter().map(|param| format!("{}: string", param.name.camel())).collect();
    match &operation.body {
        Some(Body::Json { type_name, required: true }) => found.push(format!("body: {type_name}")),
        Some(Body::Json { type_name, required: false }) => found.push(format!("body?: {type_name}")),
        Some(Body::File) => found.extend(["file: Blob".to_owned(), "name?: string".to_owned()]),
        None => {}
    }
    if matches!(operation.response, Response::EventStream) {
        found.extend(["query?: StreamQuery".to_owned(), "options?: StreamOptions".to_owned()]);
        return found;
    }
    if !operation.query.is_empty() {
        let mark = if operation.query.iter().any(|param| param.required) { "" } else { "?" };
        found.push(format!("query{mark}: {}", query_name(operation)));
    } else if is_paginated(operation) {
        found.push("query?: Paging".to_owned());
    }
    found.push("options?: RequestOptions".to_owned());
    found
}

/// The parts of the path, as expressions.
fn path(operation: &Operation) -> String {
    let below = operation.path.strip_prefix(PREFIX).unwrap_or(&operation.path);
    let parts = below.split('/').map(|part| {
        let name = part.strip_prefix('{').and_then(|part| part.strip_suffix('}'));
        let param = name.and_then(|name| operation.path_params.iter().find(|each| each.placeholder == name));
        param.map_or_else(|| format!("{part:?}"), |param| param.name.camel())
    });
    format!("[{}]", parts.collect::<Vec<_>>().join(", "))
}

fn method(model: &Model, operation: &Operation) -> String {
    let words = |name: &str| is_words(model, name);
    let path = path(operation);
    let (returned, made) = match &operation.response {
        Response::EventStream => {
            ("EventStream".to_owned(), format!("new EventStream(this.#transport, {path}, query, options)"))
        }
        Response::List { item, .. } if operation.method == "GET" => {
            let has_query = !operation.query.is_empty() || is_paginated(operation);
            let query = if has_query { "query" } else { "{}" };
            let item = type_of(item, Side::Received, &words);
            let read = if item == "Event" { ", readEvent" } else { "" };
            (format!("List<{item}>"), format!("new List(this.#transport, {path}, {query}, options{read})"))
        }
        Response::List { item, .. } => {
            let item = type_of(item, Side::Received, &words);
            (format!("Call<{item}[]>"), sent(operation, &path))
        }
        Response::Data(shape) => {
            (format!("Call<{}>", type_of(shape, Side::Received, &words)), sent(operation, &path))
        }
    };
    format!(
        "\n{}  {}({}): {returned} {{\n    return {made};\n  }}\n",
        comment(&docs(operation), "  "),
        operation.name.camel(),
        arguments(operation).join(", "),
    )
}

fn sent(operation: &Operation, path: &str) -> String {
    if matches!(operation.body, Some(Body::File)) {
        return format!("upload(this.#transport, {path}, file, name, options)");
    }
    let mut parts = vec![format!("method: {:?}", operation.method), format!("path: {path}")];
    if !operation.query.is_empty() {
        parts.push("query".to_owned());
    }
    if operation.body.is_some() {
        parts.push("body".to_owned());
    }
    if operation.idempotent {
        parts.push("keyed: true".to_owned());
    }
    format!("call(this.#transport, {{ {} }}, options)", parts.join(", "))
}

fn docs(operation: &Operation) -> String {
    let mut text = format!("{}.", operation.summary.trim_end_matches(['.', '?']));
    if !operation.notes.is_empty() {
        text = format!("{text}\n\n{}", operation.notes);
    }
    let mut facts = Vec::new();
    if let Some(scope) = &operation.scope {
        facts.push(format!("Needs the scope `{scope}`."));
    }
    if operation.units > 1 {
        facts.push(format!("Costs {} units.", operation.units));
    }
    if facts.is_empty() { text } else { format!("{text}\n\n{}", facts.join(" ")) }
}
