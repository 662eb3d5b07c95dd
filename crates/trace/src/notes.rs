//! What is known of a span besides its times.

use std::borrow::Cow;
use std::sync::{Arc, Mutex};

/// Attributes of one span. Further ones are ignored.
const ATTRIBUTES_MAX: usize = 32;
/// Bytes of an attribute's text that are kept.
const TEXT_BYTES_MAX: usize = 256;

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Value {
    Text(Cow<'static, str>),
    Int(i64),
    Bool(bool),
}

impl From<&'static str> for Value {
    fn from(text: &'static str) -> Self {
        Self::Text(Cow::Borrowed(text))
    }
}

impl From<String> for Value {
    fn from(mut text: String) -> Self {
        text.truncate(text.floor_char_boundary(TEXT_BYTES_MAX));
        Self::Text(Cow::Owned(text))
    }
}

impl From<i64> for Value {
    fn from(number: i64) -> Self {
        Self::Int(number)
    }
}

impl From<bool> for Value {
    fn from(is_so: bool) -> Self {
        Self::Bool(is_so)
    }
}

/// What is known of a span besides its times.
#[derive(Debug, Default)]
pub(crate) struct Notes {
    pub(crate) attributes: Vec<(&'static str, Value)>,
    /// A name that is known only later, such as the route of a request.
    pub(crate) name: Option<Cow<'static, str>>,
    pub(crate) error: Option<&'static str>,
}

impl Notes {
    pub(crate) fn set(&mut self, key: &'static str, value: Value) {
        if let Some((_, known)) = self.attributes.iter_mut().find(|(known, _)| *known == key) {
            *known = value;
        } else if self.attributes.len() < ATTRIBUTES_MAX {
            self.attributes.push((key, value));
        }
    }
}

pub(crate) type SharedNotes = Arc<Mutex<Notes>>;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_and_attributes_are_bounded() {
        let mut notes = Notes::default();
        let keys: Vec<&'static str> = (0..100).map(|n| &*format!("key {n}").leak()).collect();
        for key in keys {
            notes.set(key, Value::from("é".repeat(1_000)));
            notes.set("key 0", Value::Int(1));
        }
        assert_eq!(notes.attributes.len(), ATTRIBUTES_MAX);
        assert_eq!(notes.attributes[0], ("key 0", Value::Int(1)));
        let Value::Text(text) = &notes.attributes[1].1 else { panic!("a text") };
        assert_eq!(text.len(), TEXT_BYTES_MAX);
    }
}
