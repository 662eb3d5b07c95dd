//! Optional values: absent, null and blank.

use frontdesk_kernel::Patch;
use frontdesk_kernel::text::is_blank;
use serde_json::{Map, Value};

use super::{Input, present};
use crate::field_path::FieldPath;
use crate::problems::Problems;
use crate::schema::Components;

/// Null, or blank text, which people and forms send for "nothing".
pub(super) fn is_nothing(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::String(text) => is_blank(text),
        _ => false,
    }
}

/// Null, or text that means null in a field of this type.
fn means_null<T: Input>(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::String(text) => T::is_blank(text),
        _ => false,
    }
}

/// Absent, null and blank are all `None`.
impl<T: Input> Input for Option<T> {
    fn schema(components: &mut Components) -> Value {
        T::optional_schema(components)
    }

    fn required() -> bool {
        false
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
        match value {
            Some(given) if !means_null::<T>(given) => T::read_beside(value, beside, at, problems).map(Some),
            _ => Some(None),
        }
    }
}

/// Absent keeps, null and blank clear, anything else sets.
impl<T: Input> Input for Patch<T> {
    fn schema(components: &mut Components) -> Value {
        T::optional_schema(components)
    }

    fn required() -> bool {
        false
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
        match value {
            None => Some(Self::Keep),
            Some(given) if means_null::<T>(given) => Some(Self::Clear),
            given => T::read_beside(given, beside, at, problems).map(Self::Set),
        }
    }
}

/// A field that a PATCH may leave out but cannot clear.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Given<T> {
    #[default]
    Absent,
    Value(T),
}

impl<T> Given<T> {
    pub fn into_option(self) -> Option<T> {
        match self {
            Self::Absent => None,
            Self::Value(value) => Some(value),
        }
    }

    pub fn as_ref(&self) -> Given<&T> {
        match self {
            Self::Absent => Given::Absent,
            Self::Value(value) => Given::Value(value),
        }
    }

    /// The field's value after the patch.
    pub fn apply(self, current: T) -> T {
        self.into_option().unwrap_or(current)
    }
}

impl<T: Input> Input for Given<T> {
    fn schema(components: &mut Components) -> Value {
        T::schema(components)
    }

    fn required() -> bool {
        false
    }

    fn read(value: Option<&Value>, at: &mut FieldPath, problems: &mut Problems) -> Option<Self> {
        if value.is_none() {
            return Some(Self::Absent);
        }
        let given = present(value, at, problems)?;
        T::read(Some(given), at, problems).map(Self::Value)
    }
}
