//! A contact there, as it is read, and what it becomes.

use frontdesk_crm::contacts::name_of;
use frontdesk_db::{self as db, Row};
use frontdesk_kernel::{Country, Email, Phone, Text};
use serde_json::{Map, Value};

use super::fields::IDENTIFIER;
use super::source::{Source, labels, micros};
use crate::error::Result;

/// A column that older versions do not have is read from the row as JSON.
const PAGE: &str = concat!(
    "SELECT CAST(c.id AS bigint), ", micros!("c.created_at"), ", c.name::text, to_jsonb(c) ->> 'last_name', c.email::text,
        c.phone_number::text, CAST(c.custom_attributes AS text), c.additional_attributes ->> 'company_name', c.identifier::text, ",
    labels!("Contact", "c.id"), "
    FROM contacts c WHERE c.account_id = $1::bigint AND c.id > $2::bigint ORDER BY c.id LIMIT $3::bigint"
);

/// A contact there.
#[derive(Clone, Debug)]
pub(super) struct TheirContact {
    pub(super) id: i64,
    pub(super) created: i64,
    name: Option<String>,
    last_name: Option<String>,
    email: Option<String>,
    phone: Option<String>,
    attributes: Option<String>,
    company: Option<String>,
    identifier: Option<String>,
    pub(super) labels: Option<String>,
}

impl TheirContact {
    pub(super) fn page(source: &mut Source, account: i64, after: i64, rows_max: i64) -> Result<Vec<Self>> {
        source.query(PAGE, &[&account, &after, &rows_max], Self::read)
    }

    fn read(row: &mut Row<'_>) -> db::Result<Self> {
        Ok(Self {
            id: row.next()?,
            created: row.next()?,
            name: row.next()?,
            last_name: row.next()?,
            email: row.next()?,
            phone: row.next()?,
            attributes: row.next()?,
            company: row.next()?,
            identifier: row.next()?,
            labels: row.next()?,
        })
    }

    pub(super) fn name(&self) -> Option<Text<200>> {
        let parts = [self.name.as_deref(), self.last_name.as_deref()];
        name_of(&parts.into_iter().flatten().map(str::trim).collect::<Vec<_>>().join(" "))
    }

    pub(super) fn company(&self) -> Option<Text<200>> {
        name_of(self.company.as_deref()?)
    }

    /// The number; what cannot be one is the error.
    pub(super) fn phone(&self, country: Option<Country>) -> std::result::Result<Option<Phone>, String> {
        let Some(written) = self.phone.as_deref().filter(|text| !text.trim().is_empty()) else {
            return Ok(None);
        };
        Country::read_phone(country, written).map(Some).map_err(|wrong| format!("{written} {wrong}"))
    }

    /// The address; what cannot be one is the error.
    pub(super) fn email(&self) -> std::result::Result<Option<Email>, String> {
        let Some(written) = self.email.as_deref().filter(|text| !text.trim().is_empty()) else {
            return Ok(None);
        };
        written.parse().map(Some).map_err(|_| written.to_owned())
    }

    /// The values of attributes, by their keys.
    pub(super) fn values(&self) -> Vec<(String, String)> {
        let attributes: Map<String, Value> =
            self.attributes.as_deref().and_then(|text| serde_json::from_str(text).ok()).unwrap_or_default();
        let mut values: Vec<(String, String)> =
            attributes.into_iter().filter_map(|(key, value)| Some((key, written(&value)?))).collect();
        if let Some(identifier) = self.identifier.clone().filter(|text| !text.trim().is_empty()) {
            values.push((IDENTIFIER.to_owned(), identifier));
        }
        values
    }
}

/// A value as text. A time at midnight is a date.
fn written(value: &Value) -> Option<String> {
    match value {
        Value::Null => None,
        Value::String(text) if text.trim().is_empty() => None,
        Value::String(text) => Some(match text.split_once("T00:00:00") {
            Some((date, _)) => date.to_owned(),
            None => text.clone(),
        }),
        Value::Bool(_) | Value::Number(_) | Value::Array(_) | Value::Object(_) => Some(value.to_string()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn contact(attributes: &Value) -> TheirContact {
        TheirContact {
            id: 1,
            created: 0,
            name: Some(" Ann ".into()),
            last_name: Some("Lee".into()),
            email: Some("ann@example.com".into()),
            phone: Some("+4901510000489".into()),
            attributes: Some(attributes.to_string()),
            company: Some(String::new()),
            identifier: Some("crm-7".into()),
            labels: None,
        }
    }

    #[test]
    fn names_numbers_and_values_are_read_as_they_are_written_there() {
        let ann = contact(
            &json!({ "seats": 12, "vip": true, "born": "1990-12-01T00:00:00.000Z", "none": null, "blank": " " }),
        );
        assert_eq!(ann.name().unwrap().as_str(), "Ann Lee");
        assert_eq!(ann.phone(None).unwrap().unwrap().as_str(), "+491510000489");
        assert!(ann.company().is_none());
        let value =
            |key: &str| ann.values().into_iter().find(|(known, _)| known == key).map(|(_, value)| value);
        assert_eq!(value("seats").as_deref(), Some("12"));
        assert_eq!(value("vip").as_deref(), Some("true"));
        assert_eq!(value("born").as_deref(), Some("1990-12-01"));
        assert_eq!(value("identifier").as_deref(), Some("crm-7"));
        assert!(value("none").is_none() && value("blank").is_none());
        for odd in [json!([]), json!("text"), json!(null)] {
            assert_eq!(contact(&odd).values().len(), 1, "{odd}");
        }
    }

    #[test]
    fn a_number_that_cannot_exist_is_an_error() {
        let mut ann = contact(&json!({}));
        ann.phone = Some("+49 12".into());
        assert!(ann.phone(None).unwrap_err().contains("too short"));
        ann.phone = Some("0151 0000489".into());
        assert!(ann.phone(None).is_err());
        assert_eq!(ann.phone("DE".parse().ok()).unwrap().unwrap().as_str(), "+491510000489");
        ann.phone = Some(" ".into());
        assert_eq!(ann.phone(None), Ok(None));
    }
}
