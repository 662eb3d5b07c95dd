//! Types that the API sends, with their schemas.

use std::collections::BTreeMap;
use std::sync::Arc;

use frontdesk_kernel::email::EMAIL_CHARS_MAX;
use frontdesk_kernel::scope::{Scope, Scopes};
use frontdesk_kernel::{Country, Currency, Date, Email, Id, Money, Phone, Text, Timestamp};
use serde_json::value::RawValue;
use serde_json::{Value, json};
use uuid::Uuid;

use crate::schema::{Components, nullable};

/// A value whose JSON has a known schema. It must match the type's `Serialize`.
pub trait Describe {
    fn schema(components: &mut Components) -> Value;
}

macro_rules! plain {
    ($($schema:tt => $($kind:ty),+;)+) => {$($(
        impl Describe for $kind {
            fn schema(_: &mut Components) -> Value {
                json!($schema)
            }
        }
    )+)+};
}

plain! {
    { "type": "boolean" } => bool;
    { "type": "integer", "format": "int64" } => i64, u64;
    { "type": "integer", "format": "int32" } => i32, u32;
    { "type": "number" } => f64;
    { "type": "string" } => String, str, Arc<str>;
    { "type": "string", "format": "uuid" } => Uuid;
    { "type": "string", "format": "date-time", "examples": ["2026-01-31T09:30:00.000Z"] } => Timestamp;
    { "type": "number", "minimum": 0, "maximum": 999_999_999_999.999, "examples": [19.99] } => Money;
    { "type": "string", "pattern": "^[A-Z]{3}$", "examples": ["USD"] } => Currency;
    { "type": "string", "format": "date", "examples": ["2026-01-31"] } => Date;
    {} => Value, Box<RawValue>;
}

impl<T: ?Sized> Describe for Id<T> {
    fn schema(components: &mut Components) -> Value {
        Uuid::schema(components)
    }
}

impl Describe for Phone {
    fn schema(_: &mut Components) -> Value {
        json!({ "type": "string", "pattern": Self::PRINTED_PATTERN, "examples": ["+14155550123"] })
    }
}

impl Describe for Country {
    fn schema(_: &mut Components) -> Value {
        json!({ "type": "string", "pattern": Self::PATTERN, "examples": ["DE"] })
    }
}

impl Describe for Email {
    /// The pattern is exact. No `format` is given, because `email` and `idn-email` allow other addresses.
    fn schema(_: &mut Components) -> Value {
        json!({
            "type": "string", "maxLength": EMAIL_CHARS_MAX, "pattern": Self::PATTERN,
            "examples": ["ann@example.com"],
        })
    }
}

impl<const MAX: usize> Describe for Text<MAX> {
    fn schema(_: &mut Components) -> Value {
        json!({ "type": "string", "minLength": 1, "maxLength": MAX, "pattern": Self::PATTERN })
    }
}

impl Describe for Scopes {
    fn schema(_: &mut Components) -> Value {
        let names: Vec<&str> = Scope::ALL.iter().map(|scope| scope.name()).collect();
        json!({ "type": "array", "items": { "type": "string", "enum": names } })
    }
}

impl<T: Describe + ?Sized> Describe for &T {
    fn schema(components: &mut Components) -> Value {
        T::schema(components)
    }
}

impl<T: Describe> Describe for Option<T> {
    fn schema(components: &mut Components) -> Value {
        nullable(T::schema(components))
    }
}

impl<T: Describe> Describe for Vec<T> {
    fn schema(components: &mut Components) -> Value {
        json!({ "type": "array", "items": T::schema(components) })
    }
}

impl<T: Describe> Describe for Box<T> {
    fn schema(components: &mut Components) -> Value {
        T::schema(components)
    }
}

impl<V: Describe> Describe for BTreeMap<String, V> {
    fn schema(components: &mut Components) -> Value {
        json!({ "type": "object", "additionalProperties": V::schema(components) })
    }
}

