//! Single values.

use frontdesk_kernel::money::NotMoney;
use frontdesk_kernel::text::{NotAText, is_blank};
use frontdesk_kernel::{Country, Currency, Date, Email, Id, Money, Phone, Text, Timestamp};
use serde_json::{Map, Value, json};

use super::{Input, parsed, present, string};
use crate::describe::Describe;
use crate::field_path::FieldPath;
use crate::problems::Problems;
use crate::schema::{Components, nullable, or_blank};

macro_rules! from_text {
    ($kind:ty) => {
        impl Input for $kind {
            fn schema(components: &mut Components) -> Value {
                <Self as Describe>::schema(components)
            }

            fn read(value: Option<&Value>, at: &mut FieldPath, problems: &mut Problems) -> Option<Self> {
                parsed(value, at, problems)
            }
        }
    };
}

from_text!(Timestamp);
from_text!(Date);

/// Makes an [`Input`] of a free-text type: `text_input! { Url, |components| json!({ … }) }`. It is parsed by
/// its `FromStr`, and a blank text is null if the field is optional.
#[macro_export]
macro_rules! text_input {
    ($kind:ty, $schema:expr) => {
        impl $crate::Input for $kind {
            fn schema(components: &mut $crate::Components) -> $crate::Value {
                let schema: fn(&mut $crate::Components) -> $crate::Value = $schema;
                schema(components)
            }

            fn is_blank(text: &str) -> bool {
                text.trim().is_empty()
            }

            fn optional_schema(components: &mut $crate::Components) -> $crate::Value {
                let schema = <Self as $crate::Input>::schema(components);
                $crate::schema::nullable($crate::schema::or_blank(schema))
            }

            fn read(
                value: Option<&$crate::Value>,
                at: &mut $crate::FieldPath,
                problems: &mut $crate::Problems,
            ) -> Option<Self> {
                $crate::input::parsed(value, at, problems)
            }
        }
    };
}

/// A phone number is read as people write it if `country` stands beside it, and otherwise needs its country code.
impl Input for Phone {
    fn schema(_: &mut Components) -> Value {
        json!({ "type": "string", "pattern": Self::PATTERN, "examples": ["+14155550123"] })
    }

    fn is_blank(text: &str) -> bool {
        text.trim().is_empty()
    }

    fn optional_schema(components: &mut Components) -> Value {
        nullable(or_blank(<Self as Input>::schema(components)))
    }

    /// A number whose country code is followed by the zero that is dialled only inside the country is read without it:
    /// `+4901510000489` is `+491510000489`.
    fn read(value: Option<&Value>, at: &mut FieldPath, problems: &mut Problems) -> Option<Self> {
        let phone: Self = parsed(value, at, problems)?;
        Some(Country::read_phone(None, phone.as_str()).unwrap_or(phone))
    }

    fn read_beside(
        value: Option<&Value>,
        beside: &Map<String, Value>,
        at: &mut FieldPath,
        problems: &mut Problems,
    ) -> Option<Self> {
        // A `country` that cannot be read is reported at its own path.
        let country = beside.get("country").and_then(Value::as_str).and_then(|country| country.parse().ok());
        let Some(country) = country else { return Self::read(value, at, problems) };
        let read = Country::read_phone(Some(country), string(value, at, problems)?);
        read.map_err(|wrong| problems.at(at, wrong.to_string())).ok()
    }
}

text_input!(Country, <Country as Describe>::schema);
text_input!(Email, <Email as Describe>::schema);
text_input!(Currency, <Currency as Describe>::schema);

impl<const MAX: usize> Input for Text<MAX> {
    fn schema(components: &mut Components) -> Value {
        <Self as Describe>::schema(components)
    }

    fn is_blank(text: &str) -> bool {
        is_blank(text) && text.chars().count() <= MAX
    }

    fn optional_schema(_: &mut Components) -> Value {
        json!({ "type": ["string", "null"], "maxLength": MAX, "pattern": Self::PATTERN_OR_BLANK })
    }

