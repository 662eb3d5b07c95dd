use std::collections::BTreeSet;

use serde_json::{Value, json};

use super::*;
use crate::model::{Body, Kind, Operation, Response, Sample, Shape, placeholder};

fn document() -> Value {
    let path = format!("{}/../../openapi.json", env!("CARGO_MANIFEST_DIR"));
    serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap()
}

fn operation<'m>(model: &'m Model, id: &str) -> &'m Operation {
    model.operations().find(|operation| operation.id == id).unwrap_or_else(|| panic!("no {id}"))
}

#[test]
fn every_operation_with_a_key_has_a_short_name_in_its_resource() {
    let model = model(&document());
    let names: BTreeSet<String> = model
        .operations()
        .map(|operation| format!("{}.{}", operation.resource.camel(), operation.name.camel()))
        .collect();
    assert!(names.len() > 110, "{}", names.len());
    for name in [
        "contacts.create",
        "contacts.list",
        "contacts.listNotes",
        "contacts.optOut",
        "contacts.addTags",
        "conversations.handOver",
        "messages.send",
        "messages.search",
        "media.upload",
        "events.stream",
        "me.get",
        "ai.getUsage",
        "cannedReplies.create",
        "pipelines.createStage",
        "webhooks.rotateSecret",
        "runs.start",
    ] {
        assert!(names.contains(name), "there is no {name}");
    }
}

#[test]
fn an_operation_is_read_whole() {
    let model = model(&document());
    let create = operation(&model, "createContact");
    assert_eq!((create.method.as_str(), create.path.as_str()), ("POST", "/api/v1/contacts"));
    assert_eq!((create.status, create.units, create.idempotent), (201, 1, true));
    assert_eq!(create.scope.as_deref(), Some("contacts:write"));
    assert!(
        matches!(&create.body, Some(Body::Json { type_name, required: true }) if type_name == "NewContact")
    );
    assert!(matches!(&create.response, Response::Data(Shape::Named(name)) if name == "Contact"));

    let list = operation(&model, "listBroadcastRecipients");
    assert_eq!(list.path_params[0].name.snake(), "broadcast_id");
    let keys: Vec<&str> = list.query.iter().map(|param| param.key.as_str()).collect();
    assert_eq!(keys, ["status"], "the parameters of pages are not listed");
    assert!(matches!(list.response, Response::List { paginated: true, .. }));
    let tags = operation(&model, "listTags");
    assert!(matches!(tags.response, Response::List { paginated: false, .. }));
    assert!(matches!(operation(&model, "uploadMedia").body, Some(Body::File)));
    assert!(matches!(operation(&model, "streamEvents").response, Response::EventStream));
    assert_eq!(operation(&model, "startRun").units, 10);
    assert!(operation(&model, "searchMessages").query.iter().any(|param| param.key == "q"));
}

#[test]
fn types_say_what_is_optional_and_what_may_be_null() {
    let model = model(&document());
    let Kind::Object(fields) = &model.named("NewStage").kind else { panic!("not an object") };
    let field = |name: &str| fields.iter().find(|field| field.name == name).unwrap();
    assert!(field("name").required && field("name").shape == Shape::Text);
    assert_eq!(field("position").shape, Shape::Nullable(Box::new(Shape::Integer)));
    assert!(!field("position").required);
    let message = model.named("NewMessage");
    assert!(message.is_sent && !message.is_received);
    let Kind::Union(union) = &message.kind else { panic!("not a union") };
    assert_eq!(union.tag.as_deref(), Some("type"));
    let words: Vec<_> = union.variants.iter().map(|variant| variant.word.as_deref().unwrap()).collect();
    assert_eq!(words, ["text", "template", "media"]);
    let Kind::Union(to) = &model.named("To").kind else { panic!("not a union") };
    assert!(to.tag.is_none());
    let status = model.named("ConversationStatus");
    assert!(status.is_sent && status.is_received && matches!(status.kind, Kind::Words(_)));
}

