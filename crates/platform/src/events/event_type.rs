//! Event types: each crate declares the events that it writes.

use std::marker::PhantomData;

use frontdesk_web::{Components, example};
use serde::Serialize;
use serde_json::Value;

/// A kind of event whose `data` is a `D`. Declared with [`event_types!`](crate::event_types!).
pub struct EventType<D> {
    declaration: EventDeclaration,
    data: PhantomData<fn() -> D>,
}

impl<D> Clone for EventType<D> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<D> Copy for EventType<D> {}

impl<D> EventType<D> {
    #[doc(hidden)]
    pub const fn new(declaration: EventDeclaration) -> Self {
        Self { declaration, data: PhantomData }
    }

    /// Such as `contact.created`.
    pub const fn name(self) -> &'static str {
        self.declaration.name
    }

    pub const fn declaration(self) -> EventDeclaration {
        self.declaration
    }
}

/// An event type in the catalogue.
#[derive(Clone, Copy, Debug)]
pub struct EventDeclaration {
    /// Such as `contact.created`: the noun of `data`, and the change.
    pub name: &'static str,
    pub description: &'static str,
    #[doc(hidden)]
    pub schema: fn(&mut Components) -> Value,
    #[doc(hidden)]
    pub example: fn() -> Value,
}

impl EventDeclaration {
    /// The part before the dot, which patterns such as `contact.*` name.
    pub fn noun(&self) -> &'static str {
        self.name.split_once('.').map_or(self.name, |(noun, _)| noun)
    }

    /// The schema of the event's `data`.
    pub fn schema(&self, components: &mut Components) -> Value {
        (self.schema)(components)
    }

    /// An example of the event's `data`.
    pub fn example(&self) -> Value {
        (self.example)()
    }
}

/// An example's JSON. The marker ensures that the example has the declared type.
#[doc(hidden)]
pub fn shown<D: Serialize>(_: PhantomData<fn() -> D>, data: &D) -> Value {
    example::json(data)
}

/// Declares event types: one constant each, and the list `EVENT_TYPES`, which the crate's `event_types()`
/// returns. Each has the type of its `data`, its name, a description for the catalogue, and an example.
#[macro_export]
macro_rules! event_types {
    ($($visible:vis $constant:ident: $data:ty = $name:literal, $description:literal, $example:expr;)+) => {
        $(
            #[doc = $description]
            $visible const $constant: $crate::events::EventType<$data> =
                $crate::events::EventType::new($crate::events::EventDeclaration {
                    name: $name,
                    description: $description,
                    schema: <$data as $crate::events::Describe>::schema,
                    example: || {
                        let data = ::std::marker::PhantomData::<fn() -> $data>;
                        $crate::events::shown(data, &$example)
                    },
                });
        )+

        pub const EVENT_TYPES: &[$crate::events::EventDeclaration] = &[$($constant.declaration()),+];
    };
}

pub(crate) use event_types;
