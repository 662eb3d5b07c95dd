//! How a shape is written as a type of Python.

use super::place::{EVENT, Imports};
use super::text::literal;
use crate::model::{Field, Kind, Model, Shape};

/// The type of a field or an argument that is sent.
pub(super) fn hint_of_field(field: &Field, imports: &mut Imports) -> String {
    match &field.constant {
        Some(word) => {
            imports.add("typing", "Literal");
            format!("Literal[{}]", literal(word))
        }
        None => hint_sent(&field.shape, &field.name, imports),
    }
}

/// The type of what is sent: exact, and generous where there is one obvious way to write it.
/// `field` is the name of what has this type.
pub(super) fn hint_sent(shape: &Shape, field: &str, imports: &mut Imports) -> String {
    match shape {
        Shape::Words(words) => imports.name_words(field, words),
        Shape::Moment => {
            imports.add("datetime", "datetime");
            "datetime | str".to_owned()
        }
        Shape::Date => {
            imports.add("datetime", "date");
            "date | str".to_owned()
        }
        Shape::List(inner) => {
            imports.add("collections.abc", "Sequence");
            format!("Sequence[{}]", hint_sent(inner, field, imports))
        }
        Shape::Map(inner) => {
            imports.add("collections.abc", "Mapping");
            format!("Mapping[str, {}]", hint_sent(inner, field, imports))
        }
        Shape::Nullable(inner) => format!("{} | None", hint_sent(inner, field, imports)),
        Shape::Named(name) => {
            imports.add_type(name);
            name.clone()
        }
        other => plain(other, imports),
    }
}

/// The type of what is received: words may be others than those that are known.
pub(super) fn hint_received(shape: &Shape, model: &Model, imports: &mut Imports) -> String {
    match shape {
        Shape::Words(_) => "str".to_owned(),
        Shape::Moment => {
            imports.add("datetime", "datetime");
            "datetime".to_owned()
        }
        Shape::Date => {
            imports.add("datetime", "date");
            "date".to_owned()
        }
        Shape::List(inner) => format!("list[{}]", hint_received(inner, model, imports)),
        Shape::Map(inner) => format!("dict[str, {}]", hint_received(inner, model, imports)),
        Shape::Nullable(inner) => format!("{} | None", hint_received(inner, model, imports)),
        Shape::Named(name) => {
            imports.add_type(name);
            let is_words = name != EVENT && matches!(model.named(name).kind, Kind::Words(_));
            if is_words { format!("{name} | str") } else { name.clone() }
        }
        other => plain(other, imports),
    }
}

fn plain(shape: &Shape, imports: &mut Imports) -> String {
    let hint = match shape {
        Shape::Boolean => "bool",
        Shape::Integer => "int",
        Shape::Number => "float",
        Shape::Any => {
            imports.add("typing", "Any");
            "Any"
        }
        _ => "str",
    };
    hint.to_owned()
}
