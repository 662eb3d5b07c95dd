//! Arrays and objects of JSON.

use serde::ser::{
    Error as _, Serialize, SerializeMap, SerializeSeq, SerializeStruct, SerializeStructVariant,
    SerializeTuple, SerializeTupleStruct, SerializeTupleVariant, Serializer,
};
use serde_json::Error;

use super::{RAW_VALUE, text, write};

/// An open array or object.
pub(super) struct Compound<'o> {
    out: &'o mut Vec<u8>,
    close: &'static str,
    is_empty: bool,
    /// Whether it is not an object but JSON to be copied.
    is_raw: bool,
}

impl<'o> Compound<'o> {
    pub(super) fn new(out: &'o mut Vec<u8>, open: &str, close: &'static str) -> Self {
        out.extend_from_slice(open.as_bytes());
        Self { out, close, is_empty: true, is_raw: false }
    }

    pub(super) fn raw(out: &'o mut Vec<u8>) -> Self {
        Self { out, close: "", is_empty: true, is_raw: true }
    }

    #[inline]
    fn next(&mut self) {
        if !self.is_empty {
            self.out.push(b',');
        }
        self.is_empty = false;
    }

    fn element<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), Error> {
        self.next();
        write(self.out, value)
    }

    #[inline]
    fn field<T: Serialize + ?Sized>(&mut self, name: &'static str, value: &T) -> Result<(), Error> {
        if self.is_raw {
            return serde_json::to_writer(&mut *self.out, &Raw(value));
        }
        text::write_key(self.out, if self.is_empty { "\"" } else { ",\"" }, name);
        self.is_empty = false;
        write(self.out, value)
    }

    fn close(self) {
        self.out.extend_from_slice(self.close.as_bytes());
    }
}

/// The content of a [`serde_json::value::RawValue`], in its original form.
struct Raw<'v, T: ?Sized>(&'v T);

impl<T: Serialize + ?Sized> Serialize for Raw<'_, T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut raw = serializer.serialize_struct(RAW_VALUE, 1)?;
        raw.serialize_field(RAW_VALUE, self.0)?;
        raw.end()
    }
}

macro_rules! arrays {
    ($($kind:ident $method:ident),+) => {$(
        impl $kind for Compound<'_> {
            type Ok = ();
            type Error = Error;

            fn $method<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), Error> {
                self.element(value)
            }

            fn end(self) -> Result<(), Error> {
                self.close();
                Ok(())
            }
        }
    )+};
}

macro_rules! objects {
    ($($kind:ident),+) => {$(
        impl $kind for Compound<'_> {
            type Ok = ();
            type Error = Error;

            #[inline]
            fn serialize_field<T: Serialize + ?Sized>(&mut self, name: &'static str, value: &T) -> Result<(), Error> {
                self.field(name, value)
            }

            fn end(self) -> Result<(), Error> {
                self.close();
                Ok(())
            }
        }
    )+};
}

arrays! {
    SerializeSeq serialize_element,
    SerializeTuple serialize_element,
    SerializeTupleStruct serialize_field,
    SerializeTupleVariant serialize_field
}
objects! { SerializeStruct, SerializeStructVariant }

impl SerializeMap for Compound<'_> {
    type Ok = ();
    type Error = Error;

    fn serialize_key<T: Serialize + ?Sized>(&mut self, key: &T) -> Result<(), Error> {
        self.next();
        let at = self.out.len();
        write(self.out, key)?;
        if self.out.get(at) == Some(&b'"') { Ok(()) } else { Err(Error::custom("a key must be text")) }
    }

    fn serialize_value<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), Error> {
        self.out.push(b':');
        write(self.out, value)
    }

    fn end(self) -> Result<(), Error> {
        self.close();
        Ok(())
    }
}
