//! Reads values from a row.

use fallible_iterator::FallibleIterator;
use frontdesk_kernel::{Country, Currency, Date, Email, Id, Money, Phone, Text, Timestamp};
use postgres_protocol::message::backend::{DataRowBody, DataRowRanges};
use postgres_types::{FromSql, Type};
use rusqlite::types::ValueRef;
use serde_json::value::RawValue;
use uuid::Uuid;

use crate::error::{Error, Result};
use crate::value::{MICROS_PER_MILLI, POSTGRES_EPOCH_MILLIS};

/// One value of a row, in the engine's form.
#[derive(Clone, Copy, Debug)]
pub enum Cell<'a> {
    Null,
    Int(i64),
    Real(f64),
    Bool(bool),
    Text(&'a str),
    Bytes(&'a [u8]),
    Uuid(Uuid),
    Time(Timestamp),
}

impl<'a> Cell<'a> {
    pub fn text(self) -> Result<&'a str> {
        if let Self::Text(text) = self { Ok(text) } else { Err(Error::Decode("text")) }
    }

    /// A value in PostgreSQL's binary format.
    fn postgres(ty: &Type, raw: &'a [u8]) -> Option<Self> {
        Some(match *ty {
            Type::INT8 => Self::Int(i64::from_sql(ty, raw).ok()?),
            Type::INT4 => Self::Int(i64::from(i32::from_sql(ty, raw).ok()?)),
            Type::FLOAT8 => Self::Real(f64::from_sql(ty, raw).ok()?),
            Type::BOOL => Self::Bool(bool::from_sql(ty, raw).ok()?),
            Type::BYTEA => Self::Bytes(raw),
            Type::UUID => Self::Uuid(Uuid::from_sql(ty, raw).ok()?),
            Type::TIMESTAMPTZ => {
                let micros = i64::from_be_bytes(raw.try_into().ok()?);
                Self::Time(Timestamp::from_millis(
                    micros.div_euclid(MICROS_PER_MILLI) + POSTGRES_EPOCH_MILLIS,
                ))
            }
            // The first byte is the format's version; text follows.
            Type::JSONB => Self::Text(std::str::from_utf8(raw.get(1..)?).ok()?),
            Type::TEXT | Type::VARCHAR | Type::JSON => Self::Text(std::str::from_utf8(raw).ok()?),
            _ => return None,
        })
    }
}

/// A type that can be read from a row.
pub trait Column: Sized {
    fn read(cell: Cell<'_>) -> Result<Self>;
}

/// A row, read column by column in the order of the SELECT.
pub struct Row<'a> {
    source: Source<'a>,
    at: usize,
}

/// Is called for each row that a statement finds. It is not a type parameter, so that running a statement is compiled
/// once and not once per statement.
pub(crate) type Visitor<'v> = &'v mut dyn FnMut(&mut Row<'_>) -> Result<()>;

/// Maps a row of one column.
pub fn only<T: Column>(row: &mut Row<'_>) -> Result<T> {
    row.next()
}

enum Source<'a> {
    Sqlite(&'a rusqlite::Row<'a>),
    Postgres { columns: &'a [Type], ranges: DataRowRanges<'a>, bytes: &'a [u8] },
}

impl<'a> Row<'a> {
    pub(crate) fn sqlite(row: &'a rusqlite::Row<'a>) -> Self {
        Self { source: Source::Sqlite(row), at: 0 }
    }

    pub(crate) fn postgres(columns: &'a [Type], row: &'a DataRowBody) -> Self {
        let source = Source::Postgres { columns, ranges: row.ranges(), bytes: row.buffer() };
        Self { source, at: 0 }
    }

    /// The next column.
    #[expect(clippy::should_implement_trait, reason = "a row is no iterator: each column has its own type")]
    pub fn next<T: Column>(&mut self) -> Result<T> {
        T::read(self.cell()?)
    }

    fn cell(&mut self) -> Result<Cell<'_>> {
        let at = self.at;
        self.at += 1;
        Ok(match &mut self.source {
            Source::Sqlite(row) => match row.get_ref(at).map_err(|_| Error::Decode("column"))? {
                ValueRef::Null => Cell::Null,
                ValueRef::Integer(n) => Cell::Int(n),
                ValueRef::Real(n) => Cell::Real(n),
                ValueRef::Text(bytes) => {
                    Cell::Text(std::str::from_utf8(bytes).map_err(|_| Error::Decode("text"))?)
                }
                ValueRef::Blob(bytes) => Cell::Bytes(bytes),
            },
            Source::Postgres { columns, ranges, bytes } => {
                let wrong = || Error::Decode("column");
                let ty = columns.get(at).ok_or_else(wrong)?;
                match ranges.next().ok().flatten().ok_or_else(wrong)? {
                    None => Cell::Null,
                    Some(range) => Cell::postgres(ty, &bytes[range]).ok_or_else(wrong)?,
                }
            }
        })
    }
}

macro_rules! columns {
    ($($type:ty, $name:literal => $($cell:pat => $value:expr),+;)+) => {$(
        impl Column for $type {
            fn read(cell: Cell<'_>) -> Result<Self> {
                match cell {
                    $($cell => Ok($value),)+
                    _ => Err(Error::Decode($name)),
                }
            }
        }
    )+};
}

columns! {
    i64, "number" => Cell::Int(n) => n;
    f64, "number" => Cell::Real(n) => n, Cell::Int(n) => n as f64;
    bool, "boolean" => Cell::Bool(b) => b, Cell::Int(n) => n != 0;
    String, "text" => Cell::Text(text) => text.to_owned();
    Vec<u8>, "bytes" => Cell::Bytes(bytes) => bytes.to_vec();
    Uuid, "id" => Cell::Uuid(id) => id, Cell::Bytes(bytes) => Uuid::from_slice(bytes).map_err(|_| Error::Decode("id"))?;
    Timestamp, "time" => Cell::Time(time) => time, Cell::Int(millis) => Self::from_millis(millis);
    Phone, "phone" => Cell::Text(text) => text.parse().map_err(|_| Error::Decode("phone"))?;
    Country, "country" => Cell::Text(text) => text.parse().map_err(|_| Error::Decode("country"))?;
    Email, "email" => Cell::Text(text) => text.parse().map_err(|_| Error::Decode("email"))?;
    Money, "amount" => Cell::Int(parts) => Self::from_parts(parts).ok_or(Error::Decode("amount"))?;
    Currency, "currency" => Cell::Text(text) => text.parse().map_err(|_| Error::Decode("currency"))?;
    Date, "date" => Cell::Text(text) => text.parse().map_err(|_| Error::Decode("date"))?;
    Box<RawValue>, "JSON" => Cell::Text(text) => RawValue::from_string(text.to_owned()).map_err(|_| Error::Decode("JSON"))?;
}

impl<const MAX: usize> Column for Text<MAX> {
    fn read(cell: Cell<'_>) -> Result<Self> {
        cell.text()?.parse().map_err(|_| Error::Decode("text"))
    }
}

impl<T: ?Sized> Column for Id<T> {
    fn read(cell: Cell<'_>) -> Result<Self> {
        Uuid::read(cell).map(Self::from_uuid)
    }
}

impl<T: Column> Column for Option<T> {
    fn read(cell: Cell<'_>) -> Result<Self> {
        if matches!(cell, Cell::Null) { Ok(None) } else { T::read(cell).map(Some) }
    }
}
