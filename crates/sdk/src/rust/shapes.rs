//! Shapes as types and arguments of Rust.

use crate::model::Shape;

/// The type of a value.
pub(super) fn owned(shape: &Shape) -> String {
    match shape {
        Shape::Text | Shape::Words(_) | Shape::Uri => "String".to_owned(),
        Shape::Id => "Uuid".to_owned(),
        Shape::Moment => "Timestamp".to_owned(),
        Shape::Date => "Date".to_owned(),
        Shape::Boolean => "bool".to_owned(),
        Shape::Integer => "i64".to_owned(),
        Shape::Number => "f64".to_owned(),
        Shape::Any => "Value".to_owned(),
        Shape::Named(name) => name.clone(),
        Shape::List(item) => format!("Vec<{}>", owned(item)),
        Shape::Map(value) => format!("BTreeMap<String, {}>", owned(value)),
        Shape::Nullable(value) => format!("Option<{}>", owned(value)),
    }
}

/// The type of an argument that becomes such a value, and what makes the value of it.
pub(super) fn argument(shape: &Shape, name: &str) -> (String, String) {
    let into = |kind: String| (format!("impl Into<{kind}>"), format!("{name}.into()"));
    match shape {
        Shape::Id | Shape::Date | Shape::Boolean | Shape::Integer => (owned(shape), name.to_owned()),
        Shape::List(item) => (
            format!("impl IntoIterator<Item = impl Into<{}>>", owned(item)),
            format!("{name}.into_iter().map(Into::into).collect()"),
        ),
        Shape::Map(value) => (
            format!("impl IntoIterator<Item = (impl Into<String>, impl Into<{}>)>", owned(value)),
            format!("{name}.into_iter().map(|(key, value)| (key.into(), value.into())).collect()"),
        ),
        _ => into(owned(shape)),
    }
}

/// The argument of a query's parameter, and what is written of it.
pub(super) fn query(shape: &Shape, name: &str) -> (String, String) {
    match shape {
        Shape::Text | Shape::Words(_) | Shape::Uri => ("&str".to_owned(), name.to_owned()),
        Shape::Named(kind) => (format!("impl Into<{kind}>"), format!("{name}.into()")),
        Shape::Moment => ("impl Into<Timestamp>".to_owned(), format!("{name}.into()")),
        Shape::Id | Shape::Date | Shape::Boolean | Shape::Integer | Shape::Number => {
            (owned(shape), name.to_owned())
        }
        Shape::Any | Shape::List(_) | Shape::Map(_) | Shape::Nullable(_) => {
            panic!("the parameter {name} is {shape:?}, which no query has")
        }
    }
}
