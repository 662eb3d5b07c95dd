//! `properties.json`: the parameters that a node shows.

use serde_json::{Map, Value, json};

use super::fields::{of_object, param_of, property};
use super::operations::{added, params_of, variants};
use super::{operations_of, sentence, title};
use crate::model::{Body, Field, Model, Operation, Resource, Response, Shape};

pub(super) fn file(model: &Model) -> Value {
    let resources: Vec<&Resource> = (model.resources.iter())
        .filter(|resource| operations_of(&resource.operations).next().is_some())
        .collect();
    let first = resources.iter().find(|resource| resource.name.camel() == "contacts").or(resources.first());
    let mut options: Vec<Value> = resources
        .iter()
        .map(|resource| json!({ "name": title(&resource.name), "value": resource.name.camel() }))
        .collect();
    by_name(&mut options);
    let mut properties = vec![json!({
        "displayName": "Resource",
        "name": "resource",
        "type": "options",
        "noDataExpression": true,
        "options": options,
        "default": first.map(|resource| resource.name.camel()),
    })];
    for resource in &resources {
        properties.push(operations(resource));
    }
    for resource in &resources {
        for operation in operations_of(&resource.operations) {
            properties.extend(parameters(model, resource, operation));
        }
    }
    Value::Array(properties)
}

fn by_name(options: &mut [Value]) {
    options.sort_by_key(|option| option["name"].as_str().map(str::to_owned));
}

fn operations(resource: &Resource) -> Value {
    let options = operations_of(&resource.operations).map(|operation| {
        json!({
            "name": title(&operation.name),
            "value": operation.name.camel(),
            "action": operation.summary,
            "description": sentence(&format!("{}. {}", operation.summary, operation.notes)),
        })
    });
    let mut options: Vec<Value> = options.collect();
    by_name(&mut options);
    json!({
        "displayName": "Operation",
        "name": "operation",
        "type": "options",
        "noDataExpression": true,
        "displayOptions": { "show": { "resource": [resource.name.camel()] } },
        "default": options.first().map(|option| option["value"].clone()),
        "options": options,
    })
}

fn parameters(model: &Model, resource: &Resource, operation: &Operation) -> Vec<Value> {
    let show = json!({ "resource": [resource.name.camel()], "operation": [operation.name.camel()] });
    let mut parameters: Vec<Value> = operation
        .path_params
        .iter()
        .map(|param| Value::Object(property(model, &param.name.camel(), &Shape::Text, "", Some(&show))))
        .collect();
    if matches!(operation.response, Response::List { paginated: true, .. }) {
        parameters.extend(pages(&show));
    }
    let taken = params_of(operation);
    let (required, optional): (Vec<_>, Vec<_>) = operation.query.iter().partition(|param| param.required);
    let shown = |param: &&crate::model::QueryParam| {
        let name = param_of(&param.key, &taken);
        Value::Object(property(model, &name, &param.shape, &param.docs, Some(&show)))
    };
    parameters.extend(required.iter().map(shown));
    let filters = optional
        .iter()
        .map(|param| Value::Object(property(model, &added(&param.key), &param.shape, &param.docs, None)));
    parameters.extend(collection("Filters", "filters", "Add Filter", filters.collect(), &show));
    if let Some(body) = &operation.body {
        parameters.extend(body_of(model, operation, body, &show, &taken));
    }
    parameters
}

fn pages(show: &Value) -> [Value; 2] {
    let mut limited = show.clone();
    limited["returnAll"] = json!([false]);
    [
        json!({
            "displayName": "Return All",
            "name": "returnAll",
            "type": "boolean",
            "default": false,
            "displayOptions": { "show": show },
            "description": "Whether to return all results or only up to a given limit",
        }),
        json!({
            "displayName": "Limit",
            "name": "limit",
            "type": "number",
            "typeOptions": { "minValue": 1 },
            "default": 50,
            "displayOptions": { "show": limited },
            "description": "Max number of results to return",
        }),
    ]
}

fn collection(title: &str, name: &str, add: &str, mut options: Vec<Value>, show: &Value) -> Option<Value> {
    options.sort_by_key(|option| option["displayName"].as_str().map(str::to_owned));
    (!options.is_empty()).then(|| {
        json!({
            "displayName": title,
            "name": name,
            "type": "collection",
            "placeholder": add,
            "default": {},
            "displayOptions": { "show": show },
            "options": options,
        })
    })
}

fn body_of(model: &Model, operation: &Operation, body: &Body, show: &Value, taken: &[String]) -> Vec<Value> {
    let type_name = match body {
        Body::File => {
            return vec![json!({
                "displayName": "Input Binary Field",
                "name": "binaryPropertyName",
                "type": "string",
                "required": true,
                "default": "data",
                "displayOptions": { "show": show },
                "description": "The name of the input field with the file",
            })];
        }
        Body::Json { type_name, .. } => type_name,
    };
    let sample = operation.sample.body.as_ref();
    if let Some(fields) = of_object(model, type_name) {
        return fields_of(model, fields, sample, show, taken);
    }
    let Some((tag, variants)) = variants(model, type_name) else {
        let docs = example(sample);
        let mut whole = property(model, "body", &Shape::Any, &docs, Some(show));
        whole.insert("displayName".to_owned(), json!("Body"));
        return vec![Value::Object(whole)];
    };
    let words = variants.iter().map(|(word, _)| word.clone()).collect();
    let tag_param = param_of(&tag, taken);
    let mut parameters =
        vec![Value::Object(property(model, &tag_param, &Shape::Words(words), "", Some(show)))];
    for (word, fields) in &variants {
        let mut show = show.clone();
        show[&tag_param] = json!([word]);
        parameters.extend(fields_of(model, fields, sample, &show, taken));
    }
    parameters
}

fn fields_of(
    model: &Model,
    fields: &[Field],
    sample: Option<&Value>,
    show: &Value,
    taken: &[String],
) -> Vec<Value> {
    let fields = fields.iter().filter(|field| field.constant.is_none());
    let (required, optional): (Vec<&Field>, Vec<&Field>) = fields.partition(|field| field.required);
    let docs = |field: &Field, is_json: bool| match sample.and_then(|sample| sample.get(&field.name)) {
        Some(value) if is_json => format!("{} {}", field.docs, example(Some(value))).trim().to_owned(),
        _ => field.docs.clone(),
    };
    let described = |field: &Field, param: &str, show: Option<&Value>| -> Map<String, Value> {
        let is_json = super::fields::entry(model, &field.shape).is_json;
        property(model, param, &field.shape, &docs(field, is_json), show)
    };
    let mut parameters: Vec<Value> = required
        .iter()
        .map(|field| Value::Object(described(field, &param_of(&field.name, taken), Some(show))))
        .collect();
    let added: Vec<Value> =
        optional.iter().map(|field| Value::Object(described(field, &added(&field.name), None))).collect();
    parameters.extend(collection("Additional Fields", "additionalFields", "Add Field", added, show));
    parameters
}

fn example(value: Option<&Value>) -> String {
    value.map(|value| format!("For example: {value}")).unwrap_or_default()
}
