//! A row of an import, checked on its own. No other row and no stored contact matters here.
//!
//! A value that cannot be taken is left out with a warning. A row is rejected only if nothing is left that finds its
//! contact: a phone number or an email address.

use std::borrow::Cow;
use std::collections::HashSet;

use frontdesk_kernel::{Country, Patch, Phone, Text};
use frontdesk_web::{Entries, FieldPath, Input, Problems};
use serde_json::{Map, Value};

use super::value::{means_nothing, normalized};
use super::{ImportError, MatchBy};
use crate::contacts::{ContactFilters, ContactPatch, FIELDS_MAX, FieldValues, NewContact, check_values};
use crate::custom_fields::{self, CustomField, FieldValue};
use crate::tags;

/// Maximum tags of one row.
const TAGS_MAX: usize = 100;

/// A row, or what is wrong with it.
pub(super) struct ImportRow {
    /// The line in the file, as it was sent.
    pub(super) line: i64,
    pub(super) wanted: Result<WantedContact, Vec<ImportError>>,
    /// What was left out.
    pub(super) warnings: Vec<ImportError>,
}

/// The contact that a row describes.
#[derive(Clone, Debug)]
pub(super) struct WantedContact {
    pub(super) new: NewContact,
    /// The names of its tags, each once.
    pub(super) tags: Vec<Text<100>>,
    /// Finds the contact to update.
    pub(super) key: ContactFilters,
}

/// How the rows of a batch are read.
#[derive(Clone, Copy)]
pub(super) struct Reading {
    pub(super) match_by: MatchBy,
    /// The country of numbers without a country code.
    pub(super) country: Option<Country>,
}

impl ImportRow {
    /// Reads the row at this index of the batch.
    pub(super) fn read(at: usize, row: &Value, reading: Reading) -> Self {
        let line = row["line"].as_i64().unwrap_or(at as i64 + 1);
        let Some(fields) = row.as_object() else {
            let wanted = Err(vec![ImportError::new("", "must be a JSON object", Some(row))]);
            return Self { line, wanted, warnings: Vec::new() };
        };
        let mut warnings = Vec::new();
        let wanted = WantedContact::read(fields, reading, &mut warnings);
        Self { line, wanted, warnings }
    }

    /// How much a transaction has to do for this row: about one statement for each unit.
    pub(super) fn work(&self) -> usize {
        let Ok(wanted) = &self.wanted else { return 1 };
        1 + wanted.tags.len() + wanted.new.custom_fields.as_ref().map_or(0, |fields| fields.0.len())
    }
}

impl WantedContact {
    fn read(
        row: &Map<String, Value>,
        reading: Reading,
        warnings: &mut Vec<ImportError>,
    ) -> Result<Self, Vec<ImportError>> {
        let phone = read_phone(row.get("phone"), reading.country);
        let email = optional(row, "email");
        // Without the other, what is wrong with one of them is why the row is rejected.
        let (phone, email) = match (phone, email) {
            (Err(phone), Err(email)) => return Err(vec![phone, email]),
            (Err(wrong), Ok(None)) | (Ok(None), Err(wrong)) => return Err(vec![wrong]),
            (phone, email) => (or_warning(phone, warnings), or_warning(email, warnings)),
        };
        let by_phone = || phone.clone().map(|phone| ContactFilters { phone: Some(phone), ..no_filters() });
        let by_email = || email.clone().map(|email| ContactFilters { email: Some(email), ..no_filters() });
        let key = match reading.match_by {
            MatchBy::Phone => by_phone().or_else(by_email),
            MatchBy::Email => by_email().or_else(by_phone),
        };
        let Some(key) = key else {
            let message =
                "is needed to find the contact of the row; an email address or a phone number will do";
            return Err(vec![ImportError::new(reading.match_by.as_str(), message, None)]);
        };
        let new = NewContact {
            phone,
            country: None,
            name: or_warning(optional(row, "name"), warnings),
            email,
            company: or_warning(optional(row, "company"), warnings),
            tag_ids: None,
            custom_fields: read_values(row.get("custom_fields"), warnings)?,
        };
        Ok(Self { new, tags: read_tags(row.get("tags"), warnings), key })
    }

