//! Inputs of several variants, distinguished by the value of one field.

use serde_json::{Map, Value, json};

use crate::schema::Components;

/// The schema of all variants. Each named schema gets the field `tag` with its constant, and the
/// discriminator maps the constants to the schemas.
#[doc(hidden)]
pub fn shapes(components: &mut Components, tag: &str, shapes: Vec<(&str, Value)>) -> Value {
    let mut mapping = Map::new();
    for (word, reference) in &shapes {
        components.tag(reference, tag, word);
        mapping.insert((*word).to_owned(), reference["$ref"].clone());
    }
    let references: Vec<Value> = shapes.into_iter().map(|(_, reference)| reference).collect();
    json!({ "oneOf": references, "discriminator": { "propertyName": tag, "mapping": mapping } })
}

/// Declares an enum of inputs, each read if the field `by` has its value: `tagged! { /// doc pub enum
/// Audience by "type" { "phones" => Phones(PhonesAudience), … } }`.
#[macro_export]
macro_rules! tagged {
    (
        $(#[$($attribute:tt)*])*
        $visible:vis enum $name:ident by $tag:literal {
            $($(#[$($variant_attribute:tt)*])* $word:literal => $variant:ident($kind:ty)),+ $(,)?
        }
    ) => {
        $(#[$($attribute)*])*
        #[derive(Debug, Clone)]
        $visible enum $name {
            $($(#[$($variant_attribute)*])* $variant($kind)),+
        }

        impl $crate::Input for $name {
            fn schema(components: &mut $crate::Components) -> $crate::Value {
                components.named::<Self>(stringify!($name), |components| {
                    let shapes = vec![$(($word, <$kind as $crate::Input>::schema(components))),+];
                    $crate::schema::described(
                        $crate::tagged::shapes(components, $tag, shapes),
                        &$crate::schema::prose(&[$($crate::attribute!($($attribute)*)),*]),
                    )
                })
            }

            fn read(
                value: Option<&$crate::Value>,
                at: &mut $crate::FieldPath,
                problems: &mut $crate::Problems,
            ) -> Option<Self> {
                const WORDS: &[&str] = &[$($word),+];
                let object = $crate::input::object(value, at, problems)?;
                let word = at.field($tag, |at| $crate::input::string(object.get($tag), at, problems))?;
                match word {
                    $($word => <$kind as $crate::Input>::read_variant($tag, value, at, problems).map(Self::$variant),)+
                    _ => {
                        let wrong = $crate::NotAChoice { allowed: WORDS }.to_string();
                        at.field($tag, |at| problems.at(at, wrong));
                        None
                    }
                }
            }
        }
    };
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{FieldPath, Input, Items, Problems};
    use frontdesk_kernel::{Phone, Text};

    crate::input! {
        struct Numbers {
            phones: Items<Phone, 9>,
        }
    }

    crate::input! {
        struct Everyone {
            except: Option<Text<5>>,
        }
    }

    crate::tagged! {
        /// Who gets it.
        enum Audience by "type" {
            "phones" => Numbers(Numbers),
            /// All of them.
            "all" => Everyone(Everyone),
        }
    }

    crate::input! {
        struct Campaign {
            audience: Audience,
        }
    }

    fn read(audience: Value) -> Result<Audience, Vec<(String, String)>> {
        let mut problems = Problems::new();
        let body = json!({ "audience": audience });
        let read = Campaign::read(Some(&body), &mut FieldPath::root(), &mut problems);
        read.map(|campaign| campaign.audience)
            .ok_or_else(|| problems.iter().map(|(path, text)| (path.to_owned(), text.to_owned())).collect())
    }

    #[test]
    fn the_word_says_which_shape_is_read() {
        let numbers = read(json!({ "type": "phones", "phones": ["+14155550123"] })).unwrap();
        assert!(matches!(numbers, Audience::Numbers(Numbers { phones }) if phones.0.len() == 1));
        let everyone = read(json!({ "type": "all" })).unwrap();
        assert!(matches!(everyone, Audience::Everyone(Everyone { except: None })));
    }

    #[test]
    fn problems_keep_their_whole_path() {
        for (audience, path, message) in [
            (json!({}), "audience.type", "is required"),
            (json!({ "type": 1 }), "audience.type", "must be a string"),
            (json!({ "type": "some" }), "audience.type", "must be one of phones, all"),
            (json!({ "type": "phones" }), "audience.phones", "is required"),
            (json!([]), "audience", "must be a JSON object"),
        ] {
            assert_eq!(read(audience).unwrap_err(), [(path.to_owned(), message.to_owned())]);
        }
    }

    #[test]
    fn the_field_that_chooses_is_known_and_fields_of_other_variants_are_not() {
        let mut problems = Problems::new();
        let body = json!({ "audience": { "type": "all", "except": "Ann", "phones": [] } });
        assert!(Campaign::read(Some(&body), &mut FieldPath::root(), &mut problems).is_some());
        assert_eq!(problems.ignored().header_value().unwrap(), "audience.phones");
    }

    #[test]
    fn every_shape_is_in_the_schema_with_its_word() {
        let mut components = Components::new();
        let schema = Audience::schema(&mut components);
        let written = components.resolve(&schema);
        let everyone = json!({ "$ref": "#/components/schemas/Everyone" });
        assert_eq!(written["oneOf"][1], everyone);
        let mapping =
            json!({ "phones": "#/components/schemas/Numbers", "all": "#/components/schemas/Everyone" });
        assert_eq!(written["discriminator"], json!({ "propertyName": "type", "mapping": mapping }));
        let everyone = components.resolve(&everyone);
        assert_eq!(everyone["properties"]["type"], json!({ "type": "string", "const": "all" }));
        assert_eq!(everyone["required"], json!(["type"]));
    }
}
