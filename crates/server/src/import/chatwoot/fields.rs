//! Brings the attributes of contacts as custom fields.

use frontdesk_crm::custom_fields::{FieldError, FieldType};
use frontdesk_crm::imports;
use frontdesk_kernel::Text;
use serde_json::Value;

use super::import::{Import, told};
use crate::error::{Error, Result};

/// The definitions of contacts' attributes.
const FIELDS: &str = "SELECT attribute_key::text, attribute_display_name::text, CAST(coalesce(attribute_display_type, 0) AS bigint),
        CAST(attribute_values AS text)
    FROM custom_attribute_definitions WHERE account_id = $1::bigint AND attribute_model = 1 AND attribute_key IS NOT NULL ORDER BY id";
/// The key under which a contact's own id in the business's systems goes.
pub(super) const IDENTIFIER: &str = "identifier";
const OPTIONS_MAX: usize = 100;
const NAME_CHARS_MAX: usize = 100;

/// What an attribute becomes, by the number of its type.
fn kind_of(display_type: i64, options: &[Text<100>]) -> FieldType {
    match display_type {
        1..=3 => FieldType::Number,
        5 => FieldType::Date,
        6 if !options.is_empty() => FieldType::Select,
        7 => FieldType::Boolean,
        _ => FieldType::Text,
    }
}

fn options_of(values: Option<&str>) -> Vec<Text<100>> {
    let values = values.and_then(|text| serde_json::from_str::<Vec<Value>>(text).ok()).unwrap_or_default();
    let mut options: Vec<Text<100>> = Vec::new();
    for value in
        values.iter().filter_map(Value::as_str).filter_map(|text| text.trim().parse::<Text<100>>().ok())
    {
        if options.len() < OPTIONS_MAX && !options.iter().any(|known| known.as_str() == value.as_str()) {
            options.push(value);
        }
    }
    options
}

/// The name of the field of an attribute that has no definition.
pub(super) fn name_of_key(key: &str) -> &str {
    if key == IDENTIFIER { "Identifier" } else { key }
}

/// A name as a field can have it.
pub(super) fn cut(name: &str) -> String {
    name.trim().chars().filter(|c| !c.is_control()).take(NAME_CHARS_MAX).collect()
}

impl Import<'_> {
    pub(super) async fn bring_fields(&mut self) -> Result<()> {
        let theirs = self.source.query(FIELDS, &[&self.theirs.id], |row| {
            let (key, name): (String, Option<String>) = (row.next()?, row.next()?);
            Ok((key, name, row.next::<i64>()?, row.next::<Option<String>>()?))
        })?;
        for (key, name, display_type, values) in theirs {
            let options = options_of(values.as_deref());
            let kind = kind_of(display_type, &options);
            self.field(&key, name.as_deref().unwrap_or(&key), kind, options).await?;
        }
        Ok(())
    }

    /// The field of an attribute, which is created if there is none of its name. None if the account can have no more.
    pub(super) async fn field(
        &mut self,
        key: &str,
        name: &str,
        kind: FieldType,
        options: Vec<Text<100>>,
    ) -> Result<bool> {
        if self.fields.contains_key(key) {
            return Ok(true);
        }
        let Ok(name) = cut(name).parse::<Text<100>>() else { return Ok(false) };
        let by = self.by_now();
        let made = self
            .write(move |tx| match imports::field_named(tx, &by, &name, kind, options.clone()) {
                Ok(field) => Ok(Some(field)),
                Err(FieldError::TooMany(_)) => Ok(None),
                Err(FieldError::NameTaken) => Err(tx.again().into()),
                Err(FieldError::Platform(error)) => Err(told(error)),
                Err(FieldError::Invalid(problems)) => {
                    Err(Error::Invalid(format!("the field {name} cannot be made: {problems:?}")))
                }
            })
            .await?;
        let Some(field) = made else {
            self.tally.left_out("attributes beyond the most custom fields that an account may have", key);
            return Ok(false);
        };
        self.fields.insert(key.to_owned(), field);
        Ok(true)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_attribute_becomes_a_field_of_its_type() {
        let options = options_of(Some("[\"Gold\", \"Gold\", \" \", 3, \"Tin\"]"));
        assert_eq!(options.iter().map(Text::as_str).collect::<Vec<_>>(), ["Gold", "Tin"]);
        assert!(options_of(Some("{}")).is_empty() && options_of(None).is_empty());
        for (number, kind) in [
            (0, FieldType::Text),
            (1, FieldType::Number),
            (2, FieldType::Number),
            (4, FieldType::Text),
            (5, FieldType::Date),
            (6, FieldType::Select),
            (7, FieldType::Boolean),
            (99, FieldType::Text),
        ] {
            assert_eq!(kind_of(number, &options), kind, "{number}");
        }
        assert_eq!(kind_of(6, &[]), FieldType::Text);
    }
}
