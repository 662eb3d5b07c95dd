//! The key of a row, after which the next page begins.

use frontdesk_db::{self as db, Cell, Column, Param, Query, Row, Value};
use uuid::Uuid;

/// The values of the columns that order the rows.
#[derive(Clone, Debug)]
pub struct PageKey(Vec<KeyPart>);

#[derive(Clone, Debug)]
enum KeyPart {
    Int(i64),
    Text(String),
    Bytes(Vec<u8>),
    Uuid(Uuid),
}

impl PageKey {
    /// Reads the next columns of a row.
    pub(super) fn read(row: &mut Row<'_>, columns: usize) -> db::Result<Self> {
        (0..columns).map(|_| row.next()).collect::<db::Result<_>>().map(Self)
    }

    /// The last value, if it is an id. SQLite stores ids as bytes.
    pub(super) fn last_id(&self) -> Option<Uuid> {
        match self.0.last()? {
            KeyPart::Uuid(id) => Some(*id),
            KeyPart::Bytes(bytes) => Uuid::from_slice(bytes).ok(),
            KeyPart::Int(_) | KeyPart::Text(_) => None,
        }
    }

    /// Adds `(first, second) > ($1, $2)`.
    pub(super) fn push_after(&self, query: &mut Query, columns: &[&str]) {
        query.push(" AND (").push(&columns.join(", ")).push(") > (");
        for (at, part) in self.0.iter().enumerate() {
            if at > 0 {
                query.push(", ");
            }
            query.bind(part.clone());
        }
        query.push(")");
    }
}

impl Column for KeyPart {
    fn read(cell: Cell<'_>) -> db::Result<Self> {
        Ok(match cell {
            Cell::Int(number) => Self::Int(number),
            Cell::Text(text) => Self::Text(text.to_owned()),
            Cell::Bytes(bytes) => Self::Bytes(bytes.to_vec()),
            Cell::Uuid(id) => Self::Uuid(id),
            Cell::Null | Cell::Real(_) | Cell::Bool(_) | Cell::Time(_) => {
                return Err(db::Error::Decode("key"));
            }
        })
    }
}

impl Param for KeyPart {
    fn value(&self) -> Value<'_> {
        match self {
            Self::Int(number) => Value::Int(*number),
            Self::Text(text) => Value::Text(text),
            Self::Bytes(bytes) => Value::Bytes(bytes),
            Self::Uuid(id) => Value::Uuid(*id),
        }
    }
}
