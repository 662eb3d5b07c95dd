//! Rows of contacts. They are taken as the dashboard's import takes them.

use frontdesk_crm::contacts::ContactError;
use frontdesk_crm::custom_fields;
use frontdesk_crm::desk::{self, ImportError, ImportOutcome, ImportRows};
use serde_json::{Map, Value, json};

use super::batch::{Import, Refused, Summary};
use super::mapping::field_of;
use super::reader::CsvRow;
use crate::error::{Error, Result};

impl Import {
    pub(crate) async fn contacts(&self, rows: Vec<CsvRow>) -> Result<Summary> {
        let account = self.account;
        let fields = self.store.read(move |tx| custom_fields::list(tx, account)).await?;
        let id_of = |name: &str| {
            let found = fields.iter().find(|field| {
                field.name.to_lowercase() == name.trim().to_lowercase() || field.id.to_string() == name
            });
            found.map(|field| field.id.to_string())
        };
        let mut values = Vec::with_capacity(rows.len());
        for row in &rows {
            values.push(self.contact(row, &id_of)?);
        }
        let wanted = ImportRows {
            rows: values,
            match_by: self.mapping.match_by().map_err(Error::Invalid)?,
            update_existing: self.mapping.update_existing,
            country: self.country,
        };
        let (by, is_dry) = (self.by.clone(), self.dry_run);
        let results = if is_dry {
            self.store.scan(move |tx| desk::preview_rows(tx, &by, &wanted).map_err(told)).await?
        } else {
            self.store.write(move |tx| desk::write_rows(tx, &by, &wanted).map_err(told)).await?
        };
        let mut summary = Summary::default();
        for (row, result) in rows.iter().zip(results) {
            let refused = |wrong: ImportError| Refused {
                line: result.line,
                field: wrong.path,
                reason: wrong.message,
                value: wrong.value,
            };
            for wrong in result.warnings {
                summary.warn(refused(wrong));
            }
            match result.outcome {
                ImportOutcome::Created => summary.created += 1,
                ImportOutcome::Updated => summary.updated += 1,
                ImportOutcome::Unchanged => summary.unchanged += 1,
                ImportOutcome::Rejected => {
                    summary.refuse(row, result.errors.into_iter().map(refused).collect());
                }
            }
        }
        Ok(summary)
    }

    /// A row as the import takes it. Empty cells leave a field as it is.
    fn contact(&self, row: &CsvRow, id_of: &dyn Fn(&str) -> Option<String>) -> Result<Value> {
        let (mut contact, mut values) = (Map::new(), Map::new());
        contact.insert("line".to_owned(), json!(row.line));
        let (mut first, mut last) = (None, None);
        for (target, cell) in self.cells(row) {
            match target {
                "first_name" => first = Some(cell),
                "last_name" => last = Some(cell),
                "tags" => {
                    let tags = cell.split([',', ';', '|']).map(str::trim).filter(|tag| !tag.is_empty());
                    contact.insert("tags".to_owned(), tags.collect());
                }
                _ => match field_of(target) {
                    Some(name) => {
                        let id = id_of(name).ok_or_else(|| {
                            Error::Invalid(format!(
                                "the account has no custom field {name:?}: create it first, or take it out of the mapping"
                            ))
                        })?;
                        values.insert(id, json!(cell));
                    }
                    None => {
                        contact.insert(target.to_owned(), json!(cell));
                    }
                },
            }
        }
        let joined = [first, last].into_iter().flatten().collect::<Vec<_>>().join(" ");
        if !joined.is_empty() && !contact.contains_key("name") {
            contact.insert("name".to_owned(), json!(joined));
        }
        if !values.is_empty() {
            contact.insert("custom_fields".to_owned(), Value::Object(values));
        }
        Ok(Value::Object(contact))
    }
}

fn told(error: ContactError) -> Error {
    match error {
        ContactError::Platform(frontdesk_platform::Error::Store(error)) => Error::Store(error),
        error => Error::Invalid(error.to_string()),
    }
}
