//! Types: dataclasses for what is received, `TypedDict` for what is sent, and `Literal` for closed lists of words.

use std::collections::{BTreeMap, BTreeSet};

use super::events;
use super::hints::{hint_of_field, hint_received};
use super::place::{EVENTS, Imports, Places, SHARED};
use super::text::{self, below, docstring, enclosed, literal, module, name, room, sentence};
use crate::model::{Field, Kind, Model, Shape, Type, Union};

/// The modules of types, and the one that has all of them.
pub(super) fn files(model: &Model) -> Vec<(String, String)> {
    let places = Places::of(model);
    let mut by_module: BTreeMap<&str, Vec<&Type>> = BTreeMap::from([(EVENTS, Vec::new())]);
    for each in &model.types {
        if let Some(module) = places.module(&each.name) {
            by_module.entry(module).or_default().push(each);
        }
    }
    let mut files = Vec::new();
    let mut exported: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for (module, types) in by_module {
        let mut names: Vec<String> = types.iter().map(|each| each.name.clone()).collect();
        if module == EVENTS {
            names.extend(events::names(model));
        }
        names.sort();
        exported.insert(module.to_owned(), names);
        files.push((format!("types/{module}.py"), one_module(model, &places, module, &types)));
    }
    files.push(("types/__init__.py".to_owned(), index(&exported)));
    files
}

fn one_module(model: &Model, places: &Places, own: &str, types: &[&Type]) -> String {
    let mut imports = Imports::default();
    let mut parts = Vec::new();
    // Words and objects first: a union is evaluated where it stands.
    let is_union = |each: &&&Type| matches!(each.kind, Kind::Union(_));
    for each in types.iter().filter(|each| !is_union(each)).chain(types.iter().filter(is_union)) {
        parts.push(definition(each, model, &mut imports));
    }
    if own == EVENTS {
        parts.extend(events::definitions(model, &mut imports));
    }
    let docs = match own {
        SHARED => "Types that several resources have.".to_owned(),
        EVENTS => "Events, as webhooks, streams and lists have them.".to_owned(),
        _ => format!("Types of {}.", own.replace('_', " ")),
    };
    let parts: Vec<String> = imports.named_words().into_iter().chain(parts).collect();
    let lines = imports.lines(places, Some(own), ".");
    module(&docs, &below(&lines, &joined(&parts)))
}

/// Definitions: two empty lines around classes, one between the others.
pub(super) fn joined(parts: &[String]) -> String {
    let is_class = |part: &str| part.contains("class ") && !part.contains(": TypeAlias");
    let mut body = String::new();
    for (at, part) in parts.iter().enumerate() {
        if at > 0 {
            let apart = is_class(part) || is_class(&parts[at - 1]);
            body.push_str(if apart { "\n\n" } else { "\n" });
        }
        body.push_str(part);
    }
    body
}

fn definition(each: &Type, model: &Model, imports: &mut Imports) -> String {
    match &each.kind {
        Kind::Words(words) => {
            imports.add("typing", "Literal");
            alias(each, &text::words(&each.name, words), imports)
        }
        Kind::Union(union) => alias(each, &options(union, &each.name, imports), imports),
        Kind::Object(fields) if each.is_received => {
            assert!(!each.is_sent, "{} is sent and received; give it two names", each.name);
            received(each, fields, model, imports)
        }
        Kind::Object(fields) => sent(each, fields, imports),
    }
}

fn options(union: &Union, type_name: &str, imports: &mut Imports) -> String {
    let names: Vec<String> = union.variants.iter().map(|variant| variant.type_name.clone()).collect();
    for name in &names {
        imports.add_type(name);
    }
    text::union(type_name, &names)
}

fn alias(each: &Type, value: &str, imports: &mut Imports) -> String {
    imports.add("typing", "TypeAlias");
    format!("{}: TypeAlias = {value}\n{}", each.name, docstring(&[sentence(&each.docs)], 0))
}

/// A class whose objects responses contain.
fn received(each: &Type, fields: &[Field], model: &Model, imports: &mut Imports) -> String {
    let names: BTreeSet<&str> = fields.iter().map(|field| field.name.as_str()).collect();
    assert!(!names.contains("extra"), "{} has a field that hides what every object has", each.name);
    imports.add("dataclasses", "dataclass");
    imports.add("..._runtime.model", "Model");
    let mut class = head(&each.name, "Model", &each.docs);
    class.insert_str(0, "@dataclass(frozen=True, kw_only=True)\n");
    let mut line = |field: &Field| {
        let hint = match &field.constant {
            Some(word) => {
                imports.add("typing", "Literal");
                format!("Literal[{}]", literal(word))
            }
            None => hint_received(&field.shape, model, imports),
        };
        let (hint, default) = match (field.required, &field.shape) {
            (true, _) => (hint, ""),
            (false, Shape::Nullable(_) | Shape::Any) => (hint, " = None"),
            (false, _) => (format!("{hint} | None"), " = None"),
        };
        format!("    {}: {hint}{default}\n{}", name(&field.name), docstring(&[sentence(&field.docs)], 4))
    };
    class.extend(fields.iter().map(&mut line));
    class
}

/// A dict that bodies contain.
fn sent(each: &Type, fields: &[Field], imports: &mut Imports) -> String {
    imports.add("typing", "TypedDict");
    let mut hint = |field: &Field| {
        let hint = hint_of_field(field, imports);
        if field.required {
            return hint;
        }
        imports.add("..._runtime.typing", "NotRequired");
        format!("NotRequired[{hint}]")
    };
    // A class cannot have a field that is a keyword of Python, but a call can name it.
    if fields.iter().any(|field| name(&field.name) != field.name) {
        let entries = crate::text::each(fields, |field| {
            let hint = hint(field);
            let mark = if hint.contains('"') { '\'' } else { '"' };
            format!("        \"{}\": {mark}{hint}{mark},\n", field.name)
        });
        let docs = docstring(&[sentence(&each.docs)], 0);
        return format!("{0} = TypedDict(\n    \"{0}\",\n    {{\n{entries}    }},\n)\n{docs}", each.name);
    }
    let mut class = head(&each.name, "TypedDict", &each.docs);
    class.extend(fields.iter().map(|field| {
        format!("    {}: {}\n{}", field.name, hint(field), docstring(&[sentence(&field.docs)], 4))
    }));
    class
}

fn head(class: &str, base: &str, docs: &str) -> String {
    let docs = docstring(&[sentence(docs)], 4);
    let apart = if docs.is_empty() { "" } else { "\n" };
    format!("class {class}({base}):\n{docs}{apart}")
}

fn index(exported: &BTreeMap<String, Vec<String>>) -> String {
    let imports = exported.iter().map(|(module, names)| {
        let before = format!("from .{module} import ");
        let line = names.join(", ");
        if line.len() <= room(0, &before) {
            format!("{before}{line}\n")
        } else {
            format!("{}\n", enclosed(&format!("{before}("), names, ")", 0, 0))
        }
    });
    let imports = imports.collect::<Vec<_>>().concat();
    let all: BTreeSet<String> = exported.values().flatten().map(|name| literal(name)).collect();
    let all: Vec<String> = all.into_iter().collect();
    module("Every type.", &format!("{imports}\n{}", enclosed("__all__ = [", &all, "]", 0, 0)))
}
