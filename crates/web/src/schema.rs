//! JSON Schemas of inputs and outputs, for OpenAPI 3.1.
//!
//! A named type is described once, among the components, and referenced everywhere else. A second type of the
//! same name is a mistake in the program and panics at once.

use std::any::type_name;
use std::collections::BTreeMap;

use serde_json::{Map, Value, json};

const REFERENCE: &str = "#/components/schemas/";

/// The named schemas of one document.
#[derive(Debug, Default)]
pub struct Components {
    schemas: BTreeMap<String, Component>,
}

#[derive(Debug)]
struct Component {
    of: &'static str,
    schema: Value,
}

impl Components {
    pub fn new() -> Self {
        Self::default()
    }

    /// A reference to `T`'s schema, which is written on first use.
    pub fn named<T: ?Sized>(&mut self, name: &str, write: impl FnOnce(&mut Self) -> Value) -> Value {
        let of = type_name::<T>();
        if let Some(known) = self.schemas.get(name) {
            assert!(known.of == of, "two types are called {name}: {} and {of}; rename one of them", known.of);
        } else {
            // Inserted before it is written, so that a type may contain itself.
            self.schemas.insert(name.to_owned(), Component { of, schema: Value::Null });
            let schema = write(self);
            self.schemas.insert(name.to_owned(), Component { of, schema });
        }
        Self::reference(name)
    }

    /// Writes a schema that no single type has, such as a union of types of several crates. Types refer to it
    /// by [`Components::reference`]. Panics if the name is taken.
    pub fn add(&mut self, name: &str, schema: Value) -> Value {
        let known = self.schemas.insert(name.to_owned(), Component { of: "", schema });
        assert!(known.is_none(), "two schemas are called {name}; rename one of them");
        Self::reference(name)
    }

    /// A reference to a schema that [`Components::add`] writes.
    pub fn reference(name: &str) -> Value {
        json!({ "$ref": format!("{REFERENCE}{name}") })
    }

    /// The schema that a reference points to, or the schema itself.
    pub fn resolve<'a>(&'a self, schema: &'a Value) -> &'a Value {
        referred(schema).and_then(|name| self.schemas.get(name)).map_or(schema, |component| &component.schema)
    }

    /// Adds a required field with one constant to the named schema of an object, which distinguishes it from
    /// the other variants of a [`crate::tagged!`] input. Panics if the schema is not a named object, or has
    /// the field with another constant.
    pub fn tag(&mut self, reference: &Value, field: &str, word: &str) {
        let component = referred(reference).and_then(|name| self.schemas.get_mut(name));
        let Some(Component { schema, .. }) = component else { panic!("{reference} is not a named schema") };
        let tag = json!({ "type": "string", "const": word });
        if let Some(known) = schema["properties"].get(field) {
            assert!(*known == tag, "the field {field} of {reference} already means something else");
            return;
        }
        schema["properties"][field] = tag;
        match schema["required"].as_array_mut() {
            Some(required) => required.insert(0, field.into()),
            None => schema["required"] = json!([field]),
        }
    }

    pub fn into_value(self) -> Value {
        self.schemas.into_iter().map(|(name, component)| (name, component.schema)).collect()
    }
}

/// The name of the component that a schema refers to.
pub fn referred(schema: &Value) -> Option<&str> {
    schema.get("$ref")?.as_str()?.strip_prefix(REFERENCE)
}

