//! Types that requests contain: made by `new` with what is required, and by setters.

use std::fmt::Write;

use super::shapes;
use super::source::{WIDTH, docs, ident, listed, variant};
use crate::model::{Field, Model, Shape, Type, Union, Variant};

/// An object.
pub(super) fn object(named: &Type, fields: &[Field]) -> String {
    // The word by which a variant is told from others is written by its union.
    let fields: Vec<&Field> = fields.iter().filter(|field| field.constant.is_none()).collect();
    let (required, optional): (Vec<&Field>, Vec<&Field>) = fields.iter().partition(|field| field.required);
    let mut text = docs(0, &named.docs);
    let default = if required.is_empty() { "Default, " } else { "" };
    let received = if named.is_received { ", Deserialize" } else { "" };
    let _ = writeln!(text, "#[derive(Clone, Debug, {default}PartialEq, Serialize{received})]");
    let _ = writeln!(text, "#[non_exhaustive]\npub struct {} {{", named.name);
    for field in &fields {
        text.push_str(&docs(4, &field.docs));
        if let Some(skipped) = skipped(field) {
            let default = if named.is_received { "default, " } else { "" };
            let _ = writeln!(text, "    #[serde({default}skip_serializing_if = \"{skipped}\")]");
        }
        let _ = writeln!(text, "    pub {}: {},", ident(&field.name), stored(field));
    }
    let _ = writeln!(text, "}}\n\nimpl {} {{", named.name);
    text.push_str(&constructor(&required, &optional));
    for field in optional {
        text.push('\n');
        text.push_str(&setter(field));
    }
    text + "}\n"
}

/// The type of a field.
fn stored(field: &Field) -> String {
    match &field.shape {
        Shape::Nullable(inner) if !field.required => format!("Patch<{}>", shapes::owned(inner)),
        shape if field.required => shapes::owned(shape),
        shape => format!("Option<{}>", shapes::owned(shape)),
    }
}

/// Tells that a field is not sent.
fn skipped(field: &Field) -> Option<&'static str> {
    match &field.shape {
        _ if field.required => None,
        Shape::Nullable(_) => Some("Patch::is_keep"),
        _ => Some("Option::is_none"),
    }
}

fn constructor(required: &[&Field], optional: &[&Field]) -> String {
    if required.is_empty() {
        return "    /// With nothing in it.\n    pub fn new() -> Self {\n        Self::default()\n    }\n"
            .to_owned();
    }
    let (mut arguments, mut values) = (Vec::new(), Vec::new());
    for field in required {
        let name = ident(&field.name);
        let (kind, value) = shapes::argument(&field.shape, &name);
        arguments.push(format!("{name}: {kind}"));
        values.push(if value == name { name } else { format!("{name}: {value}") });
    }
    for field in optional {
        let empty = if matches!(field.shape, Shape::Nullable(_)) { "Patch::Keep" } else { "None" };
        values.push(format!("{}: {empty}", ident(&field.name)));
    }
    let about = if optional.is_empty() { "With these values." } else { "With what is required." };
    format!(
        "    /// {about}\n{}{}    }}\n",
        listed(4, "pub fn new", ("(", ")"), &arguments, " -> Self {"),
        listed(8, "Self ", ("{", "}"), &values, "")
    )
}

fn setter(field: &Field) -> String {
    let name = ident(&field.name);
    let (kind, value) = match &field.shape {
        Shape::Nullable(_) => (format!("impl Into<{}>", stored(field)), format!("{name}.into()")),
        shape => {
            let (kind, value) = shapes::argument(shape, &name);
            (kind, format!("Some({value})"))
        }
    };
    let about = if field.docs.is_empty() { format!("Sets `{}`.", field.name) } else { field.docs.clone() };
    let mut set = format!("        self.{name} = {value};");
    if set.len() > WIDTH {
        set = format!("        self.{name} =\n            {value};");
    }
    format!(
        "{}{}{set}\n        self\n    }}\n",
        docs(4, &about),
        listed(
            4,
            &format!("pub fn {name}"),
            ("(", ")"),
            &["mut self".to_owned(), format!("{name}: {kind}")],
            " -> Self {"
        )
    )
}

/// One of several objects.
pub(super) fn union(model: &Model, named: &Type, union: &Union) -> String {
    let mut text = docs(0, &named.docs);
    let attribute = match &union.tag {
        Some(tag) => format!("tag = \"{tag}\""),
        None => "untagged".to_owned(),
    };
    let _ = writeln!(text, "#[derive(Clone, Debug, PartialEq, Serialize)]\n#[serde({attribute})]");
    let _ = writeln!(text, "#[non_exhaustive]\npub enum {} {{", named.name);
    for each in &union.variants {
        text.push_str(&docs(4, &model.named(&each.type_name).docs));
        if let Some(word) = &each.word {
            let _ = writeln!(text, "    #[serde(rename = \"{word}\")]");
        }
        let _ = writeln!(text, "    {}({}),", variant_name(named, each), each.type_name);
    }
    text.push_str("}\n");
    for each in &union.variants {
        let (name, from, variant) = (&named.name, &each.type_name, variant_name(named, each));
        let _ = write!(text, "\nimpl From<{from}> for {name} {{\n    fn from(chosen: {from}) -> Self {{\n");
        let _ = write!(text, "        Self::{variant}(chosen)\n    }}\n}}\n");
    }
    text
}

/// By the word, or by what the type's name adds to that of the union: `ToPhone` of `To` is `Phone`.
fn variant_name(union: &Type, each: &Variant) -> String {
    match &each.word {
        Some(word) => variant(word),
        None => each.type_name.strip_prefix(&union.name).unwrap_or(&each.type_name).to_owned(),
    }
}
