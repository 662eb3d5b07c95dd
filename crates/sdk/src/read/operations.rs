//! Operations, from paths.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use super::types::{self, references};
use super::{object, reference, referred, text};
use crate::model::{Body, Operation, PathParam, QueryParam, Resource, Response, Shape, Type};
use crate::name::Name;
use crate::samples;

/// The prefix of what needs a key. Other paths are for browsers, calendars and monitoring.
const PREFIX: &str = "/api/v1/";
/// The parameters of every list with pages, which the packages send by themselves.
const OF_PAGES: [&str; 2] = ["cursor", "limit"];
const UNITS_DEFAULT: u64 = 1;
const JSON: &str = "application/json";
const FORM: &str = "multipart/form-data";
const EVENT_STREAM: &str = "text/event-stream";

/// The path, the method and the description of every operation that needs a key.
fn described(document: &Value) -> impl Iterator<Item = (&String, &String, &Value)> {
    let paths = object(&document["paths"], "paths").iter().filter(|(path, _)| path.starts_with(PREFIX));
    paths.flat_map(|(path, item)| {
        object(item, path).iter().map(move |(method, operation)| (path, method, operation))
    })
}

/// The groups of operations: one for each word that follows the prefix in a path.
pub(super) fn resources(document: &Value) -> Vec<Resource> {
    let mut groups: BTreeMap<Name, Vec<Operation>> = BTreeMap::new();
    for (path, method, described) in described(document) {
        let operation = operation(document, path, method, described);
        let group = groups.entry(operation.resource.clone()).or_default();
        let other = group.iter().find(|other| other.name == operation.name);
        assert!(
            other.is_none(),
            "{} and {} would both be {}.{}; rename one of them",
            operation.id,
            other.map_or("", |other| other.id.as_str()),
            operation.resource,
            operation.name
        );
        group.push(operation);
    }
    groups.into_iter().map(|(name, operations)| Resource { name, operations }).collect()
}

fn operation(document: &Value, path: &str, method: &str, described: &Value) -> Operation {
    let id = text(&described["operationId"]);
    let resource = Name::parse(path[PREFIX.len()..].split('/').next().unwrap_or_default());
    let parameters: Vec<&Value> = described["parameters"]
        .as_array()
        .into_iter()
        .flatten()
        .map(|each| resolved(document, each))
        .collect();
    let path_params = path_params(path, &parameters);
    let (status, response) = response(&id, described);
    Operation {
        name: own_name(&id, &resource),
        summary: text(&described["summary"]),
        notes: text(&described["description"]),
        method: method.to_uppercase(),
        path: path.to_owned(),
        query: parameters.iter().filter_map(|parameter| query_param(&id, parameter)).collect(),
        body: body(&id, &described["requestBody"]),
        response,
        status,
        units: described["x-units"].as_u64().unwrap_or(UNITS_DEFAULT) as u32,
        scope: described["x-scope"].as_str().map(str::to_owned),
        idempotent: parameters.iter().any(|parameter| parameter["name"] == "Idempotency-Key"),
        sample: samples::of(&id, &path_params),
        path_params,
        resource,
        id,
    }
}

/// `createContact` of contacts is `create`, `listContactNotes` is `listNotes`.
fn own_name(id: &str, resource: &Name) -> Name {
    let whole = Name::parse(id);
    let rest = whole.without(resource).or_else(|| whole.without(&resource.singular()));
    rest.filter(|rest| !rest.words().is_empty()).unwrap_or(whole)
}

fn resolved<'v>(document: &'v Value, part: &'v Value) -> &'v Value {
    match part["$ref"].as_str() {
        Some(pointer) => document.pointer(&pointer[1..]).unwrap_or_else(|| panic!("there is no {pointer}")),
        None => part,
    }
}

