//! In which module a type is, and what a module imports.
//!
//! A type that one resource uses is in the module of that resource, and one that several use is in `shared`. So `shared`
//! imports no other module, and the others import only `shared`. `events` imports all of them.

use std::collections::{BTreeMap, BTreeSet};

use crate::model::{Body, Kind, Model, Operation, Response, Shape};
use crate::name::Name;

/// The module of types that several resources use.
pub(super) const SHARED: &str = "shared";
/// The module of events and of types that only events have.
pub(super) const EVENTS: &str = "events";

/// The union of all events, which is no named type of the model.
pub(super) const EVENT: &str = "Event";

/// Where types are.
pub(super) struct Places {
    modules: BTreeMap<String, String>,
}

impl Places {
    pub(super) fn of(model: &Model) -> Self {
        let mut users: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
        for resource in &model.resources {
            for operation in &resource.operations {
                for name in used(model, operation) {
                    users.entry(name).or_default().insert(resource.name.snake());
                }
            }
        }
        let mut modules = BTreeMap::new();
        for (name, users) in users {
            let mut users = users.into_iter();
            let module = match (users.next(), users.next()) {
                (Some(only), None) => only,
                _ => SHARED.to_owned(),
            };
            modules.insert(name, module);
        }
        let of_events = model.events.iter().flat_map(|event| reached(model, &event.data));
        for name in of_events {
            modules.entry(name).or_insert_with(|| EVENTS.to_owned());
        }
        modules.insert(EVENT.to_owned(), EVENTS.to_owned());
        Self { modules }
    }

    /// The module of a type; none if the package does not have it, because arguments stand for its fields.
    pub(super) fn module(&self, type_name: &str) -> Option<&str> {
        self.modules.get(type_name).map(String::as_str)
    }
}

/// The types of an operation's arguments and result.
fn used(model: &Model, operation: &Operation) -> BTreeSet<String> {
    let mut names = BTreeSet::new();
    for shape in arguments(model, operation) {
        names.extend(reached(model, &shape));
    }
    if let Response::Data(shape) | Response::List { item: shape, .. } = &operation.response {
        names.extend(reached(model, shape));
    }
    names
}

/// The shapes of an operation's arguments. The fields of a body are arguments, so the body itself is none of them.
fn arguments(model: &Model, operation: &Operation) -> Vec<Shape> {
    let mut shapes: Vec<Shape> = operation.query.iter().map(|param| param.shape.clone()).collect();
    if let Some(Body::Json { type_name, .. }) = &operation.body {
        shapes.extend(fields(model, type_name));
    }
    shapes
}

fn fields(model: &Model, type_name: &str) -> Vec<Shape> {
    match &model.named(type_name).kind {
        Kind::Object(fields) => fields.iter().map(|field| field.shape.clone()).collect(),
        Kind::Union(union) => union.variants.iter().flat_map(|each| fields(model, &each.type_name)).collect(),
        Kind::Words(_) => panic!("the body {type_name} is no object"),
    }
}

/// The named types that a shape contains, at any depth. Events are apart.
fn reached(model: &Model, shape: &Shape) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    let mut todo = vec![shape.clone()];
    while let Some(shape) = todo.pop() {
        match shape {
            Shape::List(inner) | Shape::Map(inner) | Shape::Nullable(inner) => todo.push(*inner),
            Shape::Named(name) if name != EVENT && found.insert(name.clone()) => {
                match &model.named(&name).kind {
                    Kind::Object(fields) => todo.extend(fields.iter().map(|field| field.shape.clone())),
                    Kind::Union(union) => {
                        todo.extend(union.variants.iter().map(|each| Shape::Named(each.type_name.clone())));
                    }
                    Kind::Words(_) => {}
                }
            }
            _ => {}
        }
    }
    found
}

/// What a module imports.
#[derive(Default)]
pub(super) struct Imports {
    /// The names of each module.
    names: BTreeMap<String, BTreeSet<String>>,
    /// Types of the API.
    types: BTreeSet<String>,
    /// Closed lists of words without a name in the API, by the names that the module gives them.
    words: BTreeMap<String, Vec<String>>,
}

impl Imports {
    pub(super) fn add(&mut self, module: &str, name: &str) {
        self.names.entry(module.to_owned()).or_default().insert(name.to_owned());
    }

    pub(super) fn add_type(&mut self, name: &str) {
        self.types.insert(name.to_owned());
    }

    /// Names a closed list of words that has no name in the API after the field that takes them.
    pub(super) fn name_words(&mut self, field: &str, words: &[String]) -> String {
        let name = Name::parse(field).singular().pascal();
        let known = self.words.entry(name.clone()).or_insert_with(|| words.to_vec());
        assert!(known == words, "two fields named {field} take different words; give them names in the API");
        self.add("typing", "Literal");
        self.add("typing", "TypeAlias");
        name
    }

    /// The definitions of the lists of words that have got a name.
    pub(super) fn named_words(&self) -> Vec<String> {
        let definition = |(name, words): (&String, &Vec<String>)| {
            format!("{name}: TypeAlias = {}\n", super::text::words(name, words))
        };
        self.words.iter().map(definition).collect()
    }

    /// The lines. `own` is the module that imports, and `prefix` leads to the modules of types.
    pub(super) fn lines(mut self, places: &Places, own: Option<&str>, prefix: &str) -> String {
        for name in std::mem::take(&mut self.types) {
            let module = places.module(&name).unwrap_or_else(|| panic!("{name} is in no module"));
            if own != Some(module) {
                self.add(&format!("{prefix}{module}"), &name);
            }
        }
        let group = |is_own: bool| -> Vec<String> {
            let of_group = self.names.iter().filter(|(module, _)| module.starts_with('.') == is_own);
            let mut lines: Vec<(usize, String)> =
                of_group.map(|(module, names)| import(module, names)).collect();
            // As sorters of imports have them: the farthest first.
            lines.sort_by_key(|(dots, _)| std::cmp::Reverse(*dots));
            lines.into_iter().map(|(_, line)| line).collect()
        };
        let groups = [vec!["from __future__ import annotations".to_owned()], group(false), group(true)];
        let filled = groups.into_iter().filter(|lines| !lines.is_empty()).map(|lines| lines.join("\n"));
        filled.collect::<Vec<_>>().join("\n\n")
    }
}

fn import(module: &str, names: &BTreeSet<String>) -> (usize, String) {
    let before = format!("from {module} import ");
    // Constants first, then classes, then functions.
    let mut sorted: Vec<String> = names.iter().cloned().collect();
    sorted.sort_by_key(|name| {
        let is_constant = name.chars().all(|c| !c.is_lowercase()) && name.len() > 1;
        let is_function = name.starts_with(char::is_lowercase);
        (u8::from(!is_constant) + u8::from(is_function), name.clone())
    });
    let in_line = sorted.join(", ");
    let line = if in_line.len() <= super::text::room(0, &before) {
        format!("{before}{in_line}")
    } else {
        super::text::enclosed(&format!("{before}("), &sorted, ")", 0, 0)
    };
    (module.chars().take_while(|c| *c == '.').count(), line)
}