    /// The contact with the values that the account's fields take. Others are left out with a warning. A field that the
    /// account does not have is an error, because the whole column has nowhere to go.
    pub(super) fn with_valid_values(
        &self,
        fields: &[CustomField],
    ) -> Result<(Cow<'_, Self>, Vec<ImportError>), Vec<ImportError>> {
        let Some(values) = &self.new.custom_fields else { return Ok((Cow::Borrowed(self), Vec::new())) };
        let (mut kept, mut warnings, mut errors) = (Vec::new(), Vec::new(), Vec::new());
        for (key, value) in &values.0 {
            let field = key.parse().ok().and_then(|id| custom_fields::find_in(fields, id));
            let text = field.zip(value.as_ref()).and_then(|(field, value)| normalized(field, value.as_str()));
            let value = text.and_then(|text| text.parse::<FieldValue>().ok()).or_else(|| value.clone());
            let one: FieldValues = Entries(vec![(key.clone(), value)]);
            let mut problems = Problems::new();
            check_values(fields, &one, &mut problems);
            let shown = one.0[0].1.as_ref().map(|value| Value::from(value.as_str()));
            let found = problems.iter().map(|(path, wrong)| ImportError::new(path, wrong, shown.as_ref()));
            match (problems.is_empty(), field) {
                (true, _) => kept.extend(one.0),
                (false, Some(_)) => warnings.extend(found),
                (false, None) => errors.extend(found),
            }
        }
        if !errors.is_empty() {
            return Err(errors);
        }
        let custom_fields = Some(Entries(kept));
        Ok((
            Cow::Owned(Self { new: NewContact { custom_fields, ..self.new.clone() }, ..self.clone() }),
            warnings,
        ))
    }

    /// What the row changes of an existing contact, apart from its tags. Cells without a value change nothing.
    pub(super) fn patch(&self) -> ContactPatch {
        let new = &self.new;
        ContactPatch {
            phone: set(new.phone.as_ref()),
            country: None,
            name: set(new.name.as_ref()),
            email: set(new.email.as_ref()),
            company: set(new.company.as_ref()),
            tag_ids: Patch::Keep,
            custom_fields: new.custom_fields.clone(),
        }
    }
}

fn set<T: Clone>(given: Option<&T>) -> Patch<T> {
    given.cloned().map_or(Patch::Keep, Patch::Set)
}

/// A value, or nothing and a warning.
fn or_warning<T>(read: Result<Option<T>, ImportError>, warnings: &mut Vec<ImportError>) -> Option<T> {
    read.unwrap_or_else(|wrong| {
        warnings.push(wrong);
        None
    })
}

/// A field of a row, unless its text means nothing.
fn optional<T: Input>(row: &Map<String, Value>, name: &'static str) -> Result<Option<T>, ImportError> {
    let value = row.get(name).filter(|value| !means_nothing(name, value));
    let mut problems = Problems::new();
    let read = Option::<T>::read(value, &mut FieldPath::root(), &mut problems);
    let wrong = problems.iter().next().map(|(_, wrong)| ImportError::new(name, wrong, value));
    wrong.map_or_else(|| Ok(read.flatten()), Err)
}

fn read_phone(value: Option<&Value>, country: Option<Country>) -> Result<Option<Phone>, ImportError> {
    let Some(value) = value.filter(|value| !means_nothing("phone", value)) else { return Ok(None) };
    let read = match value.as_str() {
        Some(text) => Country::read_phone(country, text).map_err(|wrong| wrong.to_string()),
        None => Err("must be a string".to_owned()),
    };
    read.map(Some).map_err(|wrong| ImportError::new("phone", &wrong, Some(value)))
}

/// The values of custom fields. Null clears a value, and text that means nothing changes nothing.
fn read_values(
    given: Option<&Value>,
    warnings: &mut Vec<ImportError>,
) -> Result<Option<FieldValues>, Vec<ImportError>> {
    const NAME: &str = "custom_fields";
    let given = match given {
        None | Some(Value::Null) => return Ok(None),
        Some(Value::Object(given)) if given.len() <= FIELDS_MAX => given,
        Some(Value::Object(_)) => {
            let many = format!("must have at most {FIELDS_MAX} entries");
            return Err(vec![ImportError::new(NAME, &many, None)]);
        }
        Some(other) => return Err(vec![ImportError::new(NAME, "must be a JSON object", Some(other))]),
    };
    let mut values = Vec::with_capacity(given.len());
    for (key, value) in given {
        if !value.is_null() && means_nothing(NAME, value) {
            continue;
        }
        let mut problems = Problems::new();
        match Option::<FieldValue>::read(Some(value), &mut FieldPath::root(), &mut problems) {
            Some(read) => values.push((key.clone(), read)),
            None => warnings.extend(
                problems
                    .iter()
                    .map(|(_, wrong)| ImportError::new(&format!("{NAME}.{key}"), wrong, Some(value))),
            ),
        }
    }
    Ok(Some(Entries(values)))
}