fn path_params(path: &str, parameters: &[&Value]) -> Vec<PathParam> {
    let segments: Vec<&str> = path.split('/').collect();
    let params = segments.windows(2).filter_map(|pair| {
        let placeholder = pair[1].strip_prefix('{')?.strip_suffix('}')?;
        let described = parameters.iter().find(|each| each["in"] == "path" && each["name"] == placeholder);
        let described = described.unwrap_or_else(|| panic!("{path} does not describe {placeholder}"));
        let name = match placeholder {
            "id" => Name::parse(pair[0]).singular().with("id"),
            _ => Name::parse(placeholder),
        };
        let shape = types::shape(&described["schema"], path);
        Some(PathParam { placeholder: placeholder.to_owned(), name, shape })
    });
    params.collect()
}

fn query_param(id: &str, parameter: &Value) -> Option<QueryParam> {
    let key = text(&parameter["name"]);
    (parameter["in"] == "query" && !OF_PAGES.contains(&key.as_str())).then(|| QueryParam {
        docs: text(&parameter["description"]),
        shape: types::shape(&parameter["schema"], &format!("{id}?{key}")),
        required: parameter["required"] == true,
        key,
    })
}

fn body(id: &str, described: &Value) -> Option<Body> {
    let content = described["content"].as_object()?;
    if content.contains_key(FORM) {
        return Some(Body::File);
    }
    let schema = content.get(JSON).unwrap_or_else(|| panic!("{id} takes neither JSON nor a file"));
    let type_name = referred(&schema["schema"], id).to_owned();
    Some(Body::Json { type_name, required: described["required"] == true })
}

/// The status of success, and its content by kind.
fn success<'v>(id: &str, described: &'v Value) -> (u16, &'v Value) {
    let mut found = object(&described["responses"], id).iter().filter(|(status, _)| status.starts_with('2'));
    let (Some((status, response)), None) = (found.next(), found.next()) else {
        panic!("{id} has not one status of success");
    };
    (status.parse().unwrap_or_else(|_| panic!("{id} has the status {status}")), &response["content"])
}

fn response(id: &str, described: &Value) -> (u16, Response) {
    let (status, content) = success(id, described);
    if content[EVENT_STREAM].is_object() {
        return (status, Response::EventStream);
    }
    let schema = &content[JSON]["schema"];
    let response = if let Some(item) = listed(schema) {
        let paginated = described["x-paginated"] == true;
        Response::List { item: Shape::Named(item.to_owned()), paginated }
    } else {
        let data = &schema["properties"]["data"];
        match unnamed_data(data) {
            true => Response::Data(Shape::Named(result_name(id))),
            false => Response::Data(types::shape(data, id)),
        }
    };
    (status, response)
}

/// What a list has, if the schema is a list: `ContactList` has contacts.
fn listed(schema: &Value) -> Option<&str> {
    reference(schema).map(|name| {
        name.strip_suffix("List").unwrap_or_else(|| panic!("{name} is sent without `data` and is no list"))
    })
}

fn unnamed_data(data: &Value) -> bool {
    data["properties"].is_object()
}

fn result_name(id: &str) -> String {
    Name::parse(id).with("result").pascal()
}

/// The objects without a name that operations return, under the operation's name.
pub(super) fn unnamed(document: &Value) -> Vec<Type> {
    let described = described(document).filter_map(|(_, _, described)| {
        let id = text(&described["operationId"]);
        let (_, content) = success(&id, described);
        let data = &content[JSON]["schema"]["properties"]["data"];
        unnamed_data(data).then(|| types::named(&result_name(&id), data, false, true))
    });
    described.collect()
}

/// The schemas of lists.
pub(super) fn lists(document: &Value) -> BTreeSet<String> {
    let lists = described(document).filter_map(|(_, _, described)| {
        let (_, content) = success("", described);
        reference(&content[JSON]["schema"]).map(str::to_owned)
    });
    lists.collect()
}

/// The schemas that bodies and queries refer to.
pub(super) fn sent(document: &Value) -> BTreeSet<String> {
    let parts = described(document).flat_map(|(_, _, described)| {
        let mut found = references(&described["requestBody"]);
        found.extend(references(&described["parameters"]));
        found
    });
    parts.collect()
}

/// The schemas that responses and events refer to.
pub(super) fn received(document: &Value) -> BTreeSet<String> {
    let responses = described(document).flat_map(|(_, _, described)| references(&described["responses"]));
    responses.chain(references(&document["webhooks"])).collect()
}