/// The attributes that the declaring macros read. Others are passed through.
#[derive(Clone, Copy, Debug)]
pub enum Attribute {
    Doc(&'static str),
    Renamed(&'static str),
    Sometimes,
    Flattened,
    Other,
}

/// Reads the inside of one `#[…]` as an [`Attribute`].
#[doc(hidden)]
#[macro_export]
macro_rules! attribute {
    (doc = $text:expr) => {
        $crate::schema::Attribute::Doc($text)
    };
    (serde(rename = $name:literal)) => {
        $crate::schema::Attribute::Renamed($name)
    };
    (serde(skip_serializing_if = $test:literal)) => {
        $crate::schema::Attribute::Sometimes
    };
    (serde(flatten)) => {
        $crate::schema::Attribute::Flattened
    };
    ($($other:tt)*) => {
        $crate::schema::Attribute::Other
    };
}

/// The doc comment among attributes, as one text.
pub fn prose(attributes: &[Attribute]) -> String {
    let lines: Vec<&str> = attributes
        .iter()
        .filter_map(|attribute| match attribute {
            Attribute::Doc(line) => Some(line.trim()),
            _ => None,
        })
        .collect();
    // A line break inside a paragraph belongs to the source, not to the text.
    lines
        .join("\n")
        .split("\n\n")
        .map(|paragraph| paragraph.replace('\n', " "))
        .collect::<Vec<_>>()
        .join("\n\n")
}

/// The name of a field in JSON, without the prefix of a raw identifier.
pub const fn bare(name: &'static str) -> &'static str {
    match name.as_bytes() {
        [b'r', b'#', rest @ ..] => match str::from_utf8(rest) {
            Ok(bare) => bare,
            Err(_) => name,
        },
        _ => name,
    }
}

/// Writes the schema of a struct, field by field.
#[derive(Debug)]
pub struct Object {
    description: String,
    properties: Map<String, Value>,
    required: Vec<Value>,
    flattened: Vec<Value>,
}

impl Object {
    pub fn new(attributes: &[Attribute]) -> Self {
        Self {
            description: prose(attributes),
            properties: Map::new(),
            required: Vec::new(),
            flattened: Vec::new(),
        }
    }

    pub fn field(
        mut self,
        name: &'static str,
        attributes: &[Attribute],
        required: bool,
        schema: Value,
    ) -> Self {
        let mut name = bare(name);
        let mut present = required;
        for attribute in attributes {
            match attribute {
                Attribute::Renamed(other) => name = other,
                Attribute::Sometimes => present = false,
                Attribute::Flattened => {
                    self.flattened.push(schema);
                    return self;
                }
                Attribute::Doc(_) | Attribute::Other => {}
            }
        }
        if present {
            self.required.push(name.into());
        }
        self.properties.insert(name.to_owned(), described(schema, &prose(attributes)));
        self
    }

    pub fn finish(mut self, components: &Components) -> Value {
        for schema in &self.flattened {
            let inner = components.resolve(schema);
            if let Some(properties) = inner["properties"].as_object() {
                self.properties.extend(properties.clone());
            }
            if let Some(required) = inner["required"].as_array() {
                self.required.extend(required.iter().cloned());
            }
        }
        let mut schema = json!({ "type": "object", "properties": self.properties });
        if !self.required.is_empty() {
            schema["required"] = self.required.into();
        }
        described(schema, &self.description)
    }
}

/// The schema with a description, which OpenAPI 3.1 also allows next to a reference.
pub fn described(mut schema: Value, description: &str) -> Value {
    if !description.is_empty()
        && let Some(fields) = schema.as_object_mut()
    {
        fields.insert("description".into(), description.into());
    }
    schema
}

/// The schema of a text that may also be blank: without `minLength`, and without `format`, which a blank text
/// would not match.
pub fn or_blank(mut schema: Value) -> Value {
    if let Some(fields) = schema.as_object_mut() {
        fields.remove("minLength");
        fields.remove("format");
        if let Some(pattern) = fields.get("pattern").and_then(Value::as_str) {
            let either = format!("^\\s*$|{pattern}");
            fields.insert("pattern".into(), either.into());
        }
    }
    schema
}

/// The schema of a value that may also be null.
pub fn nullable(mut schema: Value) -> Value {
    match schema.get("type") {
        Some(Value::String(kind)) => {
            schema["type"] = json!([kind, "null"]);
            schema
        }
        // Already nullable, or any value at all.
        Some(_) => schema,
        None if schema.as_object().is_some_and(Map::is_empty) => schema,
        None => json!({ "anyOf": [schema, { "type": "null" }] }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    struct One;
    struct Other;

    #[test]
    fn a_named_type_is_written_once_and_referred_to() {
        let mut components = Components::new();
        let first = components.named::<One>("One", |_| json!({ "type": "object" }));
        let second = components.named::<One>("One", |_| unreachable!("it is known by now"));
        assert_eq!(first, json!({ "$ref": "#/components/schemas/One" }));
        assert_eq!(first, second);
        assert_eq!(components.resolve(&first), &json!({ "type": "object" }));
        assert_eq!(components.into_value(), json!({ "One": { "type": "object" } }));
    }

    #[test]
    #[should_panic(expected = "two types are called Thing")]
    fn two_types_of_one_name_are_refused() {
        let mut components = Components::new();
        components.named::<One>("Thing", |_| json!({}));
        components.named::<Other>("Thing", |_| json!({}));
    }

    #[test]
    #[should_panic(expected = "two schemas are called One")]
    fn a_schema_is_not_added_over_a_type_of_its_name() {
        let mut components = Components::new();
        components.named::<One>("One", |_| json!({}));
        components.add("One", json!({}));
    }

    #[test]
    fn nullable_keeps_what_a_schema_says() {
        assert_eq!(nullable(json!({ "type": "string" })), json!({ "type": ["string", "null"] }));
        assert_eq!(nullable(json!({})), json!({}));
        let reference = json!({ "$ref": "#/components/schemas/One" });
        assert_eq!(nullable(reference.clone()), json!({ "anyOf": [reference, { "type": "null" }] }));
        let twice = nullable(nullable(json!({ "type": "string" })));
        assert_eq!(twice, json!({ "type": ["string", "null"] }));
    }

    #[test]
    fn a_text_that_may_be_blank_has_no_format() {
        let email = json!({ "type": "string", "format": "email", "minLength": 1, "maxLength": 9, "pattern": "^.@.$" });
        let expected = json!({ "type": "string", "maxLength": 9, "pattern": "^\\s*$|^.@.$" });
        assert_eq!(or_blank(email), expected);
    }

    #[test]
    fn a_tag_is_a_required_word() {
        let mut components = Components::new();
        let one = components.named::<One>("One", |_| json!({ "type": "object", "properties": {} }));
        components.tag(&one, "type", "text");
        components.tag(&one, "type", "text");
        let expected = json!({
            "type": "object", "required": ["type"], "properties": { "type": { "type": "string", "const": "text" } },
        });
        assert_eq!(components.resolve(&one), &expected);
    }

    #[test]
    #[should_panic(expected = "already means something else")]
    fn one_schema_is_not_tagged_with_two_words() {
        let mut components = Components::new();
        let one = components.named::<One>("One", |_| json!({ "type": "object", "properties": {} }));
        components.tag(&one, "type", "text");
        components.tag(&one, "type", "media");
    }

    #[test]
    fn raw_names_lose_their_mark_and_prose_its_line_breaks() {
        assert_eq!(bare("r#type"), "type");
        assert_eq!(bare("row"), "row");
        let doc =
            [Attribute::Doc(" One"), Attribute::Doc(" line."), Attribute::Doc(""), Attribute::Doc(" Two.")];
        assert_eq!(prose(&doc), "One line.\n\nTwo.");
    }
}
