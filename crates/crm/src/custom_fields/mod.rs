//! Custom fields: an account's additional fields of contacts. A value is text that fits the field's type.

mod api;
mod sql;

use std::collections::HashSet;

use frontdesk_db::{self as db, ReadTx, Row, Tx, only};
use frontdesk_kernel::ids::AccountId;
use frontdesk_kernel::{Id, Scope, Text, Timestamp};
use frontdesk_platform::export::{Columns, Exported, ExportedRows, line};
use frontdesk_platform::{By, Caller, Error as PlatformError, Route};
use frontdesk_web::{
    Body, Data, Deleted, Failure, Given, Items, List, Path, Problems, Result as WebResult, choice, input,
    resource,
};
use http::StatusCode;
use serde_json::{Map, Value};

use crate::quota::TooMany;
pub use sql::STATEMENTS;
use sql::{COUNT, DELETE, FIND, FORGET_COPIES, INSERT, LIST, UPDATE};

/// Maximum fields of an account.
const FIELDS_MAX: i64 = 200;
const OPTIONS_MAX: usize = 200;
const VALUE_CHARS_MAX: usize = 1_000;

/// A value in a request. Its limit keeps a page of contacts small.
pub type FieldValue = Text<VALUE_CHARS_MAX>;

pub type FieldId = Id<CustomField>;

choice! {
    /// The type of a field's values. They are always strings: `12.5`, `2026-01-31`, `true`.
    pub enum FieldType {
        Text => "text",
        Number => "number",
        Date => "date",
        Boolean => "boolean",
        Select => "select",
    }
}

frontdesk_db::text_column!(FieldType);

resource! {
    /// The definition of a custom field.
    pub struct CustomField {
        pub id: FieldId,
        pub name: String,
        pub r#type: FieldType,
        /// The options of a `select`; empty for every other type.
        pub options: Vec<String>,
        pub created_at: Timestamp,
        pub updated_at: Timestamp,
    }
}

input! {
    /// A new custom field.
    pub struct NewCustomField {
        /// Unique in the account, regardless of case.
        pub name: Text<100>,
        /// Defaults to `text`.
        pub r#type: Option<FieldType>,
        /// The options of a `select`; required for that type, and not allowed for others.
        pub options: Option<Items<Text<100>, OPTIONS_MAX>>,
    }
    shape = options_are_where_they_belong;
    check = options_differ;
}

input! {
    /// Changes of a custom field. Its type cannot change.
    pub struct CustomFieldPatch {
        pub name: Given<Text<100>>,
        pub options: Given<Items<Text<100>, OPTIONS_MAX>>,
    }
}

fn options_are_where_they_belong(new: &Map<String, Value>, problems: &mut Problems) {
    let select = new.get("type").and_then(Value::as_str) == Some(FieldType::Select.as_str());
    let any = new.get("options").and_then(Value::as_array).is_some_and(|options| !options.is_empty());
    let unreadable = new.get("options").is_some_and(|options| !options.is_null() && !options.is_array());
    if !unreadable {
        belong(select, any, problems);
    }
}

fn belong(select: bool, any: bool, problems: &mut Problems) {
    match (select, any) {
        (true, false) => problems.add("options", "must name at least one option for a select"),
        (false, true) => problems.add("options", "are only for the type select"),
        _ => {}
    }
}

fn options_differ(new: &NewCustomField, problems: &mut Problems) {
    differ(new.options.as_ref().map_or(&[][..], |options| &options.0), problems);
}

fn differ(options: &[Text<100>], problems: &mut Problems) {
    let mut seen = HashSet::new();
    for (at, option) in options.iter().enumerate() {
        if !seen.insert(option.as_str()) {
            problems.add(format!("options.{at}"), "must not repeat an option");
        }
    }
}

