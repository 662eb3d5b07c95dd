//! `types.ts`: every named type.

use super::layout::{HEAD, Side, comment, key, type_of, union_of};
use crate::model::{Field, Kind, Model, Type, Union};

const OPEN: &str = "
/** One of the known words, or one of a later version of the API. */
export type Open<Word extends string> = Word | (string & {});
";

pub(super) fn file(model: &Model) -> String {
    let types: Vec<String> = model.types.iter().map(|each| declared(model, each)).collect();
    format!("{HEAD}{OPEN}\n{}", types.join("\n"))
}

/// Whether a name is that of a type of words.
pub(super) fn is_words(model: &Model, name: &str) -> bool {
    model.types.iter().any(|each| each.name == name && matches!(each.kind, Kind::Words(_)))
}

fn declared(model: &Model, each: &Type) -> String {
    let side = if each.is_received { Side::Received } else { Side::Sent };
    let head = comment(&each.docs, "");
    let name = &each.name;
    match &each.kind {
        Kind::Words(words) => format!("{head}export type {name} = {};\n", union_of(words)),
        Kind::Union(union) => format!("{head}export type {name} = {};\n", variants(union, side)),
        Kind::Object(fields) => {
            let fields: String = fields.iter().map(|each| field(model, each, side)).collect();
            format!("{head}export interface {name} {{\n{fields}}}\n")
        }
    }
}

fn variants(union: &Union, side: Side) -> String {
    let names: Vec<&str> = union.variants.iter().map(|variant| variant.type_name.as_str()).collect();
    assert!(side == Side::Sent, "a union that is received needs a variant for what is unknown: {names:?}");
    names.join(" | ")
}

fn field(model: &Model, field: &Field, side: Side) -> String {
    let kind = match &field.constant {
        Some(word) => format!("{word:?}"),
        None => type_of(&field.shape, side, &|name| is_words(model, name)),
    };
    let mark = if field.required { "" } else { "?" };
    format!("{}  {}{mark}: {kind};\n", comment(&field.docs, "  "), key(&field.name))
}
