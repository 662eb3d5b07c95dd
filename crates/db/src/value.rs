//! Values that are bound to a statement.

use std::error::Error as StdError;

use bytes::BytesMut;
use frontdesk_kernel::{Country, Currency, Email, Id, Money, Phone, Text, Timestamp};
use postgres_types::{IsNull, Kind, ToSql, Type};
use rusqlite::types::{ToSqlOutput, ValueRef};
use uuid::Uuid;

/// PostgreSQL's epoch, the first of January 2000, in our milliseconds; PostgreSQL counts microseconds.
pub(crate) const POSTGRES_EPOCH_MILLIS: i64 = 946_684_800_000;
pub(crate) const MICROS_PER_MILLI: i64 = 1_000;

/// A value that both engines understand.
#[derive(Clone, Debug, PartialEq)]
pub enum Value<'a> {
    Null,
    Int(i64),
    Real(f64),
    Bool(bool),
    Text(&'a str),
    /// JSON text: TEXT in SQLite, jsonb in PostgreSQL.
    Json(&'a str),
    Bytes(&'a [u8]),
    Uuid(Uuid),
    Time(Timestamp),
    /// Several values of one type: an array in PostgreSQL. SQLite has none.
    List(Vec<Value<'a>>),
}

/// A type that can be bound to a statement.
pub trait Param {
    fn value(&self) -> Value<'_>;
}

/// JSON text as a parameter.
#[derive(Clone, Debug)]
pub struct Json<T>(pub T);

impl<T: AsRef<str>> Param for Json<T> {
    fn value(&self) -> Value<'_> {
        Value::Json(self.0.as_ref())
    }
}

/// Several values as one PostgreSQL parameter.
#[derive(Clone, Debug)]
pub struct List<T>(pub Vec<T>);

impl<T: Param> Param for List<T> {
    fn value(&self) -> Value<'_> {
        Value::List(self.0.iter().map(Param::value).collect())
    }
}

macro_rules! params {
    ($($type:ty => |$this:ident| $value:expr;)+) => {$(
        impl Param for $type {
            fn value(&self) -> Value<'_> {
                let $this = self;
                $value
            }
        }
    )+};
}

params! {
    i64 => |n| Value::Int(*n);
    f64 => |n| Value::Real(*n);
    bool => |b| Value::Bool(*b);
    str => |s| Value::Text(s);
    String => |s| Value::Text(s);
    [u8] => |b| Value::Bytes(b);
    Vec<u8> => |b| Value::Bytes(b);
    Uuid => |u| Value::Uuid(*u);
    Timestamp => |t| Value::Time(*t);
    Phone => |p| Value::Text(p.as_str());
    Country => |c| Value::Text(c.as_str());
    Email => |e| Value::Text(e.as_str());
    Money => |m| Value::Int(m.parts());
    Currency => |c| Value::Text(c.as_str());
    Box<serde_json::value::RawValue> => |j| Value::Json(j.get());
}

impl<const MAX: usize> Param for Text<MAX> {
    fn value(&self) -> Value<'_> {
        Value::Text(self.as_str())
    }
}

impl<T: ?Sized> Param for Id<T> {
    fn value(&self) -> Value<'_> {
        Value::Uuid(self.uuid())
    }
}

impl<T: Param> Param for Option<T> {
    fn value(&self) -> Value<'_> {
        self.as_ref().map_or(Value::Null, Param::value)
    }
}

impl<T: Param + ?Sized> Param for &T {
    fn value(&self) -> Value<'_> {
        (**self).value()
    }
}

impl rusqlite::ToSql for Value<'_> {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        Ok(match self {
            Self::Null => ToSqlOutput::Borrowed(ValueRef::Null),
            Self::Int(n) => ToSqlOutput::Borrowed(ValueRef::Integer(*n)),
            Self::Real(n) => ToSqlOutput::Borrowed(ValueRef::Real(*n)),
            Self::Bool(b) => ToSqlOutput::Borrowed(ValueRef::Integer(i64::from(*b))),
            Self::Text(s) | Self::Json(s) => ToSqlOutput::Borrowed(ValueRef::Text(s.as_bytes())),
            Self::Bytes(b) => ToSqlOutput::Borrowed(ValueRef::Blob(b)),
            Self::Uuid(u) => ToSqlOutput::Borrowed(ValueRef::Blob(u.as_bytes())),
            Self::Time(t) => ToSqlOutput::Borrowed(ValueRef::Integer(t.millis())),
            Self::List(_) => {
                return Err(rusqlite::Error::ToSqlConversionFailure("SQLite has no lists".into()));
            }
        })
    }
}

impl ToSql for Value<'_> {
    fn to_sql(&self, ty: &Type, out: &mut BytesMut) -> Result<IsNull, Box<dyn StdError + Sync + Send>> {
        match self {
            Self::Null => Ok(IsNull::Yes),
            Self::Int(n) if *ty == Type::INT4 => i32::try_from(*n)?.to_sql(ty, out),
            Self::Int(n) => n.to_sql(ty, out),
            Self::Real(n) => n.to_sql(ty, out),
            Self::Bool(b) => b.to_sql(ty, out),
            Self::Json(s) if *ty == Type::JSONB => {
                const JSONB_VERSION: u8 = 1;
                out.extend_from_slice(&[JSONB_VERSION]);
                out.extend_from_slice(s.as_bytes());
                Ok(IsNull::No)
            }
            Self::Text(s) | Self::Json(s) => s.to_sql(ty, out),
            Self::Bytes(b) => b.to_sql(ty, out),
            Self::Uuid(u) => u.to_sql(ty, out),
            Self::Time(t) => {
                let micros = (t.millis() - POSTGRES_EPOCH_MILLIS) * MICROS_PER_MILLI;
                out.extend_from_slice(&micros.to_be_bytes());
                Ok(IsNull::No)
            }
            Self::List(values) => values.as_slice().to_sql(ty, out),
        }
    }

    fn accepts(_: &Type) -> bool {
        true
    }

    fn to_sql_checked(
        &self,
        ty: &Type,
        out: &mut BytesMut,
    ) -> Result<IsNull, Box<dyn StdError + Sync + Send>> {
        let fits = match self {
            Self::Null => true,
            Self::Int(_) => matches!(*ty, Type::INT8 | Type::INT4),
            Self::Real(_) => *ty == Type::FLOAT8,
            Self::Bool(_) => *ty == Type::BOOL,
            Self::Text(_) => matches!(*ty, Type::TEXT | Type::VARCHAR),
            Self::Json(_) => matches!(*ty, Type::JSONB | Type::JSON | Type::TEXT),
            Self::Bytes(_) => *ty == Type::BYTEA,
            Self::Uuid(_) => *ty == Type::UUID,
            Self::Time(_) => *ty == Type::TIMESTAMPTZ,
            Self::List(_) => matches!(ty.kind(), Kind::Array(_)),
        };
        if fits { self.to_sql(ty, out) } else { Err(format!("{self:?} cannot be sent as {ty}").into()) }
    }
}
