//! A value of a row, the same whichever engine it comes from.

use crate::error::{Error, Result};
use crate::row::{Cell, Column};
use crate::tables::ColumnType;
use crate::value::Value;
use frontdesk_kernel::Timestamp;
use uuid::Uuid;

/// A stored value. An id is its 16 bytes, a time its milliseconds, and a boolean 0 or 1.
#[derive(Clone, Debug, PartialEq)]
pub enum StoredValue {
    Null,
    Int(i64),
    Real(f64),
    Text(String),
    Bytes(Vec<u8>),
}

impl StoredValue {
    /// About how much memory it takes.
    pub fn size(&self) -> usize {
        match self {
            Self::Null => 1,
            Self::Int(_) | Self::Real(_) => 8,
            Self::Text(text) => text.len(),
            Self::Bytes(bytes) => bytes.len(),
        }
    }

    /// The value as a parameter for a column of this type.
    pub(super) fn param(&self, ty: ColumnType) -> Result<Value<'_>> {
        Ok(match (self, ty) {
            (Self::Null, _) => Value::Null,
            (Self::Int(n), ColumnType::Int) => Value::Int(*n),
            (Self::Int(n), ColumnType::Bool) => Value::Bool(*n != 0),
            (Self::Int(millis), ColumnType::Time) => Value::Time(Timestamp::from_millis(*millis)),
            (Self::Real(n), ColumnType::Real) => Value::Real(*n),
            (Self::Text(text), ColumnType::Text) => Value::Text(text),
            (Self::Text(text), ColumnType::Json) => Value::Json(text),
            (Self::Bytes(bytes), ColumnType::Bytes) => Value::Bytes(bytes),
            (Self::Bytes(bytes), ColumnType::Uuid) => {
                Value::Uuid(Uuid::from_slice(bytes).map_err(|_| Error::Decode("id"))?)
            }
            _ => return Err(Error::Decode("value of another type than its column")),
        })
    }
}

impl Column for StoredValue {
    fn read(cell: Cell<'_>) -> Result<Self> {
        Ok(match cell {
            Cell::Null => Self::Null,
            Cell::Int(n) => Self::Int(n),
            Cell::Real(n) => Self::Real(n),
            Cell::Bool(is_true) => Self::Int(i64::from(is_true)),
            Cell::Text(text) => Self::Text(text.to_owned()),
            Cell::Bytes(bytes) => Self::Bytes(bytes.to_vec()),
            Cell::Uuid(id) => Self::Bytes(id.as_bytes().to_vec()),
            Cell::Time(time) => Self::Int(time.millis()),
        })
    }
}

/// A value with the type of its column, as a parameter of a statement.
pub(super) struct Typed<'v>(pub(super) Value<'v>);

impl crate::value::Param for Typed<'_> {
    fn value(&self) -> Value<'_> {
        self.0.clone()
    }
}