/// Declares a struct that is sent, with its schema: every field is present in every response. It may borrow
/// its content: `struct ContactEventData<'e> { contact: &'e Contact }`.
///
/// Attributes pass through. Of serde's, `#[serde(rename = "…")]`, `#[serde(skip_serializing_if = "…")]` and
/// `#[serde(flatten)]`, each in a separate attribute, are also reflected in the schema.
#[macro_export]
macro_rules! resource {
    (
        $(#[$($attribute:tt)*])*
        $visible:vis struct $name:ident $(<$borrowed:lifetime>)? {
            $($(#[$($field_attribute:tt)*])* $field_visible:vis $field:ident : $kind:ty),* $(,)?
        }
    ) => {
        $(#[$($attribute)*])*
        #[derive(Debug, Clone, $crate::serde::Serialize)]
        #[serde(crate = "frontdesk_web::serde")]
        $visible struct $name $(<$borrowed>)? {
            $($(#[$($field_attribute)*])* $field_visible $field: $kind),*
        }

        impl $(<$borrowed>)? $crate::Describe for $name $(<$borrowed>)? {
            fn schema(components: &mut $crate::Components) -> $crate::Value {
                components.named::<Self>(stringify!($name), |components| {
                    $crate::schema::Object::new(&[$($crate::attribute!($($attribute)*)),*])
                        $(.field(
                            stringify!($field),
                            &[$($crate::attribute!($($field_attribute)*)),*],
                            true,
                            <$kind as $crate::Describe>::schema(components),
                        ))*
                        .finish(components)
                })
            }
        }
    };
}

pub(crate) use resource;

#[cfg(test)]
mod tests {
    use super::*;

    resource! {
        /// What several things have.
        struct Base {
            /// When.
            created_at: Timestamp,
        }
    }

    resource! {
        /// A thing,
        /// as it is sent.
        struct Thing {
            r#type: &'static str,
            #[serde(rename = "match")]
            matching: Option<Email>,
            #[serde(skip_serializing_if = "Option::is_none")]
            secret: Option<String>,
            /// The first part.
            part: Option<Base>,
            parts: Vec<Base>,
            extra: BTreeMap<String, i64>,
            #[serde(flatten)]
            base: Base,
        }
    }

    #[test]
    fn a_resource_and_its_schema_agree() {
        let mut components = Components::new();
        let schema = Thing::schema(&mut components);
        let base = json!({ "$ref": "#/components/schemas/Base" });
        let moment = json!({ "type": "string", "format": "date-time", "description": "When.", "examples": ["2026-01-31T09:30:00.000Z"] });
        let written = components.resolve(&schema);
        assert_eq!(written["description"], "A thing, as it is sent.");
        assert_eq!(written["required"], json!(["type", "match", "part", "parts", "extra", "created_at"]));
        assert_eq!(
            written["properties"],
            json!({
                "type": { "type": "string" },
                "match": {
                    "type": ["string", "null"], "maxLength": EMAIL_CHARS_MAX, "pattern": Email::PATTERN,
                    "examples": ["ann@example.com"],
                },
                "secret": { "type": ["string", "null"] },
                "part": { "anyOf": [base, { "type": "null" }], "description": "The first part." },
                "parts": { "type": "array", "items": base },
                "extra": { "type": "object", "additionalProperties": { "type": "integer", "format": "int64" } },
                "created_at": moment,
            })
        );

        let base = Base { created_at: Timestamp::from_millis(0) };
        let thing = Thing {
            r#type: "x",
            matching: None,
            secret: None,
            part: None,
            parts: vec![base.clone()],
            extra: BTreeMap::new(),
            base,
        };
        let sent = serde_json::to_value(&thing).unwrap();
        let mut sent: Vec<_> = sent.as_object().unwrap().keys().map(|key| json!(key)).collect();
        let mut told = written["required"].as_array().unwrap().clone();
        sent.sort_by_key(Value::to_string);
        told.sort_by_key(Value::to_string);
        assert_eq!(sent, told);
    }
}
