//! Reads the arguments of tools.

use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use super::Arguments;
use crate::api::Refused;
use crate::cursor::Cursor;

/// The longest name that a program gives a call.
const CALL_KEY_CHARS_MAX: usize = 100;

/// The arguments as a tool wants them. An unknown one is refused: the model has misunderstood the tool.
pub(crate) fn parse<T: DeserializeOwned>(arguments: Arguments) -> Result<T, Refused> {
    let given: Arguments = arguments.into_iter().filter(|(_, value)| !value.is_null()).collect();
    serde_json::from_value(Value::Object(given))
        .map_err(|error| Refused(format!("Correct the arguments: {error}.")))
}

pub(crate) fn cursor(text: Option<&str>) -> Result<Cursor, Refused> {
    Cursor::parse(text).ok_or_else(|| {
        Refused::new("This cursor cannot be read. Use it as it was returned, or leave it out.")
    })
}

/// A name for a call, as idempotency needs it.
pub(crate) fn call_key(name: Option<String>) -> Result<Option<String>, Refused> {
    match name {
        Some(name) if name.is_empty() || name.chars().count() > CALL_KEY_CHARS_MAX => {
            Err(Refused(format!("idempotency_key must have 1 to {CALL_KEY_CHARS_MAX} characters.")))
        }
        name => Ok(name),
    }
}

/// The schema of an object with these properties.
pub(crate) fn object(properties: Value, required: &[&str]) -> Value {
    json!({ "type": "object", "properties": properties, "required": required, "additionalProperties": false })
}

pub(crate) fn words(description: &str) -> Value {
    json!({ "type": "string", "description": description })
}

pub(crate) fn id(description: &str) -> Value {
    json!({ "type": "string", "format": "uuid", "description": description })
}

pub(crate) fn one_of(values: &[&str], description: &str) -> Value {
    json!({ "type": "string", "enum": values, "description": description })
}

/// The argument that names a call.
pub(crate) fn key_schema() -> Value {
    words(
        "A name of your choice for this call. The same name again is the same call, which is not carried out twice.",
    )
}

pub(crate) fn cursor_schema() -> Value {
    words("Reads on: the cursor of the response before, with the same other arguments.")
}
