//! Keep, clear and set are three different changes.

use std::collections::BTreeMap;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// A field that may be left out, null, or a value: three different things.
///
/// A field that is not mentioned is left out. The setters take a value, an `Option`, or a `Patch`:
///
/// ```
/// use frontdesk::types::ContactPatch;
///
/// // Sets the name, clears the company and keeps everything else.
/// let change = ContactPatch::new().name("Ann Lee").company(None);
/// assert_eq!(serde_json::to_string(&change).unwrap(), r#"{"company":null,"name":"Ann Lee"}"#);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Patch<T> {
    /// The field is not sent. A change keeps its value; something new gets the default.
    #[default]
    Keep,
    /// The field is sent as null, and becomes empty.
    Clear,
    /// The field gets this value.
    Set(T),
}

impl<T> Patch<T> {
    /// Whether the field is not sent.
    pub fn is_keep(&self) -> bool {
        matches!(self, Self::Keep)
    }

    /// The value that the field gets.
    pub fn value(&self) -> Option<&T> {
        match self {
            Self::Set(value) => Some(value),
            Self::Keep | Self::Clear => None,
        }
    }
}

impl<T> From<T> for Patch<T> {
    fn from(value: T) -> Self {
        Self::Set(value)
    }
}

/// None clears.
impl<T> From<Option<T>> for Patch<T> {
    fn from(value: Option<T>) -> Self {
        value.map_or(Self::Clear, Self::Set)
    }
}

impl From<&str> for Patch<String> {
    fn from(text: &str) -> Self {
        Self::Set(text.to_owned())
    }
}

impl From<&String> for Patch<String> {
    fn from(text: &String) -> Self {
        Self::Set(text.clone())
    }
}

impl From<i32> for Patch<f64> {
    fn from(number: i32) -> Self {
        Self::Set(number.into())
    }
}

impl<T, U: Into<T>, const N: usize> From<[U; N]> for Patch<Vec<T>> {
    fn from(items: [U; N]) -> Self {
        Self::Set(items.into_iter().map(Into::into).collect())
    }
}

impl<K: Into<String>, V, U: EntryValue<V>, const N: usize> From<[(K, U); N]> for Patch<BTreeMap<String, V>> {
    fn from(entries: [(K, U); N]) -> Self {
        Self::Set(entries.into_iter().map(|(key, value)| (key.into(), value.into_value())).collect())
    }
}

/// What may be the value of an entry in a map: the value itself, or a text.
pub trait EntryValue<V> {
    /// The value.
    fn into_value(self) -> V;
}

impl<V> EntryValue<V> for V {
    fn into_value(self) -> V {
        self
    }
}

impl EntryValue<String> for &str {
    fn into_value(self) -> String {
        self.to_owned()
    }
}

impl EntryValue<Option<String>> for &str {
    fn into_value(self) -> Option<String> {
        Some(self.to_owned())
    }
}

impl EntryValue<Option<String>> for Option<&str> {
    fn into_value(self) -> Option<String> {
        self.map(str::to_owned)
    }
}

impl<T: Serialize> Serialize for Patch<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        // A field that is kept is skipped by the object that has it.
        self.value().serialize(serializer)
    }
}

/// A field that is there. One that is not there is kept by the object's default.
impl<'de, T: Deserialize<'de>> Deserialize<'de> for Patch<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Option::deserialize(deserializer).map(Self::from)
    }
}
