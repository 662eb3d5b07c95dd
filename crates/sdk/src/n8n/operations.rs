//! `operations.json`: what the parameters of a node make of each operation.

use serde_json::{Map, Value, json};

use super::fields::{entry, of_object, param_of};
use super::operations_of;
use crate::model::{Body, Field, Kind, Model, Operation, Response, Shape};
use crate::name::Name;

pub(super) fn file(model: &Model) -> Value {
    let mut operations = Map::new();
    for resource in &model.resources {
        for operation in operations_of(&resource.operations) {
            let name = format!("{}.{}", resource.name.camel(), operation.name.camel());
            operations.insert(name, described(model, operation));
        }
    }
    Value::Object(operations)
}

fn described(model: &Model, operation: &Operation) -> Value {
    let (list, paginated) = match &operation.response {
        Response::List { paginated, .. } => (true, *paginated),
        Response::Data(_) | Response::EventStream => (false, false),
    };
    let path_params = operation.path_params.iter();
    let path_params =
        path_params.map(|param| json!({ "placeholder": param.placeholder, "param": param.name.camel() }));
    let (required, optional): (Vec<_>, Vec<_>) = operation.query.iter().partition(|param| param.required);
    let taken = params_of(operation);
    let query = json!({
        "required": required.iter().map(|param| field(model, &param.key, &param_of(&param.key, &taken), &param.shape)).collect::<Value>(),
        "optional": optional.iter().map(|param| field(model, &param.key, &added(&param.key), &param.shape)).collect::<Value>(),
    });
    json!({
        "method": operation.method,
        "path": operation.path,
        "path_params": path_params.collect::<Value>(),
        "query": query,
        "body": operation.body.as_ref().map(|body| body_of(model, operation, body)),
        "list": list,
        "paginated": paginated,
        "idempotent": operation.idempotent,
    })
}

/// The parameters of an operation's path.
pub(super) fn params_of(operation: &Operation) -> Vec<String> {
    operation.path_params.iter().map(|param| param.name.camel()).collect()
}

/// The name of a field in a collection.
pub(super) fn added(field: &str) -> String {
    Name::parse(field).camel()
}

fn field(model: &Model, key: &str, param: &str, shape: &Shape) -> Value {
    let entry = entry(model, shape);
    json!({ "key": key, "param": param, "json": entry.is_json, "blankIsNone": entry.blank_is_none })
}

fn body_of(model: &Model, operation: &Operation, body: &Body) -> Value {
    let (type_name, required) = match body {
        Body::File => return json!({ "file": true }),
        Body::Json { type_name, required } => (type_name, *required),
    };
    let taken = params_of(operation);
    if let Some(fields) = of_object(model, type_name) {
        let mut body = fields_of(model, fields, &taken);
        body["required_body"] = json!(required);
        return body;
    }
    let Some((tag, variants)) = variants(model, type_name) else { return json!({ "whole": true }) };
    let variants: Map<String, Value> =
        variants.into_iter().map(|(word, fields)| (word, fields_of(model, &fields, &taken))).collect();
    json!({ "tag": { "key": tag, "param": param_of(&tag, &taken) }, "variants": variants })
}

fn fields_of(model: &Model, fields: &[Field], taken: &[String]) -> Value {
    let fields = fields.iter().filter(|field| field.constant.is_none());
    let (required, optional): (Vec<&Field>, Vec<&Field>) = fields.partition(|field| field.required);
    json!({
        "required": required.iter().map(|one| field(model, &one.name, &param_of(&one.name, taken), &one.shape)).collect::<Value>(),
        "optional": optional.iter().map(|one| field(model, &one.name, &added(&one.name), &one.shape)).collect::<Value>(),
    })
}

/// The tag of a union, and each variant's word and fields.
type Tagged = (String, Vec<(String, Vec<Field>)>);

/// The tag of a union and the fields of each variant, if all variants are told apart by a word and are objects.
pub(super) fn variants(model: &Model, type_name: &str) -> Option<Tagged> {
    let Kind::Union(union) = &model.named(type_name).kind else { return None };
    let tag = union.tag.clone()?;
    let variants = union.variants.iter().map(|variant| {
        let fields = of_object(model, &variant.type_name)?.iter().filter(|field| field.name != tag);
        Some((variant.word.clone()?, fields.cloned().collect()))
    });
    let variants = variants.collect::<Option<Vec<_>>>()?;
    Some((tag, variants))
}
