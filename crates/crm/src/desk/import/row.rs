//! A row of an import, checked on its own. No other row and no stored contact matters here.

use std::collections::HashSet;

use frontdesk_kernel::{Patch, Text};
use frontdesk_web::{FieldPath, Input, Problems};
use serde_json::Value;

use super::{ImportError, MatchBy};
use crate::contacts::{ContactFilters, ContactPatch, NewContact};
use crate::tags;

/// Maximum tags of one row.
const TAGS_MAX: usize = 100;

/// A row, or what is wrong with it.
pub(super) struct ImportRow {
    /// The line in the file, as it was sent.
    pub(super) line: i64,
    pub(super) wanted: Result<WantedContact, Vec<ImportError>>,
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

impl ImportRow {
    /// Reads the row at this index of the batch.
    pub(super) fn read(at: usize, row: &Value, match_by: MatchBy) -> Self {
        Self {
            line: row["line"].as_i64().unwrap_or(at as i64 + 1),
            wanted: WantedContact::read(row, match_by),
        }
    }

    /// How much a transaction has to do for this row: about one statement for each unit.
    pub(super) fn work(&self) -> usize {
        let Ok(wanted) = &self.wanted else { return 1 };
        1 + wanted.tags.len() + wanted.new.custom_fields.as_ref().map_or(0, |fields| fields.0.len())
    }
}

impl WantedContact {
    fn read(row: &Value, match_by: MatchBy) -> Result<Self, Vec<ImportError>> {
        let mut problems = Problems::new();
        let new = NewContact::read(Some(row), &mut FieldPath::root(), &mut problems);
        let tags = read_tags(&row["tags"], &mut problems);
        let Some(new) = new.filter(|_| problems.is_empty()) else { return Err(errors(&problems)) };
        let key = match match_by {
            MatchBy::Phone => {
                new.phone.clone().map(|phone| ContactFilters { phone: Some(phone), ..no_filters() })
            }
            MatchBy::Email => {
                new.email.clone().map(|email| ContactFilters { email: Some(email), ..no_filters() })
            }
        };
        let Some(key) = key else {
            return Err(error(match_by.as_str(), "is needed to find the contact that the row is about"));
        };
        Ok(Self { new: NewContact { tag_ids: None, ..new }, tags, key })
    }

    /// What the row changes of an existing contact, apart from its tags. Cells without a value change nothing.
    pub(super) fn patch(&self) -> ContactPatch {
        let new = &self.new;
        ContactPatch {
            phone: set(new.phone.as_ref()),
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

fn read_tags(given: &Value, problems: &mut Problems) -> Vec<Text<100>> {
    let names = match given {
        Value::Null => return Vec::new(),
        Value::Array(names) if names.len() <= TAGS_MAX => names,
        Value::Array(_) => {
            problems.add("tags", format!("must have at most {TAGS_MAX} items"));
            return Vec::new();
        }
        _ => {
            problems.add("tags", "must be a list of names");
            return Vec::new();
        }
    };
    let (mut tags, mut seen) = (Vec::with_capacity(names.len()), HashSet::new());
    for (at, name) in names.iter().enumerate() {
        match name.as_str().map(str::parse::<Text<100>>) {
            Some(Ok(name)) if seen.insert(tags::key(name.as_str())) => tags.push(name),
            Some(Ok(_)) => {}
            Some(Err(wrong)) => problems.add(format!("tags.{at}"), wrong.to_string()),
            None => problems.add(format!("tags.{at}"), "must be the name of a tag"),
        }
    }
    tags
}

/// The problems of a row.
pub(super) fn errors(problems: &Problems) -> Vec<ImportError> {
    let error =
        |(path, message): (&str, &str)| ImportError { path: path.to_owned(), message: message.to_owned() };
    problems.iter().map(error).collect()
}

/// A single problem of a row.
pub(super) fn error(path: &str, message: &str) -> Vec<ImportError> {
    vec![ImportError { path: path.to_owned(), message: message.to_owned() }]
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

    fn paths(row: &Value) -> Vec<String> {
        let read = ImportRow::read(0, row, MatchBy::Phone);
        read.wanted.map_or_else(|errors| errors.into_iter().map(|it| it.path).collect(), |_| Vec::new())
    }

    #[test]
    fn tags_are_limited_and_counted_once() {
        let row = |tags: Value| json!({ "phone": "+14155550123", "tags": tags });
        let many: Vec<String> = (0..=TAGS_MAX).map(|n| format!("tag {n}")).collect();
        assert_eq!(paths(&row(json!(many))), ["tags"]);
        assert_eq!(paths(&row(json!("vip"))), ["tags"]);
        assert_eq!(paths(&row(json!(["vip", 1, ""]))), ["tags.1", "tags.2"]);
        let read = ImportRow::read(0, &row(json!(["vip", "VIP", "new"])), MatchBy::Phone);
        assert_eq!(read.work(), 3);
    }

    #[test]
    fn a_row_needs_the_field_that_finds_its_contact() {
        assert_eq!(paths(&json!({ "name": "Ann" })), ["phone"]);
        let read = ImportRow::read(4, &json!({ "name": "Ann" }), MatchBy::Email);
        assert_eq!((read.line, read.wanted.unwrap_err()[0].path.as_str()), (5, "email"));
    }
}
