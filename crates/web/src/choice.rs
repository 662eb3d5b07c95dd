//! Enums that are strings in JSON, in queries and in the database.

use std::fmt;

/// Why a text is not one of the allowed strings.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NotAChoice {
    pub allowed: &'static [&'static str],
}

impl fmt::Display for NotAChoice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "must be one of {}", self.allowed.join(", "))
    }
}

impl std::error::Error for NotAChoice {}

/// Declares an enum of strings: `choice! { /// doc pub enum Match { All => "all", Any => "any" } }`.
///
/// It parses from a body and a query, prints, serializes and has a schema.
#[macro_export]
macro_rules! choice {
    (
        $(#[$($attribute:tt)*])*
        $visible:vis enum $name:ident {
            $($(#[$($variant_attribute:tt)*])* $variant:ident => $word:literal),+ $(,)?
        }
    ) => {
        $(#[$($attribute)*])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        $visible enum $name {
            $($(#[$($variant_attribute)*])* $variant),+
        }

        #[allow(dead_code, reason = "an enum that is only read is not walked")]
        impl $name {
            $visible const ALL: &'static [Self] = &[$(Self::$variant),+];
            $visible const WORDS: &'static [&'static str] = &[$($word),+];

            $visible const fn as_str(self) -> &'static str {
                match self {
                    $(Self::$variant => $word),+
                }
            }
        }

        impl ::std::str::FromStr for $name {
            type Err = $crate::NotAChoice;

            fn from_str(word: &str) -> ::std::result::Result<Self, Self::Err> {
                match word {
                    $($word => Ok(Self::$variant),)+
                    _ => Err($crate::NotAChoice { allowed: Self::WORDS }),
                }
            }
        }

        impl ::std::fmt::Display for $name {
            fn fmt(&self, f: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
                f.write_str(self.as_str())
            }
        }

        impl $crate::serde::Serialize for $name {
            fn serialize<S: $crate::serde::Serializer>(
                &self,
                serializer: S,
            ) -> ::std::result::Result<S::Ok, S::Error> {
                serializer.serialize_str(self.as_str())
            }
        }

        impl $crate::Describe for $name {
            fn schema(components: &mut $crate::Components) -> $crate::Value {
                components.named::<Self>(stringify!($name), |_| {
                    let schema = $crate::serde_json::json!({ "type": "string", "enum": Self::WORDS });
                    $crate::schema::described(
                        schema,
                        &$crate::schema::prose(&[$($crate::attribute!($($attribute)*)),*]),
                    )
                })
            }
        }

        impl $crate::Input for $name {
            fn schema(components: &mut $crate::Components) -> $crate::Value {
                <Self as $crate::Describe>::schema(components)
            }

            fn read(
                value: Option<&$crate::Value>,
                at: &mut $crate::FieldPath,
                problems: &mut $crate::Problems,
            ) -> Option<Self> {
                $crate::input::parsed(value, at, problems)
            }
        }

        impl $crate::Param for $name {
            fn parse(text: &str) -> ::std::result::Result<Self, String> {
                text.parse().map_err(|wrong: $crate::NotAChoice| wrong.to_string())
            }

            fn schema(components: &mut $crate::Components) -> $crate::Value {
                <Self as $crate::Describe>::schema(components)
            }
        }
    };
}

#[cfg(test)]
mod tests {
    use crate::{Components, Describe, FieldPath, Input, Param, Problems};
    use serde_json::json;

    choice! {
        /// How rules combine.
        enum Match {
            /// Every rule holds.
            All => "all",
            Any => "any",
        }
    }

    #[test]
    fn words_read_back_everywhere() {
        for each in Match::ALL {
            assert_eq!(each.as_str().parse(), Ok(*each));
            assert_eq!(Match::parse(each.as_str()), Ok(*each));
            assert_eq!(serde_json::to_value(each).unwrap(), json!(each.to_string()));
            let word = json!(each.as_str());
            assert_eq!(Match::read(Some(&word), &mut FieldPath::root(), &mut Problems::new()), Some(*each));
        }
    }

    #[test]
    fn another_word_is_told_which_there_are() {
        assert_eq!(Match::parse("some"), Err("must be one of all, any".to_owned()));
        let mut problems = Problems::new();
        assert_eq!(Match::read(Some(&json!("ALL")), &mut FieldPath::root(), &mut problems), None);
        assert_eq!(problems.iter().collect::<Vec<_>>(), [("", "must be one of all, any")]);
    }

    #[test]
    fn it_is_one_component_however_it_is_used() {
        let mut components = Components::new();
        let read = <Match as Input>::schema(&mut components);
        assert_eq!(read, <Match as Describe>::schema(&mut components));
        assert_eq!(
            components.into_value(),
            json!({ "Match": { "type": "string", "enum": ["all", "any"], "description": "How rules combine." } })
        );
    }
}