fn read_tags(given: Option<&Value>, warnings: &mut Vec<ImportError>) -> Vec<Text<100>> {
    let names = match given {
        None | Some(Value::Null) => return Vec::new(),
        Some(Value::Array(names)) if names.len() <= TAGS_MAX => names,
        Some(Value::Array(_)) => {
            let many = format!("must have at most {TAGS_MAX} items");
            warnings.push(ImportError::new("tags", &many, None));
            return Vec::new();
        }
        Some(other) => {
            warnings.push(ImportError::new("tags", "must be a list of names", Some(other)));
            return Vec::new();
        }
    };
    let (mut tags, mut seen) = (Vec::with_capacity(names.len()), HashSet::new());
    for (at, name) in names.iter().enumerate().filter(|(_, name)| !means_nothing("tags", name)) {
        let wrong = match name.as_str().map(str::parse::<Text<100>>) {
            Some(Ok(name)) if seen.insert(tags::key(name.as_str())) => {
                tags.push(name);
                continue;
            }
            Some(Ok(_)) => continue,
            Some(Err(wrong)) => wrong.to_string(),
            None => "must be the name of a tag".to_owned(),
        };
        warnings.push(ImportError::new(&format!("tags.{at}"), &wrong, Some(name)));
    }
    tags
}

/// The problems of a row.
pub(super) fn errors(problems: &Problems) -> Vec<ImportError> {
    problems.iter().map(|(path, message)| ImportError::new(path, message, None)).collect()
}

/// A single problem of a row.
pub(super) fn error(path: &str, message: &str) -> Vec<ImportError> {
    vec![ImportError::new(path, message, None)]
}

fn no_filters() -> ContactFilters {
    ContactFilters {
        q: None,
        tag_id: None,
        segment_id: None,
        phone: None,
        email: None,
        updated_since: None,
        created_since: None,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn read(row: &Value, match_by: MatchBy) -> ImportRow {
        ImportRow::read(0, row, Reading { match_by, country: "DE".parse().ok() })
    }

    fn paths(errors: &[ImportError]) -> Vec<&str> {
        errors.iter().map(|error| error.path.as_str()).collect()
    }

    #[test]
    fn tags_are_limited_and_counted_once() {
        let row = |tags: Value| read(&json!({ "phone": "+14155550123", "tags": tags }), MatchBy::Phone);
        let many: Vec<String> = (0..=TAGS_MAX).map(|n| format!("tag {n}")).collect();
        assert_eq!(paths(&row(json!(many)).warnings), ["tags"]);
        assert_eq!(paths(&row(json!("vip")).warnings), ["tags"]);
        assert_eq!(paths(&row(json!(["vip", 1, "x".repeat(101), "-"])).warnings), ["tags.1", "tags.2"]);
        assert_eq!(row(json!(["vip", "VIP", "new"])).work(), 3);
    }

    #[test]
    fn a_row_needs_what_finds_its_contact() {
        let missing = read(&json!({ "name": "Ann", "line": 5 }), MatchBy::Phone);
        assert_eq!((missing.line, paths(&missing.wanted.unwrap_err())), (5, vec!["phone"]));
        let missing = read(&json!({ "name": "Ann", "phone": "n/a", "email": "-" }), MatchBy::Email);
        assert_eq!(paths(&missing.wanted.unwrap_err()), ["email"]);
        for (row, rejected) in [
            (json!({ "phone": "12" }), vec!["phone"]),
            (json!({ "phone": "12", "email": "nowhere" }), vec!["phone", "email"]),
            (json!({ "phone": "n/a", "email": "nowhere" }), vec!["email"]),
            (json!("no row"), vec![""]),
        ] {
            assert_eq!(paths(&read(&row, MatchBy::Phone).wanted.unwrap_err()), rejected, "{row}");
        }
        // The other one finds it.
        let by_email = read(&json!({ "email": "ann@example.com" }), MatchBy::Phone).wanted.unwrap();
        assert!(by_email.key.email.is_some() && by_email.key.phone.is_none());
    }

    #[test]
    fn a_value_that_cannot_be_taken_is_left_out_with_a_warning() {
        let row = json!({ "phone": "'0151 0000482", "email": "nowhere", "name": "x".repeat(201), "company": "n/a",
            "custom_fields": { "a": "y".repeat(1_001), "b": "-", "c": "gold" } });
        let read = read(&row, MatchBy::Phone);
        assert_eq!(paths(&read.warnings), ["email", "name", "custom_fields.a"]);
        assert_eq!(read.warnings[0].value.as_deref(), Some("nowhere"));
        let new = read.wanted.unwrap().new;
        assert_eq!(new.phone.unwrap().as_str(), "+491510000482");
        assert!(new.email.is_none() && new.name.is_none() && new.company.is_none());
        assert_eq!(new.custom_fields.unwrap().0.len(), 1);
    }
}
