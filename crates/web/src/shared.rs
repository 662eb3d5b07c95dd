//! A value that many resources contain, such as a tag of contacts.

use std::fmt;
use std::ops::Deref;
use std::sync::Arc;

use serde::{Serialize, Serializer};
use serde_json::value::{RawValue, to_raw_value};

use crate::{Components, Describe, Value};

/// A value whose JSON is written once. Clones share both.
pub struct Shared<T>(Arc<Written<T>>);

struct Written<T> {
    value: T,
    /// None for a value that cannot be written. Whoever writes it gets the error.
    json: Option<Box<RawValue>>,
}

impl<T: Serialize> From<T> for Shared<T> {
    fn from(value: T) -> Self {
        Self(Arc::new(Written { json: to_raw_value(&value).ok(), value }))
    }
}

impl<T> Deref for Shared<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.0.value
    }
}

impl<T> Clone for Shared<T> {
    fn clone(&self) -> Self {
        Self(self.0.clone())
    }
}

impl<T: fmt::Debug> fmt::Debug for Shared<T> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.value.fmt(formatter)
    }
}

impl<T: Serialize> Serialize for Shared<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match &self.0.json {
            Some(json) => json.serialize(serializer),
            None => self.0.value.serialize(serializer),
        }
    }
}

impl<T: Describe> Describe for Shared<T> {
    fn schema(components: &mut Components) -> Value {
        T::schema(components)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_shared_value_is_written_like_its_own() {
        let value = json!({ "id": 1, "name": "a \"quoted\" ä\n" });
        let shared = Shared::from(value.clone());
        assert_eq!(shared["id"], 1);
        let many = vec![shared.clone(), shared];
        let wanted = vec![value.clone(), value];
        assert_eq!(serde_json::to_string(&many).unwrap(), serde_json::to_string(&wanted).unwrap());
        assert_eq!(serde_json::to_value(&many).unwrap(), json!(wanted));
        let mut bytes = Vec::new();
        crate::json::write(&mut bytes, &many).unwrap();
        assert_eq!(bytes, serde_json::to_vec(&wanted).unwrap());
    }

    #[test]
    fn a_value_that_cannot_be_written_says_so_when_it_is() {
        let keyless = std::collections::BTreeMap::from([((), 1)]);
        serde_json::to_string(&Shared::from(keyless)).unwrap_err();
    }
}
