//! Named types.

use std::collections::BTreeSet;
use std::fmt::Write;

use super::layout::{self, EVENTS, Groups};
use super::source::{self, HEAD, docs, ident};
use super::{events, sent, shapes};
use crate::model::{Field, Kind, Model, Type, Union};

/// The file that names the others.
pub(super) fn index(groups: &Groups) -> String {
    let mut text = format!("{HEAD}//! What calls send and return, and what events contain.\n\n");
    for group in groups.keys() {
        let _ = writeln!(text, "mod {group};");
    }
    text.push('\n');
    for group in groups.keys() {
        let _ = writeln!(text, "pub use self::{group}::*;");
    }
    text
}

/// A file of types.
pub(super) fn group(model: &Model, group: &str, names: &[String]) -> String {
    let mut items: Vec<String> = names.iter().map(|name| named(model, model.named(name))).collect();
    if group == EVENTS {
        items.insert(0, events::data(model));
    }
    let body = items.join("\n");
    let about = match group {
        EVENTS => "What events contain.".to_owned(),
        "shared" => "Types that calls of several resources have.".to_owned(),
        resource => match resource.strip_suffix("_sent") {
            Some(resource) => format!("What the calls about {} send.", resource.replace('_', " ")),
            None => format!("Types of the calls about {}.", resource.replace('_', " ")),
        },
    };
    let mut others: BTreeSet<&str> =
        names.iter().flat_map(|name| layout::contained(model.named(name))).collect();
    if group == EVENTS {
        others.extend(model.events.iter().filter_map(|event| layout::named(&event.data)));
    }
    others.retain(|name| !names.iter().any(|own| own == name));
    let others: Vec<&str> = others.into_iter().collect();
    format!("{HEAD}//! {about}\n\n{}{body}", imports(&body, &others))
}

/// What a file needs. `others` are the types of other files.
fn imports(body: &str, others: &[&str]) -> String {
    let one = |from: &str, names: &[&str]| source::import(from, &source::used(body, names));
    let std = one("std::collections", &["BTreeMap"]);
    let external = [
        one("serde", &["Deserialize", "Serialize"]),
        one("serde::de", &["DeserializeOwned"]),
        one("serde_json", &["Value"]),
        one("uuid", &["Uuid"]),
    ]
    .concat();
    let own = [
        source::import("super", others),
        one("crate::patch", &["Patch"]),
        one("crate::text_enum", &["text_enum"]),
        one("crate::time", &["Date", "Timestamp"]),
    ]
    .concat();
    source::paragraphs(&[std, external, own])
}

fn named(model: &Model, named: &Type) -> String {
    match &named.kind {
        Kind::Object(fields) if named.is_sent => sent::object(named, fields),
        Kind::Object(fields) => received(named, fields),
        Kind::Words(words) => self::words(named, words),
        Kind::Union(union) if named.is_received => received_union(model, named, union),
        Kind::Union(union) => sent::union(model, named, union),
    }
}

fn received(named: &Type, fields: &[Field]) -> String {
    let mut text = docs(0, &named.docs);
    text.push_str("#[derive(Clone, Debug, PartialEq, Deserialize)]\n#[non_exhaustive]\n");
    let _ = writeln!(text, "pub struct {} {{", named.name);
    for field in fields {
        text.push_str(&docs(4, &field.docs));
        let kind = shapes::owned(&field.shape);
        let kind =
            if field.required || kind.starts_with("Option<") { kind } else { format!("Option<{kind}>") };
        let _ = writeln!(text, "    pub {}: {kind},", ident(&field.name));
    }
    text + "}\n"
}

fn words(named: &Type, words: &[String]) -> String {
    let mut text = format!("text_enum! {{\n{}    {} {{\n", docs(4, &named.docs), named.name);
    for word in words {
        let _ = writeln!(text, "        {} = \"{word}\",", source::variant(word));
    }
    text + "    }\n}\n"
}

/// A union to which a newer server may add.
fn received_union(model: &Model, named: &Type, union: &Union) -> String {
    let tag = union.tag.as_deref().unwrap_or_else(|| panic!("{} is received and has no tag", named.name));
    let mut text = docs(0, &named.docs);
    text.push_str("#[derive(Clone, Debug, PartialEq, Deserialize)]\n");
    let _ = writeln!(text, "#[serde(tag = \"{tag}\")]\n#[non_exhaustive]\npub enum {} {{", named.name);
    for variant in &union.variants {
        let word = variant.word.as_deref().unwrap_or_default();
        text.push_str(&docs(4, &model.named(&variant.type_name).docs));
        let _ = writeln!(text, "    #[serde(rename = \"{word}\")]");
        let _ = writeln!(text, "    {}({}),", source::variant(word), variant.type_name);
    }
    text.push_str("    /// What this version of the crate does not know.\n    #[serde(untagged)]\n    Unknown(Value),\n");
    text + "}\n"
}
