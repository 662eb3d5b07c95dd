//! Lists and maps, each with a limit.

use frontdesk_kernel::text::NotAText;
use serde_json::{Map, Value, json};

use super::{Input, object, present};
use crate::field_path::FieldPath;
use crate::problems::Problems;
use crate::schema::Components;

/// A list of at most `MAX` values. An element's path ends in its index.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Items<T, const MAX: usize>(pub Vec<T>);

impl<T, const MAX: usize> Default for Items<T, MAX> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

impl<T: Input, const MAX: usize> Input for Items<T, MAX> {
    fn schema(components: &mut Components) -> Value {
        json!({ "type": "array", "items": T::schema(components), "maxItems": MAX })
    }

    fn read(value: Option<&Value>, at: &mut FieldPath, problems: &mut Problems) -> Option<Self> {
        Self::read_beside(value, &Map::new(), at, problems)
    }

    fn read_beside(
        value: Option<&Value>,
        beside: &Map<String, Value>,
        at: &mut FieldPath,
        problems: &mut Problems,
    ) -> Option<Self> {
        let Some(values) = present(value, at, problems)?.as_array() else {
            problems.at(at, "must be a list");
            return None;
        };
        let fits = values.len() <= MAX;
        if !fits {
            problems.at(at, format!("must have at most {MAX} items"));
        }
        let mut whole = fits;
        let mut items = Vec::with_capacity(values.len().min(MAX));
        for (index, value) in values.iter().take(MAX).enumerate() {
            match at.index(index, |at| T::read_beside(Some(value), beside, at, problems)) {
                Some(item) => items.push(item),
                None => whole = false,
            }
        }
        whole.then_some(Self(items))
    }
}

/// A JSON map of at most `MAX` entries, in the order of its keys. An entry's path ends in its key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entries<V, const MAX: usize>(pub Vec<(String, V)>);

impl<V, const MAX: usize> Default for Entries<V, MAX> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

impl<V: Input, const MAX: usize> Input for Entries<V, MAX> {
    fn schema(components: &mut Components) -> Value {
        json!({ "type": "object", "additionalProperties": V::schema(components), "maxProperties": MAX })
    }

    fn read(value: Option<&Value>, at: &mut FieldPath, problems: &mut Problems) -> Option<Self> {
        let values = object(value, at, problems)?;
        let fits = values.len() <= MAX;
        if !fits {
            problems.at(at, format!("must have at most {MAX} entries"));
        }
        let mut whole = fits;
        let mut entries = Vec::with_capacity(values.len().min(MAX));
        for (key, value) in values.iter().take(MAX) {
            if key.contains('\0') {
                problems.at(at, format!("has the key {key:?}, which {}", NotAText::Nul));
                whole = false;
                continue;
            }
            match at.field(key, |at| V::read(Some(value), at, problems)) {
                Some(entry) => entries.push((key.clone(), entry)),
                None => whole = false,
            }
        }
        whole.then_some(Self(entries))
    }
}
