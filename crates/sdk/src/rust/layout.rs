//! Which type is in which file.

use std::collections::{BTreeMap, BTreeSet};

use crate::model::{Body, Kind, Model, Operation, Response, Shape, Type};

/// The file for what several resources have.
const SHARED: &str = "shared";
/// The file for events.
pub(super) const EVENTS: &str = "events";

/// The names of the types of each file.
pub(super) type Groups = BTreeMap<String, Vec<String>>;

/// A type is in the file of its resource, or with those that several resources have.
pub(super) fn groups(model: &Model) -> Groups {
    let mut homes: BTreeMap<&str, BTreeSet<String>> = BTreeMap::new();
    for resource in &model.resources {
        for name in reached(model, resource.operations.iter().flat_map(roots).collect()) {
            homes.entry(name).or_default().insert(resource.name.snake());
        }
    }
    let of_events = reached(model, model.events.iter().map(|event| &event.data).filter_map(named).collect());
    let mut groups = Groups::from([(EVENTS.to_owned(), Vec::new())]);
    for each in &model.types {
        let homes = homes.get(each.name.as_str());
        let home = match homes {
            None if of_events.contains(each.name.as_str()) => EVENTS,
            None => SHARED,
            Some(homes) => homes.first().filter(|_| homes.len() == 1).map_or(SHARED, String::as_str),
        };
        groups.entry(home.to_owned()).or_default().push(each.name.clone());
    }
    groups
}

fn roots(operation: &Operation) -> Vec<&str> {
    let mut roots: Vec<&str> = operation.query.iter().filter_map(|param| named(&param.shape)).collect();
    if let Some(Body::Json { type_name, .. }) = &operation.body {
        roots.push(type_name);
    }
    match &operation.response {
        Response::Data(shape) | Response::List { item: shape, .. } => roots.extend(named(shape)),
        Response::EventStream => {}
    }
    roots
}

/// Moves the types that requests contain out of a file that has become too long.
pub(super) fn split(model: &Model, groups: &mut Groups, group: &str) {
    let names = groups.remove(group).unwrap_or_default();
    let (sent, received) = names.into_iter().partition(|name| model.named(name).is_sent);
    groups.insert(group.to_owned(), received);
    groups.insert(format!("{group}_sent"), sent);
}

/// The named types that these contain, at any depth, with themselves.
fn reached<'m>(model: &'m Model, mut todo: Vec<&'m str>) -> BTreeSet<&'m str> {
    let mut found = BTreeSet::new();
    while let Some(name) = todo.pop() {
        let Some(known) = model.types.iter().find(|each| each.name == name) else { continue };
        if !found.insert(name) {
            continue;
        }
        todo.extend(contained(known));
    }
    found
}

/// The named types that a type has in its fields or variants.
pub(super) fn contained(known: &Type) -> Vec<&str> {
    match &known.kind {
        Kind::Object(fields) => fields.iter().filter_map(|field| named(&field.shape)).collect(),
        Kind::Union(union) => union.variants.iter().map(|each| each.type_name.as_str()).collect(),
        Kind::Words(_) => Vec::new(),
    }
}

/// The named type that a shape is made of.
pub(super) fn named(shape: &Shape) -> Option<&str> {
    match shape {
        Shape::Named(name) => Some(name),
        Shape::List(inner) | Shape::Map(inner) | Shape::Nullable(inner) => named(inner),
        _ => None,
    }
}