impl CustomField {
    /// Why a value is invalid for this field, if it is.
    pub fn refuses(&self, value: &str) -> Option<String> {
        let fits = match self.r#type {
            FieldType::Text => true,
            FieldType::Number => value.parse::<f64>().is_ok_and(f64::is_finite),
            FieldType::Date => value.len() == 10 && value.parse::<Timestamp>().is_ok(),
            FieldType::Boolean => matches!(value, "true" | "false"),
            FieldType::Select => self.options.iter().any(|option| option == value),
        };
        (!fits).then(|| match self.r#type {
            FieldType::Text => "must be text".to_owned(),
            FieldType::Number => "must be a number, such as \"12.5\"".to_owned(),
            FieldType::Date => "must be a date, such as \"2026-01-31\"".to_owned(),
            FieldType::Boolean => "must be \"true\" or \"false\"".to_owned(),
            FieldType::Select => format!("must be one of {}", self.options.join(", ")),
        })
    }
}

#[derive(Debug, thiserror::Error)]
pub enum FieldError {
    #[error(transparent)]
    Platform(#[from] PlatformError),
    #[error("another field has this name")]
    NameTaken,
    #[error("the options do not fit")]
    Invalid(Problems),
    #[error(transparent)]
    TooMany(#[from] TooMany),
}

impl From<db::Error> for FieldError {
    fn from(error: db::Error) -> Self {
        if error.is_constraint("custom_fields_name_key") {
            Self::NameTaken
        } else {
            Self::Platform(error.into())
        }
    }
}

impl From<FieldError> for Failure {
    fn from(error: FieldError) -> Self {
        match error {
            FieldError::Platform(error) => error.into(),
            FieldError::NameTaken => Self::conflict(
                "Another custom field of this account has this name. Choose another, or use that one.",
            ),
            FieldError::Invalid(problems) => Self::validation(problems),
            FieldError::TooMany(error) => error.into(),
        }
    }
}

const MISSING: PlatformError = PlatformError::Missing("custom field");

pub fn create(tx: &mut Tx<'_>, by: &By, new: &NewCustomField) -> Result<CustomField, FieldError> {
    let count = tx.find(COUNT, &[&by.account], only)?.unwrap_or(0);
    TooMany::check("custom fields", count, FIELDS_MAX)?;
    let id: FieldId = by.new_id();
    let field = CustomField {
        id,
        name: new.name.as_str().to_owned(),
        r#type: new.r#type.unwrap_or(FieldType::Text),
        options: new.options.iter().flat_map(|options| &options.0).map(ToString::to_string).collect(),
        created_at: id.created_at(),
        updated_at: by.now,
    };
    let params: &[&dyn db::Param] = &[
        &by.account,
        &id,
        &field.name,
        &field.name.to_lowercase(),
        &field.r#type,
        &written(&field.options),
        &by.now,
    ];
    tx.execute(INSERT, params)?.exactly(1)?;
    Ok(field)
}

/// Values that no longer fit changed options stay as they are until they are written again.
pub fn patch(
    tx: &mut Tx<'_>,
    by: &By,
    id: FieldId,
    patch: &CustomFieldPatch,
) -> Result<CustomField, FieldError> {
    let mut field = tx.find_to_change(FIND, &[&by.account, &id], read)?.ok_or(MISSING)?;
    if let Given::Value(name) = &patch.name {
        name.as_str().clone_into(&mut field.name);
    }
    if let Given::Value(options) = &patch.options {
        let mut problems = Problems::new();
        belong(field.r#type == FieldType::Select, !options.0.is_empty(), &mut problems);
        differ(&options.0, &mut problems);
        if !problems.is_empty() {
            return Err(FieldError::Invalid(problems));
        }
        field.options = options.0.iter().map(ToString::to_string).collect();
    }
    field.updated_at = by.now;
    let params: &[&dyn db::Param] =
        &[&by.account, &id, &field.name, &field.name.to_lowercase(), &written(&field.options), &by.now];
    tx.execute(UPDATE, params)?.exactly(1)?;
    Ok(field)
}

/// Deletes a field with its values, and the copies of them in the rows of contacts.
pub fn delete(tx: &mut Tx<'_>, by: &By, id: FieldId) -> Result<Deleted, FieldError> {
    // While the field is locked, no contact gets a value of it.
    tx.find_to_change(FIND, &[&by.account, &id], read)?.ok_or(MISSING)?;
    let _any_number_is_fine = tx.execute(FORGET_COPIES, &[&by.account, &id])?;
    tx.execute(DELETE, &[&by.account, &id])?.exactly(1)?;
    Ok(Deleted::new(id))
}

/// Every definition of the account, newest first.
pub fn list(tx: &mut ReadTx<'_>, account: AccountId) -> db::Result<Vec<CustomField>> {
    tx.query(LIST, &[&account], read)
}

/// A definition of the account's, which [`list`] has sorted.
pub(crate) fn find_in(fields: &[CustomField], id: FieldId) -> Option<&CustomField> {
    fields.binary_search_by(|field| id.cmp(&field.id)).ok().map(|at| &fields[at])
}

fn written(options: &[String]) -> String {
    serde_json::to_string(options).unwrap_or_else(|_| "[]".to_owned())
}

pub(crate) const EXPORTED: &[&dyn Exported] = &[&ExportedRows::new(
    "custom_fields",
    &["custom_fields"],
    Columns { sql: "t.id, t.name, t.type, t.options, t.updated_at", line: |row, _| line(&read(row)?) },
)];

fn read(row: &mut Row<'_>) -> db::Result<CustomField> {
    let id: FieldId = row.next()?;
    let (name, field_type) = (row.next()?, row.next()?);
    let options = serde_json::from_str(&row.next::<String>()?).map_err(|_| db::Error::Decode("options"))?;
    Ok(CustomField {
        id,
        name,
        r#type: field_type,
        options,
        created_at: id.created_at(),
        updated_at: row.next()?,
    })
}

pub fn routes() -> Vec<Route> {
    let routes = vec![
        Route::get("/custom-fields", "listCustomFields", api::list)
            .scope(Scope::ContactsRead)
            .summary("List custom fields"),
        Route::post("/custom-fields", "createCustomField", api::create)
            .scope(Scope::ContactsWrite)
            .created()
            .summary("Define a custom field")
            .fails(&[StatusCode::CONFLICT]),
        Route::patch("/custom-fields/{id}", "updateCustomField", api::patch)
            .scope(Scope::ContactsWrite)
            .summary("Update a custom field")
            .fails(&[StatusCode::CONFLICT]),
        Route::delete("/custom-fields/{id}", "deleteCustomField", api::delete)
            .scope(Scope::ContactsWrite)
            .summary("Delete a custom field")
            .notes("Deletes its values too."),
    ];
    routes.into_iter().map(|route| route.tag("Custom fields")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn field(field_type: FieldType) -> CustomField {
        let moment = Timestamp::from_millis(0);
        CustomField {
            id: FieldId::first_at(moment),
            name: "Plan".into(),
            r#type: field_type,
            options: vec!["gold".into(), "free".into()],
            created_at: moment,
            updated_at: moment,
        }
    }

    #[test]
    fn values_must_fit_their_type() {
        for (field_type, right, wrong) in [
            (FieldType::Text, vec!["anything"], vec![]),
            (FieldType::Number, vec!["12.5", "-3", "1e3"], vec!["twelve", "NaN", "inf", "1,5"]),
            (FieldType::Date, vec!["2026-01-31"], vec!["31.01.2026", "2026-02-30", "2026-01-31T00:00:00Z"]),
            (FieldType::Boolean, vec!["true", "false"], vec!["yes", "True", "1"]),
            (FieldType::Select, vec!["gold"], vec!["Gold", "silver"]),
        ] {
            for value in right {
                assert_eq!(field(field_type).refuses(value), None, "{field_type} {value}");
            }
            for value in wrong {
                assert!(field(field_type).refuses(value).is_some(), "{field_type} {value}");
            }
        }
    }
}
