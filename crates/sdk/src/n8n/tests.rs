use std::collections::BTreeSet;
use std::path::Path;

use super::*;
use crate::read;

fn model() -> Model {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../openapi.json");
    let text = std::fs::read_to_string(path).expect("the document");
    read::model(&serde_json::from_str(&text).expect("JSON"))
}

/// Whether a parameter is shown for an operation, whatever its tag is.
fn is_shown(property: &Value, resource: &str, operation: &str) -> bool {
    let show = &property["displayOptions"]["show"];
    show["resource"][0] == resource && show["operation"][0] == operation
}

#[test]
fn every_field_of_every_operation_has_a_parameter() {
    let model = model();
    let properties = properties::file(&model);
    let properties = properties.as_array().unwrap();
    let operations = operations::file(&model);
    let operations = operations.as_object().unwrap();
    let all = model.operations().filter(|one| !matches!(one.response, Response::EventStream)).count();
    assert_eq!(operations.len(), all);
    assert!(all > 100, "{all} operations");
    for (name, operation) in operations {
        let (resource, operation_name) = name.split_once('.').unwrap();
        let shown: Vec<&Value> =
            properties.iter().filter(|property| is_shown(property, resource, operation_name)).collect();
        let names: BTreeSet<&str> = shown.iter().map(|property| property["name"].as_str().unwrap()).collect();
        let has = |param: &Value| {
            assert!(names.contains(param.as_str().unwrap()), "{name} has no parameter {param}: {names:?}");
        };
        for param in operation["path_params"].as_array().unwrap() {
            has(&param["param"]);
        }
        let body = &operation["body"];
        let of_variants = body["variants"].as_object().into_iter().flat_map(|variants| variants.values());
        for fields in [&operation["query"], body].into_iter().chain(of_variants) {
            for param in fields["required"].as_array().into_iter().flatten() {
                has(&param["param"]);
            }
            let in_collections: BTreeSet<&str> = shown
                .iter()
                .filter(|property| property["type"] == "collection")
                .flat_map(|property| property["options"].as_array().unwrap())
                .map(|option| option["name"].as_str().unwrap())
                .collect();
            for param in fields["optional"].as_array().into_iter().flatten() {
                assert!(in_collections.contains(param["param"].as_str().unwrap()), "{name}: {param}");
            }
        }
    }
}

#[test]
fn no_two_parameters_of_an_operation_have_one_name() {
    let model = model();
    let properties = properties::file(&model);
    let mut seen = BTreeSet::new();
    for property in properties.as_array().unwrap() {
        let place = format!("{} {}", property["name"], property["displayOptions"]);
        assert!(seen.insert(place.clone()), "{place} is twice");
    }
}

#[test]
fn every_choice_has_its_default_among_its_options() {
    let model = model();
    let properties = properties::file(&model);
    for property in properties.as_array().unwrap().iter().filter(|property| property["type"] == "options") {
        let options = property["options"].as_array().unwrap();
        assert!(options.iter().any(|option| option["value"] == property["default"]), "{property}");
    }
}

#[test]
fn names_are_written_as_n8n_shows_them() {
    assert_eq!(title(&Name::parse("contact_id")), "Contact ID");
    assert_eq!(title(&Name::parse("cannedReplies")), "Canned Replies");
    assert_eq!(sentence("Defaults to true."), "Defaults to true");
    assert_eq!(sentence("One. Two."), "One. Two.");
}

#[test]
fn every_event_type_can_be_chosen() {
    let model = model();
    let events = events(&model);
    assert_eq!(events.as_array().unwrap().len(), model.events.len());
    assert!(events.as_array().unwrap().iter().any(|event| event["value"] == "contact.created"));
}
