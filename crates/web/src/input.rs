//! Inputs of the API: bodies that report all their problems at once.
//!
//! Parsing never stops at the first problem. Every value reports its own at its own path and parsing
//! continues, so a caller can correct a body in one round. `read` returns `None` exactly if it reported a
//! problem.

mod collections;
mod optional;
mod values;

use std::fmt::Display;
use std::str::FromStr;

use serde_json::{Map, Value};

use crate::field_path::FieldPath;
use crate::problems::Problems;
use crate::schema::{Components, nullable};

pub use collections::{Entries, Items};
pub use optional::Given;
pub use values::{Kept, Within};

/// A value that can be read from JSON.
pub trait Input: Sized {
    fn schema(components: &mut Components) -> Value;

    /// Whether a field of this type must be present.
    fn required() -> bool {
        true
    }

    /// Whether this text means null in an optional field. Blank text does in free-text fields; ids, dates and
    /// strings of a closed list are never blank.
    fn is_blank(_text: &str) -> bool {
        false
    }

    /// The schema of an optional field: null and blank texts are allowed as [`Input::is_blank`] says.
    fn optional_schema(components: &mut Components) -> Value {
        nullable(Self::schema(components))
    }

    /// Reads a value; `None` is an absent field.
    fn read(value: Option<&Value>, at: &mut FieldPath, problems: &mut Problems) -> Option<Self>;

    /// Reads an object as a variant that was chosen by its field `tag`.
    fn read_variant(
        _tag: &str,
        value: Option<&Value>,
        at: &mut FieldPath,
        problems: &mut Problems,
    ) -> Option<Self> {
        Self::read(value, at, problems)
    }

    /// Reads a field of an object. Its meaning may depend on the fields beside it, as that of a phone number does on
    /// `country`.
    fn read_beside(
        value: Option<&Value>,
        _beside: &Map<String, Value>,
        at: &mut FieldPath,
        problems: &mut Problems,
    ) -> Option<Self> {
        Self::read(value, at, problems)
    }
}

/// The value, unless it is absent or null.
pub fn present<'v>(value: Option<&'v Value>, at: &FieldPath, problems: &mut Problems) -> Option<&'v Value> {
    match value {
        None => {
            problems.at(at, "is required");
            None
        }
        Some(Value::Null) => {
            problems.at(at, "must not be null");
            None
        }
        present => present,
    }
}

/// The value as text.
pub fn string<'v>(value: Option<&'v Value>, at: &FieldPath, problems: &mut Problems) -> Option<&'v str> {
    let text = present(value, at, problems)?.as_str();
    if text.is_none() {
        problems.at(at, "must be a string");
    }
    text
}

/// The value as text that parses. The parser's error is the problem's message, so it should read "must be …".
/// A custom type becomes an [`Input`] with this one line.
pub fn parsed<T>(value: Option<&Value>, at: &FieldPath, problems: &mut Problems) -> Option<T>
where
    T: FromStr<Err: Display>,
{
    match string(value, at, problems)?.parse() {
        Ok(parsed) => Some(parsed),
        Err(wrong) => {
            problems.at(at, wrong.to_string());
            None
        }
    }
}

/// The value as a JSON object.
pub fn object<'v>(
    value: Option<&'v Value>,
    at: &FieldPath,
    problems: &mut Problems,
) -> Option<&'v Map<String, Value>> {
    let object = present(value, at, problems)?.as_object();
    if object.is_none() {
        problems.at(at, "must be a JSON object");
    }
    object
}

/// Whether a field of an object is absent, null or blank.
pub fn is_blank(object: &Map<String, Value>, field: &str) -> bool {
    object.get(field).is_none_or(optional::is_nothing)
}

/// Notes the fields of an object that are not among `known`.
#[cold]
pub fn ignore_others(
    object: &Map<String, Value>,
    known: &[&str],
    tag: &str,
    at: &FieldPath,
    problems: &mut Problems,
) {
    let ignored = problems.ignored();
    for name in object.keys() {
        if ignored.is_full() {
            return;
        }
        if name != tag && !known.contains(&name.as_str()) {
            ignored.add(at, name);
        }
    }
}

/// Runs a rule about several fields. Its paths are relative to the struct.
pub fn check<T>(
    read: &T,
    rule: impl FnOnce(&T, &mut Problems),
    at: &FieldPath,
    problems: &mut Problems,
) -> Option<()> {
    let mut found = Problems::new();
    rule(read, &mut found);
    if found.is_empty() {
        return Some(());
    }
    problems.adopt(at, found);
    None
}

/// Declares a struct that is read from a JSON object, with its schema. Unknown fields are ignored, and named
/// in the response.
///
/// A rule about several fields is a function, named after the struct. `shape = rule;` gets the JSON object,
/// `fn(&Map<String, Value>, &mut Problems)`, and always runs, so that its problems are reported with the
/// others. `check = rule;` gets the parsed value, `fn(&Self, &mut Problems)`, and runs if every field was
/// parsed.
#[macro_export]
macro_rules! input {
    (
        $(#[$($attribute:tt)*])*
        $visible:vis struct $name:ident {
            $($(#[$($field_attribute:tt)*])* $field_visible:vis $field:ident : $kind:ty),* $(,)?
        }
        $(shape = $shape:expr;)?
        $(check = $check:expr;)?
    ) => {
        $(#[$($attribute)*])*
        #[derive(Debug, Clone)]
        $visible struct $name {
            $($(#[$($field_attribute)*])* $field_visible $field: $kind),*
        }

        impl $crate::Input for $name {
            fn schema(components: &mut $crate::Components) -> $crate::Value {
                components.named::<Self>(stringify!($name), |components| {
                    $crate::schema::Object::new(&[$($crate::attribute!($($attribute)*)),*])
                        $(.field(
                            stringify!($field),
                            &[$($crate::attribute!($($field_attribute)*)),*],
                            <$kind as $crate::Input>::required(),
                            <$kind as $crate::Input>::schema(components),
                        ))*
                        .finish(components)
                })
            }

            fn read(
                value: Option<&$crate::Value>,
                at: &mut $crate::FieldPath,
                problems: &mut $crate::Problems,
            ) -> Option<Self> {
                Self::read_variant("", value, at, problems)
            }

            fn read_variant(
                tag: &str,
                value: Option<&$crate::Value>,
                at: &mut $crate::FieldPath,
                problems: &mut $crate::Problems,
            ) -> Option<Self> {
                const KNOWN: &[&str] = &[$($crate::schema::bare(stringify!($field))),*];
                let object = $crate::input::object(value, at, problems)?;
                #[allow(unused_mut, reason = "a struct without fields knows none")]
                let mut known = 0_usize;
                $(
                    let $field = {
                        const NAME: &str = $crate::schema::bare(stringify!($field));
                        let given = object.get(NAME);
                        known += usize::from(given.is_some());
                        at.field(NAME, |at| <$kind as $crate::Input>::read_beside(given, object, at, problems))
                    };
                )*
                if known < object.len() {
                    $crate::input::ignore_others(object, KNOWN, tag, at, problems);
                }
                let fits: Option<()> = Some(());
                $(let fits = fits.and($crate::input::check(object, $shape, at, problems));)?
                let read = Self { $($field: $field?),* };
                fits?;
                $($crate::input::check(&read, $check, at, problems)?;)?
                Some(read)
            }
        }
    };
}

#[cfg(test)]
mod tests;
