//! The JSON serializer of responses and events: the same bytes as `serde_json`, faster.
//!
//! Most of a response is field names, ids, times and short texts that need no escape. `serde_json` checks
//! each of their bytes; this serializer trusts the names of fields and checks eight bytes of a text at once.
//! Numbers and texts that need an escape are left to `serde_json`, so the two cannot differ.

mod compound;
mod text;

use serde::ser::{Error as _, Serialize, Serializer};
use serde_json::Error;

use compound::Compound;

/// The name under which [`serde_json::value::RawValue`] passes JSON to be copied.
const RAW_VALUE: &str = "$serde_json::private::RawValue";

/// Appends a value. It fails where `serde_json` does, and for keys of a map that are not text.
pub fn write<T: Serialize + ?Sized>(out: &mut Vec<u8>, value: &T) -> Result<(), Error> {
    value.serialize(Json { out })
}

/// A value as text.
pub fn to_string<T: Serialize + ?Sized>(value: &T) -> Result<String, Error> {
    let mut out = Vec::with_capacity(STRING_BYTES_USUAL);
    write(&mut out, value)?;
    String::from_utf8(out).map_err(Error::custom)
}

/// The capacity for a usual value, so that it is not reallocated.
const STRING_BYTES_USUAL: usize = 1 << 10;

struct Json<'o> {
    out: &'o mut Vec<u8>,
}

impl<'o> Json<'o> {
    fn rest<T: Serialize + ?Sized>(self, value: &T) -> Result<(), Error> {
        serde_json::to_writer(self.out, value)
    }

    /// `{"name":`, for enum variants with content.
    fn variant(self, name: &'static str) -> &'o mut Vec<u8> {
        text::write_key(self.out, "{\"", name);
        self.out
    }
}

macro_rules! left_to_serde_json {
    ($($method:ident $kind:ty),+) => {
        $(fn $method(self, value: $kind) -> Result<(), Error> {
            self.rest(&value)
        })+
    };
}

impl<'o> Serializer for Json<'o> {
    type Ok = ();
    type Error = Error;
    type SerializeSeq = Compound<'o>;
    type SerializeTuple = Compound<'o>;
    type SerializeTupleStruct = Compound<'o>;
    type SerializeTupleVariant = Compound<'o>;
    type SerializeMap = Compound<'o>;
    type SerializeStruct = Compound<'o>;
    type SerializeStructVariant = Compound<'o>;

    left_to_serde_json! {
        serialize_bool bool, serialize_char char, serialize_bytes &[u8],
        serialize_i8 i8, serialize_i16 i16, serialize_i32 i32, serialize_i64 i64, serialize_i128 i128,
        serialize_u8 u8, serialize_u16 u16, serialize_u32 u32, serialize_u64 u64, serialize_u128 u128,
        serialize_f32 f32, serialize_f64 f64
    }

    fn serialize_str(self, value: &str) -> Result<(), Error> {
        text::write(self.out, value)
    }

    fn serialize_none(self) -> Result<(), Error> {
        self.serialize_unit()
    }

    fn serialize_some<T: Serialize + ?Sized>(self, value: &T) -> Result<(), Error> {
        value.serialize(self)
    }

    fn serialize_unit(self) -> Result<(), Error> {
        self.out.extend_from_slice(b"null");
        Ok(())
    }

    fn serialize_unit_struct(self, _: &'static str) -> Result<(), Error> {
        self.serialize_unit()
    }

    fn serialize_unit_variant(self, _: &'static str, _: u32, variant: &'static str) -> Result<(), Error> {
        text::write_name(self.out, variant);
        Ok(())
    }

    fn serialize_newtype_struct<T: Serialize + ?Sized>(
        self,
        _: &'static str,
        value: &T,
    ) -> Result<(), Error> {
        value.serialize(self)
    }

    fn serialize_newtype_variant<T: Serialize + ?Sized>(
        self,
        _: &'static str,
        _: u32,
        variant: &'static str,
        value: &T,
    ) -> Result<(), Error> {
        let out = self.variant(variant);
        write(out, value)?;
        out.push(b'}');
        Ok(())
    }

    fn serialize_seq(self, _: Option<usize>) -> Result<Compound<'o>, Error> {
        Ok(Compound::new(self.out, "[", "]"))
    }

    fn serialize_tuple(self, _: usize) -> Result<Compound<'o>, Error> {
        Ok(Compound::new(self.out, "[", "]"))
    }

    fn serialize_tuple_struct(self, _: &'static str, _: usize) -> Result<Compound<'o>, Error> {
        Ok(Compound::new(self.out, "[", "]"))
    }

    fn serialize_tuple_variant(
        self,
        _: &'static str,
        _: u32,
        variant: &'static str,
        _: usize,
    ) -> Result<Compound<'o>, Error> {
        Ok(Compound::new(self.variant(variant), "[", "]}"))
    }

    fn serialize_map(self, _: Option<usize>) -> Result<Compound<'o>, Error> {
        Ok(Compound::new(self.out, "{", "}"))
    }

    fn serialize_struct(self, name: &'static str, _: usize) -> Result<Compound<'o>, Error> {
        if name == RAW_VALUE {
            return Ok(Compound::raw(self.out));
        }
        Ok(Compound::new(self.out, "{", "}"))
    }

    fn serialize_struct_variant(
        self,
        _: &'static str,
        _: u32,
        variant: &'static str,
        _: usize,
    ) -> Result<Compound<'o>, Error> {
        Ok(Compound::new(self.variant(variant), "{", "}}"))
    }
}

#[cfg(test)]
mod tests;
