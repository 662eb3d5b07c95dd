//! Resources: a class for threads and its asynchronous twin, with a method for each operation.

use super::methods::{Method, Twin};
use super::place::{Imports, Places};
use super::text::{below, docstring, module};
use super::types::joined;
use crate::model::{Model, Resource};

/// Functions of the runtime that a resource offers besides its operations: resource, name, module.
const OFFERED: [(&str, &str, &str); 1] = [("webhooks", "unwrap", "...webhooks")];

/// The name of a resource's class.
pub(super) fn class_name(resource: &Resource, twin: Twin) -> String {
    format!("{}{}Resource", twin.prefix(), resource.name.pascal())
}

/// The modules of resources.
pub(super) fn files(model: &Model) -> Vec<(String, String)> {
    let places = Places::of(model);
    let mut files: Vec<(String, String)> = model
        .resources
        .iter()
        .map(|resource| {
            let content = one_module(model, &places, resource);
            (format!("resources/{}.py", resource.name.snake()), content)
        })
        .collect();
    files.push(("resources/__init__.py".to_owned(), module("The groups of operations.", "")));
    files
}

fn one_module(model: &Model, places: &Places, resource: &Resource) -> String {
    let mut imports = Imports::default();
    let classes: Vec<String> =
        [Twin::Blocking, Twin::Async].map(|twin| class(model, resource, twin, &mut imports)).into();
    let docs = format!("Operations of {}.", resource.name);
    let parts: Vec<String> = imports.named_words().into_iter().chain(classes).collect();
    let lines = imports.lines(places, None, "..types.");
    module(&docs, &below(&lines, &joined(&parts)))
}

fn class(model: &Model, resource: &Resource, twin: Twin, imports: &mut Imports) -> String {
    imports.add(twin.module(), twin.base());
    let (name, base) = (class_name(resource, twin), twin.base());
    let docs =
        docstring(&[format!("Operations of {}: `client.{}`.", resource.name, resource.name.snake())], 4);
    let mut parts = vec![format!("class {name}({base}):\n{docs}")];
    for (_, offered, module) in OFFERED.iter().filter(|(of, ..)| *of == resource.name.snake()) {
        imports.add(module, offered);
        parts.push(format!("\n    {offered} = staticmethod({offered})\n"));
    }
    let methods =
        resource.operations.iter().map(|operation| Method::of(model, operation, twin, imports).code());
    parts.extend(methods.map(|method| format!("\n{method}")));
    parts.concat()
}