    fn read(value: Option<&Value>, at: &mut FieldPath, problems: &mut Problems) -> Option<Self> {
        parsed(value, at, problems)
    }
}

macro_rules! from_json {
    ($kind:ty, $read:expr, $must:literal $(, $($generics:tt)+)?) => {
        impl$(<$($generics)+>)? Input for $kind {
            fn schema(components: &mut Components) -> Value {
                <Self as Describe>::schema(components)
            }

            fn read(value: Option<&Value>, at: &mut FieldPath, problems: &mut Problems) -> Option<Self> {
                let read = $read(present(value, at, problems)?);
                if read.is_none() {
                    problems.at(at, $must);
                }
                read
            }
        }
    };
}

from_json!(bool, Value::as_bool, "must be true or false");
from_json!(i64, Value::as_i64, "must be a whole number");
from_json!(f64, Value::as_f64, "must be a number");
from_json!(Id<T>, |value: &Value| value.as_str()?.parse().ok(), "must be a UUID", T: ?Sized);

/// An amount of money is a number.
impl Input for Money {
    fn schema(components: &mut Components) -> Value {
        <Self as Describe>::schema(components)
    }

    fn read(value: Option<&Value>, at: &mut FieldPath, problems: &mut Problems) -> Option<Self> {
        let amount = match present(value, at, problems)? {
            Value::Number(number) => match number.as_i64() {
                Some(whole) => whole.to_string().parse(),
                None => Self::from_number(number.as_f64().unwrap_or(f64::NAN)),
            },
            _ => Err(NotMoney::Shape),
        };
        amount.map_err(|wrong| problems.at(at, wrong.to_string())).ok()
    }
}

/// Any JSON value, including null, that both engines can store: PostgreSQL stores no NUL.
impl Input for Value {
    fn schema(components: &mut Components) -> Value {
        <Self as Describe>::schema(components)
    }

    fn is_blank(text: &str) -> bool {
        text.trim().is_empty()
    }

    fn read(value: Option<&Value>, at: &mut FieldPath, problems: &mut Problems) -> Option<Self> {
        let Some(value) = value else {
            problems.at(at, "is required");
            return None;
        };
        if holds_nul(value) {
            problems.at(at, NotAText::Nul.to_string());
            return None;
        }
        Some(value.clone())
    }
}

fn holds_nul(value: &Value) -> bool {
    match value {
        Value::String(text) => text.contains('\0'),
        Value::Array(items) => items.iter().any(holds_nul),
        Value::Object(fields) => fields.iter().any(|(key, value)| key.contains('\0') || holds_nul(value)),
        _ => false,
    }
}

/// An integer from `MIN` to `MAX`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Within<const MIN: i64, const MAX: i64>(pub i64);

impl<const MIN: i64, const MAX: i64> Input for Within<MIN, MAX> {
    fn schema(_: &mut Components) -> Value {
        json!({ "type": "integer", "minimum": MIN, "maximum": MAX })
    }

    fn read(value: Option<&Value>, at: &mut FieldPath, problems: &mut Problems) -> Option<Self> {
        let value = present(value, at, problems)?;
        let number = value.as_i64().filter(|number| (MIN..=MAX).contains(number)).map(Self);
        if number.is_none() {
            problems.at(at, format!("must be a whole number from {MIN} to {MAX}"));
        }
        number
    }
}

/// A value with the JSON that it was read from, to be stored and read again later.
#[derive(Clone, Debug)]
pub struct Kept<T> {
    pub value: T,
    pub json: Value,
}

impl<T: Input> Input for Kept<T> {
    fn schema(components: &mut Components) -> Value {
        T::schema(components)
    }

    fn read(value: Option<&Value>, at: &mut FieldPath, problems: &mut Problems) -> Option<Self> {
        let json = value.cloned().unwrap_or_default();
        T::read(value, at, problems).map(|value| Self { value, json })
    }
}
