//! Example values for the documentation, built from the types that are sent.

use frontdesk_kernel::{Id, Timestamp};
use serde::Serialize;
use serde_json::Value;
use uuid::Uuid;

/// A type with an example.
pub trait Example {
    fn example() -> Self;
}

/// The time of every example: 2026-01-31T09:30:00.000Z.
pub const MOMENT: Timestamp = Timestamp::from_millis(1_769_851_800_000);

/// The id of everything in examples.
pub const fn id<T: ?Sized>() -> Id<T> {
    Id::from_uuid(Uuid::from_u128(0x0189_0a5d_ac96_774b_bcce_b302_099a_8057))
}

/// Another id, where an example needs two.
pub const fn other_id<T: ?Sized>() -> Id<T> {
    Id::from_uuid(Uuid::from_u128(0x0189_0a5d_ac96_774b_bcce_b302_099a_8058))
}

/// An example's JSON.
pub fn json(example: &impl Serialize) -> Value {
    serde_json::to_value(example).expect("what is sent has text for keys")
}

/// Lists the examples of types by the names of their schemas: `examples![Contact, Tag]`.
#[macro_export]
macro_rules! examples {
    ($($type:ident),+ $(,)?) => {
        vec![$((stringify!($type), $crate::example::json(&<$type as $crate::Example>::example()))),+]
    };
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_moment_is_the_one_that_is_documented() {
        assert_eq!(MOMENT.to_string(), "2026-01-31T09:30:00.000Z");
        assert_eq!(id::<()>().to_string(), "01890a5d-ac96-774b-bcce-b302099a8057");
    }
}