/// Every type that a shape names is a type of the model; events alone are apart.
#[test]
fn every_name_in_a_shape_is_a_type() {
    fn check(model: &Model, shape: &Shape) {
        match shape {
            Shape::Named(name) if name == "Event" => {}
            Shape::Named(name) => assert!(*name == model.named(name).name),
            Shape::List(inner) | Shape::Map(inner) | Shape::Nullable(inner) => check(model, inner),
            _ => {}
        }
    }
    let model = model(&document());
    for each in &model.types {
        match &each.kind {
            Kind::Object(fields) => fields.iter().for_each(|field| check(&model, &field.shape)),
            Kind::Union(union) => union
                .variants
                .iter()
                .for_each(|variant| assert!(variant.type_name == model.named(&variant.type_name).name)),
            Kind::Words(words) => assert!(!words.is_empty(), "{}", each.name),
        }
        assert!(each.is_sent || each.is_received, "{} is used nowhere", each.name);
    }
    for operation in model.operations() {
        operation.query.iter().for_each(|param| check(&model, &param.shape));
        if let Some(Body::Json { type_name, .. }) = &operation.body {
            model.named(type_name);
        }
        match &operation.response {
            Response::Data(shape) | Response::List { item: shape, .. } => check(&model, shape),
            Response::EventStream => {}
        }
    }
    assert!(model.events.len() > 30);
    model.events.iter().for_each(|event| check(&model, &event.data));
    assert!(model.error_codes.contains(&"channel_not_connected".to_owned()));
}

/// Whether a sample's value has a shape. A placeholder stands for an id or an address.
fn fits(model: &Model, shape: &Shape, value: &Value) -> bool {
    if placeholder(value).is_some() {
        return matches!(shape, Shape::Id | Shape::Uri | Shape::Nullable(_));
    }
    match shape {
        Shape::Any => true,
        Shape::Nullable(inner) => value.is_null() || fits(model, inner, value),
        Shape::Text | Shape::Id | Shape::Moment | Shape::Date | Shape::Uri => value.is_string(),
        Shape::Words(words) => value.as_str().is_some_and(|word| words.iter().any(|each| each == word)),
        Shape::Boolean => value.is_boolean(),
        Shape::Integer => value.is_i64(),
        Shape::Number => value.is_number(),
        Shape::List(inner) => {
            value.as_array().is_some_and(|items| items.iter().all(|item| fits(model, inner, item)))
        }
        Shape::Map(inner) => {
            value.as_object().is_some_and(|map| map.values().all(|each| fits(model, inner, each)))
        }
        Shape::Named(name) => match &model.named(name).kind {
            Kind::Words(words) => value.as_str().is_some_and(|word| words.iter().any(|each| each == word)),
            Kind::Union(union) => union.variants.iter().any(|variant| {
                let named = Shape::Named(variant.type_name.clone());
                union.tag.as_ref().is_none_or(|tag| value[tag].as_str() == variant.word.as_deref())
                    && fits(model, &named, value)
            }),
            Kind::Object(fields) => value.as_object().is_some_and(|object| {
                object.iter().all(|(key, each)| {
                    fields.iter().any(|field| field.name == *key && fits(model, &field.shape, each))
                }) && fields.iter().all(|field| !field.required || object.contains_key(&field.name))
            }),
        },
    }
}

#[test]
fn every_operation_has_a_sample_that_fits() {
    let model = model(&document());
    for operation in model.operations() {
        let Sample { path, query, body } = &operation.sample;
        assert_eq!(path.len(), operation.path_params.len());
        match (&operation.body, body) {
            (Some(Body::Json { type_name, .. }), Some(body)) => {
                let shape = Shape::Named(type_name.clone());
                assert!(fits(&model, &shape, body), "{} is no {type_name}: {body}", operation.id);
            }
            (Some(Body::Json { .. }), None) => {
                panic!("{} has no sample; write one in samples.rs", operation.id)
            }
            (_, given) => assert!(given.is_none(), "{} takes no body", operation.id),
        }
        for param in operation.query.iter().filter(|param| param.required) {
            assert!(query.iter().any(|(key, _)| *key == param.key), "{} needs {}", operation.id, param.key);
        }
        if matches!(operation.response, Response::EventStream) {
            continue;
        }
        for (key, value) in query {
            let param = operation.query.iter().find(|param| param.key == *key);
            let param = param.unwrap_or_else(|| panic!("{} has no parameter {key}", operation.id));
            assert!(fits(&model, &param.shape, value), "{}?{key}={value}", operation.id);
        }
    }
}

#[test]
fn the_placeholders_of_a_sample_are_named_once() {
    let sample = Sample {
        path: vec![json!("$contact_id")],
        query: Vec::new(),
        body: Some(json!({ "a": ["$tag_id", "$contact_id"], "b": "x" })),
    };
    assert_eq!(sample.placeholders(), ["contact_id", "tag_id"]);
}

#[test]
#[should_panic(expected = "which refers to no named schema")]
fn a_body_without_a_name_is_a_mistake() {
    let mut document = document();
    document["paths"]["/api/v1/tags"]["post"]["requestBody"]["content"]["application/json"]["schema"] =
        json!({ "type": "object" });
    model(&document);
}
